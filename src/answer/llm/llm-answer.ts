import { plusUsage } from '../../inference/language-model/tokens/plus-usage.ts';
import type { LanguageModel, TextCallOptions, TextReply } from '../../inference/language-model.ts';
import { NOT_ENOUGH } from '../../model/fixed-replies.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { SearchResult, Usage } from '../../model/retrieved-item.ts';
import type { GivenAnswer } from '../given-answer.ts';
import { answerContext, type ContextSource, type MemoryContext } from '../memory-context.ts';
import { ABSTENTION, answerQuestion } from './answer-question-prompt.ts';
import { type CitedAnswer, endOfCitations, readCitations, renumber } from './citations.ts';
import { mayBeWrapped, unwrapAnswer } from './unwrap-answer.ts';

interface LlmAnswerOptions extends Pick<TextCallOptions, 'signal' | 'budget' | 'onText'> {
  readonly model: LanguageModel;
  /** The time of the question. */
  readonly now: Milliseconds;
  /** What the model reads of the result. Default: what `answerContext` composes. */
  readonly context?: MemoryContext | undefined;
}

/** A language model's answer, or why its reply is none. */
export interface LlmAnswer extends GivenAnswer {
  /** What is wrong with a reply that is neither an answer nor an abstention, as the end of a sentence; else null. */
  readonly unusable: string | null;
}

/**
 * A language model's answer from the result of a search (docs/papers.md §2.9). Citations of missing sources are
 * removed. Only a reply that says so is an abstention; it has citations if it says what is true instead. A reply that
 * cites nothing is asked for once more; one that is empty or cites nothing again is unusable. Where the model doubts
 * what the question takes for granted and answers all the same, the notes say so. An empty result needs no call.
 * `onText` receives the text of an answer piece by piece while the model writes, but never text of a reply that is none.
 *
 * @throws what `LanguageModel` throws.
 */
export async function llmAnswer(search: SearchResult, options: LlmAnswerOptions): Promise<LlmAnswer> {
  const { model, now, signal, budget, onText } = options;
  const context = options.context ?? (await answerContext(search, { languageModel: model }));
  if (context.sources.length === 0) return answerOf(search, NOTHING);
  const show = (piece: string) => {
    if (piece !== '') onText?.(piece);
  };
  const ask = async (again: boolean) => {
    const growing = new GrowingReply(context.sources);
    const input = { sources: context.sources, question: search.query, now, again };
    const reply = await model.text(answerQuestion, input, {
      signal,
      budget,
      ...(onText && { onText: (piece: string) => show(growing.add(piece)) }),
    });
    const read = readReply(reply, context);
    if (read.answered) show(read.text.slice(growing.shown.length));
    return { read: { ...read, usage: reply.usage }, isCut: reply.truncated };
  };
  const first = await ask(false);
  if (first.read.unusable !== CITES_NOTHING || first.isCut) return answerOf(search, first.read);
  const second = await ask(true);
  return answerOf(search, { ...second.read, usage: plusUsage(first.read.usage, second.read.usage) });
}

type ReadReply = Pick<LlmAnswer, 'answered' | 'text' | 'citations' | 'notes' | 'unusable'> & {
  readonly usage?: Usage;
};

const NOTHING: ReadReply = { answered: false, text: NOT_ENOUGH, citations: [], notes: [], unusable: null };

const CITES_NOTHING = 'cites no source';
const CONTRADICTED = 'memory contradicts what the question assumes';
const UNCONFIRMED = 'memory does not confirm all that the question assumes';
const CUT_SHORT = 'the model reached its limit of tokens before the end of the answer';
const LOOPED = 'the model repeated itself; the answer ends before the first repetition';

