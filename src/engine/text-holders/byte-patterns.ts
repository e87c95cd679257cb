/** Shorter texts are searched whole: half of one says too little. */
const FEWEST_TO_CUT = 48;
/** Parts of longer texts: the database keeps texts in pieces of 1,000 bytes, and in each is one such part whole. */
const LONGEST_PART = 400;
/** Bytes by which patterns are looked up. */
const KEY_BYTES = 4;
const KEYS = 65_536;

interface Pattern {
  readonly text: number;
  readonly bytes: Buffer;
}

/** Texts as a file may hold them, to be searched in one pass however many they are. */
export class BytePatterns {
  readonly #byKey = new Map<number, Pattern[]>();
  readonly #short: Pattern[] = [];
  readonly #keys = new Uint8Array(KEYS);
  /** Of the longest one: so much of one part of a file must be searched again with the next. */
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

  /** The texts found, with where each match begins. */
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

/** As UTF-8 and as JSON writes it, which is also how the database keeps what is no proper text. */
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
