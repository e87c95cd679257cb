import type { Episode } from '../model/nodes.ts';
import { Breather } from '../util/breathe.ts';
import { ConversationIndex } from './conversation-index.ts';
import { OrdinalTable } from './ordinal-table.ts';
import { Timeline } from './timeline.ts';
import { type CountedTerms, readTurnTerms, readTurnTermsGradually } from './turn-text.ts';
import { VectorIndex } from './vector-index.ts';

const LONG_TURN = 8_192;

/** The live episodes of a scope: their ids, the conversation they stand in, their words and their vectors. */
export class EpisodeIndex {
  readonly ids: OrdinalTable;
  readonly timeline: Timeline;
  readonly conversation: ConversationIndex;
  readonly vectors: VectorIndex;
  /** Terms of rows that are about to be added. */
  readonly #prepared = new WeakMap<object, CountedTerms>();

  constructor(parts: {
    ids: OrdinalTable;
    timeline: Timeline;
    conversation: ConversationIndex;
    vectors: VectorIndex;
  }) {
    this.ids = parts.ids;
    this.timeline = parts.timeline;
    this.conversation = parts.conversation;
    this.vectors = parts.vectors;
  }

  static empty(dimension: number): EpisodeIndex {
    const timeline = new Timeline();
    return new EpisodeIndex({
      ids: new OrdinalTable(),
      timeline,
      conversation: new ConversationIndex(timeline),
      vectors: new VectorIndex(dimension),
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

  /** Reads long turns before they are added, and lets others in meanwhile: adding holds the thread. */
  async prepare(episodes: readonly Pick<Episode, 'content' | 'attachments'>[]): Promise<void> {
    const breather = new Breather();
    for (const episode of episodes)
      if (episode.content.length > LONG_TURN)
        this.#prepared.set(
          episode,
          await readTurnTermsGradually(episode.content, captionsOf(episode), breather),
        );
  }

  add(
    episode: Pick<Episode, 'id' | 'session' | 'index' | 'speaker' | 'validAt' | 'content' | 'attachments'>,
  ): void {
    const ordinal = this.ids.add(episode.id);
    this.timeline.add(ordinal, episode);
    this.conversation.add(
      ordinal,
      this.#prepared.get(episode) ?? readTurnTerms(episode.content, captionsOf(episode)),
    );
  }

  remove(id: string): void {
    const ordinal = this.ids.ordinalOf(id);
    if (ordinal === undefined || !this.conversation.isLive(ordinal)) return;
    this.conversation.remove(ordinal);
    this.timeline.remove(ordinal);
    this.vectors.remove(ordinal);
  }
}

function captionsOf({ attachments }: Pick<Episode, 'attachments'>): string[] {
  return attachments.map(({ description }) => description);
}
