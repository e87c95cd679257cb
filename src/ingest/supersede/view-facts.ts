import type { EntityId, EpisodeId, FactId, Milliseconds } from '../../model/ids.ts';
import type { Episode, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { analyze } from '../../search/analyzer.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { TopHits } from '../../search/top-k.ts';
import { cached, groupBy } from '../../util/collections.ts';
import { offsetIn } from '../../util/speaker-clock.ts';
import { entityNameKey } from '../../util/tidy.ts';
import { endBy } from '../../util/validity.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { ResolvedEntity } from '../resolve/resolved-entities.ts';
import { CUE_WEIGHT, MOST_CANDIDATES, SHARED_WEIGHT } from './defaults.ts';
import { compareTurns, type JudgedFact, type TurnPlace } from './superseder.ts';

const LONGEST_SAID = 600;

/** All names of an entity, stored or of the batch. */
export type NamesOf = (entity: EntityId) => readonly string[];

/** The edges of a batch, indexed by fact. */
export class BatchEdges {
  readonly #entities = new Map<string, Set<EntityId>>();
  readonly #turns = new Map<string, EpisodeId[]>();

  constructor(relationships: readonly Relationship[]) {
    for (const { kind, fromKind, from, to } of relationships) {
      if (kind === 'ABOUT')
        this.#entities.set(from, (this.#entities.get(from) ?? new Set()).add(to as EntityId));
      if (kind === 'EVIDENCED_BY' && fromKind === 'fact')
        this.#turns.set(from, [...(this.#turns.get(from) ?? []), to as EpisodeId]);
    }
  }

  entitiesOf(fact: string): ReadonlySet<EntityId> {
    return this.#entities.get(fact) ?? new Set();
  }

  /** Turns of the batch that support the fact. */
  turnsOf(fact: string): readonly EpisodeId[] {
    return this.#turns.get(fact) ?? [];
  }
}

/** The place of a fact without a turn. */
const NOWHERE: TurnPlace = { session: '', index: 0, at: 0, offset: 0 };

type Tellings = Pick<JudgedFact, 'told' | 'retold'>;

function tellings(places: readonly TurnPlace[]): Tellings {
  const [told = NOWHERE, ...retold] = places.toSorted(compareTurns);
  return { told, retold };
}

/** The turns that stated a stored fact. */
function tellingsOf(fact: string, { facts, graphs, episodes }: ScopeIndex): Tellings {
  const ordinal = facts.ids.ordinalOf(fact);
  if (ordinal === undefined) return tellings([]);
  const { conversation, timeline } = episodes;
  const turns = Array.from(graphs.evidence.neighbours(ordinal).ordinals).filter((turn) =>
    conversation.isLive(turn),
  );
  const places = turns.map((turn) => ({
    session: timeline.sessions[timeline.session.at(turn)]!,
    index: timeline.index.at(turn),
    at: timeline.validAt.at(turn),
    offset: timeline.offset.at(turn),
  }));
  return tellings(places);
}

/** The turns of a batch in the order in which they were spoken, regardless of the order in which they were added. */
export class TurnOrder {
  readonly #episodes: ReadonlyMap<string, Episode>;

  constructor(episodes: readonly Episode[]) {
    this.#episodes = new Map(episodes.map((episode) => [episode.id, episode]));
  }

  placeOf(turn: EpisodeId): TurnPlace {
    const episode = this.#episodes.get(turn);
    return episode === undefined
      ? NOWHERE
      : { session: episode.session, index: episode.index, at: episode.validAt, offset: offsetIn(episode) };
  }

  validAt(turn: EpisodeId): number {
    return this.#episodes.get(turn)?.validAt ?? 0;
  }

  textOf(turn: EpisodeId): string {
    return this.#episodes.get(turn)?.content ?? '';
  }

  sorted(turns: readonly EpisodeId[]): EpisodeId[] {
    return turns.toSorted((a, b) => compareTurns(this.placeOf(a), this.placeOf(b)));
  }
}

export function viewNew(
  fact: Fact,
  { edges, turns, namesOf }: { edges: BatchEdges; turns: TurnOrder; namesOf: NamesOf },
): JudgedFact {
  const cited = turns.sorted(edges.turnsOf(fact.id));
  return {
    ...judged(fact),
    ...tellings(cited.map((turn) => turns.placeOf(turn))),
    names: named(edges.entitiesOf(fact.id), namesOf),
    said: cited
      .map((turn) => turns.textOf(turn))
      .join('\n')
      .slice(0, LONGEST_SAID),
  };
}

/** Views of rows, kept as long as the store keeps the rows: what was read of a view is kept with it. */
const views = new WeakMap<JudgedRow, JudgedFact>();

export function viewKnown(
  fact: JudgedRow,
  { index, namesOf }: { index: ScopeIndex; namesOf: NamesOf },
): JudgedFact {
  const names = named(index.entitiesOf(fact.id), namesOf);
  const said = tellingsOf(fact.id, index);
  const known = views.get(fact);
  if (known !== undefined && isSameTelling(known, said) && haveSameNames(known.names, names)) return known;
  const view = { ...judged(fact), ...said, names, said: '' };
  views.set(fact, view);
  return view;
}

/** A stored fact that turns of the batch state as well. */
export function withTellings(fact: JudgedFact, places: readonly TurnPlace[]): JudgedFact {
  if (places.length === 0) return fact;
  const known = fact.told === NOWHERE ? [] : [fact.told, ...fact.retold];
  return { ...fact, ...tellings([...known, ...places]) };
}

function isSameTelling(a: Tellings, b: Tellings): boolean {
  const [all, others] = [a, b].map(({ told, retold }) => [told, ...retold]);
  return (
    all!.length === others!.length &&
    all!.every(({ session, index, at }, place) => {
      const other = others![place]!;
      return session === other.session && index === other.index && at === other.at;
    })
  );
}

function haveSameNames(a: JudgedFact['names'], b: JudgedFact['names']): boolean {
  if (a.size !== b.size) return false;
  for (const [id, names] of a) {
    const others = b.get(id);
    if (others?.length !== names.length || names.some((name, at) => name !== others[at])) return false;
  }
  return true;
}

/** What is read of a stored fact. */
type JudgedRow = Pick<Fact, 'id' | 'statement' | 'validAt' | 'invalidAt' | 'event' | 'confidence'>;

function judged({ id, statement, validAt, invalidAt, event, confidence }: JudgedRow) {
  return { id: id as FactId, statement, validAt, invalidAt, event, confidence };
}

function named(entities: Iterable<EntityId>, namesOf: NamesOf): JudgedFact['names'] {
  return new Map(Array.from(entities, (id) => [id, namesOf(id)] as const));
}

/** The stored names of entities and those that a batch adds. */
export function namesOfEntities(
  { entities: known }: Pick<ScopeIndex, 'entities'>,
  entities: readonly ResolvedEntity[] = [],
): NamesOf {
  const batch = new Map<string, ResolvedEntity>(entities.map((entity) => [entity.id, entity]));
  const read = new Map<EntityId, readonly string[]>();
  return (id) =>
    cached(read, id, () => {
      const [entity, profile] = [batch.get(id), known.profileOf(id)];
      const names = [entity, profile].flatMap((each) =>
        each === undefined ? [] : [each.name, ...each.aliases],
      );
      return [...new Set(names)];
    });
}

interface FactToPlace {
  readonly statement: string;
  /** Its entities, with all their names. */
  readonly names: ReadonlyMap<EntityId, readonly string[]>;
  /** Words that identify facts of the same family of relations. */
  readonly cues: string;
}

/** Entities with more facts are those that nearly every turn names, such as the speakers. */
const MOST_WALKED = 4_096;
/** Words that more facts have, and more than this share, hardly tell facts apart. */
const COMMON_WORD = 1_024;
const COMMON_SHARE = 1 / 32;

/** The facts about an entity that has many. */
interface ManyFacts {
  readonly ordinals: Uint32Array;
  /** 1 at their ordinals. */
  readonly isMember: Uint8Array;
  readonly weight: number;
}

/**
 * Live stored facts that share an entity with a new one: breadth-first search to depth 1 in the projection of facts
 * and entities, the best 40. Facts that share a rare entity, words of the statement or words of the family rank
 * first; of equals, the newer one. Of an entity with thousands of facts, only those are looked at that also share a
 * word that is not common, and the newest.
 */
export class CandidateFinder {
  readonly #index: ScopeIndex;
  readonly #expiring: ReadonlySet<string>;
  /** Ordinals, because a speaker has tens of thousands of facts. */
  readonly #about = new Map<EntityId, Uint32Array>();
  readonly #many = new Map<EntityId, ManyFacts>();
  /** By ordinal, for one fact at a time: the weight of shared entities, and the score of shared words. */
  readonly #shared: Float32Array;
  readonly #words: Float32Array;

  /** @param expiring Facts that expire in the same commit. */
  constructor(index: ScopeIndex, expiring: ReadonlySet<string>) {
    this.#index = index;
    this.#expiring = expiring;
    this.#shared = new Float32Array(index.facts.length);
    this.#words = new Float32Array(index.facts.length);
  }

  find({ statement, names, cues }: FactToPlace): FactId[] {
    const { lexical, ids } = this.#index.facts;
    const [few, many] = this.#split(this.#alike(names));
    const reached = this.#reach(few);
    let best: readonly number[] = reached;
    if (many.length > 0 || reached.length > MOST_CANDIDATES) {
      const said = analyze(statement).map((term) => ({ term, weight: 1 }));
      const cued = analyze(cues).map((term) => ({ term, weight: CUE_WEIGHT }));
      const limit = Math.max(COMMON_WORD, lexical.size * COMMON_SHARE);
      const alike = lexical.scoreRare([...said, ...cued], limit, this.#words);
      this.#reachAmong(many, reached, alike);
      best = this.#best(reached);
      for (const ordinal of alike) this.#words[ordinal] = 0;
    }
    for (const ordinal of reached) this.#shared[ordinal] = 0;
    return best.map((ordinal) => ids.idOf(ordinal) as FactId);
  }

  #split(entities: Iterable<EntityId>): [Uint32Array[], ManyFacts[]] {
    const [few, many]: [Uint32Array[], ManyFacts[]] = [[], []];
    for (const entity of entities) {
      const ordinals = this.#factsAbout(entity);
      if (ordinals.length <= MOST_WALKED) few.push(ordinals);
      else many.push(this.#manyFacts(entity, ordinals));
    }
    return [few, many];
  }

  #reach(lists: readonly Uint32Array[]): number[] {
    const shared = this.#shared;
    const reached: number[] = [];
    for (const ordinals of lists) {
      const weight = weightOf(ordinals);
      for (const ordinal of ordinals) {
        if (shared[ordinal] === 0) reached.push(ordinal);
        shared[ordinal]! += weight;
      }
    }
    return reached;
  }

  /** Adds the facts about entities with many that are among those with a shared word, and the newest. */
  #reachAmong(many: readonly ManyFacts[], reached: number[], alike: readonly number[]): void {
    const shared = this.#shared;
    const weightAt = (ordinal: number) => {
      let weight = 0;
      for (const each of many) if (each.isMember[ordinal] === 1) weight += each.weight;
      return weight;
    };
    for (const ordinal of reached) shared[ordinal]! += weightAt(ordinal);
    const reach = (ordinal: number) => {
      const weight = shared[ordinal] === 0 ? weightAt(ordinal) : 0;
      if (weight > 0) reached.push(ordinal);
      shared[ordinal]! += weight;
    };
    for (const ordinal of alike) reach(ordinal);
    for (const { ordinals } of many)
      for (const ordinal of ordinals.subarray(-MOST_CANDIDATES)) reach(ordinal);
  }

  #best(reached: readonly number[]): number[] {
    const best = new TopHits(MOST_CANDIDATES, (first, second) => second - first);
    // Mostly newest first, so that later offers with equal scores are rejected.
    for (let at = reached.length - 1; at >= 0; at--) {
      const ordinal = reached[at]!;
      best.offer(ordinal, this.#shared[ordinal]! + this.#words[ordinal]!);
    }
    return best.hits().map(({ ordinal }) => ordinal);
  }

  #manyFacts(entity: EntityId, ordinals: Uint32Array): ManyFacts {
    return cached(this.#many, entity, () => {
      const isMember = new Uint8Array(this.#index.facts.length);
      for (const ordinal of ordinals) isMember[ordinal] = 1;
      return { ordinals, isMember, weight: weightOf(ordinals) };
    });
  }

  /** The entities and those with the same names, because a name may be unresolved. */
  #alike(names: FactToPlace['names']): ReadonlySet<EntityId> {
    const { entities } = this.#index;
    const all = [...new Set([...names.values()].flat())];
    return new Set([...names.keys(), ...all.flatMap((name) => entities.idsOfName(entityNameKey(name)))]);
  }

  #factsAbout(entity: EntityId): Uint32Array {
    return cached(this.#about, entity, () => {
      const { ids } = this.#index.facts;
      const all = this.#index.factOrdinalsAbout(entity);
      return this.#expiring.size === 0
        ? all
        : all.filter((ordinal) => !this.#expiring.has(ids.idOf(ordinal)));
    });
  }
}

