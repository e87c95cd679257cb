import type { AnswerCitation, Evidence } from './state.ts';

const MARK = /[ \t]*\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]/g;

/**
 * What a model said, with the sources that it cited numbered from 1 in the order of the text. Numbers of no source are
 * dropped: an answer must not seem to rest on what is not there.
 */
export function readChatReply(
  reply: string,
  evidence: readonly Evidence[],
): { readonly answer: string; readonly citations: AnswerCitation[] } {
  const cited: number[] = [];
  const answer = reply.replace(MARK, (_, numbers: string) =>
    numbers
      .split(/[,;]/)
      .map(Number)
      .filter((number) => evidence[number - 1] !== undefined)
      .map((number) => {
        if (!cited.includes(number)) cited.push(number);
        return ` [${cited.indexOf(number) + 1}]`;
      })
      .join(''),
  );
  const citations = cited.map((number, at) => {
    const { id, line, sources } = evidence[number - 1]!;
    return { number: at + 1, id, quote: line, sources };
  });
  return { answer: answer.trim(), citations };
}
