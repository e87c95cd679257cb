import type { DropLog, DropReason } from '../../../inference/language-model/reading/drop-log.ts';
import type { Milliseconds } from '../../../model/ids.ts';
import type { TimeInterval } from '../../../model/nodes.ts';
import { isPlaceholder } from '../../../prompts/broken-text.ts';
import { type Interval, span, type Tense, tenseAt } from '../../../time/calendar.ts';
import { readTimes } from '../../../time/read-times.ts';
import { clockTime, type Spoken } from '../../../util/speaker-clock.ts';
import { entityNameKey, shorten, tidy } from '../../../util/tidy.ts';
import { MAX_KEYWORDS, MAX_SEGMENT_SUMMARY } from '../../describe/defaults.ts';
import { MAX_FACTS_PER_TURN } from '../defaults.ts';
import { MAX_STATEMENT_LENGTH, type TurnToRead } from '../extractor.ts';
import type { Judgement } from '../local-gate.ts';
import type { DatedFact, SegmentReading } from '../segment-reader.ts';
import { FactCheck } from './check-fact.ts';
import { isGarbage, isNoProse } from './garbage.ts';
import type { ReadEntity, ReadFact } from './reading-rules-prompt.ts';
import { ReplyEntities } from './reply-entities.ts';
import type { SegmentReply } from './split-reply.ts';
import { Talk } from './talk.ts';

const LONGEST_WORDS = 100;

interface StatedTime {
  /** The words for it as a turn has them. */
  readonly said: string;
  /** The date that the model assigned to them. */
  readonly date: string;
}

/**
 * Resolves the time of a fact. Our rules take precedence where they can resolve the words, because models miscount
 * weekdays. The model's date is used where it is narrower than the rules' interval and inside it, and where the rules
 * find nothing (another language). Words that no cited turn contains, and dates without words that no cited turn
 * supports, are dropped.
 */
function readWhen(
  stated: StatedTime,
  cited: readonly number[],
  { talk, log }: { talk: Talk; log: DropLog },
): TimeInterval | null {
  const said = tidy(stated.said).slice(0, LONGEST_WORDS);
  const dated = readDate(stated.date);
  if (said === '' && dated === null) return null;
  const at = cited.find((turn) => talk.says(turn, said));
  const reference = clockTime(talk.turns[at ?? cited.at(-1)!]!);
  if (at === undefined) return timeInTurns(dated, cited, { talk, log });
  const tense = tenseOf(said, talk.text(at));
  const corrected = narrowest(readTimes(said, { reference, tense }).map(({ interval }) => interval));
  const chosen = corrected === null || (dated !== null && isInside(dated, corrected)) ? dated : corrected;
  if (chosen === null) log.note('time', 'empty');
  return chosen === null ? null : { ...chosen, text: said };
}

/** The tense of the clause with the words: "in May" alone does not tell which May. */
function tenseOf(said: string, text: string): Tense | undefined {
  const at = text.toLowerCase().indexOf(said.toLowerCase());
  return at === -1 ? undefined : tenseAt(text, at);
}

/** Resolves a date without words to a time in a cited turn that contains it or is inside it; null if there is none. */
function timeInTurns(
  dated: Interval | null,
  cited: readonly number[],
  { talk, log }: { talk: Talk; log: DropLog },
): TimeInterval | null {
  const spoken = cited.flatMap((turn) =>
    readTimes(talk.text(turn), { reference: clockTime(talk.turns[turn]!) }).map(({ interval }) => interval),
  );
  const found =
    dated === null
      ? undefined
      : spoken.find((interval) => isInside(dated, interval) || isInside(interval, dated));
  if (found === undefined) log.note('time', 'not-said');
  return found ?? null;
}

/** Something ceased to hold at an unknown time of a period: the end of that period. */
function readUntil(text: string): Milliseconds | null {
  return readDate(text)?.end ?? null;
}

/** Parses YYYY, YYYY-MM, YYYY-MM-DD, two of these separated by a slash, or any written date; null for anything else. */
function readDate(text: string): Interval | null {
  const parts = tidy(text).split('/');
  const [first, last = first] = parts.length <= 2 ? parts.map(readSingle) : [];
  if (!first || !last || last.end <= first.start) return null;
  return first === last || (last.start === first.start && last.end === first.end)
    ? first
    : span(first.start, last.end);
}

function readSingle(part: string): Interval | null {
  const text = part.trim();
  const [time] = readTimes(text, { reference: 0, bare: true });
  return time === undefined || time.year !== 'stated' || time.length < text.length ? null : time.interval;
}

function isInside(inner: Omit<Interval, 'precision'>, outer: Omit<Interval, 'precision'>): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

