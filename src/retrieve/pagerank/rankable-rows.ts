import type { Adjacency } from '../../search/graph-view.ts';
import { Growable } from '../../search/ordinals.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { Eligible } from '../time-view.ts';
import type { Limit } from '../within-time.ts';
import type { PagerankRoute } from './defaults.ts';

/** Pairs of entities that a fact joins, in parallel arrays of ordinals. */
export interface EntityPairs {
  readonly froms: Uint32Array;
  readonly tos: Uint32Array;
  readonly facts: Uint32Array;
}

/** The rows of a scope that the projection may use: 1 by ordinal. */
export interface RankableRows {
  readonly entities: Uint8Array;
  readonly turns: Uint8Array;
  readonly segments: Uint8Array;
  /** Facts that may be seeds. */
  readonly facts: Uint8Array;
  /** From subject to object of a relation; each pair of a proposition's participants, in the order of naming. */
  readonly pairs: EntityPairs;
  /** Index of the first pair of a proposition; those have no direction. */
  readonly propositionsFrom: number;
}

/** Places in `FACT_ROLES`. */
const SUBJECT = 0;
const OBJECT = 1;
const ROWS_PER_CHECK = 4_096;

interface Asked {
  readonly eligible: Eligible;
  readonly limit: Limit;
}

/** Selects the eligible rows (docs/design.md, "Time"): a fact that has ended is no edge. */
export function rankableRows(
  index: ScopeIndex,
  { eligible, limit }: Asked,
  { turns, propositions }: Pick<PagerankRoute, 'turns' | 'propositions'>,
): RankableRows {
  const { episodes, marks, segments } = index;
  const isTurn = (turn: number) =>
    episodes.conversation.isLive(turn) &&
    eligible.episode?.[turn] !== 0 &&
    (turns === 'all' || !marks.isDropped(turn));
  const entities = flags(index.entities.ids.length, isEntity(index, eligible), limit);
  const ofTurns = flags(episodes.length, isTurn, limit);
  // For a past time: a segment without a turn said by then did not exist.
  const said = eligible.entity === null ? null : segmentsOf(index, ofTurns);
  const isSegment = (segment: number) => segments.lexical.has(segment) && said?.[segment] !== 0;
  return {
    entities,
    turns: ofTurns,
    segments: flags(segments.length, isSegment, limit),
    ...factRows(index, { eligible, limit, entities, propositions }),
  };
}

/** An entity without a profile was removed. */
function isEntity({ entities }: ScopeIndex, eligible: Eligible): (entity: number) => boolean {
  const { profiles, ids } = entities;
  return (entity) => {
    const profile = entities.profileOf(ids.idOf(entity));
    if (profile === undefined) return false;
    return eligible.entity === null || eligible.entity[profiles.ids.ordinalOf(profile.id)!] === 1;
  };
}

function segmentsOf({ segments, graphs }: ScopeIndex, turns: Uint8Array): Uint8Array {
  const { offsets, others } = graphs.inSegment.adjacency('out');
  const found = new Uint8Array(segments.length);
  for (let turn = 0; turn < turns.length; turn++) {
    if (turns[turn] === 0) continue;
    for (let at = offsets[turn] ?? 0; at < (offsets[turn + 1] ?? 0); at++) found[others[at]!] = 1;
  }
  return found;
}

function flags(length: number, isOne: (ordinal: number) => boolean, limit: Limit): Uint8Array {
  const found = new Uint8Array(length);
  for (let ordinal = 0; ordinal < length; ordinal++) {
    if (ordinal % ROWS_PER_CHECK === 0) limit.check();
    if (isOne(ordinal)) found[ordinal] = 1;
  }
  return found;
}

interface FactsAsked extends Asked {
  readonly entities: Uint8Array;
  readonly propositions: boolean;
}

function factRows(
  { facts, graphs }: ScopeIndex,
  { eligible, limit, entities, propositions }: FactsAsked,
): Pick<RankableRows, 'facts' | 'pairs' | 'propositionsFrom'> {
  const about = graphs.about.adjacency('out');
  const pairs = new PairList(about, entities);
  const others: number[] = [];
  const isRankable = (fact: number) => {
    if (!facts.lexical.has(fact) || eligible.fact?.[fact] === 0) return false;
    const subject = endOf(about, fact, SUBJECT);
    const object = endOf(about, fact, OBJECT);
    if (subject < 0 || object < 0) return propositions && others.push(fact) > 0;
    pairs.add(subject, object, fact);
    return true;
  };
  const found = flags(facts.length, isRankable, limit);
  const propositionsFrom = pairs.length;
  for (const fact of others) pairs.addAll(fact);
  return { facts: found, pairs: pairs.columns(), propositionsFrom };
}

/** The entity with a role in a fact, or −1. */
function endOf({ offsets, others, types }: Adjacency, fact: number, role: number): number {
  // A fact without edges may be beyond the last offset.
  const end = offsets[fact + 1] ?? 0;
  for (let at = offsets[fact] ?? 0; at < end; at++) if (types[at] === role) return others[at]!;
  return -1;
}

class PairList {
  readonly #about: Adjacency;
  readonly #entities: Uint8Array;
  readonly #froms = new Growable(Uint32Array);
  readonly #tos = new Growable(Uint32Array);
  readonly #facts = new Growable(Uint32Array);

  constructor(about: Adjacency, entities: Uint8Array) {
    this.#about = about;
    this.#entities = entities;
  }

  get length(): number {
    return this.#facts.length;
  }

  /** Skips self-loops and entities that are not rankable. */
  add(from: number, to: number, fact: number): void {
    if (from === to || this.#entities[from] !== 1 || this.#entities[to] !== 1) return;
    this.#froms.push(from);
    this.#tos.push(to);
    this.#facts.push(fact);
  }

  addAll(fact: number): void {
    const { offsets, others } = this.#about;
    const end = offsets[fact + 1] ?? 0;
    for (let first = offsets[fact] ?? 0; first < end; first++)
      for (let second = first + 1; second < end; second++) this.add(others[first]!, others[second]!, fact);
  }

  columns(): EntityPairs {
    return { froms: this.#froms.values(), tos: this.#tos.values(), facts: this.#facts.values() };
  }
}
