import type { Milliseconds } from '../model/ids.ts';
import type {
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
import { clockTime, clockTimeOfFact, type Spoken } from '../util/speaker-clock.ts';
import { excerpt } from './excerpt.ts';

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
