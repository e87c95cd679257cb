import type { ReadSegment } from './read-segment.ts';

/** After a word like these a name is part of the sentence, not a call. */
const BEFORE_NAME =
  /\b(?:about|and|asked|by|for|from|invited|met|of|or|saw|see|than|that|to|told|visit|visited|with)\s+$/i;
/** "Ann's birthday", "Ann got married", "Ann is here". */
const AFTER_NAME =
  /^(?:'s\b|\s+(?:and|also|always|can|could|did|does|got|had|has|is|just|made|said|says|told|took|wants|was|went|will|would|[a-z]{3,}ed)\b)/;

/**
 * Whether another speaker talks of this one. Between two, a name calls the listener: nobody is talked about. Among
 * more, a name that only calls ("Thanks, Ann!") says nothing of the topic either.
 */
export function isTalkedAbout(speaker: string, { speakers, read }: ReadSegment): boolean {
  if (speakers.names.length < 3) return false;
  return read.some((turn) => turn.speaker !== speaker && namesInPassing(turn.text, speaker, speakers.called));
}

function namesInPassing(text: string, speaker: string, called: (word: string) => string | null): boolean {
  for (const match of text.matchAll(/\p{Lu}[\p{L}\p{M}]*/gu)) {
    if (called(match[0]) !== speaker) continue;
    const [before, after] = [
      text.slice(Math.max(0, match.index - 12), match.index),
      match.index + match[0].length,
    ];
    if (BEFORE_NAME.test(before) || AFTER_NAME.test(text.slice(after, after + 12))) return true;
  }
  return false;
}
