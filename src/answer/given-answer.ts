import type { Answer, SearchResult } from '../model/retrieved-item.ts';
import { follow } from '../util/follow.ts';

/** Said whenever memory does not suffice, always in these words. */
export const NOT_ENOUGH = 'There is not enough in memory to answer this.';

export const ANSWERERS = ['local', 'llm'] as const;
/** `local` quotes memory; `llm` has a language model read it. */
export type Answerer = (typeof ANSWERERS)[number];

/** An answer, and how it came about. */
export interface GivenAnswer extends Answer {
  readonly answerer: Answerer;
  /** How sure it is, or would be if it were given, from 0 to 1; null where a model answers, which does not say. */
  readonly confidence: number | null;
  /** What a reader should know of how it came about, in words of our own. */
  readonly notes: readonly string[];
}

/**
 * What a stream of an answer gives: what was found, then the answer's text as it is written, then the whole answer.
 * The pieces together are its text; there are none of an abstention. Only where a model fails after it has begun is
 * what was shown void: the answer is then in memory's own words, and its notes say so.
 */
export type AnswerEvent =
  | { readonly type: 'found'; readonly result: SearchResult }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: GivenAnswer };

/** Hears how an answer comes about. */
export interface AnswerListener {
  readonly onFound?: ((result: SearchResult) => void) | undefined;
  /** Gets the answer's text piece by piece. */
  readonly onText?: ((text: string) => void) | undefined;
}

/**
 * An answer as a stream. Whoever stops taking events early cancels it.
 *
 * @param signal - the caller's own, beside that.
 */
export async function* streamAnswer(
  ask: (listener: AnswerListener & { readonly signal: AbortSignal }) => Promise<GivenAnswer>,
  signal?: AbortSignal,
): AsyncGenerator<AnswerEvent, void> {
  const stop = new AbortController();
  yield* follow<AnswerEvent>(
    async (tell) => {
      const answer = await ask({
        onFound: (result) => tell({ type: 'found', result }),
        onText: (text) => tell({ type: 'text', text }),
        signal: AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]),
      });
      tell({ type: 'answer', answer });
    },
    () => stop.abort(),
  );
}