function weightOf({ length }: Uint32Array): number {
  return SHARED_WEIGHT / Math.log2(1 + Math.max(1, length));
}

type Sources = Pick<IngestContext, 'store' | 'scope'>;

/** A stored fact whose end changes because other facts expire. */
export interface ReopenedFact {
  readonly id: FactId;
  readonly invalidAt: Milliseconds | null;
  /** Facts that have superseded it, including expiring ones. */
  readonly supersededBy: ReadonlySet<string>;
}

/**
 * Stored facts that expiring facts had ended: when a turn is corrected or forgotten, the ends that its facts caused
 * are removed. A fact then ends at the earliest of the remaining superseding facts and its own stated end, else not
 * at all. A fact that an expiring one had corrected stays expired.
 *
 * @param expiring Facts that expire in the same commit.
 */
export async function findReopened(
  { store, scope }: Sources,
  expiring: ReadonlySet<string>,
): Promise<ReopenedFact[]> {
  const edges = expiring.size === 0 ? [] : await supersedes({ store, scope }, { from: [...expiring] });
  const olds = [...new Set(edges.map(({ to }) => to))].filter((id) => !expiring.has(id));
  if (olds.length === 0) return [];
  const all = groupBy(await supersedes({ store, scope }, { to: olds }), ({ to }) => to);
  const newer = new Set([...all.values()].flat().map(({ from }) => from));
  const byId = new Map<string, Fact>(
    (await store.get(scope, 'fact', [...newer])).map((fact) => [fact.id, fact]),
  );
  return (await store.get(scope, 'fact', olds)).flatMap((old): ReopenedFact[] => {
    const by = (all.get(old.id) ?? []).flatMap(({ from }) => byId.get(from) ?? []);
    const left = by.filter(({ id, expiredAt }) => !expiring.has(id) && expiredAt === null);
    const gone = by.filter(({ id }) => expiring.has(id));
    // Older files hold facts that end where they begin.
    const isEndBy = (fact: Fact) => [endBy(old, fact), old.validAt].includes(old.invalidAt ?? Number.NaN);
    if (old.expiredAt !== null || !gone.some(isEndBy)) return [];
    const ends = left.map((fact) => endBy(old, fact));
    if (old.statedEnd !== null) ends.push(old.statedEnd);
    const invalidAt = ends.length === 0 ? null : Math.min(...ends);
    if (invalidAt === old.invalidAt) return [];
    return [{ id: old.id, invalidAt, supersededBy: new Set(by.map(({ id }) => id)) }];
  });
}

