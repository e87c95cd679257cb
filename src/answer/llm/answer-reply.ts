import { ABSTENTION } from '../../prompts/answer-question.ts';
import type { ContextSource } from '../memory-context.ts';
import { type CitedAnswer, endOfCitations, readCitations, renumber } from './read-citations.ts';

/** The first line says whether the premise holds; models also put it as "premise: holds" or in bold. */
const FIRST_LINE =
  /^[\s*_#]*(?:premise\W+)?(holds|fails|unclear)(?:(?:[^\S\n]|[*_.])*(?:\n|$)|[\s*_]*[:.,;–—-]+[*_]*\s+)/i;
/** What may stand before the word itself, lines of nothing but signs among it. */
const BEFORE_PREMISE = /^[\s*_#]*(?:premise\W*)?/i;
/** What may still become such a line. */
const LONGEST_FIRST_LINE = 40;
const ABSTAINS = new RegExp(`^\\W*${ABSTENTION}`, 'i');

export interface AnswerReply extends CitedAnswer {
  readonly premiseFails: boolean;
  /** The model says that the sources do not suffice, or says nothing. */
  readonly abstains: boolean;
}

/** A model's whole reply to `answer-question`. */
export function readAnswerReply(reply: string, sources: readonly ContextSource[]): AnswerReply {
  const { answer, premiseFails } = partsOf(reply);
  return {
    ...readCitations(answer, sources),
    premiseFails,
    abstains: answer.trim() === '' || ABSTAINS.test(answer),
  };
}

/**
 * A reply to `answer-question` as it is written: passes on what can be shown already. Nothing is shown before it is
 * followed by a source that exists, so that neither an abstention nor words that rest on nothing ever come up; what
 * was shown is how the text of `readAnswerReply` begins.
 */
export class GrowingReply {
  readonly #sources: ReadonlySet<number>;
  readonly #numberOf = new Map<number, number>();
  #premise: 'unread' | 'holds' | 'fails' = 'unread';
  /** Of the answer, what was not shown yet. */
  #rest = '';
  #shown = '';

  constructor(sources: readonly ContextSource[]) {
    this.#sources = new Set(sources.map(({ number }) => number));
  }

  /** What has been shown so far. */
  get shown(): string {
    return this.#shown;
  }

  /** Takes the next piece and gives what can be shown now, perhaps nothing. */
  add(piece: string): string {
    this.#rest += piece;
    if (this.#premise === 'unread' && !this.#readPremise()) return '';
    if (this.#premise === 'fails' || (this.#shown === '' && ABSTAINS.test(this.#rest))) return '';
    const end = endOfCitations(this.#rest, this.#sources);
    const text = renumber(this.#rest.slice(0, end), this.#sources, this.#numberOf);
    this.#rest = this.#rest.slice(end);
    const shown = this.#shown === '' ? text.trimStart() : text;
    this.#shown += shown;
    return shown;
  }

  /** False while the first line is under way. */
  #readPremise(): boolean {
    const begun = this.#rest.replace(BEFORE_PREMISE, '');
    if (!begun.includes('\n') && begun.length < LONGEST_FIRST_LINE) return false;
    const { answer, premiseFails } = partsOf(this.#rest);
    this.#rest = answer;
    this.#premise = premiseFails ? 'fails' : 'holds';
    return true;
  }
}

/** A reply without a first line of the asked form is all answer. */
function partsOf(reply: string): { readonly answer: string; readonly premiseFails: boolean } {
  const [line = '', premise] = FIRST_LINE.exec(reply) ?? [];
  return { answer: reply.slice(line.length), premiseFails: premise?.toLowerCase() === 'fails' };
}
