import type { FormerSegment } from '../../ingest/forget/touched-segments.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Correction, Episode, Fact } from '../../model/nodes.ts';
import { groupBy } from '../../util/collections.ts';
import type { ScopeRows } from './scope-rows.ts';

/** Turns that were consolidated together, and which of them made a segment. */
export interface ConsolidatedTurns {
  readonly at: Milliseconds;
  /** Segment of each turn, by any name. */
  readonly segments: ReadonlyMap<string, string>;
  /** Sessions whose topics are to be found anew, since turns of them are gone. */
  readonly changed: ReadonlySet<string>;
}

/** What once made a scope what it is, one thing after another. */
export type ScopeEvent =
  | { readonly type: 'arrived'; readonly at: Milliseconds; readonly episodes: readonly Episode[] }
  | { readonly type: 'given'; readonly at: Milliseconds; readonly facts: readonly Fact[] }
  | { readonly type: 'consolidated'; readonly at: Milliseconds; readonly turns: ConsolidatedTurns }
  | { readonly type: 'corrected'; readonly at: Milliseconds; readonly correction: Correction };

/** Of one moment: turns came before they were read, and what they gave before it was corrected. */
const ORDER: readonly ScopeEvent['type'][] = ['arrived', 'given', 'consolidated', 'corrected'];

export function scopeEvents(rows: ScopeRows, former: readonly FormerSegment[]): ScopeEvent[] {
  const events = [...arrivals(rows), ...gifts(rows), ...consolidations(rows, former), ...corrections(rows)];
  return events.sort((a, b) => a.at - b.at || ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
}

function arrivals({ nodes }: ScopeRows): ScopeEvent[] {
  const calls = groupBy([...nodes.episode.values()], ({ createdAt }) => createdAt);
  return Array.from(calls, ([at, episodes]) => ({ type: 'arrived', at, episodes }));
}

/** Facts that callers gave; those that a correction wrote come again with the correction. */
function gifts({ nodes }: ScopeRows): ScopeEvent[] {
  const written = new Set(
    [...nodes.correction.values()].flatMap(({ targets, createdAt }) =>
      targets.filter((id) => nodes.fact.get(id)?.createdAt === createdAt),
    ),
  );
  const given = [...nodes.fact.values()].filter(({ id, origin }) => origin === 'given' && !written.has(id));
  const calls = groupBy(given, ({ createdAt }) => createdAt);
  return Array.from(calls, ([at, facts]) => ({ type: 'given', at, facts }));
}

function corrections({ nodes }: ScopeRows): ScopeEvent[] {
  return [...nodes.correction.values()]
    .filter(({ kind }) => kind !== 'forget' && kind !== 'retain')
    .map((correction) => ({ type: 'corrected', at: correction.createdAt, correction }));
}

function consolidations({ nodes, edges }: ScopeRows, former: readonly FormerSegment[]): ScopeEvent[] {
  const batches = new Map<Milliseconds, { segments: Map<string, string>; changed: Set<string> }>();
  const batchOf = (at: Milliseconds) => {
    const batch = batches.get(at) ?? { segments: new Map<string, string>(), changed: new Set<string>() };
    batches.set(at, batch);
    return batch;
  };
  for (const { from, to } of edges.IN_SEGMENT) {
    const segment = nodes.segment.get(to);
    if (segment !== undefined) batchOf(segment.createdAt).segments.set(from, to);
  }
  for (const { at, session, episodes } of former) {
    const batch = batchOf(at);
    batch.changed.add(session);
    for (const episode of episodes) batch.segments.set(episode, session);
  }
  return Array.from(batches, ([at, batch]) => ({ type: 'consolidated', at, turns: { at, ...batch } }));
}
