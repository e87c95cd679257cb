import type { ScopeIndex } from '../../search/scope-index.ts';
import type { ConversationReading } from '../conversation-reading.ts';
import { mixScores } from '../mix-scores.ts';
import type { Question } from '../question.ts';
import type { Eligible } from '../time-view.ts';
import { lexicalScores, vectorScores } from './episode-scores.ts';

interface Scored {
  readonly lexical: () => Float32Array;
  readonly vector: () => Float32Array;
  readonly mixed: () => Float32Array;
}

/** Scores of all turns for one question, by ordinal, computed when a route first asks; 0 for turns that may not be offered. */
export class TurnScores {
  readonly #ofReading = new Map<ConversationReading, Scored>();
  readonly #index: ScopeIndex;
  readonly #asked: {
    readonly question: Question;
    readonly queryVector: Float32Array;
    readonly eligible: Eligible;
  };

  constructor(
    index: ScopeIndex,
    asked: { readonly question: Question; readonly queryVector: Float32Array; readonly eligible: Eligible },
  ) {
    this.#index = index;
    this.#asked = asked;
  }

  lexical(reading: ConversationReading): Float32Array {
    return this.#scored(reading).lexical();
  }

  vector(reading: ConversationReading): Float32Array {
    return this.#scored(reading).vector();
  }

  /** Both, from 0 to 1. */
  mixed(reading: ConversationReading): Float32Array {
    return this.#scored(reading).mixed();
  }

  #scored(reading: ConversationReading): Scored {
    const known = this.#ofReading.get(reading);
    if (known !== undefined) return known;
    const { episodes } = this.#index;
    const { question, queryVector, eligible } = this.#asked;
    const lexical = once(() => within(lexicalScores(episodes, question, reading), eligible.episode));
    const vector = once(() =>
      within(vectorScores(episodes, queryVector, question, reading), eligible.episode),
    );
    const scored = { lexical, vector, mixed: once(() => mixScores(lexical(), vector())) };
    this.#ofReading.set(reading, scored);
    return scored;
  }
}

function once<T>(compute: () => T): () => T {
  let kept: { readonly value: T } | null = null;
  return () => {
    kept ??= { value: compute() };
    return kept.value;
  };
}

/** Before any cut, so that a list is as long as there are rows that may be offered. */
export function within(scores: Float32Array, eligible: Uint8Array | null): Float32Array {
  if (eligible !== null)
    for (let ordinal = 0; ordinal < scores.length; ordinal++) scores[ordinal]! *= eligible[ordinal]!;
  return scores;
}
