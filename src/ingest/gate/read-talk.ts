import type { TurnToRead } from '../extractor.ts';
import { toSentences } from '../local/clean-text.ts';
import { expandContractions } from '../local/expand-contractions.ts';
import type { Speakers } from '../local/speakers.ts';
import { isFiller } from './courtesies.ts';

/** How much a turn says, once courtesies, names of those who talk and filling are taken away. */
export interface Talk {
  /** Words left in its statements. */
  readonly told: number;
  /** Whether one of them stands in a statement about the speaker or somebody they know, or with a time or number. */
  readonly isOwn: boolean;
  /** Words left in its questions. */
  readonly asked: number;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*/gu;
/** Of the speaker or of somebody they know, and, as chat leaves "I" out, an opening past: "Took a trip". */
const OWN =
  /\b(?:I|me|my|mine|myself|we|us|ours?|he|him|his|she|her|hers)\b|^(?:(?:just|finally|also|recently|already) )?(?:been|went|got|took|had|saw|met|made|bought|found|left|lost|won|[a-z]{3,}ed)\b(?!,)/iu;
/** How the speaker wants things: "Please keep answers short". */
const WISH = /^(?:please|do not|always|never)\b/i;
const DATED =
  /\p{N}|\b(?:yesterday|tomorrow|tonight|today|last|next|ago|(?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/iu;
const HEART = /<\/?3/g;
/** "Soooo" is "so", "awwww" is "aww". */
const DRAWN_OUT = /(\p{L})\1{2,}/gu;
/** Scripts without spaces: two characters make about one word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** What a turn says is known by its beginning: so many characters and sentences. */
const LONGEST_JUDGED = 20_000;
const MOST_SENTENCES = 150;

export function readTalk({ content, attachments }: TurnToRead, speakers: Speakers): Talk {
  let [told, asked, isOwn] = [0, 0, false];
  for (const { text, isQuestion } of toSentences(
    content.slice(0, LONGEST_JUDGED).replace(HEART, ' '),
    MOST_SENTENCES,
  )) {
    const sentence = expandContractions(text);
    const own = OWN.test(sentence) || WISH.test(sentence);
    const left = countTelling(sentence, { own, speakers });
    if (isQuestion) asked += left;
    else told += left;
    if (!isQuestion && left > 0) isOwn ||= own || DATED.test(sentence);
  }
  const shown = attachments.some(({ description }) => description.trim() !== '');
  return { told: shown ? Math.max(told, 2) : told, isOwn, asked };
}

function countTelling(sentence: string, { own, speakers }: { own: boolean; speakers: Speakers }): number {
  // Between two, the other's name calls; among more it may be whom the sentence is about.
  const isCall = (name: string): boolean => speakers.names.length < 3 && speakers.called(name) !== null;
  let count = 0;
  for (const [word] of sentence.matchAll(WORD)) {
    const plain = word.replace(/'s?$/, '').toLowerCase();
    if (isFiller(plain.replace(DRAWN_OUT, '$1'), own) || isFiller(plain.replace(DRAWN_OUT, '$1$1'), own))
      continue;
    if (/^\p{Lu}/u.test(word) && isCall(word.replace(/'s?$/, ''))) continue;
    count += UNSPACED.test(word) ? Math.max(1, Math.floor(word.length / 2)) : 1;
  }
  return count;
}
