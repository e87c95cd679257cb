import type { Milliseconds } from '../model/ids.ts';
import type {
  RetrievedEntity,
  RetrievedEpisode,
  RetrievedFact,
  RetrievedItem,
  SearchResult,
} from '../model/retrieved-item.ts';
import { asData, asLabel } from '../prompts/as-data.ts';
import { dayName } from '../prompts/render-turns.ts';
import { described } from '../util/described.ts';
import { isoDay } from '../util/iso-day.ts';

/** One item of memory, with the number by which an answer cites it. */
export interface ContextSource {
  /** From 1, in the order of the text. */
  readonly number: number;
  /** The best-ranked item with this content. */
  readonly item: RetrievedItem;
  readonly line: string;
}

/** The part of memory that a model reads to answer one question. */
export interface MemoryContext {
  readonly sources: readonly ContextSource[];
  /** A numbered line for each source; the prompt must fence it as data. */
  readonly text: string;
  readonly tokens: number;
  /** Number of sources left out for lack of budget. */
  readonly leftOut: number;
}

/**
 * How much of a search `memoryContext` may show. Lines count with their numbers, the best ranked first; a line that
 * does not fit is skipped, and shorter ones after it may still be added.
 */
export interface ContextOptions {
  /** Maximum number of tokens of the text. */
  readonly budget: number;
  /** Counts tokens as the language model does, such as its `countTokens`. */
  readonly countTokens: (text: string) => Promise<number>;
}

interface Candidate {
  readonly item: RetrievedItem;
  readonly line: string;
}

/**
 * Entities and facts have twice as many places as turns (Mnemis §3.1), so their second one ranks like a turn's first.
 */
const PLACES = { episode: 1, fact: 2, entity: 2 } as const;
/** Facts and entities first, then the turns in the order in which they were said. */
const SECTIONS = ['entity', 'fact', 'episode'] as const;
const LONGEST_NUMBER = '[999] ';

/**
 * Turns, facts, entities and categories of a search as one numbered text without duplicates, in a fixed order. The best
 * ranked are added first; what does not fit is left out and counted.
 */
export async function memoryContext(search: SearchResult, options: ContextOptions): Promise<MemoryContext> {
  const candidates = candidatesOf(search);
  const kept = await withinBudget(candidates, options);
  const sources = inOrder(kept).map(({ item, line }, at) => ({ number: at + 1, item, line }));
  const text = sources.map(({ number, line }) => `[${number}] ${line}`).join('\n');
  return {
    sources,
    text,
    tokens: text === '' ? 0 : await options.countTokens(text),
    leftOut: candidates.length - kept.length,
  };
}

/** The best ranked first; at equal ranks the turn, then the fact. */
function candidatesOf({ episodes, facts, entities }: SearchResult): readonly Candidate[] {
  const all: Candidate[] = [
    ...distinct(episodes).map((item) => ({ item, line: turnLine(item) })),
    ...groupByStatement(facts).map((same) => ({
      item: same[0]!,
      line: factLine({ first: same[0]!, all: same }),
    })),
    ...distinct(entities).map((item) => ({ item, line: entityLine(item) })),
  ];
  const place = ({ item }: Candidate) => item.rank / PLACES[item.kind];
  return all.toSorted((a, b) => place(a) - place(b));
}

/** Each row once, the best ranked first. */
function distinct<Item extends Pick<RetrievedItem, 'id' | 'rank'>>(items: readonly Item[]): readonly Item[] {
  const seen = new Set<string>();
  return items.toSorted((a, b) => a.rank - b.rank).filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Groups facts by statement, ignoring punctuation and case. */
function groupByStatement(facts: readonly RetrievedFact[]): readonly (readonly RetrievedFact[])[] {
  const groups = new Map<string, RetrievedFact[]>();
  for (const fact of distinct(facts)) {
    const key = fact.statement
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
    groups.set(key, [...(groups.get(key) ?? []), fact]);
  }
  return [...groups.values()];
}

async function withinBudget(
  candidates: readonly Candidate[],
  { budget, countTokens }: ContextOptions,
): Promise<readonly Candidate[]> {
  const kept: Candidate[] = [];
  let left = budget;
  for (const candidate of candidates) {
    const tokens = await countTokens(`${LONGEST_NUMBER}${candidate.line}\n`);
    // Shorter items after a long one may still fit.
    if (tokens > left) continue;
    left -= tokens;
    kept.push(candidate);
  }
  return kept;
}

function inOrder(candidates: readonly Candidate[]): readonly Candidate[] {
  return SECTIONS.flatMap((kind) => {
    const section = candidates.filter(({ item }) => item.kind === kind);
    return kind === 'episode' ? section.toSorted(byTime) : section;
  });
}

function byTime({ item: a }: Candidate, { item: b }: Candidate): number {
  if (a.kind !== 'episode' || b.kind !== 'episode') return 0;
  const apart = a.validAt - b.validAt;
  return apart || (a.session < b.session ? -1 : a.session > b.session ? 1 : a.index - b.index);
}

const LONGEST_TURN = 2_000;
const LONGEST_STATEMENT = 600;
const LONGEST_SUMMARY = 400;
const LONGEST_NAME = 80;
const MOST_NAMES = 5;

/** Facts with the same statement, with the times of each. */
interface RepeatedFact {
  readonly first: RetrievedFact;
  readonly all: readonly RetrievedFact[];
}

/** Day, time and speaker, then the words. The text is data, never instructions (see `asData`). */
export function turnLine({ validAt, speaker, role, content, attachments }: RetrievedEpisode): string {
  const seen = described(attachments).map(
    ({ kind, description }) => `[${asLabel(kind, 40)}: ${asLabel(description, LONGEST_SUMMARY)}]`,
  );
  const time = new Date(validAt).toISOString().slice(11, 16);
  const who = asLabel(speaker, LONGEST_NAME) || role;
  return `${dayName(validAt)} ${time}, ${who}: ${[asData(content, LONGEST_TURN), ...seen].filter((part) => part !== '').join(' ')}`;
}

export function factLine({ first, all }: RepeatedFact): string {
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

/** The words of an item that a citation quotes. */
export function wordsOf(item: RetrievedItem): string {
  if (item.kind === 'episode') return item.content;
  return item.kind === 'fact' ? item.statement : item.summary || item.name;
}

function period({ validAt, invalidAt, event }: RetrievedFact): string {
  const happened = event === null ? '' : `, for ${interval(event.start, event.end)}`;
  return invalidAt === null
    ? `since ${isoDay(validAt)}${happened}`
    : `${isoDay(validAt)} to ${isoDay(invalidAt)}, over then${happened}`;
}

/** A half-open interval, written as its first and last day. */
function interval(start: Milliseconds, end: Milliseconds): string {
  const [first, last] = [isoDay(start), isoDay(Math.max(start, end - 1))];
  return first === last ? first : `${first} to ${last}`;
}
