import { ReasoningFilter, stripReasoning } from './reasoning.ts';
import { RepetitionFilter } from './repetition.ts';

/** A reply in prose as its reader sees it. */
export interface ReplyText {
  /** Without reasoning, and up to where the model begins to repeat itself. */
  readonly text: string;
  readonly looped: boolean;
}

export function readReplyText(reply: string): ReplyText {
  const filter = new RepetitionFilter();
  const text = filter.add(stripReasoning(reply)) + filter.end();
  return { text, looped: filter.isLoop };
}

/** The text of `readReplyText`, while the reply is written. */
export class GrowingReplyText {
  readonly #reasoning: ReasoningFilter;
  readonly #repetition = new RepetitionFilter();

  /** @param mayBeUnseen As for `ReasoningFilter`. */
  constructor(mayBeUnseen: boolean) {
    this.#reasoning = new ReasoningFilter(mayBeUnseen);
  }

  add(piece: string): string {
    return this.#repetition.add(this.#reasoning.add(piece));
  }

  end(): string {
    return this.#repetition.add(this.#reasoning.end()) + this.#repetition.end();
  }
}
