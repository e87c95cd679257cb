import type { ReadEntity } from '../../prompts/reading-rules.ts';
import { shorten, tidy } from '../../util/tidy.ts';
import type { TurnToRead } from '../extractor.ts';
import type { Judgement } from '../gate/memory-gate.ts';
import { MAX_KEYWORDS, MAX_SEGMENT_SUMMARY } from '../segment/summarizer.ts';
import type { SegmentReading } from '../segment-reading.ts';
import type { DropLog } from './drop-log.ts';
import { EntityRoll } from './entity-roll.ts';
import { mapFacts } from './map-facts.ts';
import type { SegmentReply } from './split-reply.ts';
import { Talk } from './talk.ts';

const MAX_KEYWORD_LENGTH = 60;

/** What replies say of segments, as far as the turns bear it out. */
export function mapReadings(
  replies: readonly SegmentReply[],
  segments: readonly (readonly TurnToRead[])[],
  log: DropLog,
): SegmentReading[] {
  const elsewhere = replies.flatMap(({ entities }) => entities);
  return replies.map((reply, at) => mapReading(reply, { talk: new Talk(segments[at]!), elsewhere, log }));
}

interface Mapping {
  readonly talk: Talk;
  /** Entities of the segments beside this one, which its facts may name. */
  readonly elsewhere: readonly ReadEntity[];
  readonly log: DropLog;
}

function mapReading(reply: SegmentReply, { talk, elsewhere, log }: Mapping): SegmentReading {
  const entities = new EntityRoll(talk, log);
  entities.addAll(reply.entities);
  entities.addSpeakers();
  entities.addElsewhere(elsewhere);
  const facts = mapFacts(reply.facts, { talk, entities, log });
  const kept = new Set([...talk.cited(reply.keep, log), ...facts.flatMap(({ turns }) => turns)]);
  const summary = tidy(reply.summary);
  if (summary === '' && talk.turns.length > 0) log.note('summary', 'empty');
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
    if (keyword === '' || isLong) log.note('keyword', isLong ? 'too-much' : 'empty');
    else if (!distinct.has(keyword.toLowerCase())) distinct.set(keyword.toLowerCase(), keyword);
  }
  log.note('keyword', 'too-much', distinct.size - MAX_KEYWORDS);
  return [...distinct.values()].slice(0, MAX_KEYWORDS);
}
