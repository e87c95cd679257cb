import type { GraphChanges, RowUpdate, Unlink } from '../model/graph-changes.ts';
import type { EntityId, EpisodeId, FactId, SegmentId } from '../model/ids.ts';
import type {
  Description,
  Embedding,
  Episode,
  Fact,
  NodeKind,
  NodeRows,
  Profile,
  Segment,
} from '../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../model/relationships.ts';
import { columnsByName } from '../model/rows.ts';
import { atOnce, Breather, breathe, gradually, type Steps } from '../util/breathe.ts';
import { analyze } from './analyzer.ts';
import type { FoundWords, TurnGroups } from './conversation-index.ts';
import { CorrectionIndex } from './correction-index.ts';
import { DescriptionIndex, DocumentIndex } from './document-index.ts';
import { type CurrentProfile, EntityIndex } from './entity-index.ts';
import { EnrichmentIndex, EpisodeIndex, TurnMarks } from './episode-index.ts';
import { FactValidity, StatementIndex } from './fact-index.ts';
import { countEnds, type GraphView } from './graph-view.ts';
import { HierarchyIndex, type IndexedCategory } from './hierarchy-index.ts';
import {
  emptyScopeGraphs,
  linkRows,
  type NumberedRows,
  type ScopeGraphs,
  unlinkEntity,
  unlinkRows,
} from './scope-graphs.ts';
import { SparseVectors } from './sparse-vectors.ts';
import { readTalks, type Talks } from './talk.ts';
import { NONE } from './timeline.ts';
import type { ReadMeasures } from './turn-text.ts';

/** The source of an index: one scope of the graph store. */
export interface ScopeSource {
  rows<K extends NodeKind, F extends keyof NodeRows[K]>(
    kind: K,
    fields: readonly F[],
  ): AsyncIterable<readonly Pick<NodeRows[K], F>[]>;
  /** The vectors of the embedder in use; with `isWanted` only some of them. */
  embeddings(
    fields: typeof EMBEDDING_FIELDS,
    isWanted?: (embedding: Pick<Embedding, 'owner' | 'field'>) => boolean,
  ): AsyncIterable<readonly IndexedEmbedding[]>;
  relationships(kind: RelationshipKind): AsyncIterable<readonly Relationship[]>;
}

/** Rows indexed between two yields: some milliseconds of work. */
const ROWS_PER_BREATH = 256;
/** Rows applied between two checks of the time: well under a millisecond of work. */
const ROWS_PER_PART = 32;
const KEYWORD_WEIGHT = 2;
/** Per number of a vector: as float32 and rounded to int8. */
const BYTES_PER_NUMBER = 5;
/** Per row besides its vector: its id, its words, its edges; measured on short turns. */
const BYTES_PER_ROW = 2_000;
/** Of an index without rows, measured. */
const BYTES_OF_NOTHING = 200_000;
/** The same without words. */
const BYTES_PER_SLIM_ROW = 600;

/** The columns that an index reads. */
const PLACED_FIELDS = [
  'id',
  'session',
  'index',
  'speaker',
  'role',
  'source',
  'metadata',
  'validAt',
  'atText',
  'createdAt',
  'expiredAt',
  'status',
  'gate',
  'verified',
] as const;
const EPISODE_FIELDS = [...PLACED_FIELDS, 'content', 'attachments'] as const;
const FACT_FIELDS = ['id', 'statement', 'validAt', 'invalidAt', 'createdAt', 'expiredAt'] as const;
const SEGMENT_FIELDS = ['id', 'keywords', 'summary', 'createdAt', 'expiredAt'] as const;
const DESCRIPTION_FIELDS = ['id', 'entity', 'createdAt'] as const;
const INDEXED_RELATIONSHIPS = [
  'MENTIONS',
  'ABOUT',
  'EVIDENCED_BY',
  'IN_SEGMENT',
  'RELATED',
  'CATEGORIZES',
] as const;
const EMBEDDING_FIELDS = ['owner', 'field', 'vector'] as const;

const columnsOf = <K extends NodeKind>(kind: K) => Object.keys(columnsByName(kind)) as (keyof NodeRows[K])[];

