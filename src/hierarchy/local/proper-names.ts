/** What a name is about. */
export interface Subject {
  readonly term: string;
  /** As it is written here. */
  readonly surface: string;
}

/** Two or more words with capitals in a row, of which one at least is no acronym. */
export function nameAt(words: readonly string[], start: number): Subject | null {
  let end = start;
  while (end < words.length && isCapital(words[end]!)) end++;
  if (end - start < 2) return null;
  const run = words.slice(/^(?:The|A|An)$/.test(words[start]!) ? start + 1 : start, end);
  if (run.length < 2 || run.every(isAcronym)) return null;
  const surface = words.slice(start, end).join(' ');
  return { term: surface.toLowerCase(), surface };
}

export function looksProper(words: readonly string[]): boolean {
  return words.every(
    (word) =>
      /^(?:of|the|a|an|to|de|la|van|von|der|and|in|on|for|&)$/.test(word) || /^[\p{Lu}\p{N}]/u.test(word),
  );
}

export function isAcronym(word: string): boolean {
  return word.length > 1 && /^\p{Lu}[\p{Lu}\p{N}&+]+$/u.test(word);
}

function isCapital(word: string): boolean {
  const [first = ''] = word;
  return first !== first.toLowerCase();
}

export function isSpelledOut(word: string): boolean {
  return !isAcronym(word) && /^\p{L}[\p{L}'’.-]*$/u.test(word);
}
