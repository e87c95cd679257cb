import { renumber } from '../../src/answer/llm/llm-answer.ts';
import type { AnswerCitation, Evidence } from './state.ts';

/** May still become a citation, or be trimmed. */
const UNFINISHED = /\s*(?:\[[\d,;\s]*)?$/;

/**
 * What a model says, as it says it: with the sources that it cites numbered from 1 in the order of the text. Numbers of
 * no source are dropped: an answer must not seem to rest on what is not there.
 */
export class ChatReply {
  readonly #evidence: readonly Evidence[];
  readonly #known: ReadonlySet<number>;
  readonly #numberOf = new Map<number, number>();
  #rest = '';
  #shown = '';

  constructor(evidence: readonly Evidence[]) {
    this.#evidence = evidence;
    this.#known = new Set(evidence.map((_, at) => at + 1));
  }

  /** Takes the next piece and gives what of the answer can be shown now, perhaps nothing. */
  add(piece: string): string {
    this.#rest += piece;
    const end = UNFINISHED.exec(this.#rest)!.index;
    const text = renumber(this.#rest.slice(0, end), this.#known, this.#numberOf);
    this.#rest = this.#rest.slice(end);
    const shown = this.#shown === '' ? text.trimStart() : text;
    this.#shown += shown;
    return shown;
  }

  /** The whole, once nothing more comes; `rest` is what of it was not shown yet. */
  end(): { readonly answer: string; readonly rest: string; readonly citations: AnswerCitation[] } {
    const last = renumber(this.#rest, this.#known, this.#numberOf).trimEnd();
    const rest = this.#shown === '' ? last.trimStart() : last;
    const citations = [...this.#numberOf].map(([source, number]) => {
      const { id, line, sources } = this.#evidence[source - 1]!;
      return { number, id, quote: line, sources };
    });
    return { answer: this.#shown + rest, rest, citations };
  }
}
