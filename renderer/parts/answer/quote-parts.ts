/** What a citation quotes, in parts. */
export interface QuoteParts {
  readonly words: string;
  /** Of a turn: who said it. */
  readonly who: string | null;
  /** Of a turn, milliseconds since 1970. */
  readonly at: number | null;
}

/** A turn as the context of an answer has it: "Mon 2026-11-23 14:05, Ann: words", in universal time. */
const TURN = /^[\p{L}.]{2,10} (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}), ([^:\n]{1,80}): ([\s\S]+)$/u;
/** "fact: statement (period)", "about: name: summary". */
const KIND = /^(?:fact|about|category): ([\s\S]+)$/;

export function quoteParts(quote: string): QuoteParts {
  const turn = TURN.exec(quote);
  if (turn === null) return { words: KIND.exec(quote)?.[1] ?? quote, who: null, at: null };
  const at = Date.parse(`${turn[1]}T${turn[2]}:00Z`);
  return { words: turn[4]!, who: turn[3]!, at: Number.isNaN(at) ? null : at };
}
