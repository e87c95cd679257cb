import { InvalidInputError } from '../../errors/index.ts';
import { contentHash } from '../../ingest/admit/plan-episodes.ts';
import { wasForgotten } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { CorrectionId, Scope } from '../../model/ids.ts';
import type { Correction, Episode } from '../../model/nodes.ts';
import type { GraphStore } from '../../store/graph-store.ts';
import { type ForgetDetail, type Forgetting, targetsOf } from './forgetting.ts';
import { firstOf } from './turn-list.ts';

/** Scopes with an unfinished forgetting. */
export async function scopesStillForgetting(store: GraphStore): Promise<Scope[]> {
  const found: Scope[] = [];
  for (const scope of await store.scopes())
    if ((await unfinishedForgettings(store, scope)) > 0) found.push(scope);
  return found;
}

/** Number of unfinished forgettings of a scope. */
export async function unfinishedForgettings(store: GraphStore, scope: Scope): Promise<number> {
  let open = 0;
  for await (const rows of store.scan(scope, 'correction', ['kind', 'finishedAt']))
    open += rows.filter(({ kind, finishedAt }) => kind === 'forget' && finishedAt === null).length;
  return open;
}

/** @throws InvalidInputError while a forgetting is unfinished, because a copy would keep what it has yet to remove. */
export async function refuseUnfinishedForgetting(store: GraphStore): Promise<void> {
  const [scope] = await scopesStillForgetting(store);
  if (scope !== undefined)
    throw new InvalidInputError(
      `Forgetting in scope ${JSON.stringify(scope)} was interrupted, and its remaining rows would be copied. Complete it first: mnemis resume --scope ${JSON.stringify(scope)}`,
    );
}

/** Turns of an import that the scope has forgotten. */
export function forgottenAmong(
  { index: { corrections } }: Pick<IngestContext, 'index'>,
  episodes: readonly Episode[],
): Episode[] {
  return episodes.filter((turn) => wasForgotten({ ...turn, contentHash: contentHash(turn) }, corrections));
}

/**
 * A record to write before an import that contains forgotten turns. If the import is interrupted, resuming the
 * forgetting removes them and everything read together with them before the scope is searched.
 */
export function recordOf(
  { newId, clock }: Pick<IngestContext, 'newId' | 'clock'>,
  turns: readonly Pick<Episode, 'id' | 'createdAt'>[],
): Forgetting {
  const detail: ForgetDetail = {
    target: 'episodes',
    turns: turns.map(({ id }) => id),
    entities: [],
    since: firstOf(turns),
    regroup: [],
    counts: {},
  };
  const correction: Correction = {
    id: newId() as CorrectionId,
    kind: 'forget',
    author: 'import',
    targets: targetsOf(detail),
    detail: JSON.stringify(detail),
    createdAt: clock(),
    finishedAt: null,
    undoneAt: null,
  };
  return { correction, detail };
}
