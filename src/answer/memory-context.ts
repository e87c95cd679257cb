import { roughTokens } from '../inference/language-model/tokens/count-tokens.ts';
import type { LanguageModel } from '../inference/language-model.ts';
import {
  BESIDE_FOUND,
  type RetrievedEntity,
  type RetrievedEpisode,
  type RetrievedFact,
  type RetrievedItem,
  type SearchResult,
} from '../model/retrieved-item.ts';
import { groupBy } from '../util/collections.ts';
import { isoDay } from '../util/iso-day.ts';
import { sentencesOf } from '../util/sentences.ts';
import { clockTime } from '../util/speaker-clock.ts';
import {
  ASSISTANT_AFTER,
  CLOSE_READ,
  CONTEXT_TOKENS,
  LEAST_CUT,
  MOST_ENTITIES,
  MOST_FACTS,
  MOST_UNDATED,
  TURN_CUTS,
  TURNS_SHARE,
  type TurnCuts,
} from './defaults.ts';
import type { ProfileSection } from './profile-answer.ts';
import { dayHeading, entityLine, factLine, gapHeading, turnLine, turnText } from './source-lines.ts';

/** One item of memory, with its number for citations. */
export interface ContextSource {
  /** From 1, in the order of the text. */
  readonly number: number;
  /** The best-ranked item with this content. */
  readonly item: RetrievedItem;
  /** Of a turn: further turns with the same words of the same speaker; the text names their days. */
  readonly repeated: readonly RetrievedEpisode[];
  /** The item on its own, a turn with its day and time. */
  readonly line: string;
  /** The item as it stands in the context's text, after its number. A long turn is cut around the question's words. */
  readonly text: string;
  /** The line above it: "@" and a day, "…" where turns are left out, "#" and a section; null if it needs none. */
  readonly heading: string | null;
}

/** The part of memory that a model reads to answer one question. */
export interface MemoryContext {
  readonly sources: readonly ContextSource[];
  /** Numbered lines, with the headings of turns; the prompt must fence it as data and state `CONTEXT_FORM`. */
  readonly text: string;
  readonly tokens: number;
  /** Number of sources left out for lack of budget. */
  readonly leftOut: number;
}

/** Explains the format of a context to a model. */
export const CONTEXT_FORM =
  'A source begins with its number in brackets, its further lines with "|". A fact has the time of what happened, or the day it was said. Turns are in the order of time: a line "@" gives the day of those below, "…" marks turns left out, "[…]" words left out.';

/**
 * How much of a search `memoryContext` may show. Lines count with their numbers, the best ranked first; a line that
 * does not fit is skipped, and shorter ones after it may still be added.
 */
export interface ContextOptions {
  /** Maximum number of tokens of the text. */
  readonly budget: number;
  /** Counts tokens as the language model does, such as its `countTokens`. */
  readonly countTokens: (text: string) => number | Promise<number>;
  /** The portrait of the person whom the question asks for: its facts come first, under the titles of their sections. */
  readonly profile?: readonly ProfileSection[] | undefined;
}

type Shown<Item extends RetrievedItem = RetrievedItem> = Pick<ContextSource, 'line' | 'text' | 'repeated'> & {
  readonly item: Item;
  /** Of a fact of the portrait. */
  readonly section?: string;
};
/** A turn that may be shown; what it would say is written when it is looked at. */
type Turn = Pick<Shown<RetrievedEpisode>, 'item' | 'repeated'> & {
  readonly shown: () => Shown<RetrievedEpisode>;
};

/** Days that the text of a repeated turn names. */
const MOST_DAYS = 5;
const LONGEST_NUMBER = '[999] ';

/**
 * A search as one numbered text within a token budget: turns first, in the order of time; then facts that the turns do
 * not repeat, or that carry a date or an end; then what entities and categories add to both. Turns fill what is left.
 * The more turns compete for the budget, the shorter a long one is shown. The same search always gives the same text.
 */
