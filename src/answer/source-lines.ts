import type { Milliseconds } from '../model/ids.ts';
import type {
  Passage,
  RetrievedEntity,
  RetrievedEpisode,
  RetrievedFact,
  RetrievedItem,
} from '../model/retrieved-item.ts';
import { asData, asLabel } from '../prompts/as-data.ts';
import { dayName } from '../prompts/render-turns.ts';
import { describeInterval } from '../time/calendar.ts';
import { described } from '../util/described.ts';
import { isoDay } from '../util/iso-day.ts';
import { sentenceSpans } from '../util/sentences.ts';
import { clockTime, clockTimeOfFact, type Spoken } from '../util/speaker-clock.ts';

const LONGEST_TURN = 2_000;
const LONGEST_STATEMENT = 600;
const LONGEST_SUMMARY = 400;
const LONGEST_NAME = 80;
const MOST_NAMES = 5;

/**
 * Day, time and speaker, then the words. The text is data, never instructions (see `asData`).
 *
 * @param text What `turnText` gives, if it is known.
 */
export function turnLine(turn: RetrievedEpisode, text = turnText(turn)): string {
  const at = clockTime(turn);
  return `${dayName(at)} ${timeOfDay(at)}, ${text}`;
}

export interface TurnTextOptions {
  /** In characters. Default 2,000. */
  readonly longest?: number;
  /** The question, around whose words a longer turn is cut. */
  readonly question?: string;
}

/** Speaker and words of a turn below a line with its day. */
export function turnText(
  { speaker, role, content, passage, attachments }: RetrievedEpisode,
  { longest = LONGEST_TURN, question = '' }: TurnTextOptions = {},
): string {
  const seen = described(attachments).map(
    ({ kind, description }) => `[${asLabel(kind, 40)}: ${asLabel(description, LONGEST_SUMMARY)}]`,
  );
  const who = asLabel(speaker, LONGEST_NAME) || role;
  const words = asData(excerpt(content, { longest, question, passage }), longest);
  return `${who}: ${[words, ...seen].filter((part) => part !== '').join(' ')}`;
}

/** The line above the first turn of a day or session. */
export function dayHeading(turn: Spoken): string {
  const at = clockTime(turn);
  return `@ ${dayName(at)} ${timeOfDay(at)}`;
}

/** The line between two turns of a session that do not follow each other, with the time if it is much later. */
export function gapHeading(turn: Spoken, before: Milliseconds): string {
  return turn.validAt - before < MUCH_LATER ? '…' : `… ${timeOfDay(clockTime(turn))}`;
}
const MUCH_LATER = 3_600_000;

function timeOfDay(at: Milliseconds): string {
  return new Date(at).toISOString().slice(11, 16);
}

/** Facts with the same statement, with the times of each. */
export interface RepeatedFact {
  readonly first: RetrievedFact;
  readonly all: readonly RetrievedFact[];
}

export function factLine({ first, all }: RepeatedFact): string {
  const periods = [...new Set(all.map(period))].filter((each) => each !== '').join('; ');
  return `fact: ${asLabel(first.statement, LONGEST_STATEMENT)}${periods === '' ? '' : ` (${periods})`}`;
}

/**
 * The one date of a fact: when it happened, unless the statement says so itself; else since when it held; else when it
 * was said. A fact that has ended says so too.
 */
function period(fact: RetrievedFact): string {
  const { statement, validAt, invalidAt, event, saidAt, offset } = fact;
  const said = isoDay(clockTime({ validAt: saidAt, offset }));
  const began = isoDay(clockTimeOfFact(fact));
  const happened = event === null ? null : describeInterval(event);
  if (invalidAt !== null) {
    const isTold = event === null && validAt >= saidAt;
    return isTold
      ? `said on ${said}, over since ${isoDay(invalidAt)}`
      : `${event === null ? began : isoDay(event.start)} to ${isoDay(invalidAt)}, over then`;
  }
  if (happened !== null) return statement.includes(happened) ? '' : happened;
  return validAt < saidAt ? `since ${began}` : `said on ${said}`;
}

