/** Texts are indexed by their first characters: the longest of these lengths that the text has. */
const KEY_LENGTHS = [16, 4] as const;
const KEYS = 65_536;
/** A shorter text must match whole words: "Ann" does not match in "planning". */
const FEWEST_ANYWHERE = 12;
const WORD = /[\p{L}\p{N}]/u;
/** Scripts that set no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Searches strings for many texts at once, in one pass per string. */
export class TextPatterns {
  readonly #texts: readonly string[];
  readonly #byKey = KEY_LENGTHS.map((length) => ({
    length,
    seen: new Uint8Array(KEYS),
    texts: new Map<number, number[]>(),
  }));
  readonly #short: number[] = [];

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    for (const [at, text] of texts.entries()) this.#add(at, text);
  }

  /** Positions of the texts that occur in the string, without duplicates. */
  foundIn(haystack: string): ReadonlySet<number> {
    const found = new Set<number>();
    for (const at of this.#short) if (this.#isIn(haystack, at)) found.add(at);
    for (const { length, seen, texts } of this.#byKey) {
      if (texts.size === 0) continue;
      if (haystack.length < length) continue;
      const weight = powerOf31(length - 1);
      let key = keyAt(haystack, 0, length);
      for (let start = 0; start + length <= haystack.length; start++) {
        if (start > 0) {
          const rest = key - Math.imul(haystack.charCodeAt(start - 1), weight);
          key = (Math.imul(rest, 31) + haystack.charCodeAt(start + length - 1)) >>> 0;
        }
        if (seen[key % KEYS] === 0) continue;
        for (const at of texts.get(key) ?? [])
          if (!found.has(at) && this.#isAt(haystack, at, start)) found.add(at);
      }
    }
    return found;
  }

  #add(at: number, text: string): void {
    const keyed = this.#byKey.find(({ length }) => text.length >= length);
    if (keyed === undefined) {
      this.#short.push(at);
      return;
    }
    const key = keyAt(text, 0, keyed.length);
    keyed.seen[key % KEYS] = 1;
    const known = keyed.texts.get(key);
    if (known === undefined) keyed.texts.set(key, [at]);
    else known.push(at);
  }

  #isIn(haystack: string, at: number): boolean {
    const text = this.#texts[at]!;
    for (let start = haystack.indexOf(text); start >= 0; start = haystack.indexOf(text, start + 1))
      if (this.#isAt(haystack, at, start)) return true;
    return false;
  }

  #isAt(haystack: string, at: number, start: number): boolean {
    const text = this.#texts[at]!;
    if (!haystack.startsWith(text, start)) return false;
    return text.length >= FEWEST_ANYWHERE || isWhole(haystack, start, start + text.length);
  }
}

function keyAt(text: string, start: number, length: number): number {
  let key = 0;
  for (let at = start; at < start + length; at++) key = (Math.imul(key, 31) + text.charCodeAt(at)) >>> 0;
  return key;
}

function powerOf31(exponent: number): number {
  let power = 1;
  for (let at = 0; at < exponent; at++) power = Math.imul(power, 31);
  return power;
}

function isWhole(text: string, start: number, end: number): boolean {
  return !isInside(text[start - 1], text[start]) && !isInside(text[end - 1], text[end]);
}

function isInside(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return [before, after].every((sign) => WORD.test(sign) && !UNSPACED.test(sign));
}

/** Shorter texts are searched whole, since half of one would match too much. */
const FEWEST_TO_CUT = 48;
/**
 * Length of the parts of longer texts: the database stores text in pieces of 1,000 bytes, and each such piece contains
 * a whole part.
 */
const LONGEST_PART = 400;
/** Patterns are indexed by their first bytes: how many. */
const KEY_BYTES = 4;
const BYTE_KEYS = 65_536;

interface Pattern {
  readonly text: number;
  readonly bytes: Buffer;
}

/** Searches bytes of a file for many texts at once, in one pass. */
export class BytePatterns {
  readonly #byKey = new Map<number, Pattern[]>();
  readonly #short: Pattern[] = [];
  readonly #keys = new Uint8Array(BYTE_KEYS);
  /** Length of the longest pattern in bytes: consecutive chunks of a file must overlap by this much. */
  readonly longest: number;

  constructor(texts: readonly string[]) {
    let longest = 0;
    for (const [text, wanted] of texts.entries())
      for (const bytes of partsOf(wanted)) {
        longest = Math.max(longest, bytes.length);
        this.#add({ text, bytes });
      }
    this.longest = longest;
  }

  /** The texts found, with the offset of each match. */
  *search(bytes: Buffer): Iterable<{ readonly text: number; readonly at: number }> {
    for (const { text, bytes: wanted } of this.#short)
      for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) yield { text, at };
    const keys = this.#keys;
    let key = 0;
    for (let end = 0; end < bytes.length; end++) {
      key = (key << 8) | bytes[end]!;
      if (keys[hashOf(key)] === 0) continue;
      const at = end - KEY_BYTES + 1;
      for (const { text, bytes: wanted } of this.#byKey.get(key) ?? [])
        if (at >= 0 && bytes.subarray(at, at + wanted.length).equals(wanted)) yield { text, at };
    }
  }

  #add(pattern: Pattern): void {
    const { bytes } = pattern;
    if (bytes.length < KEY_BYTES) {
      this.#short.push(pattern);
      return;
    }
    const key = bytes.readInt32BE(0);
    this.#keys[hashOf(key)] = 1;
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, [pattern]);
    else known.push(pattern);
  }
}

function hashOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 16;
}

/** In UTF-8 and as JSON escapes it, which is also how the database stores text that is not well formed. */
function partsOf(text: string): Buffer[] {
  const forms = new Set([text, JSON.stringify(text).slice(1, -1)]);
  return [...forms].flatMap((form) => cut(Buffer.from(form)));
}

function cut(bytes: Buffer): Buffer[] {
  if (bytes.length < FEWEST_TO_CUT) return [bytes];
  const size = Math.ceil(bytes.length / Math.max(2, Math.ceil(bytes.length / LONGEST_PART)));
  const parts: Buffer[] = [];
  for (let start = 0; start + size / 2 < bytes.length; start += size)
    parts.push(bytes.subarray(start, start + size));
  return parts;
}
