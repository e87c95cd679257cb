/** A word; in scripts without spaces, a character. */
const TOKEN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+/gu;
/** Words of a passage that is said again and again. */
const LONGEST_PERIOD = 120;
/** A passage is a loop if so many words follow that repeat it, and it was said four times. */
const FEWEST_REPEATED = 24;
const MOST_TIMES = 4;
const HAS_LETTER = /\p{L}/u;
/** Of signs without a word, such as line breaks or a rule. */
const LONGEST_SIGNS = 12;
const FEWEST_SIGNS = 400;
const IS_OF_SIGNS = /^[^\p{L}\p{N}]+$/u;

interface Token {
  readonly word: string;
  readonly start: number;
}

/** Cuts a text that says the same passage again and again, while it is written, where the first repetition begins. */
export class RepetitionFilter {
  readonly #tokens: Token[] = [];
  /** By the length of a passage: how many of the last words are those that stood a passage before them. */
  readonly #same = new Int32Array(LONGEST_PERIOD + 1);
  /** By the length of a group of signs, likewise. */
  readonly #sameSigns = new Int32Array(LONGEST_SIGNS + 1);
  #text = '';
  /** Up to here the text is read as words. */
  #read = 0;
  #shown = 0;
  #cutAt: number | null = null;

  /** Whether the text was cut. */
  get isLoop(): boolean {
    return this.#cutAt !== null;
  }

  /** Takes the next piece and returns the text that is certain to stay. */
  add(piece: string): string {
    if (this.#cutAt !== null) return '';
    this.#text += piece;
    this.#readSigns(this.#text.length - piece.length);
    this.#readWords(lastWordStart(this.#text, this.#read));
    return this.#showTo(this.#cutAt ?? this.#certain());
  }

  /** What is left at the end of the text. */
  end(): string {
    if (this.#cutAt === null) this.#readWords(this.#text.length);
    return this.#showTo(this.#cutAt ?? this.#text.length);
  }

  #readSigns(from: number): void {
    for (let at = from; at < this.#text.length && this.#cutAt === null; at++)
      for (let period = 1; period <= Math.min(at, LONGEST_SIGNS); period++) {
        if (this.#text[at - period] !== this.#text[at]) {
          this.#sameSigns[period] = 0;
          continue;
        }
        const same = ++this.#sameSigns[period]!;
        if (same < FEWEST_SIGNS || !IS_OF_SIGNS.test(this.#text.slice(at - period, at))) continue;
        this.#cutAt = at + 1 - same;
        return;
      }
  }

  #readWords(until: number): void {
    if (this.#cutAt !== null) return;
    TOKEN.lastIndex = 0;
    for (const { 0: raw, index } of this.#text.slice(this.#read, until).matchAll(TOKEN)) {
      this.#take({ word: raw.toLowerCase(), start: this.#read + index });
      if (this.#cutAt !== null) return;
    }
    this.#read = Math.max(this.#read, until);
  }

  #take(token: Token): void {
    const at = this.#tokens.push(token) - 1;
    for (let period = 1; period <= Math.min(at, LONGEST_PERIOD); period++) {
      if (this.#tokens[at - period]!.word !== token.word) {
        this.#same[period] = 0;
        continue;
      }
      const same = ++this.#same[period]!;
      if (same < Math.max(FEWEST_REPEATED, (MOST_TIMES - 1) * period)) continue;
      const first = at + 1 - same;
      // Rows of numbers repeat without being a loop.
      if (!this.#tokens.slice(first, first + period).some(({ word }) => HAS_LETTER.test(word))) continue;
      this.#cutAt = this.#tokens[first]!.start;
      return;
    }
  }

  /** Where the words begin that may repeat what stands before them. */
  #certain(): number {
    const most = this.#same.reduce((longest, same) => Math.max(longest, same), 0);
    const certain = most === 0 ? this.#read : this.#tokens[this.#tokens.length - most]!.start;
    return Math.min(certain, this.#text.length - this.#signs());
  }

  /** How many characters at the end repeat a group of signs. */
  #signs(): number {
    const runs = this.#sameSigns.map((same, period) =>
      same > 0 && IS_OF_SIGNS.test(this.#text.slice(-period)) ? same : 0,
    );
    return Math.max(...runs);
  }

  #showTo(end: number): string {
    const from = this.#shown;
    this.#shown = Math.max(from, end);
    return this.#text.slice(from, this.#shown);
  }
}

/** The last word of what is unread may go on in the next piece. */
function lastWordStart(text: string, from: number): number {
  const tail = /[\p{L}\p{N}\p{M}]+$/u.exec(text.slice(Math.max(from, text.length - 200)));
  return tail === null ? text.length : text.length - tail[0].length;
}
