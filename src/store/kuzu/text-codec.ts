/**
 * How texts become database strings. Kùzu turns a lone surrogate into U+FFFD, and it rewrites a whole group of
 * 131,072 strings at every checkpoint, in its buffer pool: rows of several kilobytes make checkpoints fail with
 * "buffer pool is full". So odd texts are escaped, and long ones are cut into pieces that are rows of their own.
 */
const MARK = '\u0000';
const NULL = `${MARK}n`;
const ESCAPED = `${MARK}j`;
const CUT = `${MARK}p`;

/** Bytes of UTF-8 that a column or a piece holds at most: 131,072 of them stay under 132 MB. */
export const PIECE_BYTES = 1000;

export function encodeName(text: string | null): string {
  if (text === null) return NULL;
  return text.startsWith(MARK) || /\p{Surrogate}/u.test(text) ? ESCAPED + JSON.stringify(text) : text;
}

export function decodeName(stored: string): string | null {
  if (stored === NULL) return null;
  // Not a boundary: only `encodeName` writes this mark.
  return stored.startsWith(ESCAPED) ? String(JSON.parse(stored.slice(ESCAPED.length))) : stored;
}

export interface EncodedText {
  readonly inline: string;
  readonly pieces: readonly string[];
}

export function encodeText(text: string): EncodedText {
  const whole = encodeName(text);
  // A UTF-16 unit is at most three bytes, so most texts need no count.
  if (whole.length * 3 <= PIECE_BYTES || Buffer.byteLength(whole) <= PIECE_BYTES)
    return { inline: whole, pieces: [] };
  const pieces = cut(whole);
  return { inline: CUT + pieces.length, pieces };
}

/** Into how many pieces the text of this column was cut; 0 when the column holds it. */
export function pieceCount(inline: string): number {
  return inline.startsWith(CUT) ? Number(inline.slice(CUT.length)) : 0;
}

export function decodeText(inline: string, pieces: readonly string[]): string {
  return decodeName(inline.startsWith(CUT) ? pieces.join('') : inline) ?? '';
}

function cut(text: string): string[] {
  const bytes = Buffer.from(text);
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    let end = Math.min(start + PIECE_BYTES, bytes.length);
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end -= 1; // never inside a character
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}
