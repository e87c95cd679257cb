import type { ReadTurnWords, WordCount } from '../../../scope-search.ts';

/**
 * The terms of a turn as a `tsvector`. The positions of a lexeme are no places in the text: they are the number of times
 * that statements have the term, and `QUESTIONS` plus the number of times that questions have it. So a turn can be scored
 * as it is in memory, without reading its text again, and no order of words is stored.
 */
const QUESTIONS = 8_192;
/** Positions end at 16,383. */
const MOST = QUESTIONS - 2;

/** A lexeme may take 2,046 bytes, and a `tsvector` 1 MiB; each term costs some bytes more than its letters. */
const LONGEST_TERM = 500;
const MOST_BYTES = 900_000;
const BYTES_PER_TERM = 16;

/** Whether the database can hold a term. The analysis of the project gives no other ones. */
export function isLexeme(term: string): boolean {
  return term.length <= LONGEST_TERM && term.isWellFormed() && !term.includes('\u0000');
}

/** The text of a `tsvector`. Of a turn with some ten thousand different terms, the last ones are left out. */
export function wordVector({ statements, questions }: ReturnType<ReadTurnWords>): string {
  const parts: string[] = [];
  let bytes = 0;
  for (const term of new Set([...statements.keys(), ...questions.keys()])) {
    if (!isLexeme(term)) continue;
    bytes += Buffer.byteLength(term) + BYTES_PER_TERM;
    if (bytes > MOST_BYTES) break;
    const [said, asked] = [statements.get(term) ?? 0, questions.get(term) ?? 0];
    const counts = [
      ...(said > 0 ? [Math.min(said, MOST)] : []),
      ...(asked > 0 ? [QUESTIONS + Math.min(asked, MOST)] : []),
    ];
    parts.push(`${quotedLexeme(term)}:${counts.join(',')}`);
  }
  return parts.join(' ');
}

/** The counts of a term, from the positions of its lexeme. */
export function readCounts(positions: readonly number[]): Omit<WordCount, 'term'> {
  let [statements, questions] = [0, 0];
  for (const position of positions)
    if (position > QUESTIONS) questions = position - QUESTIONS;
    else statements = position;
  return { statements, questions };
}

/** The text of a `tsquery` for turns with one of the terms. */
export function anyOf(terms: readonly string[]): string {
  return terms.map((term) => quotedLexeme(term)).join(' | ');
}

/** The text of a `tsquery` for turns with all of the terms. */
export function allOf(terms: readonly string[]): string {
  return terms.map(quotedLexeme).join(' & ');
}

function quotedLexeme(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
