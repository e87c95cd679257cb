const TAG = /<(\/?)(?:think|thinking|reasoning)>/gi;

/**
 * A reply without the model's reasoning. Some chat templates omit the opening tag, so that all text before a
 * lone closing tag is reasoning; reasoning that never closes extends to the end.
 */
export function stripReasoning(text: string): string {
  let answer = '';
  let thinking = false;
  let from = 0;
  for (const tag of text.matchAll(TAG)) {
    const closes = tag[1] === '/';
    if (!thinking) answer = closes ? '' : answer + text.slice(from, tag.index);
    thinking = !closes;
    from = tag.index + tag[0].length;
  }
  return (thinking ? answer : answer + text.slice(from)).trim();
}

const OPENERS = ['<think>', '<thinking>', '<reasoning>'];
const CLOSER = /<\/(?:think|thinking|reasoning)>\s*/i;

/** Removes the reasoning before the answer from a stream. */
export class ThoughtFilter {
  #held = '';
  #answering = false;

  /** The part of the answer in this piece and in pieces that were held back. */
  filter(piece: string): string {
    if (this.#answering) return piece;
    this.#held += piece;
    const start = startOfAnswer(this.#held);
    if (start === null) return '';
    this.#answering = true;
    return this.#held.slice(start);
  }
}

/** Null while it is not known yet. */
function startOfAnswer(text: string): number | null {
  const start = text.trimStart().toLowerCase();
  if (!OPENERS.some((opener) => opener.startsWith(start) || start.startsWith(opener))) return 0;
  const closer = CLOSER.exec(text);
  if (closer === null) return null;
  const end = closer.index + closer[0].length;
  // More white space may follow.
  return end === text.length ? null : end;
}
