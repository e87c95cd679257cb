import type { Span } from './secret-rule.ts';

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** Lines of Base64, line breaks written as \n among them, and a shorter last one. */
const BODY = /(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})*(?:(?:\s|\\[nr])*[A-Za-z0-9+/]{1,15}={1,2})?/y;

/** PEM and PGP blocks; one whose end is missing goes as far as its Base64 does. */
export function* findPrivateKeys(text: string): Generator<Span> {
  const [begin, end] = [new RegExp(BEGIN), new RegExp(END)];
  let hasEnd = true;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    end.lastIndex = begin.lastIndex;
    // Once there is no end, none is looked for again: the time stays linear.
    const closed: RegExpExecArray | null = hasEnd ? end.exec(text) : null;
    hasEnd = closed !== null;
    const until = closed === null ? endOfBody(text, begin.lastIndex) : end.lastIndex;
    yield { start: match.index, end: until };
    begin.lastIndex = until;
  }
}

function endOfBody(text: string, from: number): number {
  const body = new RegExp(BODY);
  body.lastIndex = from;
  body.exec(text);
  return Math.max(from, body.lastIndex);
}
