import type { RetrievedEpisode } from '../model/retrieved-item.ts';

/** No evidence for or against the premise. */
export const NEUTRAL = 0.5;
/** Number of turns per side that count: a single one may match by chance. */
const BEST_TURNS = 3;

/** The speakers that a question is about, the others, and turns that match it, whoever says them. */
interface PremiseEvidence extends Sides {
  /** The best matches of the question without its names, so that no speaker is preferred. */
  readonly turns: readonly RetrievedEpisode[];
  /** Weights of the lists of the search, by name. */
  readonly lists: Readonly<Record<string, number>>;
}

/**
 * Whether the best matches are about the speakers in the question (near 1) or about others (near 0): their share of the
 * scores. For "What did Ann adopt?", Bob's "I adopted a cat" matches as well as Ann's own words, but then the premise
 * is wrong (LoCoMo's category 5; MemORAI's "verify the premise first").
 */
export function premiseAgreement({ turns, lists, ...sides }: PremiseEvidence): number {
  const shares = turns.map((turn) => shareOf(sides, turn));
  const parts = Object.entries(lists).flatMap(([list, weight]) => {
    const scores = turns.map(({ why }) =>
      Math.max(0, ...why.filter((vote) => vote.list === list).map(({ score }) => score)),
    );
    const own = sumOfBest(scores.map((score, at) => score * shares[at]!));
    const others = sumOfBest(scores.map((score, at) => score * (1 - shares[at]!)));
    return own + others > 0 ? [{ weight, share: own / (own + others) }] : [];
  });
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  return total === 0 ? NEUTRAL : parts.reduce((sum, { weight, share }) => sum + weight * share, 0) / total;
}

function sumOfBest(scores: readonly number[]): number {
  return scores
    .toSorted((a, b) => b - a)
    .slice(0, BEST_TURNS)
    .reduce((sum, score) => sum + score, 0);
}

/** The parts of a turn that show whom it is about. */
interface SpokenTurn {
  readonly speaker: string;
  readonly content: string;
}

/** Names of speakers: those in the question, and the rest. */
export interface Sides {
  readonly asked: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

const FIRST_PERSON = /\b(?:i|me|my|mine|myself|we|us|our|ours)\b/i;
const SECOND_PERSON = /\b(?:you|your|yours|yourself)\b/i;
/** Text before a name that addresses somebody: "Thanks, Ann". */
const CALLS = /(?:\b(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|oh|bye|congrats)|[,!?.…–—-])\s*$/i;
/** Text after a name that is a topic of the sentence: a possessive ending, or a word of the same clause. */
const IS_TOPIC = /^(?:['’]s\b|\s+\p{L})/u;

/**
 * How far a turn is about the speakers in the question, from 0 to 1. "I" refers to the speaker, "you" half to the
 * listener, and a name in mid-sentence to its bearer, or half if "I" occurs too.
 */
export function shareOf({ asked, others }: Sides, { speaker, content }: SpokenTurn): number {
  const isOwn = asked.has(speaker);
  const isOfSpeaker = FIRST_PERSON.test(content);
  if ([...(isOwn ? others : asked)].some((name) => isAboutName(name, content)))
    return isOfSpeaker ? 0.5 : isOwn ? 0 : 1;
  const ofSpeaker = isOfSpeaker || !SECOND_PERSON.test(content) ? 1 : 0.5;
  return isOwn ? ofSpeaker : 1 - ofSpeaker;
}

/** Whether a text is about a named person, rather than addressed to them: "Ann’s flat", but not "Thanks, Ann!" */
export function isAboutName(name: string, text: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + name.length)];
    const isWord = !/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after);
    if (isWord && IS_TOPIC.test(after) && !(CALLS.test(before) && !/^['’]s\b/.test(after))) return true;
  }
  return false;
}
