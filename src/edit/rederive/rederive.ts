import { CancelledError } from '../../errors/index.ts';
import { readDetail } from '../../ingest/corrections/correction-detail.ts';
import type { FactInput } from '../../model/fact-input.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import type {
  EmbeddedField,
  Embedding,
  EmbeddingFingerprint,
  Fact,
  Profile,
  Tombstone,
} from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { collect, groupBy } from '../../util/collections.ts';
import type { FormerSegment } from '../forget/turns.ts';
import { areAppended, graphDifference } from './graph-difference.ts';
import { matchRows } from './match-rows.ts';
import { scopeBefore, scopeEvents } from './scope-history.ts';
import { readScopeRows, type ScopeRows } from './scope-rows.ts';
import { Shadow, type ShadowOptions } from './shadow.ts';

interface ReplayOptions extends ShadowOptions {
  readonly former: readonly FormerSegment[];
  /** Events before this time are not replayed; null: all are. */
  readonly since: Milliseconds | null;
  readonly store: GraphStore;
  /** The index of the scope, for the vectors in it. */
  readonly index?: ScopeIndex | undefined;
  readonly tombstones: readonly Tombstone[];
}

/** Replays the events of a scope in their order (docs/design.md, "Forgetting"). @throws CancelledError */
async function replay(rows: ScopeRows, options: ReplayOptions): Promise<Shadow> {
  const shadow = new Shadow(options);
  await shadow.addTombstones(options.tombstones);
  const named = new Names(rows);
  const before = options.since === null ? null : scopeBefore(rows, options.since);
  if (before !== null) await shadow.seed(before.rows, await seedVectors(before.rows, options));
  const events = scopeEvents(rows, options.former).filter(({ at }) => before === null || at >= before.since);
  const stopIfCancelled = () => {
    if (options.signal?.aborted)
      throw new CancelledError('forgotten rows stay removed', options.signal.reason);
  };
  for (const event of events) {
    stopIfCancelled();
    shadow.setTime(event.at);
    if (event.type === 'arrived') await shadow.arrive(event.episodes);
    else if (event.type === 'given') await shadow.give(event.facts.flatMap((fact) => named.inputOf(fact)));
    else if (event.type === 'consolidated') await shadow.consolidate(event.turns);
    else await shadow.correct(event.correction);
  }
  stopIfCancelled(); // turns that were being read then would stay unread
  return shadow;
}

/**
 * Rebuilds the input of given facts: memory stores the entities that a fact is about, not the names that were given.
 */
class Names {
  readonly #about: ReadonlyMap<string, readonly Relationship[]>;
  readonly #evidence: ReadonlyMap<string, readonly Relationship[]>;
  readonly #profiles: ReadonlyMap<string, readonly Profile[]>;
  readonly #ended: ReadonlySet<string>;
  readonly #arrived: ReadonlyMap<string, Milliseconds>;

  /** Moves of entities by corrections that are in force, newest first. */
  readonly #moves: readonly Move[];

  constructor({ nodes, edges }: ScopeRows) {
    this.#about = groupBy(edges.ABOUT, ({ from }) => from);
    this.#moves = movesOf(nodes.correction);
    this.#evidence = groupBy(edges.EVIDENCED_BY, ({ from }) => from);
    this.#profiles = groupBy([...nodes.profile.values()], ({ owner }) => owner);
    this.#arrived = new Map([...nodes.episode.values()].map(({ id, createdAt }) => [id, createdAt]));
    this.#ended = new Set(edges.SUPERSEDES.map(({ to }) => to));
  }

