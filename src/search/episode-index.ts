import { z } from 'zod';
import type { Episode, EpisodeStatus } from '../model/nodes.ts';
import { type TurnMetadata, turnMetadataSchema } from '../model/turn-metadata.ts';
import { Breather } from '../util/breathe.ts';
import { ConversationIndex, type FoundWords } from './conversation-index.ts';
import { Growable, OrdinalTable } from './ordinals.ts';
import { PassageVectors } from './passage-vectors.ts';
import { type Section, type Sections, sectionArray, sectionJson } from './sections.ts';
import { SparseVectors } from './sparse-vectors.ts';
import { Timeline } from './timeline.ts';
import {
  type ReadMeasures,
  readTurnTerms,
  readTurnTermsGradually,
  type TurnTerms,
  timesTold,
} from './turn-text.ts';
import { VectorIndex, type Vectors } from './vector-index.ts';

const DROPPED = 1;
const VERIFIED = 2;

/** Results of ingestion per turn, by ordinal: the decisions of the memory gate and of the self-check. */
export class TurnMarks {
  readonly #marks: Growable<Uint8Array>;

  constructor(marks = new Uint8Array()) {
    this.#marks = Growable.over(Uint8Array, marks);
  }

  set(ordinal: number, { gate, verified }: Partial<Pick<Episode, 'gate' | 'verified'>>): void {
    if (gate !== undefined) this.#mark(ordinal, DROPPED, gate === 'dropped');
    if (verified !== undefined) this.#mark(ordinal, VERIFIED, verified);
  }