export async function memoryContext(search: SearchResult, options: ContextOptions): Promise<MemoryContext> {
  const room = new Room(options);
  const turns = turnsOf(search, options.budget);
  const portrait = portraitLines(options.profile ?? []);
  const shownPortrait = await room.take(portrait);
  const first = await room.takeTurns(turns, TURNS_SHARE);
  const told = new Set(portrait.map(({ item }) => item.id));
  const facts = factsBeside(first, { ...search, facts: search.facts.filter(({ id }) => !told.has(id)) });
  const shownFacts = [...shownPortrait, ...(await room.take(facts))];
  const entities = entitiesBeside([...first, ...shownFacts], search);
  const shownEntities = await room.take(entities);
  const others = [...shownFacts, ...shownEntities];
  const candidates = turns.length + portrait.length + facts.length + entities.length;
  const filled = [...others, ...first, ...(await room.takeTurns(turns, 1))];
  const context = await written(filled, candidates, options);
  // Lines count a little too high one by one.
  room.correct(context.tokens);
  const more = context.leftOut === 0 ? [] : await room.takeTurns(turns, 1);
  return more.length === 0 ? context : written([...filled, ...more], candidates, options);
}

/** The numbered text. Drops the last taken while the text with its headings is over the budget. */
async function written(
  taken: readonly Shown[],
  candidates: number,
  { budget, countTokens }: ContextOptions,
): Promise<MemoryContext> {
  const sources = inOrder(taken).map((shown, at) => ({ number: at + 1, ...shown }));
  const text = sources.map(sourceText).join('\n');
  const tokens = text === '' ? 0 : await countTokens(text);
  if (tokens > budget && taken.length > 0)
    return written(taken.slice(0, -1), candidates, { budget, countTokens });
  return { sources, text, tokens, leftOut: candidates - taken.length };
}

function sourceText({ number, text, heading }: ContextSource): string {
  return `${heading === null ? '' : `${heading}\n`}[${number}] ${text}`;
}

/** The tokens left for lines. */
class Room {
  readonly #options: ContextOptions;
  #used = 0;
  /** Sessions and days whose heading is counted. */
  readonly #headed = new Set<string>();
  readonly #taken = new Set<Turn>();

  constructor(options: ContextOptions) {
    this.#options = options;
  }