export type IndexedEpisode = Pick<Episode, (typeof EPISODE_FIELDS)[number]>;
type IndexedFact = Pick<Fact, (typeof FACT_FIELDS)[number]>;
type IndexedSegment = Pick<Segment, (typeof SEGMENT_FIELDS)[number]>;
type IndexedDescription = Pick<Description, (typeof DESCRIPTION_FIELDS)[number]>;
type IndexedEmbedding = Pick<Embedding, (typeof EMBEDDING_FIELDS)[number]>;

/** Numbers by the ordinals of entities, as of a revision. */
interface KeptCounts {
  readonly revision: number;
  readonly counts: Uint32Array;
}

/** A row that a store compared with a question. */
export interface FoundVector {
  readonly ordinal: number;
  /** Its inner product with the question, for a row without a vector. */
  readonly score: number;
  readonly vector: Float32Array | null;
}

/** What a store found for a question in a scope whose index is slim. */
export interface FoundRows {
  readonly queryVector: Float32Array;
  readonly words: FoundWords;
  readonly turns: readonly FoundVector[];
  readonly facts: readonly FoundVector[];
}

interface LoadOptions {
  /** The measures of turns: with them a slim index loads without their texts. Default: the index is not slim. */
  readonly measured?: () => AsyncIterable<readonly (ReadMeasures & { readonly id: string })[]>;
}

interface ScopeIndexParts {
  readonly isSlim?: boolean;
  readonly episodes: EpisodeIndex;
  readonly marks: TurnMarks;
  readonly entities: EntityIndex;
  readonly descriptions: DescriptionIndex;
  readonly facts: DocumentIndex;
  readonly statements: StatementIndex;
  readonly validity: FactValidity;
  readonly segments: DocumentIndex;
  readonly hierarchy: HierarchyIndex;
  readonly enrichment: EnrichmentIndex;
  readonly corrections: CorrectionIndex;
  readonly graphs: ScopeGraphs;
}

/**
 * Everything that search reads of one scope, in memory, updated with each commit. It excludes expired rows, which only
 * the graph store keeps.
 */
export class ScopeIndex {
  readonly dimension: number;
  /**
   * Whether words of turns, and vectors of turns and facts, are searched in the store, because the scope is too large to
   * hold. It keeps the vectors of turns that wait for extraction.
   */
  readonly isSlim: boolean;
  readonly episodes: EpisodeIndex;
  /** By the ordinals of `episodes`. */
  readonly marks: TurnMarks;
  readonly entities: EntityIndex;
  readonly descriptions: DescriptionIndex;
  readonly facts: DocumentIndex;
  /** By the ordinals of `facts`, like their validity. */
  readonly statements: StatementIndex;
  readonly validity: FactValidity;
  /** Indexed by keywords and summaries. */
  readonly segments: DocumentIndex;
  readonly hierarchy: HierarchyIndex;
  readonly enrichment: EnrichmentIndex;
  readonly corrections: CorrectionIndex;
  readonly graphs: ScopeGraphs;
  /** The index that commits are applied to, if this one is for one question. */
  readonly #whole: ScopeIndex | null;
  /** What pages made of this index, each under a key of its own; emptied by each commit and with removed text. */
  readonly made = new Map<symbol, unknown>();
  #revision = 0;
  #topics: { readonly revision: number; readonly groups: TurnGroups } | null = null;
  #talks: { readonly revision: number; readonly talks: Talks } | null = null;
  #factCounts: KeptCounts | null = null;
  #mentionCounts: KeptCounts | null = null;

  constructor(dimension: number, parts: ScopeIndexParts, whole: ScopeIndex | null = null) {
    this.dimension = dimension;
    this.isSlim = parts.isSlim ?? false;
    this.#whole = whole;
    this.episodes = parts.episodes;
    this.marks = parts.marks;
    this.entities = parts.entities;
    this.descriptions = parts.descriptions;
    this.facts = parts.facts;
    this.statements = parts.statements;
    this.validity = parts.validity;
    this.segments = parts.segments;
    this.hierarchy = parts.hierarchy;
    this.enrichment = parts.enrichment;
    this.corrections = parts.corrections;
    this.graphs = parts.graphs;
  }

