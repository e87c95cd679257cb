import { z } from 'zod';
import { InvalidInputError } from '../errors/index.ts';
import type { AddResult } from '../ingest/admit/plan-episodes.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { AddInput } from '../model/turn-input.ts';
import { type TurnDefaults, turnInputSchema } from '../model/turn-input.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { storeTurns } from './ingestion/store-turns.ts';
import type { ScopeSession } from './scope-session.ts';

/** Stores turns and has them consolidated when their topic is complete, if that is automatic. */
export async function addTurns(
  session: ScopeSession,
  input: AddInput | readonly AddInput[],
  options: AddOptions = {},
): Promise<AddResult> {
  const { signal, isMove, ...defaults } = readAddOptions(options);
  const inputs = Array.isArray(input) ? input : [input];
  const buffered = await storeTurns(session, inputs, { signal, defaults, isMove, isStrict: true });
  if (session.engine.ingest.isAutomatic) session.ingestion.noteStored(buffered);
  return buffered.result;
}

/** What `add` uses for every turn of the call that does not say it, and how to cancel. */
export interface AddOptions extends CallOptions, TurnDefaults {
  /**
   * Whether the turns come from another scope, which forgets them as `moved` afterwards: those that moved from here to
   * there come back. Default: false.
   */
  readonly isMove?: boolean;
}

// The other values are checked with the turns.
const anything = z.unknown().optional();
const optionsSchema = z.strictObject({
  speaker: turnInputSchema.shape.speaker,
  isMove: z.boolean().optional(),
  ...{ session: anything, role: anything, at: anything },
  ...{ trust: anything, source: anything, metadata: anything, signal: anything },
});

/** @throws InvalidInputError for an unknown option. */
export function readAddOptions(options: AddOptions): AddOptions {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return options;
  const known = Object.keys(optionsSchema.shape);
  throw new InvalidInputError(
    `The options of add are not valid: ${describeIssues(parsed.error, known, { namesKeys: true })}`,
  );
}
