import { plusUsage } from '../../inference/language-model/tokens/plus-usage.ts';
import type { LanguageModel, TextCallOptions } from '../../inference/language-model.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Citation, SearchResult, Usage } from '../../model/retrieved-item.ts';
import { answerContext } from '../answer-context.ts';
import { type GivenAnswer, NOT_ENOUGH } from '../given-answer.ts';
import type { ContextSource, MemoryContext } from '../memory-context.ts';
import { wordsOf } from '../source-lines.ts';
import { ABSTENTION, answerQuestion } from './answer-question-prompt.ts';

interface LlmAnswerOptions extends Pick<TextCallOptions, 'signal' | 'budget' | 'onText'> {
  readonly model: LanguageModel;
  /** The time of the question. */
  readonly now: Milliseconds;
  /** What the model reads of the result. Default: what `answerContext` composes. */
  readonly context?: MemoryContext | undefined;
}

/**
 * A language model's answer from the result of a search (docs/papers.md §2.9). Citations of missing sources are
 * removed. An answer without a citation becomes an abstention. Where the model doubts what the question takes for
 * granted and answers all the same, the notes say so. An empty result needs no call. `onText` receives the text of an answer piece by piece while the model writes, but never text of a
 * reply that becomes an abstention.
 *
 * @throws what `LanguageModel` throws.
 */
export async function llmAnswer(search: SearchResult, options: LlmAnswerOptions): Promise<GivenAnswer> {
  const { model, now, signal, budget, onText } = options;
  const context = options.context ?? (await answerContext(search, { model }));
  const left = context.leftOut === 0 ? [] : [`${context.leftOut} sources were not shown to the model`];
  if (context.sources.length === 0) return answerOf(search, { ...NOTHING, notes: left });
  const input = { sources: context.sources, question: search.query, now };
  const growing = new GrowingReply(context.sources);
  const show = (piece: string) => {
    if (piece !== '') onText?.(piece);
  };
  const { text, usage } = await model.text(answerQuestion, input, {
    ...{ signal, budget },
    ...(onText && { onText: (piece: string) => show(growing.add(piece)) }),
  });
  const read = readReply(text, context);
  if (read.citations.length > 0) show(read.text.slice(growing.shown.length));
  return answerOf(search, { ...read, notes: [...left, ...read.notes], usage });
}

type ReadReply = Pick<GivenAnswer, 'text' | 'citations' | 'notes'> & { readonly usage?: Usage };

const NOTHING: ReadReply = { text: NOT_ENOUGH, citations: [], notes: [] };

const CONTRADICTED = 'memory contradicts what the question assumes';
const UNCONFIRMED = 'memory does not confirm all that the question assumes';

function readReply(reply: string, { sources }: MemoryContext): ReadReply {
  const { premise, abstains, text, citations, unknown } = readAnswerReply(reply, sources);
  const doubted = premise === 'fails' ? [CONTRADICTED] : [];
  if (abstains) return { ...NOTHING, notes: doubted };
  const dropped = unknown === 0 ? [] : [`${unknown} citations of the model refer to no source`];
  if (citations.length === 0)
    return { ...NOTHING, notes: [...doubted, ...dropped, 'the answer of the model cites no source'] };
  return {
    text,
    citations,
    notes: [...doubted, ...(premise === 'unclear' ? [UNCONFIRMED] : []), ...dropped],
  };
}

function answerOf(search: SearchResult, { text, citations, notes, usage }: ReadReply): GivenAnswer {
  return {
    question: search.query,
    answered: citations.length > 0,
    text,
    citations,
    search,
    usage: usage === undefined ? search.usage : plusUsage(search.usage, usage),
    answerer: 'llm',
    confidence: null,
    notes,
  };
}

