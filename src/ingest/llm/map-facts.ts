import type { Milliseconds } from '../../model/ids.ts';
import type { TimeInterval } from '../../model/time-interval.ts';
import type { ReadFact } from '../../prompts/reading-rules.ts';
import { entityNameKey } from '../../util/entity-name-key.ts';
import { shorten, tidy } from '../../util/tidy.ts';
import { MAX_STATEMENT_LENGTH } from '../extractor.ts';
import type { DatedFact } from '../segment-reading.ts';
import type { DropLog } from './drop-log.ts';
import type { EntityRoll } from './entity-roll.ts';
import { readUntil, readWhen } from './read-when.ts';
import type { Talk } from './talk.ts';

const MAX_FACTS_PER_TURN = 12;
const MAX_RELATION_LENGTH = 80;
const MAX_PARTICIPANTS = 12;

export interface Reading {
  readonly talk: Talk;
  readonly entities: EntityRoll;
  readonly log: DropLog;
}

/** The facts of a reply that say something of somebody and rest on a turn; each statement once. */
export function mapFacts(read: readonly ReadFact[], reading: Reading): DatedFact[] {
  const most = MAX_FACTS_PER_TURN * reading.talk.turns.length;
  reading.log.note('fact', 'too-much', read.length - most);
  return distinctFacts(
    read.slice(0, most).flatMap((each) => mapFact(each, reading) ?? []),
    reading.log,
  );
}

/** Facts with one statement, punctuation and capitals aside, as one that rests on the turns of all. */
export function distinctFacts(facts: readonly DatedFact[], log: DropLog): DatedFact[] {
  const distinct = new Map<string, DatedFact>();
  for (const fact of facts) {
    const key = entityNameKey(fact.statement)
      .replace(/[\p{P}\s]+/gu, ' ')
      .trim();
    const before = distinct.get(key);
    if (before !== undefined) log.note('fact', 'repeated');
    distinct.set(key, before === undefined ? fact : mergeFacts(before, fact));
  }
  return [...distinct.values()];
}

function mapFact(read: ReadFact, reading: Reading): DatedFact | null {
  const { talk, log } = reading;
  const statement = shorten(tidy(read.statement), MAX_STATEMENT_LENGTH);
  const turns = talk.cited(read.turns, log);
  if (!/[\p{L}\p{N}]/u.test(statement) || turns.length === 0) {
    log.note('fact', turns.length === 0 ? 'uncited' : 'empty');
    return null;
  }
  const ends = endsOf(read, { turns, statement }, reading);
  if (ends === null) return null;
  const event = readWhen(read, turns, reading);
  const validAt = validFrom(event, talk.turns[turns[0]!]!.validAt);
  const invalidAt = readUntil(read.until);
  if (invalidAt !== null && invalidAt <= validAt) log.note('time', 'inconsistent');
  return {
    ...ends,
    statement,
    validAt,
    invalidAt: invalidAt !== null && invalidAt > validAt ? invalidAt : null,
    event,
    confidence: Math.min(1, Math.max(0, read.confidence)),
    turns,
  };
}

type Ends = Pick<DatedFact, 'kind' | 'subject' | 'relation' | 'object' | 'participants'>;

/** A relation whose ends are not two entities is a proposition about those that are. */
function endsOf(
  read: ReadFact,
  { turns, statement }: { turns: readonly number[]; statement: string },
  { entities, log }: Reading,
): Ends | null {
  const meant = (name: string): string | null => {
    if (tidy(name) === '') return null;
    const found = entities.meant(name, turns);
    if (found === null) log.note('participant', 'no-entity');
    return found;
  };
  const [subject, object] = [meant(read.subject), meant(read.object)];
  const others = read.participants.map(meant);
  const named = [...new Set([subject, object, ...others].filter((name) => name !== null))];
  const participants = (named.length > 0 ? named : entities.saidIn(statement)).slice(0, MAX_PARTICIPANTS);
  const relation = tidy(read.relation).slice(0, MAX_RELATION_LENGTH).toWellFormed();
  if (participants.length === 0) {
    log.note('fact', 'no-entity');
    return null;
  }
  if (subject !== null && object !== null && subject !== object && relation !== '')
    return { kind: 'relation', subject, relation, object, participants };
  return { kind: 'proposition', subject: null, relation: '', object: null, participants };
}

/** An event that is over, or a span that has begun ("since 2016"), began to hold then; else it holds since it was said. */
function validFrom(event: TimeInterval | null, saidAt: Milliseconds): Milliseconds {
  if (event === null || event.start > saidAt) return saidAt;
  return event.end <= saidAt || event.precision === 'span' ? event.start : saidAt;
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
