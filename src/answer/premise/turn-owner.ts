/** What is read of a turn to know whom it tells of. */
export interface SpokenTurn {
  readonly speaker: string;
  readonly content: string;
}

/** Names of speakers: those whom a question names, and the rest. */
export interface Sides {
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