function narrowest(intervals: readonly TimeInterval[]): TimeInterval | null {
  return intervals.reduce<TimeInterval | null>(
    (best, each) => (best === null || each.end - each.start < best.end - best.start ? each : best),
    null,
  );
}
const MAX_RELATION_LENGTH = 80;
const MAX_PARTICIPANTS = 12;

interface Reading {
  readonly talk: Talk;
  readonly entities: ReplyEntities;
  readonly log: DropLog;
}

/** The facts of a reply that have a statement and an entity and that a turn supports; equal statements once. */
export function mapFacts(read: readonly ReadFact[], reading: Reading): DatedFact[] {
  const { talk, entities, log } = reading;
  const most = MAX_FACTS_PER_TURN * talk.turns.length;
  log.note('fact', 'too-much', read.length - most);
  const check = new FactCheck(talk, entities.names());
  return distinctFacts(
    read.slice(0, most).flatMap((each) => mapFact(each, check, reading) ?? []),
    log,
  );
}

const ARTICLE = /(?<![\p{L}'])(?:an?|the)(?![\p{L}'])/gu;

/** Merges facts with equal statements, ignoring punctuation, case and articles; the turns of all support the result. */
export function distinctFacts(facts: readonly DatedFact[], log: DropLog): DatedFact[] {
  const distinct = new Map<string, DatedFact>();
  for (const fact of facts) {
    const key = entityNameKey(fact.statement)
      .replace(ARTICLE, ' ')
      .replace(/[\p{P}\s]+/gu, ' ')
      .trim();
    const before = distinct.get(key);
    if (before !== undefined) log.note('fact', 'repeated');
    distinct.set(key, before === undefined ? fact : mergeFacts(before, fact));
  }
  return [...distinct.values()];
}

function mapFact(read: ReadFact, check: FactCheck, reading: Reading): DatedFact | null {
  const { talk, log } = reading;
  const turns = talk.cited(read.turns, log);
  const text = withName(plainStatement(read.statement), turns, talk);
  const statement = shorten(text, MAX_STATEMENT_LENGTH);
  const drop = (reason: DropReason) => {
    log.note('fact', reason);
    return null;
  };
  if (turns.length === 0) return drop('uncited');
  if (!/[\p{L}\p{N}]/u.test(statement)) return drop('empty');
  if (isGarbage(read.statement, (part) => turns.some((at) => talk.text(at).includes(part))))
    return drop('garbage');
  // No sentence ends within the limit.
  if (statement.length < text.length && statement.endsWith('…')) return drop('too-much');
  const event = readWhen(read, turns, reading);
  const participants = [read.subject, read.object, ...read.participants];
  const checked = check.check({ statement, participants, event, turns });
  if ('fault' in checked) return drop(checked.fault);
  const ends = endsOf(read, { turns, statement }, reading);
  if (ends === null) return null;
  const validAt = validFrom(event, talk.turns[turns[0]!]!);
  const invalidAt = readUntil(read.until);
  if (invalidAt !== null && invalidAt <= validAt) log.note('time', 'inconsistent');
  return {
    ...ends,
    statement: checked.statement,
    validAt,
    invalidAt: invalidAt !== null && invalidAt > validAt ? invalidAt : null,
    event,
    confidence: Math.min(1, Math.max(0, read.confidence)),
    turns,
  };
}

