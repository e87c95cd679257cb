export interface MarkedPart {
  /** Its position. */
  readonly at: number;
  readonly part: string;
  readonly isMatch: boolean;
}

const [START, END] = ['\u0001', '\u0002'];

/** Splits at the marks: U+0001 begins a match and U+0002 ends it. Marks without a partner are left out. */
export function markedParts(text: string): readonly MarkedPart[] {
  const parts: MarkedPart[] = [];
  let isMatch = false;
  let part = '';
  const end = (at: number) => {
    if (part !== '') parts.push({ at, part, isMatch });
    part = '';
  };
  for (const [at, character] of [...text].entries()) {
    if (character !== START && character !== END) {
      part += character;
      continue;
    }
    end(at);
    isMatch = character === START;
  }
  end(text.length);
  return parts;
}

/** No engine compiles a pattern of a hundred thousand characters; in characters. */
const LONGEST_WORD = 200;

/** Puts marks around each occurrence of the words of a query, whatever their case. */
export function markWords(text: string, query: string): string {
  const words = wordsOf(query).filter((word) => word.length <= LONGEST_WORD);
  if (words.length === 0) return text;
  const pattern = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('|');
  return text.replace(new RegExp(pattern, 'giu'), `${START}$&${END}`);
}

/** A message as plain text, for a line that shows a part of it: emphasis, code and headings lose their Markdown marks. */
export function withoutMarkup(text: string): string {
  return text.replace(/\*\*|__|`+/g, '').replace(/^\s*#{1,6}\s+/gm, '');
}

/** Whether the text contains every word of the query. */
export function hasWords(text: string, query: string): boolean {
  const lower = text.toLowerCase();
  return wordsOf(query).every((word) => lower.includes(word));
}

const wordsOf = (query: string): readonly string[] => query.toLowerCase().split(/\s+/).filter(Boolean);
