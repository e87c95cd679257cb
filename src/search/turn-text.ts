import type { Episode, TimeInterval } from '../model/nodes.ts';
import { readTimes } from '../time/read-times.ts';
import type { Breather } from '../util/breathe.ts';
import { sentenceSpans } from '../util/sentences.ts';
import { analyze, analyzeGradually } from './analyzer.ts';

/** The parts of a turn's text that ranking uses. */
export interface TurnTerms {
  /** Index terms of its statements and captions with their counts, in the order of first occurrence. */
  readonly statements: ReadonlyMap<string, number>;
  /** Index terms of its questions, in the same form. */
  readonly questions: ReadonlyMap<string, number>;
  /** Whether the turn ends with a question. */
  readonly asks: boolean;
  /** Whether the turn mentions a time. */
  readonly temporal: boolean;
  /** Whether the turn contains a capitalised word inside a sentence, or a quoted title. */
  readonly names: boolean;
}

const SENTENCE_END = /(?<=[.!?。！？])\s*/u;
const LONG_SENTENCE = 8_192;
const QUESTION_MARK = /[?？]/u;
const ENDS_ASKING = /[?？]\s*$/u;

/** "May" and "March" are left out: in chat they are mostly ordinary words. */
const TEMPORAL =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|since|recently|days?|weeks?|weekends?|months?|years?|mornings?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b/i;

/** A capitalised word after a lower-case one or a comma, or the opening of a quotation. */
const NAMES = /[\p{Ll},] \p{Lu}\p{Ll}{2,}|["“]/u;

function signsOf(content: string): Pick<TurnTerms, 'asks' | 'temporal' | 'names'> {
  return {
    asks: ENDS_ASKING.test(content),
    temporal: TEMPORAL.test(content),
    names: NAMES.test(content),
  };
}

/** A sentence without one of these names no day, week or month that can be placed. */
const NAMES_TIME =
  /\b(?:yesterday|today|tonight|tomorrow|last|past|this|next|coming|ago|since|weekend|christmas|halloween|new year|(?:sun|mon|tues|wednes|thurs|fri|satur)day|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th))\b/i;
/** Of long turns, such as a plan that an assistant wrote, only the first are read. */
const MOST_TIMES = 8;
const TIMES_WITHIN = 2_000;

/** A question mentions no time, but "We were there in July, did I tell you?" does. */
const ASKS_FIRST =
  /^\W*(?:(?:and|so|but|oh|hey|well|ok|okay)\W+)*(?:who|whom|whose|what|when|where|why|which|how|am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|any|wanna|want|remember|got)\b/i;

/** A time that a turn names: `start` is included, `end` is not. */
type ToldTime = Pick<TimeInterval, 'start' | 'end'>;

/** The times that a turn mentions in statements. */
export function timesTold({ content, validAt }: Pick<Episode, 'content' | 'validAt'>): readonly ToldTime[] {
  const text = content.slice(0, TIMES_WITHIN);
  if (!NAMES_TIME.test(text)) return [];
  const times = [];
  for (const { start, end } of sentenceSpans(text)) {
    const sentence = text.slice(start, end);
    if (NAMES_TIME.test(sentence) && !(ENDS_ASKING.test(sentence) && ASKS_FIRST.test(sentence)))
      times.push(...readTimes(sentence, { reference: validAt }).map(({ interval }) => interval));
    if (times.length >= MOST_TIMES) break;
  }
  return times;
}

export function readTurnTerms(content: string, captions: readonly string[]): TurnTerms {
  const [statements, questions] = [new Map<string, number>(), new Map<string, number>()];
  for (const sentence of content.split(SENTENCE_END))
    countTerms(sentence, QUESTION_MARK.test(sentence) ? questions : statements);
  for (const caption of captions) countTerms(caption, statements);
  return { statements, questions, ...signsOf(content) };
}

function countTerms(text: string, into: Map<string, number>): void {
  for (const term of analyze(text)) into.set(term, (into.get(term) ?? 0) + 1);
}

/** What a turn's place in an index of its scope says of its text. */
export interface TurnMeasures {
  /** Terms with repetitions. */
  readonly length: number;
  /** Bit 0: the turn ends with a question; bit 1: it mentions a time; bit 2: it contains a name or a title. */
  readonly signs: number;
}

/** Measures with the times that the turn mentions. */
export interface ReadMeasures extends TurnMeasures {
  readonly times: readonly ToldTime[];
}

export function measuresOf({ statements, questions, asks, temporal, names }: TurnTerms): TurnMeasures {
  let length = 0;
  for (const counts of [statements, questions]) for (const times of counts.values()) length += times;
  return { length, signs: (asks ? 1 : 0) | (temporal ? 2 : 0) | (names ? 4 : 0) };
}

/** The terms of a stored turn and of its captions. */
export function readWordsOf(
  turn: Pick<Episode, 'content' | 'attachments' | 'validAt'>,
): TurnTerms & ReadMeasures {
  const captions = turn.attachments.map(({ description }) => description);
  const terms = readTurnTerms(turn.content, captions);
  return { ...terms, ...measuresOf(terms), times: timesTold(turn) };
}

/** Like `readTurnTerms`, but yields the thread in between, for long turns. */
export async function readTurnTermsGradually(
  content: string,
  captions: readonly string[],
  breather: Breather,
): Promise<TurnTerms> {
  const [statements, questions] = [new Map<string, number>(), new Map<string, number>()];
  const count = async (text: string, into: Map<string, number>) => {
    const terms = text.length < LONG_SENTENCE ? analyze(text) : await analyzeGradually(text, breather);
    for (const term of terms) {
      into.set(term, (into.get(term) ?? 0) + 1);
      if (breather.isDue) await breather.breathe();
    }
  };
  for (const sentence of content.split(SENTENCE_END)) {
    await count(sentence, QUESTION_MARK.test(sentence) ? questions : statements);
    if (breather.isDue) await breather.breathe();
  }
  for (const caption of captions) await count(caption, statements);
  return { statements, questions, ...signsOf(content) };
}
