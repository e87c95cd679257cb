import { STOP_WORDS } from '../../search/english.ts';
import type { Speakers } from '../local/speakers.ts';
import { isTelling, type ReadSegment, type SegmentTurn } from './read-segment.ts';

/** "A little moonlight" is moonlight. */
const DETERMINER = /\b(a|an|the|my)\s+(?!little|bit|lot|few)(?:[\p{Ll}-]+\s+)?$/iu;
/** Its last word decides: "Harry Potter", but "a Harry Potter fan". */
const NAME = /(?:^| )\p{Lu}[^ ]*$/u;
/** "LGBTQ", "MRI": read letter by letter, they begin with a vowel. */
const SPELLED_VOWEL = /^[AEFHILMNORSX]/;
const VOWEL = /^(?:[aeio]|u(?!ni|s[aeu]))/i;
const NEXT_WORD = /^\s+(\p{L}+)/u;
/** Characters that are read before and after a phrase. */
const AROUND = 40;

/**
 * A topic as a sentence takes it, with the article or owner that it was first said with: "my studio", said by Jon,
 * is "Jon's studio". "You" and "we" may be anyone, and so may give no owner.
 */
export function topicPhrase(phrase: string, { read, speakers }: ReadSegment): string {
  for (const turn of read) {
    const at = turn.text.toLowerCase().indexOf(phrase.toLowerCase());
    const determiner = at < 0 ? null : determinerAt(turn, { at, end: at + phrase.length }, speakers);
    if (determiner !== null) return withDeterminer(phrase, determiner, turn.speaker);
  }
  return phrase;
}

/** None where the phrase is part of a longer one, to which it would belong: "a chili cook-off". */
function determinerAt(
  { text }: SegmentTurn,
  { at, end }: { at: number; end: number },
  { called }: Speakers,
): string | null {
  const next = NEXT_WORD.exec(text.slice(end, end + AROUND))?.[1];
  if (next !== undefined && !STOP_WORDS.has(next.toLowerCase()) && isTelling(next, called)) return null;
  return DETERMINER.exec(text.slice(Math.max(0, at - AROUND), at))?.[1]?.toLowerCase() ?? null;
}

function withDeterminer(phrase: string, determiner: string, speaker: string): string {
  if (NAME.test(phrase) && (determiner !== 'the' || !phrase.includes(' '))) return phrase;
  if (determiner === 'the') return `the ${phrase}`;
  return determiner === 'my' ? `${speaker}'s ${phrase}` : `${soundsOpen(phrase) ? 'an' : 'a'} ${phrase}`;
}

/** Whether "an" stands before it. */
function soundsOpen(phrase: string): boolean {
  return /^\p{Lu}{2}/u.test(phrase) ? SPELLED_VOWEL.test(phrase) : VOWEL.test(phrase);
}
