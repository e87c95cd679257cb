import type { RetrievedEpisode } from '../model/retrieved-item.ts';

/** Evidence neither for nor against what the question takes for granted. */
export const NEUTRAL = 0.5;
/** So many turns of each side are heard: one may match by chance. */
const BEST_TURNS = 3;

/** What a question takes for granted of whom, and turns that match it whoever says them. */
interface PremiseEvidence extends Sides {
  /** The best matches of the question without its names; no speaker is preferred. */
  readonly turns: readonly RetrievedEpisode[];
  /** How much each list of the search counts, by its name. */
  readonly lists: Readonly<Record<string, number>>;
}

/**
 * Whether memory tells what is asked of those who are asked about (near 1) or of somebody else (near 0): their share
 * of the best matches. "What did Ann adopt?" is answered by Bob's "I adopted a cat" as well as by her own, but then
 * its premise is wrong (LoCoMo's category 5; MemORAI's "verify the premise first").
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

/** What is read of a turn to know whom it tells of. */
interface SpokenTurn {
  readonly speaker: string;
  readonly content: string;
}

/** Names of speakers: those whom a question names, and the rest. */
interface Sides {
  readonly asked: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

const FIRST_PERSON = /\b(?:i|me|my|mine|myself|we|us|our|ours)\b/i;
const SECOND_PERSON = /\b(?:you|your|yours|yourself)\b/i;
/** What stands before a name that is called, not told of. */
const CALLS = /(?:\b(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|no|oh|bye|congrats)|[,!?.…–—-])\s*$/i;
/** What stands after a name that is told of: a possessive ending, or a word of the same clause. */
const TELLS_ON = /^(?:['’]s\b|\s+\p{L})/u;

/**
 * How much of a turn tells of the people who are asked about, from 0 to 1: "I" tells of who speaks, "you" half of who
 * is spoken to, and a name in mid-sentence of who bears it, or half where "I" stands beside it.
 */
export function shareOf({ asked, others }: Sides, { speaker, content }: SpokenTurn): number {
  const isOwn = asked.has(speaker);
  const isOfSpeaker = FIRST_PERSON.test(content);
  if ([...(isOwn ? others : asked)].some((name) => tellsOf(name, content)))
    return isOfSpeaker ? 0.5 : isOwn ? 0 : 1;
  const ofSpeaker = isOfSpeaker || !SECOND_PERSON.test(content) ? 1 : 0.5;
  return isOwn ? ofSpeaker : 1 - ofSpeaker;
}

/** Whether a text speaks of somebody by name, rather than to them: "Ann’s flat", but not "Thanks, Ann!" */
export function tellsOf(name: string, text: string): boolean {
  if (name === '') return false;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.slice(0, at), text.slice(at + name.length)];
    const isWord = !/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after);
    if (isWord && TELLS_ON.test(after) && !(CALLS.test(before) && !/^['’]s\b/.test(after))) return true;
  }
  return false;
}