  /** Whether the memory gate dropped it (MemORAI §3.1). */
  isDropped(ordinal: number): boolean {
    return ((this.#marks.data[ordinal] ?? 0) & DROPPED) !== 0;
  }

  /** Whether the self-check at encoding confirmed a fact that cites it (GAM §3.3). */
  isVerified(ordinal: number): boolean {
    return ((this.#marks.data[ordinal] ?? 0) & VERIFIED) !== 0;
  }

  #mark(ordinal: number, bit: number, isSet: boolean): void {
    const marks = this.#marks.data[ordinal] ?? 0;
    this.#marks.set(ordinal, isSet ? marks | bit : marks & ~bit);
  }

  toSections(): Sections {
    return new Map<string, Section>([['marks', this.#marks.values()]]);
  }

  static fromSections(sections: Sections): TurnMarks | null {
    const marks = sectionArray(sections, 'marks', Uint8Array);
    return marks && new TurnMarks(marks);
  }
}

const schema = z.object({ pending: z.array(z.string()), setAside: z.array(z.string()) });

/** Ids of live turns that wait for extraction, and of those that were set aside. */
export class EnrichmentIndex {
  readonly #pending: Set<string>;
  readonly #setAside: Set<string>;

  constructor({ pending, setAside }: { pending?: Iterable<string>; setAside?: Iterable<string> } = {}) {
    this.#pending = new Set(pending);
    this.#setAside = new Set(setAside);
  }

  get pending(): ReadonlySet<string> {
    return this.#pending;
  }

  get setAside(): ReadonlySet<string> {
    return this.#setAside;
  }

  set(id: string, status: EpisodeStatus): void {
    this.remove(id);
    if (status === 'stored') this.#pending.add(id);
    if (status === 'set-aside') this.#setAside.add(id);
  }

  remove(id: string): void {
    this.#pending.delete(id);
    this.#setAside.delete(id);
  }

  toSections(): Sections {
    const json = { pending: [...this.#pending], setAside: [...this.#setAside] };
    return new Map<string, Section>([['enrichment', { json }]]);
  }

  /** Null if the sections are not those of an enrichment index. */
  static fromSections(sections: Sections): EnrichmentIndex | null {
    const ids = sectionJson(sections, 'enrichment', schema);
    return ids && new EnrichmentIndex(ids);
  }
}

const LONG_TURN = 8_192;

const metadataSchema = z.array(z.tuple([z.number(), turnMetadataSchema]));

/** Metadata of live turns by ordinal. Most turns have none. */
export class MetadataIndex {
  readonly #fields: Map<number, TurnMetadata>;

  constructor(fields: Iterable<readonly [number, TurnMetadata]> = []) {
    this.#fields = new Map(fields);
  }

  of(ordinal: number): TurnMetadata {
    return this.#fields.get(ordinal) ?? NO_METADATA;
  }

  /** The names of all fields. */
  names(): ReadonlySet<string> {
    return new Set(Array.from(this.#fields.values(), Object.keys).flat());
  }

  set(ordinal: number, metadata: TurnMetadata): void {
    if (Object.keys(metadata).length > 0) this.#fields.set(ordinal, metadata);
  }

  remove(ordinal: number): void {
    this.#fields.delete(ordinal);
  }

  toSections(): Sections {
    return new Map<string, Section>([['metadata', { json: [...this.#fields] }]]);
  }

  /** Null if the sections are not those of a metadata index. */
  static fromSections(sections: Sections): MetadataIndex | null {
    const fields = sectionJson(sections, 'metadata', metadataSchema);
    return fields && new MetadataIndex(fields);
  }
}

const UNMEASURED: ReadMeasures = { length: 0, signs: 0, times: [] };
const NO_METADATA: TurnMetadata = Object.freeze({});

type PlacedEpisode = Pick<
  Episode,
  'id' | 'session' | 'index' | 'speaker' | 'role' | 'source' | 'validAt' | 'metadata'
>;

/** The live episodes of a scope: their ids, place in the conversation, words, vectors and metadata. */
export class EpisodeIndex {
  readonly ids: OrdinalTable;
  readonly timeline: Timeline;
  readonly conversation: ConversationIndex;
  readonly vectors: Vectors;
  readonly passages: PassageVectors;
  readonly metadata: MetadataIndex;
  readonly #readsTexts: boolean;
  /** Terms of rows that are about to be added. */
  readonly #prepared = new WeakMap<object, TurnTerms>();

  constructor(parts: {
    ids: OrdinalTable;
    timeline: Timeline;
    conversation: ConversationIndex;
    vectors: Vectors;
    passages: PassageVectors;
    metadata: MetadataIndex;
    /** Whether the words of turns are read. Default true. */
    readsTexts?: boolean;
  }) {
    this.#readsTexts = parts.readsTexts ?? true;
    this.ids = parts.ids;
    this.timeline = parts.timeline;
    this.conversation = parts.conversation;
    this.vectors = parts.vectors;
    this.passages = parts.passages;
    this.metadata = parts.metadata;
  }

  /**
   * @param isSlim Without words, and with room for few vectors: see `ScopeIndex.isSlim`.
   * @param readsTexts See `ScopeIndex.unsearched`.
   */
  static empty(dimension: number, isSlim = false, readsTexts = true): EpisodeIndex {
    const timeline = new Timeline();
    return new EpisodeIndex({
      readsTexts,
      ids: new OrdinalTable(),
      timeline,
      conversation: new ConversationIndex(timeline, { holdsWords: !isSlim }),
      vectors: isSlim ? new SparseVectors(dimension) : new VectorIndex(dimension),
      passages: new PassageVectors(new VectorIndex(dimension)),
      metadata: new MetadataIndex(),
    });
  }

  /** The same turns with the words and vectors that were found for a question. */
  withFound(words: FoundWords, vectors: Vectors): EpisodeIndex {
    const { ids, timeline, metadata } = this;
    return new EpisodeIndex({
      ids,
      timeline,
      metadata,
      vectors,
      passages: new PassageVectors(new VectorIndex(vectors.dimension)),
      conversation: this.conversation.withWords(words),
    });
  }

  /** Ordinals in use, removed ones included: the length of a score array. */
  get length(): number {
    return this.ids.length;
  }

  isLive(id: string): boolean {
    const ordinal = this.ids.ordinalOf(id);
    return ordinal !== undefined && this.conversation.isLive(ordinal);
  }

  /** Analyzes long turns before they are added, yielding the thread in between; adding does not yield. */
  async prepare(episodes: readonly Pick<Episode, 'content' | 'attachments'>[]): Promise<void> {
    const breather = new Breather();
    for (const episode of this.#readsTexts ? episodes : [])
      if (episode.content.length > LONG_TURN)
        this.#prepared.set(
          episode,
          await readTurnTermsGradually(episode.content, captionsOf(episode), breather),
        );
  }

  add(episode: PlacedEpisode & Pick<Episode, 'content' | 'attachments'>): void {
    if (!this.#readsTexts) {
      this.addMeasured(episode, UNMEASURED);
      return;
    }
    const ordinal = this.#place(episode, timesTold(episode));
    const terms = this.#prepared.get(episode) ?? readTurnTerms(episode.content, captionsOf(episode));
    this.conversation.add(ordinal, terms);
  }

  /** Adds a turn whose text was measured before. */
  addMeasured(episode: PlacedEpisode, measures: ReadMeasures): void {
    this.conversation.addMeasured(this.#place(episode, measures.times), measures);
  }

  #place(episode: PlacedEpisode, times: ReadMeasures['times']): number {
    const ordinal = this.ids.add(episode.id);
    this.timeline.add(ordinal, episode);
    this.metadata.set(ordinal, episode.metadata);
    for (const time of times) this.timeline.addTime(ordinal, time);
    return ordinal;
  }

  remove(id: string): void {
    const ordinal = this.ids.ordinalOf(id);
    if (ordinal === undefined || !this.conversation.isLive(ordinal)) return;
    this.conversation.remove(ordinal);
    this.timeline.remove(ordinal);
    this.vectors.remove(ordinal);
    this.passages.remove(ordinal);
    this.metadata.remove(ordinal);
  }
}

function captionsOf({ attachments }: Pick<Episode, 'attachments'>): string[] {
  return attachments.map(({ description }) => description);
}