  static empty(dimension: number, isSlim = false): ScopeIndex {
    return new ScopeIndex(dimension, {
      isSlim,
      episodes: EpisodeIndex.empty(dimension, isSlim),
      marks: new TurnMarks(),
      entities: EntityIndex.empty(dimension),
      descriptions: DescriptionIndex.empty(dimension),
      facts: DocumentIndex.empty(dimension, isSlim ? new SparseVectors(dimension) : undefined),
      statements: new StatementIndex(),
      validity: new FactValidity(),
      segments: DocumentIndex.empty(dimension),
      hierarchy: HierarchyIndex.empty(dimension),
      enrichment: new EnrichmentIndex(),
      corrections: new CorrectionIndex(),
      graphs: emptyScopeGraphs(),
    });
  }

  /** An index for ingestion alone: it does not read the texts of turns, so their words find nothing. */
  static unsearched(dimension: number): ScopeIndex {
    const index = ScopeIndex.empty(dimension);
    return new ScopeIndex(dimension, { ...index, episodes: EpisodeIndex.empty(dimension, false, false) });
  }

  /** Fills an index from the graph, in the order in which the rows were created, so that ordinals ascend with age. */
  static async load(
    dimension: number,
    source: ScopeSource,
    { measured }: LoadOptions = {},
  ): Promise<ScopeIndex> {
    const index = ScopeIndex.empty(dimension, measured !== undefined);
    if (measured === undefined) await index.#loadEpisodes(source);
    else await index.#loadMeasured(source, measured());
    for (const batch of await inOrder(source.rows('fact', FACT_FIELDS))) {
      index.#addFacts(batch);
      await breathe();
    }
    for (const batch of await inOrder(source.rows('entity', ['id', 'createdAt'])))
      for (const { id } of batch) index.entities.ids.add(id);
    for (const batch of await inOrder(source.rows('category', columnsOf('category'))))
      index.#addCategories(batch);
    for (const batch of await inOrder(source.rows('hierarchy', columnsOf('hierarchy'))))
      for (const record of batch) index.hierarchy.setRecord(record);
    for (const batch of await inOrder(source.rows('profile', columnsOf('profile')))) {
      index.#addProfiles(batch);
      await breathe();
    }
    for (const batch of await inOrder(source.rows('segment', SEGMENT_FIELDS))) index.#addSegments(batch);
    for (const batch of await inOrder(source.rows('description', DESCRIPTION_FIELDS)))
      index.#addDescriptions(batch);
    for (const batch of await inOrder(source.rows('correction', columnsOf('correction'))))
      index.corrections.add(batch, []);
    for (const batch of await inOrder(source.rows('tombstone', columnsOf('tombstone'))))
      index.corrections.add([], batch);
    const isWanted = index.isSlim ? index.#holdsVectorOf.bind(index) : undefined;
    for await (const batch of source.embeddings(EMBEDDING_FIELDS, isWanted)) index.#addEmbeddings(batch);
    for (const kind of INDEXED_RELATIONSHIPS)
      for await (const batch of source.relationships(kind)) index.#addRelationships(batch);
    return index;
  }

  /** Changes with every commit. */
  get revision(): number {
    return this.#whole?.revision ?? this.#revision;
  }

  /** A slim index with what the store found for a question. It follows commits, but finds nothing newer. */
  withFound({ queryVector, words, turns, facts }: FoundRows): ScopeIndex {
    const vectorsOf = (rows: readonly FoundVector[], live: number) => {
      const vectors = new SparseVectors(this.dimension, queryVector, rows.length >= live);
      for (const { ordinal, score, vector } of rows)
        if (vector !== null && vectors.accepts(vector)) vectors.set(ordinal, vector);
        else vectors.setScore(ordinal, score);
      return vectors;
    };
    const { ids, lexical } = this.facts;
    const found = {
      episodes: this.episodes.withFound(words, vectorsOf(turns, this.episodes.conversation.size)),
      facts: new DocumentIndex({ ids, lexical, vectors: vectorsOf(facts, lexical.size) }),
    };
    return new ScopeIndex(this.dimension, { ...this, ...found }, this);
  }