/** The first line states whether the premise holds; some models write it as "premise: holds" or in bold. */
const FIRST_LINE =
  /^[\s*_#]*(?:premise\W+)?(holds|fails|unclear)(?:(?:[^\S\n]|[*_.])*(?:\n|$)|[\s*_]*[:.,;–—-]+[*_]*\s+)/i;
/** Text allowed before the word, including lines of punctuation. */
const BEFORE_PREMISE = /^[\s*_#]*(?:premise\W*)?/i;
/** Longer text without a line break is not a premise line. */
const LONGEST_FIRST_LINE = 40;
const ABSTAINS = new RegExp(`^\\W*${ABSTENTION}`, 'i');

/** What a reply says of the premise. */
type Premise = 'holds' | 'unclear' | 'fails';

interface AnswerReply extends CitedAnswer {
  /** `holds` if the reply does not say. It does not decide whether there is an answer. */
  readonly premise: Premise;
  /** Whether the reply says that the sources do not suffice, or is empty. */
  readonly abstains: boolean;
}

/** Parses a complete reply to `answer-question`. */
export function readAnswerReply(reply: string, sources: readonly ContextSource[]): AnswerReply {
  const { answer, premise } = partsOf(reply);
  return {
    ...readCitations(answer, sources),
    premise,
    abstains: answer.trim() === '' || ABSTAINS.test(answer),
  };
}

/**
 * Parses a reply to `answer-question` while it is written, and releases text that is final. Text is shown once a
 * citation of an existing source follows it, so that neither an abstention nor text without a source is ever shown. The
 * shown text is a prefix of the text of `readAnswerReply`.
 */
export class GrowingReply {
  readonly #sources: ReadonlySet<number>;
  readonly #numberOf = new Map<number, number>();
  #isPremiseRead = false;
  /** The part of the answer not shown yet. */
  #rest = '';
  #shown = '';

  constructor(sources: readonly ContextSource[]) {
    this.#sources = new Set(sources.map(({ number }) => number));
  }

  /** The text shown so far. */
  get shown(): string {
    return this.#shown;
  }

  /** Takes the next piece and returns the text that can be shown now, possibly empty. */
  add(piece: string): string {
    this.#rest += piece;
    if (!this.#isPremiseRead && !this.#readPremise()) return '';
    if (this.#shown === '' && ABSTAINS.test(this.#rest)) return '';
    const end = endOfCitations(this.#rest, this.#sources);
    const text = renumber(this.#rest.slice(0, end), this.#sources, this.#numberOf);
    this.#rest = this.#rest.slice(end);
    const shown = this.#shown === '' ? text.trimStart() : text;
    this.#shown += shown;
    return shown;
  }

  /** False until the first line is complete. */
  #readPremise(): boolean {
    const begun = this.#rest.replace(BEFORE_PREMISE, '');
    if (!begun.includes('\n') && begun.length < LONGEST_FIRST_LINE) return false;
    this.#rest = partsOf(this.#rest).answer;
    this.#isPremiseRead = true;
    return true;
  }
}

/** Treats a reply without a premise line as the answer. */
function partsOf(reply: string): { readonly answer: string; readonly premise: Premise } {
  const [line = '', premise = 'holds'] = FIRST_LINE.exec(reply) ?? [];
  return { answer: reply.slice(line.length), premise: premise.toLowerCase() as Premise };
}

/** The text of a model with checked citations, numbered from 1. */
interface CitedAnswer {
  readonly text: string;
  readonly citations: readonly Citation[];
  /** Citations of missing sources, which were removed. */
  readonly unknown: number;
}

const MARK = /\s*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g;

/**
 * Checks the citations of an answer against the sources that the model was shown. Citations of missing sources are
 * removed; the others are renumbered in the order of the text.
 */
export function readCitations(answer: string, sources: readonly ContextSource[]): CitedAnswer {
  const known = new Map(sources.map((source) => [source.number, source]));
  const numberOf = new Map<number, number>();
  const text = renumber(answer, new Set(known.keys()), numberOf).trim();
  const cited = new Set([...answer.matchAll(MARK)].flatMap(([, numbers]) => numbersIn(numbers!)));
  return {
    text,
    citations: [...numberOf].map(([source, number]): Citation => {
      const { item } = known.get(source)!;
      return { number, item, quote: wordsOf(item) };
    }),
    unknown: cited.size - numberOf.size,
  };
}

/**
 * Renumbers the citations of a text.
 *
 * @param numberOf - maps numbers of sources to new numbers; newly cited sources are added.
 */
export function renumber(text: string, known: ReadonlySet<number>, numberOf: Map<number, number>): string {
  return text.replace(MARK, (_, numbers: string) =>
    numbersIn(numbers)
      .filter((number) => known.has(number))
      .map((number) => {
        const given = numberOf.get(number) ?? numberOf.size + 1;
        numberOf.set(number, given);
        return ` [${given}]`;
      })
      .join(''),
  );
}

/** Position after the last citation of an existing source in a text; 0 if there is none. */
function endOfCitations(text: string, known: ReadonlySet<number>): number {
  const valid = [...text.matchAll(MARK)].filter(([, numbers]) =>
    numbersIn(numbers!).some((number) => known.has(number)),
  );
  const last = valid.at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function numbersIn(text: string): readonly number[] {
  return text.split(/[,;]/).map(Number);
}
