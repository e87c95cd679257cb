import { CancelledError } from '../../errors/index.ts';
import type { GateVerdict } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';
import { wordSet } from '../../util/collections.ts';
import courtesies from './courtesies.json' with { type: 'json' };
import type { TurnToRead } from './extractor.ts';
import { toSentences } from './local/clean-text.ts';
import { expandContractions } from './local/read-unit.ts';
import { readSpeakers, type Speakers, speakerName } from './local/speakers.ts';
import { BE_FORMS, GRADING, MODALS, NEGATIONS, OPENERS, VAGUE_NOUNS, VAGUE_VERBS } from './local/words.ts';

const GREETINGS = wordSet(courtesies.greetings);

const THANKS = wordSet(courtesies.thanks);

const ASSENT = wordSet(courtesies.assent);

const PRAISE = wordSet(courtesies.praise);

const CHEER = wordSet(courtesies.cheer);

const GLUE = wordSet(courtesies.glue);

const FILLERS: ReadonlySet<string> = new Set(
  [
    GREETINGS,
    THANKS,
    ASSENT,
    PRAISE,
    CHEER,
    GLUE,
    OPENERS,
    GRADING,
    VAGUE_NOUNS,
    VAGUE_VERBS,
    MODALS,
    NEGATIONS,
    BE_FORMS,
  ].flatMap((filler) => [...filler]),
);

/** Said of oneself, these are news: "I got the job", "I made a friend", "I had a bad day". */
const PERSONAL = wordSet(courtesies.personal);

/**
 * Whether a word, in lower case, is courtesy, applause or filling: it tells nothing of anybody's world by itself.
 * Words of other languages never are, a few greetings aside, so that their turns are kept.
 */
export function isFiller(word: string, isOwn: boolean): boolean {
  return !(isOwn && PERSONAL.has(word)) && FILLERS.has(word);
}

/** How much a turn says, once courtesies, names of those who talk and filling are taken away. */
interface Talk {
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

function readTalk({ content, attachments }: TurnToRead, speakers: Speakers): Talk {
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

/** What answers a question of yes or no, and says a fact by it. */
const ANSWER =
  /^\W*(?:yes|yeah|yep|yup|no|nope|nah|never|always|sometimes|sure|definitely|absolutely|of course|not)\b/i;

/** What the gate says of a turn that it has judged. */
export type Judgement = Exclude<GateVerdict, 'unjudged'>;

/**
 * Keeps the turns that say something of the user's world (MemORAI §3.1, C.2). A dropped turn stays stored and
 * searchable, and the segment's summary covers it. With a model, `LlmReader` judges turns while it reads them.
 *
 * The local tier's gate: drops what is only greeting, thanks, agreement, applause or cheer, and keeps the rest
 * (English; a turn in another language is kept unless it is a word or two). It judges words, not meaning: in
 * doubt it keeps, since a dropped fact costs more than a kept pleasantry.
 */
export class LocalGate {
  /**
   * One judgement per turn, in order. Consecutive turns of one session: what a reply says depends on the question.
   *
   * @throws CancelledError when the signal fires.
   */
  async judge(
    turns: readonly TurnToRead[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<readonly Judgement[]> {
    const speakers = readSpeakers(turns);
    const breather = new Breather();
    const judgements: Judgement[] = [];
    let before: Said | null = null;
    for (const turn of turns) {
      if (signal?.aborted) throw new CancelledError('the turns stay unjudged', signal.reason);
      await breather.breathe();
      const said: Said = { turn, speaker: speakerName(turn), talk: readTalk(turn, speakers) };
      judgements.push(isTelling(said.talk) || answers(said, before) ? 'kept' : 'dropped');
      before = said;
    }
    return judgements;
  }
}

interface Said {
  readonly turn: TurnToRead;
  readonly speaker: string;
  readonly talk: Talk;
}

/** One word of somebody else's ("Nice bookshelf!") is applause; of oneself ("I quit!") it is news. */
function isTelling({ told, isOwn, asked }: Talk): boolean {
  return told >= 2 || (told === 1 && isOwn) || asked > 0;
}

/** "Do you play an instrument?" – "Yep!"; "Where do you live?" – "Lisbon." */
function answers({ turn, speaker, talk }: Said, before: Said | null): boolean {
  if (before === null || before.speaker === speaker || before.talk.asked === 0) return false;
  return talk.told > 0 || ANSWER.test(turn.content);
}