function readReply({ text: reply, truncated, looped }: TextReply, { sources }: MemoryContext): ReadReply {
  const { premise, abstains, instead, text, citations, unknown } = readAnswerReply(reply, sources);
  const doubted = premise === 'fails' ? [CONTRADICTED] : [];
  if (abstains) {
    const said =
      instead === null ? NOTHING : { ...NOTHING, ...instead, text: `${NOT_ENOUGH} ${instead.text}` };
    return { ...said, notes: doubted };
  }
  const dropped = unknown === 0 ? [] : [`${unknown} citations of the model refer to no source`];
  const ended = [...(truncated ? [CUT_SHORT] : []), ...(looped ? [LOOPED] : [])];
  if (citations.length === 0) {
    const notes = [...doubted, ...dropped, ...ended];
    if (text === '') return { ...NOTHING, notes, unusable: 'has no text to read' };
    // Nothing to cite is what a wrong premise leaves.
    if (premise === 'fails')
      return { ...NOTHING, notes: [...notes, 'the answer of the model cites no source'] };
    return { ...NOTHING, notes, unusable: CITES_NOTHING };
  }
  const unconfirmed = premise === 'unclear' ? [UNCONFIRMED] : [];
  return {
    answered: true,
    text,
    citations,
    notes: [...doubted, ...unconfirmed, ...dropped, ...ended],
    unusable: null,
  };
}

function answerOf(search: SearchResult, { usage, ...read }: ReadReply): LlmAnswer {
  return {
    question: search.query,
    ...read,
    search,
    usage: usage === undefined ? search.usage : plusUsage(search.usage, usage),
    answerer: 'llm',
    confidence: null,
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
/** The same in words of its own. */
const SAYS_NOTHING =
  /\b(?:not enough|insufficient|no|any) (?:relevant |further |such )?(?:information|evidence|context|data|mention|record)\b|\b(?:sources?|memory|memories|context|conversations?|notes) (?:do(?:es)? not|don['’]t|doesn['’]t|did not|didn['’]t) (?:say|contain|mention|tell|include|provide|specify|state|answer|have|hold|reveal)|\b(?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t|unable to) (?:know|find|tell|answer|determine|say|see)\b|\bnot (?:mentioned|specified|stated|provided|known|available|found|answered)\b|^\W*unknown\b/i;
const LONGEST_ABSTENTION = 400;

/** What a reply says of the premise. */
type Premise = 'holds' | 'unclear' | 'fails';

interface AnswerReply extends CitedAnswer {
  /** `holds` if the reply does not say. It does not decide whether there is an answer. */
  readonly premise: Premise;
  /** Whether the reply says that the sources do not suffice, or no more than that the premise fails. */
  readonly abstains: boolean;
  /** What an abstention cites as true where the premise fails; else null. */
  readonly instead: Pick<CitedAnswer, 'text' | 'citations'> | null;
}

/** Parses a complete reply to `answer-question`. */
export function readAnswerReply(reply: string, sources: readonly ContextSource[]): AnswerReply {
  const begun = partsOf(reply);
  const { answer: said, premise } = begun.answer === reply ? partsOf(unwrapAnswer(reply)) : begun;
  const answer = unwrapAnswer(said);
  const cited = readCitations(answer, sources);
  const saysNothing =
    cited.citations.length === 0 && answer.length <= LONGEST_ABSTENTION && SAYS_NOTHING.test(answer);
  const fails = answer.trim() === '' && premise === 'fails';
  const declines = ABSTAINS.test(answer);
  const instead = declines && premise === 'fails' ? citedInstead(answer, sources) : null;
  return { ...cited, premise, abstains: declines || saysNothing || fails, instead };
}

/** The words after the mark of an abstention, if they are words and cite a source. */
function citedInstead(answer: string, sources: readonly ContextSource[]): AnswerReply['instead'] {
  const { text, citations } = readCitations(
    answer.replace(ABSTAINS, '').replace(/^[^\p{L}\p{N}[]+/u, ''),
    sources,
  );
  return citations.length > 0 && /^\p{L}/u.test(text) ? { text, citations } : null;
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
  #isHeld = false;
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
    if (this.#isHeld) return '';
    this.#rest += piece;
    if (!this.#isPremiseRead && !this.#readPremise()) return '';
    if (this.#shown === '' && (ABSTAINS.test(this.#rest) || mayBeWrapped(this.#rest))) return '';
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
    const { answer } = partsOf(this.#rest);
    // What does not begin as it should may be anything until its end is known.
    this.#isHeld = answer === this.#rest;
    this.#rest = answer;
    this.#isPremiseRead = true;
    return !this.#isHeld;
  }
}

/** Treats a reply without a premise line as the answer. */
function partsOf(reply: string): { readonly answer: string; readonly premise: Premise } {
  const [line = '', premise = 'holds'] = FIRST_LINE.exec(reply) ?? [];
  return { answer: reply.slice(line.length), premise: premise.toLowerCase() as Premise };
}