const EMPHASIS = /(\*\*|__)(?=\S)(.+?)\1/g;
/** Marks of a list or a heading before a statement. */
const LIST_MARK = /^(?:[-*•>#]+|\d{1,2}[.)])\s+(?=\S)/;

const USER = /^(?:the )?user(?=['’ ])/i;

/** A statement about "the user" with the name of the only user who speaks in its turns. */
function withName(statement: string, cited: readonly number[], talk: Talk): string {
  const users = new Set(
    cited.filter((at) => talk.turns[at]!.role === 'user').map((at) => talk.speakers[at]!),
  );
  const [name] = users;
  return name === undefined || users.size > 1 ? statement : statement.replace(USER, () => name);
}

/** A statement without the marks of Markdown around it. */
function plainStatement(statement: string): string {
  return tidy(statement).replace(LIST_MARK, '').replace(EMPHASIS, '$2');
}

/** A relation whose ends are not two entities becomes a proposition about the entities that it names. */
function endsOf(
  read: ReadFact,
  { turns, statement }: { turns: readonly number[]; statement: string },
  { entities, log }: Reading,
): Pick<DatedFact, 'kind' | 'subject' | 'relation' | 'object' | 'participants'> | null {
  const resolve = (name: string): string | null => {
    if (tidy(name) === '') return null;
    const found = entities.resolve(name, turns);
    if (found === null) log.note('participant', 'no-entity');
    return found;
  };
  const [subject, object] = [resolve(read.subject), resolve(read.object)];
  const others = read.participants.map(resolve);
  const named = [...new Set([subject, object, ...others].filter((name) => name !== null))];
  const participants = (named.length > 0 ? named : entities.namesIn(statement)).slice(0, MAX_PARTICIPANTS);
  const relation = tidy(read.relation).slice(0, MAX_RELATION_LENGTH).toWellFormed();
  if (participants.length === 0) {
    log.note('fact', 'no-entity');
    return null;
  }
  if (subject !== null && object !== null && subject !== object && relation !== '')
    return { kind: 'relation', subject, relation, object, participants };
  return { kind: 'proposition', subject: null, relation: '', object: null, participants };
}

/**
 * An event that is over, or a span that has begun ("since 2016"), holds from its start; anything else from the time
 * of the turn.
 */
function validFrom(event: TimeInterval | null, said: Spoken): Milliseconds {
  const now = clockTime(said);
  if (event === null || event.start > now || !(event.end <= now || event.precision === 'span'))
    return said.validAt;
  return Math.min(event.start, said.validAt);
}

function mergeFacts(a: DatedFact, b: DatedFact): DatedFact {
  return {
    ...(a.kind === 'relation' ? a : b),
    statement: a.statement,
    participants: [
      ...new Set([...(a.kind === 'relation' ? a : b).participants, ...a.participants, ...b.participants]),
    ],
    validAt: Math.min(a.validAt, b.validAt),
    event: a.event ?? b.event,
    invalidAt: a.invalidAt ?? b.invalidAt,
    confidence: Math.max(a.confidence, b.confidence),
    turns: [...new Set([...a.turns, ...b.turns])].sort((x, y) => x - y),
  };
}

const MAX_KEYWORD_LENGTH = 60;

/** Where the readings of replies are noted, and what the model was shown besides the segments. */
interface MapOptions {
  readonly log: DropLog;
  readonly names?: readonly string[] | undefined;
  readonly earlier?: string | undefined;
  /** The turns just before the segments. */
  readonly recent?: readonly TurnToRead[] | undefined;
}

/** Maps replies to segment readings; drops what no turn supports. */
export function mapReadings(
  replies: readonly SegmentReply[],
  segments: readonly (readonly TurnToRead[])[],
  { log, names = [], earlier = '', recent = [] }: MapOptions,
): SegmentReading[] {
  const elsewhere = replies.flatMap(({ entities }) => entities);
  const known = [earlier, ...names].join('\n');
  return replies.map((reply, at) => {
    const [before, later] = [segments.slice(0, at).flat(), segments.slice(at + 1).flat()];
    const talk = new Talk(segments[at]!, { earlier: [...recent, ...before], later, names: known });
    return mapReading(reply, { talk, elsewhere, log });
  });
}

interface Mapping {
  readonly talk: Talk;
  /** Entities of the other segments of the call, which facts of this one may name. */
  readonly elsewhere: readonly ReadEntity[];
  readonly log: DropLog;
}

function mapReading(reply: SegmentReply, { talk, elsewhere, log }: Mapping): SegmentReading {
  const entities = new ReplyEntities(talk, log);
  entities.addAll(reply.entities);
  entities.addSpeakers();
  entities.addElsewhere(elsewhere);
  const facts = mapFacts(reply.facts, { talk, entities, log });
  const kept = new Set([...talk.cited(reply.keep, log), ...facts.flatMap(({ turns }) => turns)]);
  const isBad = reply.summary !== '' && isNoProse(reply.summary, (part) => talk.contains(part));
  const summary = isBad ? '' : tidy(reply.summary);
  if (summary === '' && talk.turns.length > 0) log.note('summary', isBad ? 'garbage' : 'empty');
  return {
    judgements: talk.turns.map((_, turn): Judgement => (kept.has(turn) ? 'kept' : 'dropped')),
    keywords: mapKeywords(reply.keywords, log),
    summary: shorten(summary, MAX_SEGMENT_SUMMARY),
    extraction: { entities: entities.toArray(), facts },
  };
}

function mapKeywords(keywords: readonly string[], log: DropLog): string[] {
  const distinct = new Map<string, string>();
  for (const keyword of keywords.map(tidy)) {
    const isLong = keyword.length > MAX_KEYWORD_LENGTH;
    if (keyword === '' || isLong || isPlaceholder(keyword))
      log.note('keyword', isLong ? 'too-much' : 'empty');
    else if (!distinct.has(keyword.toLowerCase())) distinct.set(keyword.toLowerCase(), keyword);
  }
  log.note('keyword', 'too-much', distinct.size - MAX_KEYWORDS);
  return [...distinct.values()].slice(0, MAX_KEYWORDS);
}
