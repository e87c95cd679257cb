import { renumber } from '../../src/answer/llm/citations.ts';
import { answerInJson, mayBeWrapped } from '../../src/answer/llm/unwrap-answer.ts';
import type { AnswerCitation } from './state.ts';

/** A source as shown to a model. */
export interface ShownSource extends Pick<AnswerCitation, 'id' | 'sources'> {
  readonly line: string;
}

/** A tail that may become a citation or be trimmed. */
const UNFINISHED = /\s*(?:(?:\\?[[【［〔(（]|<\/?[a-z])[^\])】］〕）>\n]{0,80}\]?\(?[^\s()]{0,60})?$/iu;

/**
 * Reads a model's reply as it is streamed and numbers the cited sources from 1 in order of citation. Citations of
 * missing sources are removed, so that an answer never appears to have support that does not exist.
 */
export class ChatReply {
  readonly #evidence: ShownSource[] = [];
  readonly #known = new Set<number>();
  readonly #numberOf = new Map<number, number>();
  #rest = '';
  #shown = '';

  constructor(evidence: readonly ShownSource[]) {
    this.show(evidence);
  }

  shows(id: string): boolean {
    return this.#evidence.some((source) => source.id === id);
  }

  /** Further sources, which can be cited from now on. Returns the number of the first. */
  show(sources: readonly ShownSource[]): number {
    const first = this.#evidence.length + 1;
    this.#evidence.push(...sources);
    for (const at of sources.keys()) this.#known.add(first + at);
    return first;
  }

  /** Takes the next piece and returns the text that can be shown now, possibly empty. */
  add(piece: string): string {
    this.#rest += piece;
    if (this.#isHeld()) return '';
    const end = UNFINISHED.exec(this.#rest)!.index;
    const text = renumber(this.#rest.slice(0, end), this.#known, this.#numberOf);
    this.#rest = this.#rest.slice(end);
    const shown = this.#shown === '' ? text.trimStart() : text;
    this.#shown += shown;
    return shown;
  }

  /** Returns the whole answer after the last piece; `rest` is the part not shown yet. */
  end(): { readonly answer: string; readonly rest: string; readonly citations: AnswerCitation[] } {
    const unread = this.#isHeld() ? (answerInJson(this.#rest) ?? this.#rest) : this.#rest;
    const last = renumber(unread, this.#known, this.#numberOf).trimEnd();
    const rest = this.#shown === '' ? last.trimStart() : last;
    const citations = [...this.#numberOf].map(([source, number]) => {
      const { id, line, sources } = this.#evidence[source - 1]!;
      return { number, id, quote: line, sources };
    });
    return { answer: this.#shown + rest, rest, citations };
  }

  /** JSON may have the answer in it. */
  #isHeld(): boolean {
    return this.#shown === '' && mayBeWrapped(this.#rest);
  }
}
