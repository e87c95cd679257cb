import { uncertainPairs } from '../edit/correct/find-rows.ts';
import { EffectiveCorrections } from '../ingest/corrections/effective-corrections.ts';
import type { IndexedScope } from '../ingest/ingest-context.ts';
import { type ConflictingFacts, conflictingFacts } from '../ingest/supersede/conflicting-facts.ts';
import type { JudgedFact } from '../ingest/supersede/superseder.ts';
import { namesOfEntities, viewKnown } from '../ingest/supersede/view-facts.ts';
import type { EntityId, FactId, Milliseconds } from '../model/ids.ts';
import type { Fact } from '../model/nodes.ts';
import { TOPIC_RELATIONS } from '../model/relationships.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import { Breather } from '../util/breathe.ts';
import { inBatches } from '../util/collections.ts';
import { endBy, hasEnded } from '../util/validity.ts';
import { injectionSigns } from './injection-signs.ts';

/** Facts below this are listed for review, as lists mark them as unsure. */
export const UNSURE_BELOW = 0.5;
/** A fact that is less certain by this much should not end another one without a look. */
const LESS_CERTAIN = 0.2;
/** Further contradictions are left out until some of these are settled. */
const MOST_CONTRADICTIONS = 5_000;

/** Why two facts, or two topics, are listed as a contradiction. */
export type Contradiction =
  | { readonly reason: 'conflict'; readonly facts: ConflictingFacts }
  /** The second fact ended the first one, although memory is less sure of it. */
  | { readonly reason: 'weak-end'; readonly facts: readonly [FactId, FactId] }
  /** A model read that the first topic contradicts the second. */
  | { readonly reason: 'topics'; readonly segments: readonly [string, string] };

interface Placed {
  /** Lower comes first. */
  readonly at: number;
  readonly id: string;
}

/** What of a scope a person should look at, by kind: ids and numbers, without text. */
export interface ReviewLists {
  readonly contradiction: readonly (Placed & Contradiction)[];
  readonly merge: readonly (Placed & {
    readonly entities: readonly [EntityId, EntityId];
    readonly confidence: number;
  })[];
  readonly injection: readonly Placed[];
  readonly unsure: readonly Placed[];
  readonly 'set-aside': readonly Placed[];
  readonly dropped: readonly Placed[];
}

const BATCH = 500;

/** What the turns of an index say of themselves, up to the last one that was read. Ordinals, without text. */
interface TurnSigns {
  readonly until: number;
  readonly suspected: ReadonlySet<number>;
  readonly weak: ReadonlySet<number>;
}

/** A list as of some revision of the index. */
interface Reading<T> {
  readonly revision: number;
  readonly list: T;
  /** When the list next changes without a commit: when a current fact ends. */
  readonly until: Milliseconds;
}

/** Keeps the newest reading of one list, and never reads it twice at once. */
class KeptList<T> {
  #newest: Promise<Reading<T>> | null = null;

