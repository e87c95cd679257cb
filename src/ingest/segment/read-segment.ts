import { analyze } from '../../search/analyzer.ts';
import { isFiller } from '../gate/courtesies.ts';
import { cleanText } from '../local/clean-text.ts';
import { readSpeakers, type Speakers, speakerName } from '../local/speakers.ts';
import type { SegmentToSummarize } from './summarizer.ts';

export interface SegmentTurn {
  readonly speaker: string;
  /** Cleaned. */
  readonly text: string;
  /** What its attachments show. */
  readonly captions: string;
  /** Index terms of both. */
  readonly terms: ReadonlySet<string>;
}

/** A segment as its topics and its summary are chosen from it. */
export interface ReadSegment extends SegmentToSummarize {
  readonly speakers: Speakers;
  readonly read: readonly SegmentTurn[];
  /** In how many turns an index term occurs. */
  readonly spread: ReadonlyMap<string, number>;
}

export const WORD = /\p{L}[\p{L}\p{M}\p{N}]*(?:['-][\p{L}\p{N}]+)*/gu;

export function readSegment(segment: SegmentToSummarize): ReadSegment {
  const read = segment.turns.map((turn) => {
    const text = cleanText(turn.content);
    const captions = cleanText(turn.attachments.map(({ description }) => description).join('\n'));
    return { speaker: speakerName(turn), text, captions, terms: new Set(analyze(`${text}\n${captions}`)) };
  });
  const spread = new Map<string, number>();
  for (const { terms } of read) for (const term of terms) spread.set(term, (spread.get(term) ?? 0) + 1);
  return { ...segment, speakers: readSpeakers(segment.turns), read, spread };
}

/** The terms of a phrase that say something, the speakers' names left out. */
export function tellingTerms(phrase: string, { called }: Speakers): string[] {
  const words = (phrase.match(WORD) ?? []).filter((word) => isTelling(word, called));
  return [...new Set(words.flatMap(analyze))];
}

export function isTelling(word: string, called: Speakers['called']): boolean {
  if (isFiller(word.toLowerCase(), false)) return false;
  return !/^\p{Lu}/u.test(word) || called(word.replace(/'s?$/, '')) === null;
}
