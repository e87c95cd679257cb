import type { Milliseconds } from '../model/ids.ts';
import type { RetrievedEpisode, RetrievedFact, SourceTurn } from '../model/retrieved-item.ts';
import { dayOf as dayInterval, describeInterval, type Interval } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { isoDay } from '../util/iso-day.ts';
import { isQuestion } from '../util/questions.ts';
import { sentencesOf } from '../util/sentences.ts';
import { clockTime } from '../util/speaker-clock.ts';
import type { Quote } from './candidate-quotes.ts';
import type { ScoredQuote } from './score-quotes.ts';
import { leans, pointsBack, type Thought } from './thoughts.ts';
import { afterReaction } from './wordings.ts';

/** What one person says of a quote as it is shown, or a statement. */
export interface Utterance {
  /** Who says it; null for a fact. */
  readonly speaker: string | null;
  /** The words in quotation marks, or a statement; as lines of a block quotation if they have several lines. */
  readonly words: string;
  readonly isBlock: boolean;
  /** The turns that the words are taken from. */
  readonly sources: readonly SourceTurn[];
}

const LONGEST_SENTENCE = 300;
/** Of the sentences that a quote leans on, together. */
const LONGEST_BEFORE = 300;
const MOST_BEFORE = 2;
/** A turn that is not longer is one thought; in characters. In a further quote: the second. */
const SHORT_TURN = [260, 120] as const;
const LONGEST_BLOCK = 1_200;
/** No space follows these. */
const SPACELESS_END = /[。！？][」』”’）]{0,3}$/u;
/** In words; a longer reply is understood without its question, unless it points back and is not much longer. */
const [SHORT_REPLY, LONG_REPLY] = [7, 25];
/** Share of what is asked that is in a question which asks the same. */
const SAME_QUESTION = 0.25;

type Shown = Quote & Pick<ScoredQuote, 'withheld' | 'asked'>;

interface Showing {
  /** Whether the day on which it was said is added. */
  readonly asksWhen: boolean;
  /** Whether another quote answers first: then less is shown around the sentence. Default false. */
  readonly isFurther?: boolean;
}

/** A thought: the sentence with those that belong to it, after the question that it replies to. */
export function quoteText(
  { item, text, said, clock, withheld, asked: same }: Shown,
  { asksWhen, isFurther = false }: Showing,
): readonly Utterance[] {
  const { sources } = item;
  if (item.kind === 'fact' || said === null) {
    const words = asksWhen
      ? whenSaid(text, { clock, event: item.kind === 'fact' ? item.event : null })
      : text;
    return [{ speaker: null, words, isBlock: false, sources }];
  }
  const { thoughts, at, before } = said;
  const { speaker } = item;
  if (text.includes('\n')) return [{ speaker, words: blockOf(text), isBlock: true, sources }];
  const { start, end } = rangeOf(thoughts, at, { withheld, isFurther });
  const own = thoughts.slice(start, end + 1).map((each) => withDates(cut(each.text), clock));
  const joined = own.reduce((text, next) => (SPACELESS_END.test(text) ? text + next : `${text} ${next}`));
  const words = asksWhen ? whenSaidIn(joined, clock) : joined;
  const reply = { speaker, words: `“${words}”`, isBlock: false, sources };
  const asked = start === 0 ? questionBefore(own[0]!, before, same >= SAME_QUESTION) : null;
  if (asked === null) return [reply];
  const question = `“${withDates(cut(asked.text), clockTime(before!))}”`;
  return [{ speaker: before!.speaker, words: question, isBlock: false, sources: before!.sources }, reply];
}

/** The first and last of the thoughts that a quote is shown with: a short turn whole, else what leans on each other. */
function rangeOf(
  thoughts: readonly Thought[],
  at: number,
  { withheld, isFurther }: Pick<Shown, 'withheld'> & { readonly isFurther: boolean },
): Range {
  const isPlain = (each: Thought) => each.isStated && !each.text.includes('\n') && !withheld.has(each);
  const length = thoughts.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= SHORT_TURN[isFurther ? 1 : 0] && thoughts.every(isPlain)) return withoutFrame(thoughts, at);
  const start = startOf(thoughts, at);
  if (isFurther) return { start, end: at };
  let [end, more] = [at, 0];
  while (end + 1 < thoughts.length && leans(thoughts[end + 1]!.text)) {
    const next = thoughts[end + 1]!;
    more += next.text.length;
    if (more > LONGEST_BEFORE || !isPlain(next) || next.text.startsWith('[') || isQuestion(next.text)) break;
    end++;
  }
  return { start, end };
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Words that point at a picture: "Look at this!" */
const POINTS = /(?<![\p{L}])(?:this|these|here|pic|photo|picture)(?![\p{L}])/iu;

/** "Can't wait!" */
const CRY = /^\P{N}{1,40}!$/u;

