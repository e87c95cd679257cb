import type { Milliseconds } from '../../model/ids.ts';
import type { Correction, Episode, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { groupBy } from '../../util/collections.ts';
import { digestOf } from '../../util/digest-of.ts';
import { endBy } from '../../util/validity.ts';
import type { FormerSegment } from '../forget/turns.ts';
import type { BaseEdge, ScopeRows } from './scope-rows.ts';

/**
 * The base graph of a scope as it was before a time, so that only later events need to be replayed. Edges have no
 * times: they are as old as the younger of their rows, or as the reading of a turn. Where this is ambiguous (turns that
 * were read again later, facts given before their turns were read, ends set by a removed row), the time is moved back;
 * if there was a correction, to the beginning.
 *
 * @returns Null if everything must be replayed.
 */
export function scopeBefore(
  rows: ScopeRows,
  since: Milliseconds,
): { readonly rows: ScopeRows; readonly since: Milliseconds } | null {
  const times = new Times(rows);
  if ([...rows.nodes.correction.values()].some(({ kind }) => kind !== 'forget' && kind !== 'retain'))
    return null;
  let then = since;
  for (let earlier = times.unclearBefore(then); earlier !== null; earlier = times.unclearBefore(then))
    then = earlier;
  return [...rows.nodes.episode.values()].some(({ createdAt }) => createdAt < then)
    ? { rows: times.rowsBefore(then), since: then }
    : null;
}

class Times {
  readonly #rows: ScopeRows;
  /** The times at which each turn was read. */
  readonly #readAt = new Map<string, Milliseconds[]>();
  readonly #madeAt = new Map<string, Milliseconds>();
  /** The turns that support each fact. */
  readonly #turnsOf = new Map<string, string[]>();

  constructor(rows: ScopeRows) {
    this.#rows = rows;
    for (const kind of ['episode', 'segment', 'entity', 'fact', 'description'] as const)
      for (const { id, createdAt } of rows.nodes[kind].values()) this.#madeAt.set(id, createdAt);
    for (const { fromKind, from, to } of rows.edges.EVIDENCED_BY) {
      if (fromKind !== 'fact') continue;
      const turns = this.#turnsOf.get(from);
      if (turns === undefined) this.#turnsOf.set(from, [to]);
      else turns.push(to);
    }
    for (const { from, to } of rows.edges.IN_SEGMENT)
      this.#readAt.set(from, [...(this.#readAt.get(from) ?? []), this.#madeAt.get(to)!]);
  }

  /** An earlier time, if the state before this one is ambiguous; else null. */
  unclearBefore(then: Milliseconds): Milliseconds | null {
    const { nodes, edges } = this.#rows;
    const reread = [...nodes.segment.values()].filter(
      ({ createdAt, expiredAt }) => createdAt < then && expiredAt !== null && expiredAt >= then,
    );
    const given = edges.EVIDENCED_BY.filter(({ from, to }) => {
      const fact = nodes.fact.get(from);
      return fact?.origin === 'given' && fact.createdAt < then && !this.#wasRead(to, then);
    });
    const times = [
      ...reread.map(({ createdAt }) => createdAt),
      ...given.map(({ from }) => nodes.fact.get(from)!.createdAt),
    ];
    return minimum(times);
  }

  rowsBefore(then: Milliseconds): ScopeRows {
    const { nodes, edges } = this.#rows;
    const before = <Row extends { readonly createdAt: Milliseconds }>(rows: ReadonlyMap<string, Row>) =>
      new Map(
        [...rows]
          .filter(([, { createdAt }]) => createdAt < then)
          .map(([id, row]) => [id, openAgain(row, then)] as const),
      );
    const episodes = [...before(nodes.episode)].map(
      ([id, row]) => [id, this.#wasRead(id, then) ? row : { ...row, ...UNREAD }] as const,
    );
    // An entity can be older than its mentions: its row stayed when older mentions were forgotten.
    const profile = before(nodes.profile);
    const owners = new Set<string>([...profile.values()].map(({ owner }) => owner));
    const entity = new Map([...before(nodes.entity)].filter(([id]) => owners.has(id)));
    const segment = before(nodes.segment);
    const description = new Map(
      [...before(nodes.description)].filter(([, row]) => entity.has(row.entity) && segment.has(row.segment)),
    );
    const fact = new Map(
      [...before(nodes.fact)].filter(
        ([id, { origin }]) => origin === 'given' || this.#wasEvidenced(id, then),
      ),
    );
    const rowsThen: ScopeRows['nodes'] = {
      episode: new Map(episodes),
      segment,
      entity,
      profile: new Map([...profile].filter(([, { owner }]) => entity.has(owner))),
      description,
      fact: this.#endedBefore(then, fact),
      correction: before(nodes.correction),
    };
    // An edge existed only if both its rows did, independent of their creation times.
    const existed = (id: string) => Object.values(rowsThen).some((rows) => rows.has(id));
    return {
      nodes: rowsThen,
      edges: Object.fromEntries(
        Object.entries(edges).map(([kind, all]) => [
          kind,
          all.filter(
            (edge: Relationship) =>
              existed(edge.from) && existed(edge.to) && this.#isBefore(kind as BaseEdge, edge, then),
          ),
        ]),
      ) as unknown as ScopeRows['edges'],
    };
  }

  /** Facts with the ends that they had then: the earliest, if there are several. */
  #endedBefore(then: Milliseconds, facts: ReadonlyMap<string, Fact>): ReadonlyMap<string, Fact> {
    const by = groupBy(this.#rows.edges.SUPERSEDES, ({ to }) => to);
    const endOf = (old: Fact): Milliseconds | null => {
      const { id, statedEnd } = old;
      const newer = (by.get(id) ?? []).flatMap(({ from }) => facts.get(from) ?? []);
      const ends = newer.map((fact) => endBy(old, fact));
      return minimum(statedEnd === null ? ends : [...ends, statedEnd]);
    };
    const isEndedSince = ({ id }: Fact) => (by.get(id) ?? []).some(({ from }) => this.#made(from) >= then);
    return new Map(
      [...facts].map(([id, fact]) => [id, isEndedSince(fact) ? { ...fact, invalidAt: endOf(fact) } : fact]),
    );
  }

  #isBefore(kind: BaseEdge, { from, to }: Relationship, then: Milliseconds): boolean {
    if (this.#made(from) >= then || this.#made(to) >= then) return false;
    if (kind === 'MENTIONS') return this.#wasRead(from, then);
    return kind !== 'EVIDENCED_BY' || this.#wasRead(to, then);
  }

  /** A read fact can be older than its turns, too: its row stayed when older turns that stated it were forgotten. */
  #wasEvidenced(fact: string, then: Milliseconds): boolean {
    return (this.#turnsOf.get(fact) ?? []).some(
      (turn) => this.#made(turn) < then && this.#wasRead(turn, then),
    );
  }

  #made(id: string): Milliseconds {
    return this.#madeAt.get(id) ?? Infinity;
  }

  #wasRead(turn: string, then: Milliseconds): boolean {
    return (this.#readAt.get(turn) ?? []).some((at) => at < then);
  }
}

function minimum(times: readonly Milliseconds[]): Milliseconds | null {
  return times.length === 0 ? null : Math.min(...times);
}

const UNREAD = { gate: 'unjudged', verified: false, status: 'stored' } as const;

function openAgain<Row extends object>(row: Row, then: Milliseconds): Row {
  const { expiredAt } = row as { readonly expiredAt?: Milliseconds | null };
  return expiredAt !== undefined && expiredAt !== null && expiredAt >= then
    ? { ...row, expiredAt: null }
    : row;
}

/** Turns that were consolidated together, and the segments they formed. */
export interface ConsolidatedTurns {
  readonly at: Milliseconds;
  /** A key for the segment of each turn. */
  readonly segments: ReadonlyMap<string, string>;
  /** Sessions to segment again, because some of their turns were removed. */
  readonly changed: ReadonlySet<string>;
  /** When each turn that is not pending now was read last. */
  readonly readLast: ReadonlyMap<string, Milliseconds>;
}

/** An event that changed the scope, in order of time. */
type ScopeEvent =
  | { readonly type: 'arrived'; readonly at: Milliseconds; readonly episodes: readonly Episode[] }
  | { readonly type: 'given'; readonly at: Milliseconds; readonly facts: readonly Fact[] }
  | { readonly type: 'consolidated'; readonly at: Milliseconds; readonly turns: ConsolidatedTurns }
  | { readonly type: 'corrected'; readonly at: Milliseconds; readonly correction: Correction };

/** Order of events with the same time: turns arrive before they are read, and are read before a correction. */
const ORDER: readonly ScopeEvent['type'][] = ['arrived', 'given', 'consolidated', 'corrected'];

export function scopeEvents(rows: ScopeRows, former: readonly FormerSegment[]): ScopeEvent[] {
  const events = [...arrivals(rows), ...gifts(rows), ...consolidations(rows, former), ...corrections(rows)];
  return events.sort((a, b) => a.at - b.at || ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
}

function arrivals({ nodes }: ScopeRows): ScopeEvent[] {
  const calls = groupBy([...nodes.episode.values()], ({ createdAt }) => createdAt);
  return Array.from(calls, ([at, episodes]) => ({ type: 'arrived', at, episodes }));
}

/** Facts given by callers. Facts that a correction wrote are recreated by replaying it. */
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
  const readLast = new Map<string, Milliseconds>();
  const batchOf = (at: Milliseconds) => {
    const batch = batches.get(at) ?? { segments: new Map<string, string>(), changed: new Set<string>() };
    batches.set(at, batch);
    return batch;
  };
  for (const { from, to } of edges.IN_SEGMENT) {
    const segment = nodes.segment.get(to);
    if (segment === undefined) continue;
    batchOf(segment.createdAt).segments.set(from, to);
    if (segment.expiredAt === null) readLast.set(from, segment.createdAt);
  }
  const sessions = new Map<string, string>();
  if (former.length > 0)
    for (const { session } of nodes.episode.values()) sessions.set(digestOf(session), session);
  for (const { at, session: digest, expired, episodes } of former) {
    const session = sessions.get(digest);
    if (session === undefined) continue; // none of its turns remains
    const batch = batchOf(at);
    batch.changed.add(session);
    for (const episode of episodes) {
      batch.segments.set(episode, session);
      if (!expired) readLast.set(episode, at);
    }
  }
  return Array.from(batches, ([at, batch]) => ({
    type: 'consolidated',
    at,
    turns: { at, ...batch, readLast },
  }));
}
