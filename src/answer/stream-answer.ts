import type { GivenAnswer } from './given-answer.ts';

/** What a stream of an answer gives. */
export interface AnswerEvent {
  readonly type: 'answer';
  readonly answer: GivenAnswer;
}

/**
 * An answer as a stream. It comes in one piece: until the whole reply is there, nobody knows whether its citations
 * hold, and words that turn out to be an abstention must not have been shown.
 */
export async function* streamAnswer(ask: () => Promise<GivenAnswer>): AsyncGenerator<AnswerEvent, void> {
  yield { type: 'answer', answer: await ask() };
}
