import { escaped } from '../../util/escaped.ts';

/** What could be read of a text that is not JSON. */
export interface MendedJson {
  /** Undefined if no value begins. */
  readonly value: unknown;
  /** Number of places that were mended without a loss, such as an escape that JSON does not have. */
  readonly mended: number;
  /** The objects and lists of which something is missing. */
  readonly broken: ReadonlySet<object>;
  /** Offset of what could not be read at the end: a text that breaks off, or more text after the value; else null. */
  readonly end: number | null;
}

/** An object or a list that is not closed yet. */
interface Open {
  readonly container: Record<string, unknown> | unknown[];
  key: string;
  /** Of an object in a list: how the next one of the list begins, by its first key. */
  next: string | null;
  hasContent: boolean;
}

type Expected = 'value' | 'key' | 'colon' | 'comma';

const SPACE = /[\s\p{Cc}\ufeff]*/uy;
const PLAIN = /[^"\\]*/y;
const BARE = /[^\s,:{}[\]"]+/y;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  false: false,
  null: null,
  True: true,
  False: false,
  None: null,
  undefined: null,
  NaN: null,
  Infinity: null,
  '-Infinity': null,
};
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  0: '\0',
  a: '\u0007',
};
/** After so many losses the rest is not read. */
const MOST_LOSSES = 10_000;
/** Of so many objects around a broken place the next one of the list is looked for. */
const LEVELS = 8;

/**
 * Reads a text that is not JSON as far as it can. Escapes as C writes them (`\x0B`), control characters, words without
 * quotes, missing values and superfluous commas are mended. Where that is not possible, the object of the list is
 * broken, and reading goes on with the next one, which begins with the same key. Takes linear time.
 */
export function mendJson(text: string): MendedJson {
  return new Mending(text).read();
}

class Mending {
  readonly #text: string;
  readonly #open: Open[] = [];
  readonly #broken = new Set<object>();
  /** The next place where each beginning of an object stands. */
  readonly #places = new Map<string, number>();
  #at = 0;
  #tokenAt = 0;
  #mended = 0;
  #losses = 0;
  #value: unknown;
  #isDone = false;
  #expected: Expected = 'value';

  constructor(text: string) {
    this.#text = text;
  }

  read(): MendedJson {
    while (!this.#isDone) {
      this.#at = this.#skip(SPACE);
      if (this.#at >= this.#text.length) return this.#breakOff(this.#text.length);
      this.#tokenAt = this.#at;
      if (!this.#step() && !this.#goOn()) return this.#breakOff(this.#tokenAt);
    }
    const end = this.#skip(SPACE);
    return this.#result(end < this.#text.length ? end : null);
  }

  #breakOff(end: number): MendedJson {
    for (const { container } of this.#open) this.#broken.add(container);
    return this.#result(end);
  }

  #result(end: number | null): MendedJson {
    return { value: this.#value, mended: this.#mended, broken: this.#broken, end };
  }

  /** False if the text cannot be mended here. */
  #step(): boolean {
    const character = this.#text[this.#at]!;
    const inside = this.#open.at(-1);
    switch (this.#expected) {
      case 'value':
        return this.#takeValue(character, inside);
      case 'key':
        if (character === '}') return this.#close(inside);
        if (character === ',') return this.#mend(1);
        return this.#takeKey(character, inside!);
      case 'colon':
        if (character !== ':') return false;
        this.#at++;
        this.#expected = 'value';
        return true;
      case 'comma':
        return this.#takeComma(character, inside!);
    }
  }

  #takeValue(character: string, inside: Open | undefined): boolean {
    const isList = inside !== undefined && Array.isArray(inside.container);
    if (character === '{' || character === '[') return this.#begin(character === '[', inside);
    if (character === ']' && isList) return this.#close(inside);
    if (character === ',' && isList) return this.#mend(1);
    if (inside !== undefined && !isList && (character === ',' || character === '}')) {
      this.#mend(0);
      return this.#put(null);
    }
    const found = character === '"' ? this.#takeString() : this.#takeBare();
    return found !== undefined && this.#put(found);
  }