  async take<Item extends RetrievedItem>(candidates: readonly Shown<Item>[]): Promise<Shown<Item>[]> {
    const taken: Shown<Item>[] = [];
    for (const candidate of candidates) {
      const tokens = await this.#tokensOf(candidate.text);
      if (this.#takes(tokens, 1)) taken.push(candidate);
    }
    return taken;
  }

  /**
   * Takes further turns until a share of the whole budget is used; a turn counts with what may stand above it. When
   * several in a row do not fit, those that follow are not looked at.
   */
  async takeTurns(candidates: readonly Turn[], share: number): Promise<Shown<RetrievedEpisode>[]> {
    const taken: Shown<RetrievedEpisode>[] = [];
    let missed = 0;
    for (const turn of candidates) {
      if (missed === MOST_MISSED) break;
      if (this.#taken.has(turn)) continue;
      const { item } = turn;
      const heading = dayHeading(item);
      const group = JSON.stringify([item.session, heading.slice(0, -TIME)]);
      const above = this.#headed.has(group) ? gapHeading(item, Number.NEGATIVE_INFINITY) : heading;
      const shown = turn.shown();
      const tokens = await this.#tokensOf(shown.text, `${above}\n`);
      if (!this.#takes(tokens, share)) {
        missed++;
        continue;
      }
      missed = 0;
      this.#headed.add(group);
      this.#taken.add(turn);
      taken.push(shown);
    }
    return taken;
  }

  /** What the lines taken so far count together. */
  correct(used: number): void {
    this.#used = used;
  }

  async #tokensOf(text: string, above = ''): Promise<number> {
    return this.#options.countTokens(`${above}${LONGEST_NUMBER}${text}\n`);
  }

  #takes(tokens: number, share: number): boolean {
    if (this.#used + tokens > this.#options.budget * share) return false;
    this.#used += tokens;
    return true;
  }
}
/** Length of the time of day in a heading, with its space. */
const TIME = 6;
const MOST_MISSED = 8;

/** The turns, the best for their length first. Repeated words are shown once. */
function turnsOf({ episodes, query }: SearchResult, budget: number): readonly Turn[] {
  const cuts = cutsFor(episodes, budget);
  const known = distinct(episodes).map((item) => ({ item, longest: longestOf(item, cuts) }));
  const places = new Map(known.map(({ item, longest }) => [item, placeOf(item, longest)]));
  const sorted = known.toSorted((a, b) => places.get(a.item)! - places.get(b.item)!);
  return [...groupBy(sorted, ({ item }) => wordsOfTurn(item)).values()].map(([best, ...others]) => {
    const { item, longest } = best!;
    const repeated = others.map((other) => other.item);
    const shown = lazily(() => {
      const words = turnText(item, { longest, question: query });
      const text = `${words}${saidAgain(item, repeated)}`;
      const line = item.content.length > longest ? turnLine(item) : turnLine(item, text);
      return { item, repeated, line, text };
    });
    return { item, repeated, shown };
  });
}

/** Of a turn beside a found one (`why`), the rank of that, and half a place. */
function rankOf({ rank, why }: RetrievedEpisode): number {
  return why.length === 1 && why[0]!.route === BESIDE_FOUND ? why[0]!.rank + 0.5 : rank;
}

/**
 * The longest cuts with which all turns fit their share of the budget, by an estimate; the shortest if none fit.
 */
function cutsFor(turns: readonly RetrievedEpisode[], budget: number): TurnCuts {
  const charactersOf = (cuts: TurnCuts) =>
    turns.reduce((sum, turn) => sum + Math.min(turn.content.length, longestOf(turn, cuts)) + BESIDE_WORDS, 0);
  const most = budget * TURNS_SHARE * CHARACTERS_PER_TOKEN;
  return TURN_CUTS.find((cuts) => charactersOf(cuts) <= most) ?? TURN_CUTS.at(-1)!;
}
/** Characters of a line's number, speaker and heading. */
const BESIDE_WORDS = 24;
const CHARACTERS_PER_TOKEN = 4;

/** Characters of a turn that are shown. What an assistant said is long, and seldom what is asked for. */
function longestOf(turn: RetrievedEpisode, { close, near, far, assistant }: TurnCuts): number {
  const rank = rankOf(turn);
  const longest = rank < CLOSE_READ.close + 1 ? close : rank < CLOSE_READ.near + 1 ? near : far;
  return turn.role === 'assistant' ? Math.max(LEAST_CUT, longest * assistant) : longest;
}

/**
 * Where a turn stands in the queue for the budget: after the first few by its rank times the root of its length, so
 * that of two turns the shorter comes first unless the longer is much better; an assistant's turn later.
 */
function placeOf(turn: RetrievedEpisode, longest: number): number {
  const rank = rankOf(turn);
  if (rank <= CLOSE_READ.close) return rank;
  const length = Math.max(SHORT_TURN, Math.min(longest, turn.content.length));
  const later = turn.role === 'assistant' ? ASSISTANT_AFTER : 1;
  return CLOSE_READ.close + later * rank * Math.sqrt(length / SHORT_TURN);
}
/** Characters below which a turn's length does not count. */
const SHORT_TURN = 60;

function wordsOfTurn({ speaker, content, attachments, id }: RetrievedEpisode): string {
  if (attachments.length > 0) return id;
  return JSON.stringify([speaker, content.trim().replace(/\s+/g, ' ').toLowerCase()]);
}

/** The other days on which the same was said. */
function saidAgain(turn: RetrievedEpisode, repeated: readonly RetrievedEpisode[]): string {
  const days = new Set(repeated.map((each) => isoDay(clockTime(each))));
  days.delete(isoDay(clockTime(turn)));
  if (days.size === 0) return '';
  const named = [...days].sort().slice(0, MOST_DAYS).join(', ');
  return ` (said again on ${named}${days.size > MOST_DAYS ? ` and ${days.size - MOST_DAYS} more days` : ''})`;
}

/** Facts of a section that a context shows at most. */
const MOST_OF_SECTION = 6;

function portraitLines(sections: readonly ProfileSection[]): readonly Shown<RetrievedFact>[] {
  return sections.flatMap(({ title: section, facts }) =>
    facts.slice(0, MOST_OF_SECTION).map(({ item }) => {
      const line = factLine({ first: item, all: [item] });
      return { item, repeated: [], line, text: line, section };
    }),
  );
}

/** The best facts that say more than the turns that they come from and than the facts before them. */
function factsBeside(
  turns: readonly Shown<RetrievedEpisode>[],
  { episodes, facts }: SearchResult,
): readonly Shown<RetrievedFact>[] {
  const speakers = toldWords(episodes.map(({ speaker }) => speaker).join(' '));
  const turnWords = new Map(
    turns.flatMap(({ item, repeated, text }) => {
      const words = lazily(() => toldWords(text));
      return [item, ...repeated].map(({ id }) => [id as string, words] as const);
    }),
  );
  const chosen: Shown<RetrievedFact>[] = [];
  const told: ToldWords[] = [];
  let undated = 0;
  for (const same of groupByStatement(facts)) {
    if (chosen.length === MOST_FACTS) break;
    const words = toldWords(same[0]!.statement);
    const sources = same.flatMap((fact) =>
      fact.sources.flatMap(({ episode }) => turnWords.get(episode) ?? []),
    );
    const isDated = same.some(({ event, invalidAt }) => event !== null || invalidAt !== null);
    const others = [...sources.map((read) => read()), ...told];
    if (!isDated && (undated === MOST_UNDATED || others.some((other) => repeats(words, other, speakers))))
      continue;
    if (!isDated) undated++;
    told.push(words);
    const line = factLine({ first: same[0]!, all: same });
    chosen.push({ item: same[0]!, repeated: [], line, text: line });
  }
  return chosen;
}

/** A summary without a statement. */
const COUNT_ALONE = /\([a-z]+\), mentioned (?:once|\d+ times)\.?$/;

/** The best entities and categories, each with those of its sentences that nothing shown says. */
function entitiesBeside(
  shown: readonly Shown[],
  { entities }: SearchResult,
): readonly Shown<RetrievedEntity>[] {
  if (entities.length === 0) return [];
  const told = shown.map(({ text }) => toldWords(text));
  const chosen: Shown<RetrievedEntity>[] = [];
  for (const item of distinct(entities)) {
    if (chosen.length === MOST_ENTITIES) break;
    const own = toldWords(item.name);
    const added = sentencesOf(item.summary).filter((sentence) => {
      const words = toldWords(sentence);
      return !COUNT_ALONE.test(sentence) && !told.some((other) => repeats(words, other, own));
    });
    if (added.length === 0) continue;
    const text = entityLine({ ...item, summary: added.join(' ') });
    told.push(toldWords(text));
    chosen.push({ item, repeated: [], line: entityLine(item), text });
  }
  return chosen;
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

/** Facts, entities and categories, then the turns session by session, in the order of time. */
function inOrder(taken: readonly Shown[]): Omit<ContextSource, 'number'>[] {
  const of = (kind: RetrievedItem['kind']) =>
    taken
      .filter(({ item }) => item.kind === kind)
      .map(({ section, ...shown }, at, all) => {
        const isSame = all[at - 1]?.section === section;
        return { ...shown, heading: isSame ? null : `# ${section ?? 'Further facts'}` };
      });
  const turns = taken.filter((shown): shown is Shown<RetrievedEpisode> => shown.item.kind === 'episode');
  return [...of('fact'), ...of('entity'), ...withHeadings(inTime(turns))];
}

function inTime(turns: readonly Shown<RetrievedEpisode>[]): readonly Shown<RetrievedEpisode>[] {
  const begun = new Map<string, number>();
  for (const { item } of turns)
    begun.set(item.session, Math.min(item.validAt, begun.get(item.session) ?? Number.POSITIVE_INFINITY));
  return turns.toSorted(
    ({ item: a }, { item: b }) =>
      begun.get(a.session)! - begun.get(b.session)! ||
      (a.session < b.session ? -1 : a.session > b.session ? 1 : 0) ||
      a.index - b.index ||
      a.validAt - b.validAt,
  );
}

function withHeadings(turns: readonly Shown<RetrievedEpisode>[]): Omit<ContextSource, 'number'>[] {
  return turns.map((shown, at) => ({ ...shown, heading: headingOf(shown.item, turns[at - 1]?.item) }));
}

function headingOf(turn: RetrievedEpisode, before: RetrievedEpisode | undefined): string | null {
  const { session, index } = turn;
  const heading = dayHeading(turn);
  const isSameDay = before !== undefined && heading.slice(0, -TIME) === dayHeading(before).slice(0, -TIME);
  if (before?.session !== session || !isSameDay) return heading;
  return index === before.index + 1 ? null : gapHeading(turn, before.validAt);
}

function lazily<Value>(read: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= read();
    return value;
  };
}

/** Reserved for the rules, the question and the reply. */
const TOKENS_BESIDE = 1_500;
/** Minimum tokens for sources, even if the model's context is small. */
const FEWEST_TOKENS = 200;

interface AnswerContextOptions extends Pick<ContextOptions, 'profile'>, Reader {
  /** Default: 4,000, or less if the model's context is small. */
  readonly contextTokens?: number | undefined;
  /** Default: as the model counts. */
  readonly countTokens?: ContextOptions['countTokens'] | undefined;
}

/** All of a search as numbered text, each item whole: what a context form names, as in the papers. */
export function countedContext(
  { episodes, facts, entities }: SearchResult,
  {
    languageModel,
    contextTokens,
    countTokens = counterOf({ languageModel }),
  }: Omit<AnswerContextOptions, 'profile'>,
): Promise<MemoryContext> {
  const shown = <Item extends RetrievedItem>(
    items: readonly Item[],
    lineOf: (item: Item) => [string, string],
  ) =>
    distinct(items).map((item) => {
      const [line, text] = lineOf(item);
      return { item, line, text, repeated: [] };
    });
  const same = (line: string): [string, string] => [line, line];
  const taken = [
    ...shown(episodes, (turn) => [turnLine(turn), turnText(turn, { longest: turn.content.length })]),
    ...shown(facts, (fact) => same(factLine({ first: fact, all: [fact] }))),
    ...shown(entities, (entity) => same(entityLine(entity))),
  ];
  const most = languageModel?.contextTokens ?? null;
  const room = most === null ? Number.POSITIVE_INFINITY : Math.max(FEWEST_TOKENS, most - TOKENS_BESIDE);
  return written(taken, taken.length, { budget: contextTokens ?? room, countTokens });
}

interface Reader {
  /** The model that will read it; without one, tokens are estimated. */
  readonly languageModel?: LanguageModel | undefined;
}

/** The part of a search result that an answer is composed from. */
export function answerContext(
  search: SearchResult,
  { languageModel, contextTokens, countTokens = counterOf({ languageModel }), profile }: AnswerContextOptions,
): Promise<MemoryContext> {
  return memoryContext(search, {
    profile,
    budget: contextTokens ?? roomFor(languageModel?.contextTokens ?? null),
    countTokens,
  });
}

/** Counts tokens as the model does that will read them. */
export function counterOf({ languageModel }: Reader): ContextOptions['countTokens'] {
  return (text) => (languageModel === undefined ? roughTokens(text) : languageModel.countTokens(text));
}

function roomFor(contextTokens: number | null): number {
  if (contextTokens === null) return CONTEXT_TOKENS;
  return Math.min(CONTEXT_TOKENS, Math.max(FEWEST_TOKENS, contextTokens - TOKENS_BESIDE));
}

const WORD = /\p{L}{3,}|\p{N}+/gu;
/** Short words that say little; longer ones of this kind are too few to matter. */
const COMMON = new Set(
  'the and for was has had have are but not you your she her his him they their its our with that this from who did too'.split(
    ' ',
  ),
);
/** "Loves" and "loved" repeat "love"; of Latin, Greek and Cyrillic letters, which come before this code. */
const STEM = 4;
const INFLECTED_BEFORE = 0x530;
/** If a text has this share of the words of another, it repeats it. */
const REPEATED = 0.8;

/** The distinct words of a text, for comparing what texts say; forms of a word count as one. */
export type ToldWords = ReadonlySet<string>;

export function toldWords(text: string): ToldWords {
  const words = new Set<string>();
  for (const word of text.toLowerCase().match(WORD) ?? [])
    if (!COMMON.has(word))
      words.add(/^\d/.test(word) || word.charCodeAt(0) >= INFLECTED_BEFORE ? word : word.slice(0, STEM));
  return words;
}

/**
 * Whether another text says what a text says: it has nearly all of its words. `without` are words that do not count,
 * such as the name of the speaker, who calls himself "I".
 */
export function repeats(text: ToldWords, other: ToldWords, without: ToldWords): boolean {
  let [counted, found] = [0, 0];
  for (const word of text) {
    if (without.has(word)) continue;
    counted++;
    if (other.has(word)) found++;
  }
  return counted > 0 && found / counted >= REPEATED;
}
