import { NOT_ENOUGH } from '../model/fixed-replies.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { Citation, RetrievedEpisode, RetrievedFact, SearchResult } from '../model/retrieved-item.ts';
import { dayOf, describeInterval, type Interval } from '../time/calendar.ts';
import { readTimes } from '../time/read-times.ts';
import { isQuestion } from '../util/questions.ts';
import { sentencesOf } from '../util/sentences.ts';
import { clockTime, clockTimeOfFact } from '../util/speaker-clock.ts';
import { MOST_ENUMERATED } from './defaults.ts';
import { type GivenAnswer, listedAnswer } from './given-answer.ts';
import { withDates } from './quote-text.ts';
import { endsSomething, replacedQuotes } from './replaced-quotes.ts';

const SINCE = `(?: (?:lately|recently|so far|in the meantime|(?:since|after) (?<since>.{1,40}?)))?`;
const ASKS_CHANGES = new RegExp(
  String.raw`^\s*(?:(?:and|so)\s+)?what(?:['’]s| is| has| have| all has| else has)? (?:changed|different|new)(?: (?:for|with|about|in) (?<who>.{1,80}?))?(?:['’]s? life)?${SINCE}[\s?!.]*$`,
  'i',
);
const [LONGEST_NAME, LONGEST_ASKED] = [4, 400];

interface AskedChanges {
  /** Whose; null where nobody is named. */
  readonly name: string | null;
  /** Only what changed from then on; null for all. */
  readonly since: Milliseconds | null;
}

/** Reads "What has changed for Gina since March?"; null for other questions. */
export function changesAsked(question: string, now: Milliseconds): AskedChanges | null {
  const groups = question.length > LONGEST_ASKED ? undefined : ASKS_CHANGES.exec(question)?.groups;
  if (groups === undefined) return null;
  const { who, since } = groups;
  if ((who?.split(/\s+/).length ?? 0) > LONGEST_NAME) return null;
  const [time] =
    since === undefined ? [] : readTimes(`since ${since}`, { reference: now, tense: 'past', bare: true });
  if (since !== undefined && time === undefined) return null;
  return { name: who ?? null, since: time?.interval.start ?? null };
}

/** A statement of a change, and what held before, if that is known. */
export interface Change {
  readonly now: Told;
  readonly before: Told | null;
}

/** A fact, or what somebody says in a turn. */
interface Told {
  readonly item: RetrievedFact | RetrievedEpisode;
  readonly text: string;
  readonly validAt: Milliseconds;
  /** When it changed. */
  readonly at: Interval;
}

/** What changes a life, said without what was before. */
const EVENT =
  /(?<!\p{L})(?:(?:moved|is moving) (?:to|in|out|away|back|into|from)|joined|(?:has )?bec[ao]me|(?:has )?(?:quit|resigned|retired|divorced)|got (?:engaged|married|promoted|hired|fired|the part|in$|a new (?:job|flat|house|dog|cat))|(?:is|are|got) engaged|was (?:born|promoted|laid off|stolen)|(?:has )?adopted|(?:has )?changed (?:jobs?|wards?|schools?|teams?)|took up|has taken up|has gone (?:vegan|vegetarian)|signed the lease|has a new (?:job|flat|house|flatmate|boss|school)|passed away|died)(?!\p{L})/iu;
/** What is not so yet, or was not. */
const UNREAL =
  /(?<!\p{L})(?:not|never|would|could|might|may|will|if|wants? to|hopes? to|plans? to)(?!\p{L})|n['’]t/iu;

/** Words of turns that may tell a change. */
export const WORDS_OF_CHANGE =
  'switched changed swapped given gave up quit stopped longer notice resigned retired moved moving joined engaged promoted divorced adopted done left sold stolen';

/**
 * What has changed by facts about somebody and by that one's own turns: what replaces a former state, what ends an
 * earlier statement, and events that change a life. The newest first; each former state once.
 *
 * @param turns Turns that may tell what no fact has; those with a fact among the changes add nothing.
 * @param former What a fact superseded, by its id.
 */
export function changesIn(
  { facts, turns }: { readonly facts: readonly RetrievedFact[]; readonly turns: readonly RetrievedEpisode[] },
  former: ReadonlyMap<string, { readonly before: RetrievedFact }>,
  { since, now }: { readonly since: Milliseconds | null; readonly now: Milliseconds },
): readonly Change[] {
  const ofFacts = facts.map(ofFact);
  const read = new Set(
    facts.filter(isChange).flatMap(({ sources }) => sources.map(({ episode }) => episode)),
  );
  const told = [...ofFacts, ...turns.filter(({ id }) => !read.has(id)).flatMap(ofTurn)];
  const ended = new Map(Array.from(replacedQuotes(told), ([before, end]) => [end, before]));
  const changes = told.flatMap((each): Change[] => {
    const superseded = former.get(each.item.id)?.before;
    const before = superseded === undefined ? (ended.get(each) ?? null) : ofFact(superseded);
    return before !== null || isChange({ statement: each.text }) ? [{ now: each, before }] : [];
  });
  const replaced = new Set(changes.flatMap(({ before }) => before?.item.id ?? []));
  return changes
    .filter(
      ({ now: { item, at }, before }) =>
        at.start <= now &&
        (since === null || at.start >= since) &&
        (before !== null || !replaced.has(item.id)),
    )
    .toSorted((a, b) => b.now.at.start - a.now.at.start || b.now.validAt - a.now.validAt);
}

function isChange({ statement }: Pick<RetrievedFact, 'statement'>): boolean {
  return (endsSomething(statement) || EVENT.test(statement)) && !UNREAL.test(statement);
}

function ofFact(fact: RetrievedFact): Told {
  const { statement, validAt, event } = fact;
  return { item: fact, text: statement, validAt, at: event ?? dayOf(clockTimeOfFact(fact)) };
}

/** The sentences of a turn that tell a change of the speaker. */
function ofTurn(turn: RetrievedEpisode): readonly Told[] {
  const clock = clockTime(turn);
  return sentencesOf(turn.content).flatMap((sentence): Told[] => {
    const isOwn = OF_SPEAKER.test(sentence) && !isQuestion(sentence) && isChange({ statement: sentence });
    const at = readTimes(sentence, { reference: clock })[0]?.interval ?? dayOf(clock);
    return isOwn ? [{ item: turn, text: sentence, validAt: turn.validAt, at }] : [];
  });
}

const OF_SPEAKER = /(?<![\p{L}])(?:I|we|my|our)(?![\p{L}])/u;

/** A line for each change with its day: what held before, and what holds since. An abstention if nothing changed. */
export function changesAnswer(search: SearchResult, changes: readonly Change[]): GivenAnswer {
  const citations: Citation[] = [];
  const cited = ({ item, text }: Told) => {
    const quote =
      item.kind === 'fact'
        ? `${text.replace(/\.$/, '')}.`
        : `${item.speaker}: “${withDates(text, clockTime(item))}”`;
    citations.push({ number: citations.length + 1, item, quote });
    return `${quote} [${citations.length}]`;
  };
  const lines = changes.slice(0, MOST_ENUMERATED).map(({ now, before }) => {
    const from = before === null ? '' : `${cited(before)} → `;
    return `- ${describeInterval(now.at)}: ${from}${cited(now)}`;
  });
  return (
    listedAnswer(search, { lines, citations }) ?? {
      ...{
        question: search.query,
        answered: false,
        text: NOT_ENOUGH,
        citations,
        search,
        usage: search.usage,
      },
      ...{ answerer: 'local', confidence: 0, notes: [] },
    }
  );
}
