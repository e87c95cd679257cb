import type { ScopeIndex } from '../../search/scope-index.ts';

/**
 * The archived turns that may be offered, by their topics. What no live segment holds is still in the buffer, which
 * this route never reads (PAPERS §3.5). Ordinals are those of the index.
 */
export class Archive {
  readonly #index: ScopeIndex;
  readonly #eligible: Uint8Array | null;

  /** @param eligible By turn, 1 for those that may be offered; null for all. */
  constructor(index: ScopeIndex, eligible: Uint8Array | null) {
    this.#index = index;
    this.#eligible = eligible;
  }

  /** By segment, 1 for those with a turn that may be offered. */
  topics(): Uint8Array {
    const { segments } = this.#index;
    const topics = new Uint8Array(Math.max(segments.length, segments.vectors.ordinals));
    for (let topic = 0; topic < segments.length; topic++) if (this.#some(topic)) topics[topic] = 1;
    return topics;
  }

  /** By turn, 1 for archived ones that may be offered. */
  turns(): Uint8Array {
    const { episodes, graphs, segments } = this.#index;
    const turns = new Uint8Array(Math.max(episodes.length, episodes.vectors.ordinals));
    const { offsets, others } = graphs.inSegment.adjacency('in');
    for (let topic = 0; topic < segments.length; topic++) {
      if (!segments.lexical.has(topic)) continue;
      // A topic without edges may lie beyond the last offset.
      const end = offsets[topic + 1] ?? 0;
      for (let at = offsets[topic] ?? 0; at < end; at++)
        if (this.#isOffered(others[at]!)) turns[others[at]!] = 1;
    }
    return turns;
  }

  /** Of a live topic, in the order of the conversation. */
  turnsOf(topic: number): readonly number[] {
    const turns = new Set(this.#index.graphs.inSegment.neighbours(topic, 'in').ordinals);
    return [...turns].filter((turn) => this.#isOffered(turn)).sort(this.inOrder);
  }

  /** Orders turns by session and place, as ties are broken everywhere (DESIGN §8.6). */
  readonly inOrder = (a: number, b: number): number => {
    const { session, index } = this.#index.episodes.timeline;
    return session.at(a) - session.at(b) || index.at(a) - index.at(b) || a - b;
  };

  #some(topic: number): boolean {
    if (!this.#index.segments.lexical.has(topic)) return false;
    const { offsets, others } = this.#index.graphs.inSegment.adjacency('in');
    const end = offsets[topic + 1] ?? 0;
    for (let at = offsets[topic] ?? 0; at < end; at++) if (this.#isOffered(others[at]!)) return true;
    return false;
  }

  #isOffered(turn: number): boolean {
    return this.#index.episodes.conversation.isLive(turn) && this.#eligible?.[turn] !== 0;
  }
}