  #begin(isList: boolean, inside: Open | undefined): boolean {
    const container = isList ? [] : {};
    this.#put(container);
    const isElement = !isList && inside !== undefined && Array.isArray(inside.container);
    this.#open.push({ container, key: '', next: isElement ? '' : null, hasContent: false });
    this.#expected = isList ? 'value' : 'key';
    this.#at++;
    this.#isDone = false;
    return true;
  }

  #takeKey(character: string, inside: Open): boolean {
    const key = character === '"' ? this.#takeString() : this.#takeBare();
    if (key === undefined) return false;
    inside.key = String(key);
    if (inside.next === '') inside.next = inside.key;
    this.#expected = 'colon';
    return true;
  }

  #takeComma(character: string, inside: Open): boolean {
    const isList = Array.isArray(inside.container);
    if (character === (isList ? ']' : '}')) return this.#close(inside);
    if (character !== ',' && !(isList && character === '{')) return false;
    if (character === ',') this.#at++;
    else this.#mended++;
    this.#expected = isList ? 'value' : 'key';
    return true;
  }

  /** Counts a mended place and skips so many characters. */
  #mend(length: number): boolean {
    this.#mended++;
    this.#at += length;
    return true;
  }

  #put(value: unknown): boolean {
    const inside = this.#open.at(-1);
    if (inside === undefined) {
      this.#value = value;
      this.#isDone = true;
    } else if (Array.isArray(inside.container)) inside.container.push(value);
    else Object.defineProperty(inside.container, inside.key, { ...PLAIN_PROPERTY, value });
    if (inside !== undefined) inside.hasContent = true;
    this.#expected = 'comma';
    return true;
  }

  #close(inside: Open | undefined): boolean {
    if (this.#expected !== 'comma' && inside!.hasContent) this.#mended++; // a comma before the end
    this.#at++;
    this.#open.pop();
    this.#expected = 'comma';
    this.#isDone = this.#open.length === 0;
    return true;
  }

  /** Undefined if it does not end. */
  #takeString(): string | undefined {
    const pieces: string[] = [];
    this.#at++;
    for (;;) {
      const start = this.#at;
      this.#at = this.#skip(PLAIN);
      const plain = this.#text.slice(start, this.#at);
      if (HAS_CONTROL.test(plain)) this.#mended++;
      pieces.push(plain);
      if (this.#at >= this.#text.length) return undefined;
      if (this.#text[this.#at] === '"') {
        this.#at++;
        return pieces.join('');
      }
      pieces.push(this.#takeEscape());
    }
  }

  #takeEscape(): string {
    const [, long, short, letter = ''] = ESCAPE.exec(this.#text.slice(this.#at, this.#at + 6)) ?? [];
    const code = long ?? short;
    this.#at += code === undefined ? 1 + letter.length : 2 + code.length;
    if (short !== undefined || (long === undefined && !JSON_ESCAPES.includes(letter))) this.#mended++;
    return code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16));
  }

  #takeBare(): unknown {
    const end = this.#skip(BARE);
    if (end === this.#at) return undefined;
    const word = this.#text.slice(this.#at, end);
    this.#at = end;
    if (NUMBER.test(word)) return Number(word);
    if (word !== 'true' && word !== 'false' && word !== 'null') this.#mended++;
    return word in WORDS ? WORDS[word] : word;
  }

  #skip(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text) ? pattern.lastIndex : this.#at;
  }

  /** Goes on with the next object of the innermost or of an outer list, whichever comes first; false if there is none. */
  #goOn(): boolean {
    if (++this.#losses > MOST_LOSSES) return false;
    let [found, level] = [Number.POSITIVE_INFINITY, -1];
    for (let at = this.#open.length - 1, tried = 0; at >= 0 && tried < LEVELS; at--) {
      const { next } = this.#open[at]!;
      if (next === null || next === '') continue;
      tried++;
      const place = this.#placeOf(next);
      if (place < found) [found, level] = [place, at];
    }
    if (level < 0) return false;
    for (const { container } of this.#open.splice(level)) this.#broken.add(container);
    this.#at = found;
    this.#expected = 'value';
    return true;
  }

  /** Where the next object that begins with this key stands. */
  #placeOf(key: string): number {
    const known = this.#places.get(key);
    if (known !== undefined && known > this.#tokenAt) return known;
    const pattern = new RegExp(String.raw`\}\s*,\s*(?=\{\s*${escaped(JSON.stringify(key))}\s*:)`, 'g');
    pattern.lastIndex = this.#tokenAt;
    const match = pattern.exec(this.#text);
    const place = match === null ? Number.POSITIVE_INFINITY : pattern.lastIndex;
    this.#places.set(key, place);
    return place;
  }
}

const PLAIN_PROPERTY = { configurable: true, enumerable: true, writable: true };
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids just these within a string
const HAS_CONTROL = /[\u0000-\u001f]/;
const ESCAPE = /^\\(?:u([\da-f]{4})|x([\da-f]{1,2})|(.?))/is;
const JSON_ESCAPES = '"\\/bfnrt';
