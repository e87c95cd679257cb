import { CancelledError } from '../../errors/index.ts';
import type { GateVerdict } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';
import { wordSet } from '../../util/collections.ts';
import courtesies from './courtesies.json' with { type: 'json' };
import type { TurnToRead } from './extractor.ts';
import { toSentences } from './local/clean-text.ts';
import { expandContractions } from './local/contractions.ts';
import { readSpeakers, type Speakers, speakerName } from './local/speakers.ts';
import { mayBeginNote } from './local/the-user.ts';
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

/** In a statement about oneself, these words are news: "I got the job", "I made a friend", "I had a bad day". */
const PERSONAL = wordSet(courtesies.personal);

/**
 * Whether a word, in lower case, is a courtesy, applause or a filler, and so no information by itself. Words of other
 * languages are not, except for a few greetings, so that their turns are kept.
 */
export function isFiller(word: string, isOwn: boolean): boolean {
  return !(isOwn && PERSONAL.has(word)) && FILLERS.has(word);
}

/** How much information a turn has without courtesies, speakers' names and fillers. */
interface Talk {
  /** Number of content words in its statements. */
  readonly stated: number;
  /** Whether one of them is in a statement about the speaker or somebody they know, or next to a time or number. */
  readonly isOwn: boolean;
  /** Number of content words in its questions. */
  readonly asked: number;
  /** Number of all words in its statements. */
  readonly words: number;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]*/gu;
/** Words for the speaker or somebody they know, or an opening past tense, because chat omits "I": "Took a trip". */
const OWN =
  /\b(?:I|me|my|mine|myself|we|us|ours?|he|him|his|she|her|hers)\b|^(?:(?:just|finally|also|recently|already) )?(?:been|went|got|took|had|saw|met|made|bought|found|left|lost|won|[a-z]{3,}ed)\b(?!,)|^(?:back|home|off|away) (?:from|in|to|at|until)\b/iu;
/** A wish about the conversation: "Please keep answers short". */
const WISH = /^(?:please|do not|always|never)\b/i;
const DATED =
  /\p{N}|\b(?:yesterday|tomorrow|tonight|today|last|next|ago|(?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/iu;
const HEART = /<\/?3/g;
/** "Where was that?": what the reply says is understood with it. */
const ASKS_FOR_DETAIL =
  /^(?:and |so )?(?:where|when|who|which)\b|^(?:and |so )?what (?:is (?:his|her|its|their|your|the)|will)\b/i;
/** Lengthened words: "soooo" for "so", "awwww" for "aww". */
const DRAWN_OUT = /(\p{L})\1{2,}/gu;
/** Scripts without spaces: two characters count as about one word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** A turn is judged by its beginning: up to this number of characters and sentences. */
const LONGEST_JUDGED = 20_000;
const MOST_SENTENCES = 150;

function readTalk({ content, attachments }: TurnToRead, speakers: Speakers): Talk {
  let [stated, asked, words, isOwn] = [0, 0, 0, false];
  for (const { text, isQuestion } of toSentences(
    content.slice(0, LONGEST_JUDGED).replace(HEART, ' '),
    MOST_SENTENCES,
  )) {
    const sentence = expandContractions(text);
    const own = OWN.test(sentence) || WISH.test(sentence) || mayBeginNote(sentence);
    const left = countContentWords(sentence, { own, speakers });
    if (isQuestion) asked += ASKS_FOR_DETAIL.test(sentence) ? Math.max(1, left) : left;
    else stated += left;
    if (!isQuestion) words += text.match(WORD)?.length ?? 0;
    if (!isQuestion && left > 0) isOwn ||= own || DATED.test(sentence);
  }
  const shown = attachments.some(({ description }) => description.trim() !== '');
  return { stated: shown ? Math.max(stated, 2) : stated, isOwn, asked, words };
}

function countContentWords(
  sentence: string,
  { own, speakers }: { own: boolean; speakers: Speakers },
): number {
  // Between two speakers, the other's name is an address; among more it may be the subject of the sentence.
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

/** A turn that answers a yes-or-no question and so states a fact. */
const ANSWER =
  /^\W*(?:yes|yeah|yep|yup|no|nope|nah|never|always|sometimes|sure|definitely|absolutely|of course|not)\b/i;

/** The gate's verdict on a turn. */
export type Judgement = Exclude<GateVerdict, 'unjudged'>;

/**
 * Keeps the turns with information about the user's world (MemORAI §3.1, C.2). A dropped turn stays stored and
 * searchable, and the segment's summary covers it. With a model, `LlmReader` judges turns while it reads them.
 *
 * The local tier's gate drops turns that are only greeting, thanks, agreement, applause or cheer, and keeps the rest
 * (English; a turn in another language is kept unless it has only one or two words). It judges words, not meaning. In
 * doubt it keeps a turn, because a lost fact costs more than a kept courtesy.
 */
export class LocalGate {
  /**
   * Judges consecutive turns of one session; a reply is judged together with the question before it. One judgement
   * per turn, in order.
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
      if (signal?.aborted) throw new CancelledError('no turn was judged', signal.reason);
      await breather.breathe();
      const said: Said = { turn, speaker: speakerName(turn), talk: readTalk(turn, speakers) };
      judgements.push(isInformative(said.talk) || answers(said, before) ? 'kept' : 'dropped');
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

/** So many words are rarely courtesies alone. */
const LONG_TURN = 20;

/** One content word about somebody else ("Nice bookshelf!") is applause; about oneself ("I quit!") it is news. */
function isInformative({ stated, isOwn, asked, words }: Talk): boolean {
  return stated >= 2 || (stated === 1 && isOwn) || asked > 0 || words >= LONG_TURN;
}

/** Whether it answers the turn before: "Do you play an instrument?" – "Yep!"; "Where do you live?" – "Lisbon." */
function answers({ turn, speaker, talk }: Said, before: Said | null): boolean {
  if (before === null || before.speaker === speaker || before.talk.asked === 0) return false;
  return talk.stated > 0 || ANSWER.test(turn.content);
}
