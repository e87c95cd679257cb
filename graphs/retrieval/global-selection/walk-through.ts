import { MnemisError } from '../../../src/errors/index.ts';
import type { HierarchyWalk } from '../../../src/hierarchy/traverse/walk.ts';
import type { CallOptions } from '../../../src/model/call-options.ts';
import { NO_USAGE } from '../../../src/model/retrieved-item.ts';
import { SYSTEM2 } from '../../../src/retrieve/categories/defaults.ts';
import { skippedRoute } from '../../../src/retrieve/run-routes.ts';
import type { EndedWalk, WalkSteps } from '../steps.ts';
import { walkDown } from './walk-down.ts';

/** A walk that has ended. */
export interface WalkedThrough extends EndedWalk {
  readonly walk: HierarchyWalk;
}

/** Runs Global Selection by itself, without a search around it: for measurements. @throws CancelledError */
export async function walkThrough(
  steps: Pick<WalkSteps, 'obstacle' | 'after' | 'select'>,
  { signal }: CallOptions = {},
): Promise<WalkedThrough> {
  let walked: WalkedThrough | undefined;
  const walk: WalkSteps = {
    obstacle: steps.obstacle,
    after: (picks) => steps.after(picks),
    select: (current, options) => steps.select(current, options),
    failureOf: (error) => {
      if (!MnemisError.isInstance(error) || error.code === 'cancelled') throw error;
      return { end: 'failed', failure: error.code, usage: NO_USAGE };
    },
    end: (picks, ended) => {
      walked = { ...ended, walk: steps.after(picks) };
      return skippedRoute(SYSTEM2, 'not ranked');
    },
  };
  await walkDown(walk, 0, { signal });
  return walked!;
}
