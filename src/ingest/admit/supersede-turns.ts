import type { RowUpdate } from '../../model/graph-changes.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Episode, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { refreshProfiles } from '../describe/refresh-profiles.ts';
import type { IngestContext } from '../ingest-context.ts';
import { LocalFallback } from '../local-fallback.ts';
import { type SupersededFacts, supersedeFacts } from '../supersede/supersede-facts.ts';
import { namesOfEntities } from '../supersede/view-facts.ts';
import { expire, staleAfter } from './superseded-turns.ts';

/** What new versions of turns change beside the turns themselves. */
interface SupersededTurns {
  readonly episodes: ReadonlySet<string>;
  readonly profiles: readonly Profile[];
  readonly relationships: readonly Relationship[];
  readonly updates: readonly RowUpdate[];
}

export const NOTHING_SUPERSEDED: SupersededTurns = {
  episodes: new Set(),
  profiles: [],
  relationships: [],
  updates: [],
};

/**
 * Expires stored turns that have new versions, and the facts that they alone support. The other turns of their segments
 * become pending again.
 */
export async function supersedeTurns(
  context: IngestContext,
  superseded: readonly Episode[],
): Promise<SupersededTurns> {
  const { index } = context;
  const now = context.clock();
  const stale = staleAfter(superseded, index);
  const reopened = await reopenEndedFacts(context, stale.facts);
  const profiles = await refreshProfiles(context, {
    entities: [],
    facts: [],
    relationships: [],
    now,
    grownBy: 'MENTIONS',
    stale,
    updates: reopened.updates,
  });
  return {
    episodes: stale.episodes,
    profiles: profiles.created,
    relationships: reopened.relationships,
    updates: [
      ...profiles.expired,
      ...expire(stale, now),
      ...reopened.updates,
      ...reopen(stale.episodes, index, now),
    ],
  };
}

/** Removes the ends that expiring facts set on other facts, unless rules find another fact that ends them. */
async function reopenEndedFacts(
  context: IngestContext,
  expiring: ReadonlySet<string>,
): Promise<SupersededFacts> {
  const nothingNew = { facts: [], relationships: [], episodes: [] };
  const given = { ...nothingNew, namesOf: namesOfEntities(context.index), expiring };
  return supersedeFacts(context, given, { superseder: null, fallback: new LocalFallback() });
}

/**
 * Makes the other turns of the segments of corrected turns pending again; a segment without remaining turns expires.
 * A turn whose text retention has removed keeps its state, because it cannot be read again.
 */
function reopen(corrected: ReadonlySet<string>, index: ScopeIndex, now: Milliseconds): RowUpdate[] {
  const segments = new Set(Array.from(corrected, (id) => index.segmentOf(id)));
  return [...segments].flatMap((segment): RowUpdate[] => {
    if (segment === undefined) return [];
    const left = index.turnsOf(segment).filter((id) => !corrected.has(id));
    if (left.length === 0) return [{ kind: 'segment', id: segment, set: { expiredAt: now } }];
    const readable = left.filter((id) => !index.corrections.turnsWithoutText.has(id));
    return readable.map((id) => ({ kind: 'episode', id, set: { status: 'stored' } }));
  });
}