/** A stored SUPERSEDES edge. */
export interface KnownEnd {
  readonly old: FactId;
  readonly by: FactId;
}

/**
 * Stored facts whose ends depend on the beginnings of the given stored ones: those that they replaced, and they
 * themselves if they were replaced; and all that have replaced these.
 */
export async function findEndsOf(
  { store, scope }: Sources,
  moved: readonly FactId[],
): Promise<{ readonly reopened: readonly ReopenedFact[]; readonly ends: readonly KnownEnd[] }> {
  const replaced = (await supersedes({ store, scope }, { from: [...moved] })).map(({ to }) => to);
  const olds = [...new Set([...moved, ...replaced])];
  const all = groupBy(await supersedes({ store, scope }, { to: olds }), ({ to }) => to);
  const rows = (await store.get(scope, 'fact', olds)).filter(
    ({ id, expiredAt }) => expiredAt === null && all.has(id),
  );
  const endsOf = ({ id }: Fact) => all.get(id)!.map(({ from }) => from);
  return {
    reopened: rows.map((row) => ({
      id: row.id as FactId,
      invalidAt: row.statedEnd,
      supersededBy: new Set(endsOf(row)),
    })),
    ends: rows.flatMap((row) => endsOf(row).map((by) => ({ old: row.id as FactId, by: by as FactId }))),
  };
}

async function supersedes({ store, scope }: Sources, filter: { from?: string[]; to?: string[] }) {
  const edges: { readonly from: string; readonly to: string }[] = [];
  for await (const batch of store.relationships(scope, 'SUPERSEDES', filter)) edges.push(...batch);
  return edges;
}
