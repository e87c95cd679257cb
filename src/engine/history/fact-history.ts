import { InvalidInputError } from '../../errors/index.ts';
import type { FactId } from '../../model/ids.ts';
import type { CorrectionRecord } from '../corrections/describe-correction.ts';
import { correctionsOf } from './corrections-of.ts';
import {
  type FactVersion,
  factVersions,
  placeOf,
  type Supersessions,
  supersessionsOf,
} from './fact-versions.ts';
import type { HistoryContext } from './history-context.ts';
import { type Page, type PageRequest, pageOf } from './page.ts';

/** The facts that took each other's place, the asked one among them, by when they began to hold. */
export interface FactHistory {
  readonly kind: 'fact';
  readonly fact: FactId;
  readonly versions: Page<FactVersion>;
  /** What was put right by hand in any of these facts, the oldest first. */
  readonly corrections: readonly CorrectionRecord[];
}

/**
 * How a fact came to be what memory holds now: all that it superseded and all that superseded it, step by step.
 *
 * @throws InvalidInputError when the scope has no such fact.
 */
export async function factHistory(
  context: HistoryContext,
  fact: string,
  request: PageRequest = {},
): Promise<FactHistory> {
  const [asked] = await context.store.get(context.scope, 'fact', [fact]);
  if (asked === undefined) throw new InvalidInputError('No fact of this scope has that id');
  const supersessions = await supersessionsOf(context);
  const all = connected(fact, supersessions);
  const rows = await context.store.get(context.scope, 'fact', [...all]);
  const { items, ...page } = pageOf(rows, placeOf, request);
  const versions = { ...page, items: await factVersions(context, items, supersessions) };
  return { kind: 'fact', fact: asked.id, versions, corrections: await correctionsOf(context, all) };
}

function connected(fact: string, { newer, older }: Supersessions): ReadonlySet<string> {
  const found = new Set([fact]);
  for (const each of found)
    for (const next of [...(newer.get(each) ?? []), ...(older.get(each) ?? [])]) found.add(next);
  return found;
}
