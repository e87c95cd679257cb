import type { ReadSegmentReply } from '../../prompts/read-segment.ts';
import type { ReadEntity, ReadFact } from '../../prompts/reading-rules.ts';
import type { Judgement } from '../gate/memory-gate.ts';
import { MAX_KEYWORDS, MAX_SEGMENT_SUMMARY } from '../segment/summarizer.ts';
import type { DropLog } from './drop-log.ts';
import { EntityRoll } from './entity-roll.ts';
import { mapFacts } from './map-facts.ts';
import type { DescribedExtraction, SegmentReading } from './segment-reading.ts';
import type { Talk } from './talk.ts';
import { shorten, tidy } from './tidy.ts';

const MAX_KEYWORD_LENGTH = 60;

/** What a reply says, as far as the turns bear it out. */
export function mapReading(
  reply: ReadSegmentReply,
  talk: Talk,
  log: DropLog,
): Omit<SegmentReading, 'usage' | 'dropped'> {
  const extraction = mapExtraction(reply, talk, log);
  const kept = new Set([...talk.cited(reply.keep, log), ...extraction.facts.flatMap(({ turns }) => turns)]);
  const summary = tidy(reply.summary);
  if (summary === '') log.note('summary', 'empty');
  return {
    judgements: talk.turns.map((_, at): Judgement => (kept.has(at) ? 'kept' : 'dropped')),
    keywords: mapKeywords(reply.keywords, log),
    summary: shorten(summary, MAX_SEGMENT_SUMMARY),
    extraction,
  };
}

export function mapExtraction(
  reply: { readonly entities: readonly (ReadEntity | null)[]; readonly facts: readonly (ReadFact | null)[] },
  talk: Talk,
  log: DropLog,
): DescribedExtraction {
  const entities = new EntityRoll(talk, log);
  entities.addAll(log.wellFormed(reply.entities));
  entities.addSpeakers();
  const facts = mapFacts(log.wellFormed(reply.facts), { talk, entities, log });
  return { entities: entities.toArray(), facts };
}

function mapKeywords(keywords: readonly string[], log: DropLog): string[] {
  const distinct = new Map<string, string>();
  for (const keyword of keywords.map(tidy)) {
    if (keyword === '' || keyword.length > MAX_KEYWORD_LENGTH)
      log.note('keyword', keyword === '' ? 'empty' : 'too-much');
    else if (!distinct.has(keyword.toLowerCase())) distinct.set(keyword.toLowerCase(), keyword);
  }
  log.note('keyword', 'too-much', distinct.size - MAX_KEYWORDS);
  return [...distinct.values()].slice(0, MAX_KEYWORDS);
}