  /** The list at the revision and time of the call, or later ones. */
  async read(
    { index, clock }: IndexedScope,
    read: () => Promise<Pick<Reading<T>, 'list' | 'until'>>,
  ): Promise<T> {
    const { revision } = index;
    const now = clock();
    for (;;) {
      const newest = this.#newest;
      // A reading that began before the call is waited for, not doubled, even if it is of an earlier revision.
      const known = await newest?.catch(() => null);
      if (known && known.revision >= revision && now < known.until) return known.list;
      if (newest !== this.#newest) continue;
      const started = { revision: index.revision };
      this.#newest = read().then((reading) => ({ ...started, ...reading }));
      return (await this.#newest).list;
    }
  }
}

type Read<T> = Pick<Reading<T>, 'list' | 'until'>;

interface KeptReview {
  readonly lists: { readonly [Kind in keyof ReviewLists]: KeptList<ReviewLists[Kind]> };
  signs: TurnSigns;
}

function emptyReview(): KeptReview {
  const lists = {
    contradiction: new KeptList<ReviewLists['contradiction']>(),
    merge: new KeptList<ReviewLists['merge']>(),
    injection: new KeptList<ReviewLists['injection']>(),
    unsure: new KeptList<ReviewLists['unsure']>(),
    'set-aside': new KeptList<ReviewLists['set-aside']>(),
    dropped: new KeptList<ReviewLists['dropped']>(),
  };
  return { lists, signs: { until: 0, suspected: new Set(), weak: new Set() } };
}

/**
 * Finds what a person should look at, and reads only the list that is asked for: facts once per change of the scope,
 * turns once per index, since a turn never changes. It yields the thread.
 */
export class ReviewCache {
  readonly #kept = new WeakMap<ScopeIndex, KeptReview>();

  /** The list of a kind, in order. */
  list<Kind extends keyof ReviewLists>(context: IndexedScope, kind: Kind): Promise<ReviewLists[Kind]> {
    const { index } = context;
    const kept = this.#kept.get(index) ?? emptyReview();
    this.#kept.set(index, kept);
    const readers: { readonly [Each in keyof ReviewLists]: () => Promise<Read<ReviewLists[Each]>> } = {
      contradiction: () => contradictions(context),
      merge: async () => lasting(await merges(context)),
      injection: async () => lasting(suspected(index, await readSigns(context, kept))),
      unsure: () => unsureFacts(context),
      'set-aside': async () => lasting(turnsSetAside(index)),
      dropped: async () => lasting(turnsDropped(index)),
    };
    return kept.lists[kind].read(context, readers[kind]);
  }
}

/** A list that changes with commits only. */
function lasting<T>(list: T): Read<T> {
  return { list, until: Number.POSITIVE_INFINITY };
}

async function readSigns({ index, store, scope }: IndexedScope, kept: KeptReview): Promise<TurnSigns> {
  const { signs: known } = kept;
  const until = index.episodes.length;
  const fresh = Array.from({ length: until - known.until }, (_, at) => known.until + at).filter((turn) =>
    index.episodes.conversation.isLive(turn),
  );
  const signs = { until, suspected: new Set(known.suspected), weak: new Set(known.weak) };
  const breather = new Breather();
  for (const turns of inBatches(fresh, BATCH)) {
    const ids = turns.map((turn) => index.episodes.ids.idOf(turn));
    for (const { id, content, trust } of await store.get(scope, 'episode', ids)) {
      const turn = index.episodes.ids.ordinalOf(id)!;
      if (injectionSigns(content).length > 0) signs.suspected.add(turn);
      if (trust === 'low') signs.weak.add(turn);
      if (breather.isDue) await breather.breathe();
    }
  }
  kept.signs = signs;
  return signs;
}

async function contradictions(context: IndexedScope): Promise<Read<ReviewLists['contradiction']>> {
  const now = context.clock();
  const held = await heldFacts(context);
  const found = [
    ...(await conflicts(context, held, now)),
    ...(await weakEnds(context, held)),
    ...contradictingTopics(context.index),
  ];
  return { list: found.sort(byPlace).slice(0, MOST_CONTRADICTIONS), until: firstEnd(held.values(), now) };
}

/** Pairs of people with names of their own. Pairs of other things ("kids and kids") wait until one is certain. */
async function merges(context: IndexedScope): Promise<ReviewLists['merge']> {
  const { entities } = context.index;
  const isPerson = ({ id, name }: { readonly id: EntityId; readonly name: string }) =>
    ENDS_IN_NAME.test(name) && (entities.profileOf(id)?.tags.includes('person') ?? false);
  const pairs = await uncertainPairs(context);
  return pairs
    .filter(({ entities: both }) => both.every(isPerson))
    .map(({ entities: [{ id: one }, { id: other }], confidence }) => ({
      id: `${one} ${other}`,
      entities: [one, other] as const,
      confidence,
      at: -Math.round(confidence * 1_000_000),
    }))
    .sort(byPlace);
}

const ENDS_IN_NAME = /(?:^| )\p{Lu}[^ ]*$/u;

function firstEnd(facts: Iterable<Pick<Fact, 'invalidAt'>>, now: Milliseconds): Milliseconds {
  let first = Number.POSITIVE_INFINITY;
  for (const { invalidAt } of facts)
    if (invalidAt !== null && !hasEnded(invalidAt, now)) first = Math.min(first, invalidAt);
  return first;
}

const HELD = ['id', 'statement', 'validAt', 'invalidAt', 'event', 'confidence', 'expiredAt'] as const;
type HeldFact = Pick<Fact, (typeof HELD)[number]>;

/** Facts that memory believes, by id: those that hold, and those that have ended. */
async function heldFacts({ store, scope, index }: IndexedScope): Promise<ReadonlyMap<string, HeldFact>> {
  const held = new Map<string, HeldFact>();
  for await (const rows of store.scan(scope, 'fact', HELD))
    for (const fact of rows)
      if (fact.expiredAt === null && ordinalOf(index, fact.id) !== undefined) held.set(fact.id, fact);
  return held;
}

function ordinalOf(index: ScopeIndex, fact: string): number | undefined {
  const ordinal = index.facts.ids.ordinalOf(fact);
  return ordinal !== undefined && index.facts.lexical.has(ordinal) ? ordinal : undefined;
}

function byPlace(a: Placed, b: Placed): number {
  return a.at - b.at || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Pairs of what people said. Those with two pinned facts are settled, and a tool's word is no one's. */
async function conflicts(
  { index }: IndexedScope,
  held: ReadonlyMap<string, HeldFact>,
  now: Milliseconds,
): Promise<(Placed & Contradiction)[]> {
  const book = EffectiveCorrections.of(index.corrections);
  const namesOf = namesOfEntities(index);
  function* open(): Generator<JudgedFact> {
    for (const fact of held.values())
      if (!hasEnded(fact.invalidAt, now) && fact.confidence >= UNSURE_BELOW)
        yield viewKnown(fact, { index, namesOf });
  }
  const pairs = await conflictingFacts(open());
  return pairs
    .filter((pair) => !pair.every((fact) => book.isPinned(fact)))
    .map((facts) => ({
      reason: 'conflict' as const,
      facts,
      id: facts.join(' '),
      at: -Math.max(...facts.map((fact) => held.get(fact)!.validAt)),
    }));
}

async function weakEnds(
  { store, scope, index }: IndexedScope,
  held: ReadonlyMap<string, HeldFact>,
): Promise<(Placed & Contradiction)[]> {
  const book = EffectiveCorrections.of(index.corrections);
  const found: (Placed & Contradiction)[] = [];
  for await (const edges of store.relationships(scope, 'SUPERSEDES'))
    for (const { from, to } of edges) {
      const [by, old] = [held.get(from), held.get(to)];
      if (by === undefined || old === undefined || old.invalidAt === null) continue;
      const isEnd = endBy(old, by) === old.invalidAt;
      if (!isEnd || old.confidence - by.confidence < LESS_CERTAIN || book.isPinned(by.id)) continue;
      const facts = [old.id, by.id] as const;
      found.push({ reason: 'weak-end', facts, id: facts.join(' '), at: -by.validAt });
    }
  return found;
}

function contradictingTopics({ graphs, segments }: ScopeIndex): (Placed & Contradiction)[] {
  const { offsets, others, types } = graphs.related.adjacency('out');
  const contradicts = TOPIC_RELATIONS.indexOf('contradict');
  const found: (Placed & Contradiction)[] = [];
  for (let segment = 0; segment + 1 < offsets.length; segment++)
    for (let edge = offsets[segment]!; edge < offsets[segment + 1]!; edge++) {
      const other = others[edge]!;
      if (types[edge] !== contradicts || !segments.lexical.has(segment) || !segments.lexical.has(other))
        continue;
      const pair = [segments.ids.idOf(segment), segments.ids.idOf(other)] as const;
      // After the facts, because memory is surer of those.
      found.push({ reason: 'topics', segments: pair, id: pair.join(' '), at: other });
    }
  return found;
}

/** Turns with signs first, then turns of low trust on which a fact rests; of each, the latest first. */
function suspected(index: ScopeIndex, { suspected, weak }: TurnSigns): Placed[] {
  const { conversation, ids, timeline } = index.episodes;
  const placed = (turn: number, first: number) => ({
    id: ids.idOf(turn),
    at: first - timeline.validAt.at(turn),
  });
  const believed = [...weak].filter(
    (turn) =>
      !suspected.has(turn) && conversation.isLive(turn) && index.factsEvidencedBy(ids.idOf(turn)).length > 0,
  );
  return [
    ...[...suspected].filter((turn) => conversation.isLive(turn)).map((turn) => placed(turn, 0)),
    ...believed.map((turn) => placed(turn, LATE)),
  ].sort(byPlace);
}

/** Later than every time of a turn. */
const LATE = 1e15;

/** Facts of little confidence that hold and that nobody confirmed, the least certain first. */
async function unsureFacts({
  store,
  scope,
  index,
  clock,
}: IndexedScope): Promise<Read<ReviewLists['unsure']>> {
  const now = clock();
  const book = EffectiveCorrections.of(index.corrections);
  const breather = new Breather();
  const found: Pick<Fact, 'id' | 'confidence' | 'invalidAt'>[] = [];
  const fields = ['id', 'confidence', 'invalidAt', 'expiredAt'] as const;
  for await (const rows of store.scan(scope, 'fact', fields)) {
    for (const { id, confidence, invalidAt, expiredAt } of rows) {
      if (expiredAt !== null || confidence >= UNSURE_BELOW || hasEnded(invalidAt, now)) continue;
      if (ordinalOf(index, id) !== undefined && !book.isPinned(id)) found.push({ id, confidence, invalidAt });
    }
    await breather.breathe();
  }
  const list = found
    .map(({ id, confidence }) => ({ id, at: Math.round(confidence * 1_000_000) }))
    .sort(byPlace);
  return { list, until: firstEnd(found, now) };
}

/** The latest first. */
function turnsSetAside({ enrichment, episodes }: ScopeIndex): Placed[] {
  return [...enrichment.setAside]
    .flatMap((id) => {
      const turn = episodes.ids.ordinalOf(id);
      return turn === undefined ? [] : placedTurn(episodes, turn);
    })
    .sort(byPlace);
}

/** Turns that the memory gate dropped, the latest first. */
function turnsDropped({ episodes, marks }: ScopeIndex): Placed[] {
  const dropped: Placed[] = [];
  for (let turn = 0; turn < episodes.length; turn++)
    if (marks.isDropped(turn) && episodes.conversation.isLive(turn)) dropped.push(placedTurn(episodes, turn));
  return dropped.sort(byPlace);
}

function placedTurn({ ids, timeline }: ScopeIndex['episodes'], turn: number): Placed {
  return { id: ids.idOf(turn), at: -timeline.validAt.at(turn) };
}
