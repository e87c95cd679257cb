import type { Milliseconds } from '../model/ids.ts';
import type {
  RetrievedEntity,
  RetrievedEpisode,
  RetrievedFact,
  RetrievedItem,
} from '../model/retrieved-item.ts';
import { asData, asLabel } from '../prompts/as-data.ts';
import { dayName } from '../prompts/render-turns.ts';
import { described } from '../util/described.ts';

const LONGEST_TURN = 2_000;
const LONGEST_STATEMENT = 600;
const LONGEST_SUMMARY = 400;
const LONGEST_NAME = 80;
const MOST_NAMES = 5;

/** Facts that say the same, with the times of each. */
export interface SaidFact {
  readonly first: RetrievedFact;
  readonly all: readonly RetrievedFact[];
}

/** Day, time and speaker, then the words; what memory holds is data, whatever it says (see `asData`). */
export function turnLine({ validAt, speaker, role, content, attachments }: RetrievedEpisode): string {
  const seen = described(attachments).map(
    ({ kind, description }) => `[${asLabel(kind, 40)}: ${asLabel(description, LONGEST_SUMMARY)}]`,
  );
  const time = new Date(validAt).toISOString().slice(11, 16);
  const who = asLabel(speaker, LONGEST_NAME) || role;
  return `${dayName(validAt)} ${time}, ${who}: ${[asData(content, LONGEST_TURN), ...seen].filter((part) => part !== '').join(' ')}`;
}

export function factLine({ first, all }: SaidFact): string {
  const periods = [...new Set(all.map(period))].join('; ');
  return `fact: ${asLabel(first.statement, LONGEST_STATEMENT)} (${periods})`;
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

/** The words of an item that an answer may be said to rest on. */
export function wordsOf(item: RetrievedItem): string {
  if (item.kind === 'episode') return item.content;
  return item.kind === 'fact' ? item.statement : item.summary || item.name;
}

function period({ validAt, invalidAt, event }: RetrievedFact): string {
  const happened = event === null ? '' : `, for ${interval(event.start, event.end)}`;
  return invalidAt === null
    ? `since ${day(validAt)}${happened}`
    : `${day(validAt)} to ${day(invalidAt)}, over then${happened}`;
}

/** A half-open interval, by its first and last day. */
function interval(start: Milliseconds, end: Milliseconds): string {
  const [first, last] = [day(start), day(Math.max(start, end - 1))];
  return first === last ? first : `${first} to ${last}`;
}

function day(at: Milliseconds): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? 'an unknown day' : date.toISOString().slice(0, 10);
}
