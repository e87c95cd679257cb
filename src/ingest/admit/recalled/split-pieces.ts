/** Part of a line: from `start` up to, not with, `end`. */
export interface Piece {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a line may be parted: around "[photo: …]", after a citation number, after a sentence. Runs are matched from
 * their first character only, so the time is linear.
 */
const PARTING =
  /\[\p{L}[\p{L} -]{0,39}: [^[\]]{0,2000}\]|\[\d{1,3}\]|\s(?=\[\p{L}[\p{L} -]{0,39}: )|(?<![.!?…])[.!?…]+["'”’»)*_]{0,5}(?=\s)|[。！？]+[」』”’]{0,3}/gu;
const ABBREVIATION =
  /(?:(?<![\p{L}\p{N}])(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t|Mt|vs|etc|[Ii]nc|[Ll]td|Co|[Jj]r|[Ss]r|e\.g|i\.e|[AaPp]\.[Mm]|U\.S|approx)|(?<![\p{L}\p{N}'’])(?!I)\p{Lu})\.$/u;

/** The sentences, citations and attachments of a line, in order; together they are the line. */
export function splitPieces(line: string, options: { readonly abbreviations: boolean }): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  const cut = (end: number): void => {
    if (end > start) pieces.push({ start, end });
    start = Math.max(start, end);
  };
  for (const { index, 0: mark } of line.matchAll(PARTING)) {
    const end = index + mark.length;
    if (options.abbreviations && mark === '.' && isAbbreviation(line, end)) continue;
    if (mark.startsWith('[')) cut(index);
    cut(end);
  }
  cut(line.length);
  return pieces;
}

function isAbbreviation(line: string, end: number): boolean {
  return ABBREVIATION.test(line.slice(Math.max(0, end - 8), end));
}