  /** Approximate memory in bytes, to compare scopes. */
  get bytes(): number {
    const { profiles } = this.entities;
    const documents = [
      this.episodes,
      this.facts,
      profiles,
      this.segments,
      this.descriptions,
      this.hierarchy.documents,
    ];
    const rows = documents.reduce((sum, { ids }) => sum + ids.length, profiles.ids.length); // names have vectors too
    const bytesPerVector = this.dimension * BYTES_PER_NUMBER;
    const ofPassages = this.episodes.passages.vectors.ordinals * bytesPerVector;
    const whole = BYTES_OF_NOTHING + ofPassages + rows * (bytesPerVector + BYTES_PER_ROW);
    if (!this.isSlim) return whole;
    const slim = this.episodes.ids.length + this.facts.ids.length;
    return whole - slim * (bytesPerVector + BYTES_PER_ROW - BYTES_PER_SLIM_ROW);
  }

  /** The topic segments as groups of turns; the turns of a session that no segment holds yet are one group. */
  topicsOfTurns(): TurnGroups {
    if (this.#whole !== null) return this.#whole.topicsOfTurns();
    if (this.#topics?.revision !== this.#revision)
      this.#topics = { revision: this.#revision, groups: this.#groupByTopic() };
    return this.#topics.groups;
  }

  /** What kind of talk each session is; kept until the next commit. */
  talks(): Talks {
    if (this.#whole !== null) return this.#whole.talks();
    if (this.#talks?.revision !== this.#revision)
      this.#talks = { revision: this.#revision, talks: readTalks(this.episodes) };
    return this.#talks.talks;
  }

  #groupByTopic(): TurnGroups {
    const { conversation, timeline, length } = this.episodes;
    const { offsets, others } = this.graphs.inSegment.adjacency('out');
    const of = new Int32Array(length).fill(NONE);
    const lengths = new Float64Array(this.segments.length + timeline.sessions.length);
    for (let turn = 0; turn < length; turn++) {
      if (!conversation.isLive(turn)) continue;
      of[turn] = this.segments.length + timeline.session.at(turn);
      // A turn without edges may be beyond the last offset.
      const end = offsets[turn + 1] ?? 0;
      for (let at = offsets[turn] ?? 0; at < end; at++)
        if (this.segments.lexical.has(others[at]!)) of[turn] = others[at]!;
      lengths[of[turn]!]! += conversation.lengths.at(turn);
    }
    return { of, lengths, live: lengths.reduce((count, tokens) => (tokens > 0 ? count + 1 : count), 0) };
  }

  /** Analyzes the texts of a commit beforehand, so that `apply` blocks the thread for a shorter time. */
  async prepare({ nodes = {} }: GraphChanges): Promise<void> {
    await this.episodes.prepare(nodes.episode ?? []);
    const texts = [
      ...(nodes.fact ?? []).map(({ statement }) => statement),
      ...(nodes.profile ?? []).flatMap(({ name, aliases, summary }) => [name, ...aliases, summary]),
      ...(nodes.segment ?? []).flatMap(({ keywords, summary }) => [...keywords, summary]),
    ];
    const breather = new Breather();
    for (const text of texts) {
      if (breather.isDue) await breather.breathe();
      analyze(text); // fills the cache of words
    }
  }

  /** Applies a commit. It does not throw half-way: an index can hold everything that the graph accepted. */
  apply(changes: GraphChanges): void {
    atOnce(this.#applied(changes));
  }

  /**
   * As `apply`, but yields the thread in between. A search then may see a part of the commit: rows without their edges,
   * or an old profile beside what replaces it. Only the scope's writer calls it, so that no other commit overlaps.
   */
  async applyGradually(changes: GraphChanges): Promise<void> {
    await gradually(this.#applied(changes), new Breather());
  }

  *#applied(changes: GraphChanges): Steps<void> {
    const { nodes = {}, relationships = [], updates = [], removals = [], unlinks = [] } = changes;
    this.#change();
    for (const edge of unlinks) this.#unlink(edge);
    yield* inParts(nodes.episode, (rows) => this.#addEpisodes(rows));
    yield* inParts(nodes.fact, (rows) => this.#addFacts(rows));
    for (const entity of nodes.entity ?? []) this.entities.ids.add(entity.id);
    this.#addCategories(nodes.category ?? []);
    for (const record of nodes.hierarchy ?? []) this.hierarchy.setRecord(record);
    yield* inParts(nodes.profile, (rows) => this.#addProfiles(rows));
    yield* inParts(nodes.segment, (rows) => this.#addSegments(rows));
    this.#addDescriptions(nodes.description ?? []);
    yield* inParts(nodes.embedding, (rows) => this.#addEmbeddings(rows));
    this.corrections.apply(changes);
    yield* inParts(relationships, (edges) => this.#addRelationships(edges));
    for (const update of updates) this.#update(update);
    for (const { kind, id } of removals) this.#remove(kind, id);
    this.#change(); // what was computed of a part is out of date
  }

  #change(): void {
    this.#revision++;
    this.made.clear();
  }

  /**
   * Drops what removed rows leave behind: words, and names of nothing that is left. False if only an index built from
   * the graph is without them.
   */
  dropRemoved(): boolean {
    const { conversation, timeline } = this.episodes;
    if (this.isSlim || !timeline.isOfLiveTurns((turn) => conversation.isLive(turn))) return false;
    this.#change();
    conversation.dropRemoved();
    return true;
  }

  /** The current profile of an entity or a category. */
  profileOf(owner: string): CurrentProfile | undefined {
    return this.hierarchy.profileOf(owner) ?? this.entities.profileOf(owner);
  }

  /** Numbers of live facts about each entity, by its ordinal; kept until the next commit. */
  *factCounts(): Steps<Uint32Array> {
    if (this.#whole !== null) return yield* this.#whole.factCounts();
    const revision = this.#revision;
    if (this.#factCounts?.revision === revision) return this.#factCounts.counts;
    const isCounted = (fact: number) => this.facts.lexical.has(fact);
    const counts = yield* countEnds(this.graphs.about, { isCounted, ends: this.entities.ids.length });
    this.#factCounts = { revision, counts };
    return counts;
  }

  /** Numbers of live turns that mention each entity, by its ordinal; kept until the next commit. */
  *mentionCounts(): Steps<Uint32Array> {
    if (this.#whole !== null) return yield* this.#whole.mentionCounts();
    const revision = this.#revision;
    if (this.#mentionCounts?.revision === revision) return this.#mentionCounts.counts;
    const isCounted = (turn: number) => this.episodes.conversation.isLive(turn);
    const counts = yield* countEnds(this.graphs.mentions, { isCounted, ends: this.entities.ids.length });
    this.#mentionCounts = { revision, counts };
    return counts;
  }

  /** Number of live turns that mention the entity. */
  mentionCount(entity: string): number {
    const ordinal = this.entities.ids.ordinalOf(entity);
    if (ordinal === undefined) return 0;
    let count = 0;
    for (const turn of this.graphs.mentions.neighbours(ordinal, 'in').ordinals)
      if (this.episodes.conversation.isLive(turn)) count++;
    return count;
  }

  /** Live turns that mention the entity, the first to arrive first. */
  mentionsOf(entity: string): EpisodeId[] {
    return this.#liveTurns(this.#others(this.graphs.mentions, this.entities.ids.ordinalOf(entity), 'in'));
  }

  /** Entities that a turn mentions. */
  entitiesMentionedIn(episode: string): EntityId[] {
    const ordinals = this.#others(this.graphs.mentions, this.episodes.ids.ordinalOf(episode), 'out');
    return ordinals.map((ordinal) => this.entities.ids.idOf(ordinal) as EntityId);
  }

  /** Live facts whose statement has the same words, the oldest first; on a hash collision, others too. */
  factsStating(statement: string): FactId[] {
    return this.statements.find(statement).map((ordinal) => this.facts.ids.idOf(ordinal) as FactId);
  }

  /** Entities that a fact is about. */
  entitiesOf(fact: string): EntityId[] {
    const ordinals = this.#others(this.graphs.about, this.facts.ids.ordinalOf(fact), 'out');
    return ordinals.map((ordinal) => this.entities.ids.idOf(ordinal) as EntityId);
  }

  /** Live facts about the entity, oldest first. */
  factsAbout(entity: EntityId): FactId[] {
    return Array.from(this.factOrdinalsAbout(entity), (ordinal) => this.facts.ids.idOf(ordinal) as FactId);
  }

  /** Ordinals of the live facts about the entity, ascending. */
  factOrdinalsAbout(entity: EntityId): Uint32Array {
    const ordinal = this.entities.ids.ordinalOf(entity);
    if (ordinal === undefined) return NO_ORDINALS;
    const { ordinals } = this.graphs.about.neighbours(ordinal, 'in');
    return ordinals.filter((fact) => this.facts.lexical.has(fact)).sort();
  }

  /** Live turns that support a live fact. */
  evidenceOf(fact: string): EpisodeId[] {
    return this.#liveTurns(this.#others(this.graphs.evidence, this.facts.ids.ordinalOf(fact), 'out'));
  }

  /** Live facts that the turn supports. */
  factsEvidencedBy(episode: string): FactId[] {
    return this.#liveFacts(this.#others(this.graphs.evidence, this.episodes.ids.ordinalOf(episode), 'in'));
  }

  /** Live turns of a segment, in the order of arrival. */
  turnsOf(segment: string): EpisodeId[] {
    return this.#liveTurns(this.#others(this.graphs.inSegment, this.segments.ids.ordinalOf(segment), 'in'));
  }

  /** The live segment of a turn. */
  segmentOf(episode: string): SegmentId | undefined {
    const ordinals = this.#others(this.graphs.inSegment, this.episodes.ids.ordinalOf(episode), 'out');
    const live = ordinals.find((ordinal) => this.segments.lexical.has(ordinal));
    return live === undefined ? undefined : (this.segments.ids.idOf(live) as SegmentId);
  }

  /** Ordinals ascend with age; edges are in the order of consolidation. */
  #others(graph: GraphView, ordinal: number | undefined, direction: 'in' | 'out'): number[] {
    if (ordinal === undefined) return [];
    const { ordinals } = graph.neighbours(ordinal, direction);
    return Array.from(ordinals.length < 2 ? ordinals : ordinals.slice().sort());
  }

  #liveTurns(ordinals: readonly number[]): EpisodeId[] {
    const ids: EpisodeId[] = [];
    for (const ordinal of ordinals)
      if (this.episodes.conversation.isLive(ordinal)) ids.push(this.episodes.ids.idOf(ordinal) as EpisodeId);
    return ids;
  }

  #liveFacts(ordinals: readonly number[]): FactId[] {
    const ids: FactId[] = [];
    for (const ordinal of ordinals)
      if (this.facts.lexical.has(ordinal)) ids.push(this.facts.ids.idOf(ordinal) as FactId);
    return ids;
  }

  async #loadEpisodes(source: ScopeSource): Promise<void> {
    for (const batch of await inOrder(source.rows('episode', EPISODE_FIELDS))) {
      this.#addEpisodes(batch);
      await breathe();
    }
  }

  /** Leaves out a turn without measures: another process stored it meanwhile. */
  async #loadMeasured(
    source: ScopeSource,
    measured: AsyncIterable<readonly (ReadMeasures & { readonly id: string })[]>,
  ): Promise<void> {
    const measures = new Map<string, ReadMeasures>();
    for await (const batch of measured) for (const each of batch) measures.set(each.id, each);
    for (const batch of await inOrder(source.rows('episode', PLACED_FIELDS))) {
      for (const episode of batch) {
        const known = measures.get(episode.id);
        if (episode.expiredAt !== null || known === undefined) continue;
        this.episodes.addMeasured(episode, known);
        this.#setMarks(episode);
      }
      await breathe();
    }
  }

  #addEpisodes(episodes: readonly IndexedEpisode[]): void {
    for (const episode of episodes) {
      if (episode.expiredAt !== null) continue;
      this.episodes.add(episode);
      this.#setMarks(episode);
    }
  }

  #setMarks(episode: Pick<Episode, 'id' | 'status' | 'gate' | 'verified'>): void {
    this.enrichment.set(episode.id, episode.status);
    this.marks.set(this.episodes.ids.ordinalOf(episode.id)!, episode);
  }

  #addFacts(facts: readonly IndexedFact[]): void {
    for (const { id, statement, validAt, invalidAt, expiredAt } of facts) {
      if (expiredAt !== null) continue;
      this.facts.add(id, [{ text: statement, weight: 1 }]);
      const ordinal = this.facts.ids.ordinalOf(id)!;
      this.statements.add(ordinal, statement);
      this.validity.add(ordinal, { validAt, invalidAt });
    }
  }

  #addProfiles(profiles: readonly Profile[]): void {
    for (const profile of profiles) {
      if (profile.expiredAt !== null) continue;
      // Rows of categories are added before their profiles.
      if (this.hierarchy.has(profile.owner)) this.hierarchy.setProfile(profile);
      else this.entities.setProfile(profile);
    }
  }

  #addCategories(categories: readonly IndexedCategory[]): void {
    for (const category of categories) this.hierarchy.add(category);
  }

  #addSegments(segments: readonly IndexedSegment[]): void {
    for (const { id, keywords, summary, expiredAt } of segments)
      if (expiredAt === null)
        this.segments.add(id, [
          { text: keywords.join(' \n'), weight: KEYWORD_WEIGHT },
          { text: summary, weight: 1 },
        ]);
  }

  /** Skips descriptions of an entity whose row is not loaded, since it cannot be ranked. */
  #addDescriptions(descriptions: readonly IndexedDescription[]): void {
    for (const { id, entity } of descriptions) {
      const ordinal = this.entities.ids.ordinalOf(entity);
      if (ordinal !== undefined) this.descriptions.add(id, ordinal);
    }
  }

  #addEmbeddings(embeddings: readonly IndexedEmbedding[]): void {
    for (const { owner, field, vector } of embeddings) {
      if (!this.#holdsVectorOf({ owner, field })) continue;
      if (field === 'passage') {
        if (this.episodes.isLive(owner))
          this.episodes.passages.add(this.episodes.ids.ordinalOf(owner)!, vector);
        continue;
      }
      const target = this.#vectorsFor(field, owner);
      const ordinal = target?.ids.ordinalOf(owner);
      // Skip an unusable vector: the row is then missing from one list, while throwing would fail the whole scope.
      if (target !== null && ordinal !== undefined && target.vectors.accepts(vector))
        target.vectors.set(ordinal, vector);
    }
  }

  #holdsVectorOf({ owner, field }: Pick<Embedding, 'owner' | 'field'>): boolean {
    if (!this.isSlim) return true;
    if (field === 'content') return this.enrichment.pending.has(owner);
    return field !== 'statement' && field !== 'passage';
  }

