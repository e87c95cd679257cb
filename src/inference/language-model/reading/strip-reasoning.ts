const TAG = /<(\/?)(?:think|thinking|reasoning)>/gi;

/**
 * A reply without what the model thought aloud. Some chat templates swallow the opening tag, so that all
 * before a lone closing tag is thought; a thought that never closes runs to the end.
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