/** A turn without comments at both ends and questions at its end. */
function withoutFrame(thoughts: readonly Thought[], at: number): Range {
  let [start, end] = [0, thoughts.length - 1];
  // A cry beside the sentence may answer it: "Makes me so proud!"
  const isComment = ({ text, at: place }: Thought) =>
    afterReaction(text) !== null || (CRY.test(text) && Math.abs(place - at) > 1);
  while (start < at && isComment(thoughts[start]!)) start++;
  const isFrame = (each: Thought) =>
    isComment(each) ||
    isQuestion(each.text) ||
    (each.text.startsWith('[') && !POINTS.test(thoughts[at]!.text));
  while (end > at && isFrame(thoughts[end]!)) end--;
  return { start, end };
}

/** The first of the thoughts that a quote has to begin with. */
function startOf(thoughts: readonly Thought[], at: number): number {
  let [start, length] = [at, 0];
  while (start > 0 && at - start < MOST_BEFORE && leans(thoughts[start]!.text)) {
    const { text } = thoughts[start - 1]!;
    length += text.length;
    if (length > LONGEST_BEFORE || text.includes('\n') || text.startsWith('[')) break;
    start--;
  }
  return start;
}

/** The question at the end of the turn before, if it asks the same or the words make no sense without it. */
function questionBefore(
  words: string,
  before: RetrievedEpisode | undefined,
  isSame: boolean,
): Pick<Thought, 'text'> | null {
  const last = before === undefined ? undefined : lastThought(before.content);
  if (last === undefined || last.text.includes('\n')) return null;
  const length = words.match(/[\p{L}\p{N}’']+/gu)?.length ?? 0;
  const isOpen = length <= SHORT_REPLY || leans(words) || (length <= LONG_REPLY && pointsBack(words));
  return isQuestion(last.text) && (isSame || isOpen) ? last : null;
}

function lastThought(content: string): Pick<Thought, 'text'> | undefined {
  const text = sentencesOf(content).at(-1);
  return text === undefined ? undefined : { text };
}

function cut(sentence: string): string {
  return sentence.length <= LONGEST_SENTENCE
    ? sentence
    : `${sentence.slice(0, LONGEST_SENTENCE - 1).toWellFormed()}…`;
}

/** Words with the days that they mean: "last Tuesday (14 April 2026)". */
export function withDates(text: string, said: Milliseconds): string {
  let [dated, end] = ['', 0];
  for (const { index, length, relative, shown } of readTimes(text, { reference: said })) {
    const after = index + length;
    if (!relative || index < end || text.slice(after).trimStart().startsWith(`(${shown}`)) continue;
    dated += `${text.slice(end, after)} (${shown})`;
    end = after;
  }
  return dated + text.slice(end);
}

function whenSaidIn(words: string, at: Milliseconds): string {
  return readTimes(words, { reference: at }).length > 0 ? words : `${words} (said on ${dayOf(at)})`;
}

/** A fact without a date of its own is dated by the day on which it was told. */
function whenSaid(
  statement: string,
  { clock, event }: Pick<Quote, 'clock'> & Pick<RetrievedFact, 'event'>,
): string {
  return event === null ? whenSaidIn(statement, clock) : statement;
}

/** When what a quote says was so: the time of the fact, or the first that the words name; else the day they were said. */
export function timeOf({ item, text, clock }: Pick<Quote, 'item' | 'text' | 'clock'>): Interval {
  const event = item.kind === 'fact' ? item.event : null;
  return event ?? readTimes(text, { reference: clock })[0]?.interval ?? dayInterval(clock);
}

/** The days between which something held that has ended: " (2023-05-03 to 2023-06-01)", or "(2023-05 to …" of a month. */
export function heldUntil({ item, clock, invalidAt }: Pick<Quote, 'item' | 'clock' | 'invalidAt'>): string {
  const { precision, start } = (item.kind === 'fact' ? item.event : null) ?? dayInterval(clock);
  const isOfEvent = isoDay(start) === isoDay(clock);
  const told = isOfEvent ? { month: 7, year: 4 }[precision as string] : undefined;
  const [from, to] = [isoDay(clock).slice(0, told), isoDay(invalidAt)];
  // A time without a day can begin and end on one day, which says nothing.
  return to === from ? '' : ` (${from} to ${to})`;
}

/** A time as exactly as it was told, after a word such as "since": "3 May 2023", "May 2023", "the week of 1 May 2023". */
export function toldTime(time: Interval): string {
  return describeInterval(time).replace(/^week /, 'the week ');
}

/** "3 May 2023" */
export function dayOf(at: Milliseconds): string {
  return describeInterval(dayInterval(at));
}

/** Several lines as a block quotation; lists and code keep their form. */
function blockOf(text: string): string {
  return cutLines(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function cutLines(text: string): string {
  if (text.length <= LONGEST_BLOCK) return text;
  const kept = text.slice(0, LONGEST_BLOCK).split('\n').slice(0, -1);
  const lines = kept.length > 0 ? kept : [text.slice(0, LONGEST_BLOCK).toWellFormed()];
  const fence = /^\s*(```|~~~)/.exec(text)?.[1];
  return [...lines, '…', ...(fence === undefined ? [] : [fence])].join('\n');
}