  #vectorsFor(field: Embedding['field'], owner: string) {
    if (field === 'content') return this.episodes;
    if (field === 'statement') return this.facts;
    if (field === 'text') return this.descriptions;
    const { documents } = this.hierarchy;
    const ofCategory = documents.ids.ordinalOf(owner) !== undefined;
    if (field === 'summary') {
      if (ofCategory) return documents;
      return this.segments.ids.ordinalOf(owner) === undefined ? this.entities.profiles : this.segments;
    }
    if (field !== 'name') return null;
    const { ids } = ofCategory ? documents : this.entities.profiles;
    return { ids, vectors: (ofCategory ? this.hierarchy : this.entities).nameVectors };
  }

  #addRelationships(relationships: readonly Relationship[]): void {
    linkRows(this.graphs, this.#rows, relationships);
    for (const { kind, from, to } of relationships) if (kind === 'CATEGORIZES') this.hierarchy.link(from, to);
  }

  #unlink(edge: Unlink): void {
    if (edge.kind === 'CATEGORIZES') this.hierarchy.unlink(edge.from, edge.to);
    else unlinkRows(this.graphs, this.#rows, edge);
  }

  get #rows(): NumberedRows {
    const { episodes, facts, entities, segments } = this;
    return { episode: episodes.ids, fact: facts.ids, entity: entities.ids, segment: segments.ids };
  }

  #update(update: RowUpdate): void {
    if (update.kind === 'episode' && update.set.status !== undefined && this.episodes.isLive(update.id))
      this.#setStatus(update.id, update.set.status);
    if (update.kind === 'episode') this.#markTurn(update.id, update.set);
    if (update.kind === 'fact') this.#changeValidity(update.id, update.set);
    if (update.kind === 'category' && update.set.staleSince !== undefined)
      this.hierarchy.setStale(update.id, update.set.staleSince);
    if (!('expiredAt' in update.set) || update.set.expiredAt === null) return;
    if (update.kind === 'profile') this.#removeProfile(update.id);
    else this.#remove(update.kind, update.id);
  }

  #setStatus(id: string, status: Episode['status']): void {
    this.enrichment.set(id, status);
    const ordinal = this.episodes.ids.ordinalOf(id);
    if (this.isSlim && status !== 'stored' && ordinal !== undefined) this.episodes.vectors.remove(ordinal);
  }

  #markTurn(id: string, marks: Partial<Pick<Episode, 'gate' | 'verified'>>): void {
    const ordinal = this.episodes.ids.ordinalOf(id);
    if (ordinal !== undefined) this.marks.set(ordinal, marks);
  }

  #remove(kind: NodeKind, id: string): void {
    if (kind === 'episode') this.#removeEpisode(id);
    else if (kind === 'segment') this.segments.remove(id);
    else if (kind === 'description') this.descriptions.remove(id);
    else if (kind === 'fact') this.#removeFact(id);
    else if (kind === 'category') this.hierarchy.remove(id);
    else if (kind === 'hierarchy') this.#removeHierarchyRecord(id);
    else if (kind === 'entity') this.#removeEntity(id);
    else if (kind === 'profile') this.#removeProfile(id);
  }

  #removeEpisode(id: string): void {
    this.episodes.remove(id);
    this.enrichment.remove(id);
  }

  /** Rows that expired stay linked, and searches leave them out by their liveness; entities do not expire. */
  #removeEntity(id: string): void {
    const ordinal = this.entities.ids.ordinalOf(id);
    if (ordinal !== undefined) unlinkEntity(this.graphs, ordinal);
    this.entities.removeProfileOf(id);
    this.hierarchy.forgetNode(id);
  }

  /** Keeps the record if a newer one has replaced this one. */
  #removeHierarchyRecord(id: string): void {
    if (this.hierarchy.record?.id === id) this.hierarchy.setRecord(null);
  }

  #removeFact(id: string): void {
    this.facts.remove(id);
    const ordinal = this.facts.ids.ordinalOf(id);
    if (ordinal === undefined) return;
    this.statements.remove(ordinal);
    this.validity.remove(ordinal);
  }

  #changeValidity(id: string, set: Partial<Pick<Fact, 'validAt' | 'invalidAt'>>): void {
    const ordinal = this.facts.ids.ordinalOf(id);
    if (ordinal !== undefined && this.facts.lexical.has(ordinal)) this.validity.change(ordinal, set);
  }

  /** Does nothing to a newer profile that has replaced this one. */
  #removeProfile(id: string): void {
    const owner = this.entities.ownerOfProfile(id);
    if (owner === undefined) this.hierarchy.removeProfile(id);
    else this.entities.removeProfileOf(owner);
  }
}

/** Does some rows at a time, with a yield after each part. */
function* inParts<Row>(rows: readonly Row[] = [], add: (part: readonly Row[]) => void): Steps<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_PART) {
    add(rows.slice(start, start + ROWS_PER_PART));
    yield;
  }
}

const NO_ORDINALS = new Uint32Array(0);

/**
 * Sorts rows by age and splits them into parts. Age is the time of the commit, then the id, since ids of one engine
 * ascend (UUID version 7).
 */
async function inOrder<T extends { readonly id: string; readonly createdAt: number }>(
  batches: AsyncIterable<readonly T[]>,
): Promise<T[][]> {
  const rows: T[] = [];
  for await (const batch of batches) for (const row of batch) rows.push(row);
  rows.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const parts: T[][] = [];
  for (let start = 0; start < rows.length; start += ROWS_PER_BREATH)
    parts.push(rows.slice(start, start + ROWS_PER_BREATH));
  return parts;
}