export function entityLine({ layer, name, aliases, tags, summary, why }: RetrievedEntity): string {
  const path = why.find((vote) => (vote.path?.length ?? 0) > 0)?.path ?? [];
  const label = asLabel(name, LONGEST_NAME);
  const names =
    layer > 0 && path.length > 0 ? path.map((step) => asLabel(step, LONGEST_NAME)).join(' > ') : label;
  const also = [...aliases, ...tags].slice(0, MOST_NAMES).map((each) => asLabel(each, LONGEST_NAME));
  const brief = asLabel(summary, LONGEST_SUMMARY);
  return `${layer > 0 ? 'category' : 'about'}: ${names}${also.length === 0 ? '' : ` (${also.join(', ')})`}${brief === '' ? '' : `: ${brief}`}`;
}

/** The words of an item that a citation quotes. */
export function wordsOf(item: RetrievedItem): string {
  if (item.kind === 'episode') return item.content;
  return item.kind === 'fact' ? item.statement : item.summary || item.name;
}

/** Words of a question that say nothing about its topic are short, or among these. */
const COMMON = new Set(
  'what when where which whose does have with that this from they them their about were your will would could should there been'.split(
    ' ',
  ),
);
const WORD = /[\p{L}\p{N}]{4,}/gu;
/** Forms of a word share their beginning: "moved", "moving". */
const STEM = 5;
/** Longer texts are searched in their beginning alone. */
const MOST_SEARCHED = 100_000;
const LEFT_OUT = ' […] ';

/** How much of a text is shown, and around what. */
interface ExcerptOptions {
  readonly longest: number;
  readonly question: string;
  /** The part that is shown, whole if it fits. */
  readonly passage?: Passage | undefined;
}

/**
 * The part of a long text around its passage, or around the words of a question: the part of at most `longest`
 * characters that has the most distinct ones, from the beginning of a sentence. A short text is returned whole, as is one without such words, of
 * which the caller shows the beginning and the end.
 */
export function excerpt(text: string, { longest, question, passage }: ExcerptOptions): string {
  if (text.length <= longest) return text;
  const room = longest - 2 * LEFT_OUT.length;
  const from = startIn(text, { room, question, passage });
  if (from === null) return text;
  const to = Math.min(text.length, from + room);
  const before = from === 0 ? '' : LEFT_OUT.trimStart();
  return `${before}${text.slice(from, to).trim()}${to === text.length ? '' : LEFT_OUT.trimEnd()}`;
}

/** Where an excerpt begins; null if nothing of the text is asked for. */
function startIn(
  text: string,
  { room, question, passage }: Omit<ExcerptOptions, 'longest'> & { readonly room: number },
): number | null {
  const { start, end } = passage ?? { start: 0, end: MOST_SEARCHED };
  if (end - start <= room) return sentenceStart(text, start, room - (end - start));
  const matches = matchesIn(text.slice(start, end), stemsOf(question));
  if (matches.length === 0) return passage === undefined ? null : start;
  return sentenceStart(text, start + bestStart(matches, room), room);
}

function stemsOf(question: string): string[] {
  const words = (question.toLowerCase().match(WORD) ?? []).filter((word) => !COMMON.has(word));
  return [...new Set(words.map((word) => word.slice(0, STEM)))];
}

interface Match {
  readonly stem: string;
  readonly at: number;
}

function matchesIn(text: string, stems: readonly string[]): Match[] {
  const wanted = new Set(stems);
  return [...text.toLowerCase().matchAll(WORD)].flatMap(({ 0: word, index }) => {
    const stem = word.slice(0, STEM);
    return wanted.has(stem) ? [{ stem, at: index }] : [];
  });
}

/** The match that begins the passage with the most distinct stems; the first of several. */
function bestStart(matches: readonly Match[], room: number): number {
  let [best, most] = [matches[0]!.at, 0];
  let end = 0;
  const inside = new Map<string, number>();
  for (const { stem, at } of matches) {
    while (end < matches.length && matches[end]!.at - at < room / 2) {
      const next = matches[end++]!.stem;
      inside.set(next, (inside.get(next) ?? 0) + 1);
    }
    if (inside.size > most) [best, most] = [at, inside.size];
    const left = inside.get(stem)! - 1;
    if (left === 0) inside.delete(stem);
    else inside.set(stem, left);
  }
  return best;
}

/** Where the passage begins: a sentence or two before the match, or a third of the room where there is no end of one. */
function sentenceStart(text: string, at: number, room: number): number {
  const earliest = Math.max(0, at - Math.floor(room / 3));
  if (earliest === 0) return 0;
  const { end } = sentenceSpans(text.slice(earliest, at)).next().value ?? { end: 0 };
  return earliest + end < at ? earliest + end : earliest;
}