  inputOf(fact: Fact): FactInput[] {
    const evidence = (this.#evidence.get(fact.id) ?? [])
      .filter(({ to }) => (this.#arrived.get(to) ?? Infinity) <= fact.createdAt) // later turns were added as evidence since
      .map(({ to }) => ({ id: to }));
    if (evidence.length === 0) return [];
    const about = this.#aboutWhenGiven(fact);
    const nameOf = (role: string) =>
      about.flatMap((edge) => (edge.role === role ? this.#nameOf(edge, fact) : []));
    const [subject] = nameOf('subject');
    const [object] = nameOf('object');
    const ends = fact.invalidAt === null || this.#ended.has(fact.id) ? {} : { invalidAt: fact.invalidAt };
    return [
      {
        statement: fact.statement,
        relation: fact.relation,
        ...(subject === undefined ? {} : { subject }),
        ...(object === undefined ? {} : { object }),
        participants: nameOf('participant'),
        validAt: fact.validAt,
        ...ends,
        confidence: fact.confidence,
        evidence,
      },
    ];
  }

  /** The entities that the fact was given about: a merge or a split moves facts to another entity. */
  #aboutWhenGiven({ id, createdAt }: Fact): readonly Relationship[] {
    let about = this.#about.get(id) ?? [];
    for (const { at, linked, unlinked } of this.#moves) {
      if (at < createdAt) break;
      const added = new Set((linked.get(id) ?? []).map(endOf));
      const former = (unlinked.get(id) ?? []).filter(({ to }) => this.#profiles.has(to));
      if (former.length > 0) about = [...about.filter((edge) => !added.has(endOf(edge))), ...former];
    }
    return about;
  }

  /** The entity's name when the fact was given. */
  #nameOf({ to }: Relationship, { createdAt }: Fact): string[] {
    const profiles = this.#profiles.get(to) ?? [];
    const then = profiles.findLast((profile) => profile.createdAt <= createdAt) ?? profiles[0];
    return then === undefined ? [] : [then.name];
  }
}

/** The edges from facts to entities that a correction moved, by fact. */
interface Move {
  readonly at: Milliseconds;
  readonly linked: ReadonlyMap<string, readonly Relationship[]>;
  readonly unlinked: ReadonlyMap<string, readonly Relationship[]>;
}

function movesOf(corrections: ScopeRows['nodes']['correction']): Move[] {
  const byFact = (edges: readonly Relationship[]) =>
    groupBy(
      edges.filter(({ kind }) => kind === 'ABOUT'),
      ({ from }) => from,
    );
  return [...corrections.values()]
    .filter(({ undoneAt }) => undoneAt === null)
    .flatMap((correction) => {
      const detail = readDetail(correction);
      if (detail === null) return [];
      const { linked, unlinked } = detail.journal;
      return { at: correction.createdAt, linked: byFact(linked), unlinked: byFact(unlinked) };
    })
    .sort((one, other) => other.at - one.at);
}

function endOf({ role, to }: Relationship): string {
  return `${role} ${to}`;
}

export interface Rederived {
  readonly changes: GraphChanges;
  /** Whether an index of the scope can follow the changes: its rows are numbered by age. */
  readonly isAppended: boolean;
}

/**
 * Finds the changes that make the base graph of a scope equal to what ingesting its turns gives (docs/design.md,
 * "Forgetting", local tier). It ingests the turns into a shadow graph, at the original times and in the original
 * batches, and compares the result with the graph in the store. Rows in both keep their ids. Writes nothing.
 *
 * @throws CancelledError
 */
export async function rederive(options: ReplayOptions): Promise<Rederived> {
  const { store, scope, embedder } = options;
  const old = await readScopeRows(store, scope);
  const model = embeddingModel(embedder.fingerprint);
  const shadow = await replay(old, options);
  const fresh = await readScopeRows(shadow.store, scope);
  const same = matchRows(fresh, old);
  const vectors = (await collect(shadow.store.embeddings(scope, model, VECTOR_FIELDS))) as Embedding[];
  const owners = await collect(store.scan(scope, 'embedding', ['id', 'owner']));
  const changes = graphDifference(fresh, old, { same, vectors, owners });
  return { changes, isAppended: areAppended(changes, old) };
}

const VECTOR_FIELDS = ['id', 'owner', 'field', 'model', 'vector'] as const;

interface SeedVectorsOptions {
  readonly store: GraphStore;
  readonly scope: Scope;
  readonly embedder: { readonly fingerprint: EmbeddingFingerprint };
  readonly newId: () => string;
  /** The index of the scope, which holds most of the vectors. Default: all are read from the store. */
  readonly index?: ScopeIndex | undefined;
}

type Owned = Pick<Embedding, 'owner' | 'field'>;

/** The vectors that ingestion reads: of live turns, of the names of current profiles, and of live segments. */
export async function seedVectors(
  { nodes }: ScopeRows,
  { store, scope, embedder, newId, index }: SeedVectorsOptions,
): Promise<Embedding[]> {
  const model = embeddingModel(embedder.fingerprint);
  const found: Embedding[] = [];
  const missing = new Set<string>();
  const add = (
    rows: Iterable<{ readonly id: string; readonly expiredAt: number | null }>,
    field: EmbeddedField,
  ) => {
    for (const { id, expiredAt } of rows) {
      if (expiredAt !== null) continue;
      const vector = index === undefined ? null : vectorIn(index, { owner: id, field });
      if (vector === null) missing.add(keyOf({ owner: id, field }));
      else found.push({ id: newId() as Embedding['id'], owner: id, field, model, vector });
    }
  };
  add(nodes.episode.values(), 'content');
  add(nodes.profile.values(), 'name');
  add(nodes.segment.values(), 'summary');
  if (missing.size === 0) return found;
  for await (const batch of store.embeddings(scope, model, ['id', 'owner', 'field'])) {
    const ids = batch.filter((each) => missing.has(keyOf(each))).map(({ id }) => id);
    if (ids.length > 0) found.push(...(await store.get(scope, 'embedding', ids)));
  }
  return found;
}

function keyOf({ owner, field }: Owned): string {
  return `${field} ${owner}`;
}

function vectorIn(
  { episodes, entities, segments }: ScopeIndex,
  { owner, field }: Owned,
): Float32Array | null {
  const { ids, vectors } =
    field === 'content'
      ? episodes
      : field === 'name'
        ? { ids: entities.profiles.ids, vectors: entities.nameVectors }
        : segments;
  const ordinal = ids.ordinalOf(owner);
  return ordinal === undefined ? null : vectors.get(ordinal);
}
