import type { Episode } from '../../model/nodes.ts';
import { atOnce, type Breather, gradually, type Steps } from '../../util/breathe.ts';
import { isAbbreviation, type Span } from '../../util/sentences.ts';

const EMPTY = -1;
const LEAST_CAPACITY = 64;

/**
 * The place of a row in the order in which rows were stored. Ids order the rows of one millisecond, so that neither the
 * clock nor the division of turns into calls decides what came first.
 */
export type StoredPlace = Pick<Episode, 'createdAt'> & { readonly id: string };

/** Behind every row. */
export const AFTER_ALL: StoredPlace = { createdAt: Number.POSITIVE_INFINITY, id: '' };

/**
 * A hash table with open addressing from whole numbers (0 or greater) to their earliest place: 24 bytes per slot, at
 * most two thirds full.
 */
export class HashPlaces {
  #keys = new Float64Array(LEAST_CAPACITY).fill(EMPTY);
  #times = new Float64Array(LEAST_CAPACITY);
  #ids: string[] = [];
  #size = 0;

  /** Number of distinct keys. */
  get size(): number {
    return this.#size;
  }

  /** Whether the key was added with a place before this one. */
  isBefore(key: number, place: StoredPlace): boolean {
    const slot = this.#slotOf(key);
    return this.#keys[slot] !== EMPTY && this.#isEarlier(slot, place);
  }

  add(key: number, place: StoredPlace): void {
    if ((this.#size + 1) * 3 > this.#keys.length * 2) this.#grow();
    const slot = this.#slotOf(key);
    const isNew = this.#keys[slot] === EMPTY;
    if (isNew) this.#size += 1;
    else if (this.#isEarlier(slot, place)) return;
    this.#keys[slot] = key;
    this.#times[slot] = place.createdAt;
    this.#ids[slot] = place.id;
  }

  #isEarlier(slot: number, { createdAt, id }: StoredPlace): boolean {
    const time = this.#times[slot]!;
    return time < createdAt || (time === createdAt && this.#ids[slot]! < id);
  }

  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = (key % 0x1_0000_0000) & mask;
    while (this.#keys[slot] !== EMPTY && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, times, ids] = [this.#keys, this.#times, this.#ids];
    this.#keys = new Float64Array(2 * keys.length).fill(EMPTY);
    this.#times = new Float64Array(2 * keys.length);
    this.#ids = [];
    this.#size = 0;
    for (const [at, key] of keys.entries())
      if (key !== EMPTY) this.add(key, { createdAt: times[at]!, id: ids[at]! });
  }
}

const TWO_32 = 0x1_0000_0000;

/**
 * A 52-bit hash of a sequence of words, from two 32-bit lanes with different multipliers (MurmurHash3's finish). With
 * a million texts in the table, the chance that another text collides with one of them is one in four thousand
 * million.
 */
export function hashWords(words: Iterable<string>, seed: number): number {
  const hash = new WordHash(seed);
  for (const word of words) hash.add(word);
  return hash.value;
}

/** The hash of the words so far. */
class WordHash {
  #low: number;
  #high: number;

  constructor(seed: number) {
    this.#low = 0x9e3779b9 ^ seed;
    this.#high = 0x85ebca6b ^ Math.imul(seed, 0x61c88647);
  }

  add(word: string): void {
    let [low, high] = [this.#low, this.#high];
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x5bd1e995) ^ (high >>> 15);
    }
    this.#low = Math.imul(low ^ 0x20, 0x01000193);
    this.#high = Math.imul(high ^ 0x20, 0x5bd1e995) ^ (high >>> 15);
  }

  get value(): number {
    const low = finish(this.#low ^ (this.#high >>> 7));
    const high = finish(this.#high ^ Math.imul(low, 0x9e3779b1));
    return (high >>> 12) * TWO_32 + low;
  }
}

function finish(lane: number): number {
  let mixed = lane;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const PLAIN_ASCII = /^[\0-\x7f]*$/;
/** Normalization takes more than linear time for long runs of marks; no script uses such runs. */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;
/** Two ligatures that normalization expands to 18 and 8 characters. */
const LONG_LIGATURES = /([\ufdfa\ufdfb])[\s\ufdfa\ufdfb]+/g;
const APOSTROPHES = /[\u2018\u2019\u02bc`´]/g;
/** Zero-width characters, soft hyphens and the like, which can hide a word from a search. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Folds a text for comparison: ignores case, width, ligatures, composition, invisible characters and kinds of
 * apostrophe.
 */
export function foldText(text: string): string {
  if (PLAIN_ASCII.test(text)) return text.toLowerCase().replaceAll('`', "'");
  return text
    .replace(TOO_MANY_MARKS, '$1')
    .replace(LONG_LIGATURES, '$1 ')
    .replace(APOSTROPHES, "'")
    .replace(UNSEEN, '')
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFC');
}

export const CITATION = /\[\d{1,3}\]/g;
const DAY_OR_MONTH = String.raw`(?:\d{1,2}(?:[–-]\d{1,2})? )?(?:\p{L}{3,9} )?`;
const SPAN_OF_TIME = String.raw`(?:${DAY_OR_MONTH}(?:\d{4} )?[–-] ?)?${DAY_OR_MONTH}\d{4}s?`;
/**
 * Times that memory adds in brackets to what was said, and the end of such a bracket before what held earlier:
 * "(18 April 2026)", "(week of 12 January 2026)", "(said on 5 May 2026)", "(2026-01-01 to 2026-05-02)",
 * "(since 2 May 2026; before: ".
 */
const ADDED_TIME = new RegExp(
  String.raw`\((?:(?:since |said on |around |week of ){0,2}${SPAN_OF_TIME}|\d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d)(?:\)|; before: )`,
  'giu',
);
const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORDS = /[a-z0-9]+/g;
/** Scripts without spaces between words; each character is a word. */
const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const WORDS = new RegExp(String.raw`[${SPACELESS}]|(?:(?![${SPACELESS}])[\p{L}\p{M}\p{N}])+`, 'gu');
const ONE_SPACELESS = new RegExp(`^[${SPACELESS}]$`, 'u');

/** The words of a text for comparison: folded, without punctuation, apostrophes, citation numbers and added times. */
export function normalWords(text: string): readonly string[] {
  const folded = foldText(withoutTimes(text.replace(CITATION, ' '))).replaceAll("'", '');
  return folded.match(ASCII.test(folded) ? ASCII_WORDS : WORDS) ?? [];
}

/** Takes linear time: a bracket of another form is left after a few characters. */
function withoutTimes(text: string): string {
  return text.includes('(') ? text.replace(ADDED_TIME, ' ') : text;
}

/** Longer texts are split into pieces of about this many characters. */
const LONG = 8_192;
/** A place that no word or character spans, regardless of folding. */
const CUT = /[ \n\p{Script=Han}](?=[A-Za-z0-9\p{Script=Han}])/gu;

/** Like `normalWords`, in steps. */
export function* readWords(text: string): Steps<readonly string[]> {
  if (text.length <= LONG) return normalWords(text);
  const words: string[] = [];
  for (let start = 0; start < text.length; ) {
    CUT.lastIndex = start + LONG;
    const end = CUT.exec(text) === null ? text.length : CUT.lastIndex;
    for (const word of normalWords(text.slice(start, end))) words.push(word);
    start = end;
    yield;
  }
  return words;
}

/** Counts words; two characters of a script without spaces count as one word. */
export function countWords(words: readonly string[]): number {
  const single = words.filter((word) => word > '\x7f' && word.length <= 2 && ONE_SPACELESS.test(word));
  return words.length - single.length + Math.ceil(single.length / 2);
}

/** The share of a word that an item counts as: 0.5 for a character of a script without spaces. */
export function wordWeight(word: string): number {
  return word > '\x7f' && ONE_SPACELESS.test(word) ? 0.5 : 1;
}

/**
 * Where a line may be split: around "[photo: …]", after a citation number, after a sentence. Runs match from their
 * first character only, so the time is linear.
 */
const PARTING =
  /\[\p{L}[\p{L} -]{0,39}: [^[\]]{0,2000}\]|\[\d{1,3}\]|\s(?=\[\p{L}[\p{L} -]{0,39}: )|(?<![.!?…])[.!?…]+["'”’»)*_]{0,5}(?=\s)|[。！？]+[」』”’]{0,3}/gu;

/** The sentences, citations and attachments of a line, in order. Concatenated they give the line. */
export function splitPieces(line: string, options: { readonly abbreviations: boolean }): Span[] {
  const marks = [...line.matchAll(PARTING)];
  return piecesBetween(line, options.abbreviations ? marks.filter((mark) => parts(line, mark)) : marks);
}

/** Whether a mark ends a piece; the full stop of an abbreviation does not. */
function parts(line: string, { index, 0: mark }: RegExpExecArray): boolean {
  return mark !== '.' || !isAbbreviation(line, index + mark.length);
}

function piecesBetween(line: string, marks: readonly RegExpExecArray[]): Span[] {
  const pieces: Span[] = [];
  let start = 0;
  const cut = (end: number): void => {
    if (end > start) pieces.push({ start, end });
    start = Math.max(start, end);
  };
  for (const { index, 0: mark } of marks) {
    if (mark.startsWith('[')) cut(index);
    cut(index + mark.length);
  }
  cut(line.length);
  return pieces;
}

/** A fact's statement, a profile's or segment's summary, or a turn's content or the description of its attachment. */
export type RecalledKind = 'fact' | 'profile' | 'segment' | 'turn';

/**
 * Who wrote the text: memory itself or a speaker. People repeat themselves, but memory's own words come from memory
 * alone.
 */
export type RecalledSource = 'written' | 'said';

const SEEDS = { written: 1, said: 2, writtenOpening: 3, saidOpening: 4 } as const;
/** Openings of long texts are stored at every eighth word too, because printed lines are truncated. */
const OPENING_STEP = 8;

/**
 * The texts that memory holds, as 52-bit hashes of their lines and sentences with the place of the row
 * that holds each first. The hashes recognise a text but cannot restore it. About 60 bytes a sentence.
 */
export class RecalledTexts {
  readonly #hashes = new HashPlaces();

  /** Number of distinct lines, sentences and openings. */
  get size(): number {
    return this.#hashes.size;
  }

  /** @param since The row of the text. */
  add(kind: RecalledKind, text: string, since: StoredPlace): void {
    atOnce(this.#add(kind, text, since));
  }

  /** Like `add`, but yields to the event loop while it reads a long text. */
  async addGradually(
    kind: RecalledKind,
    text: string,
    { since, breather }: { readonly since: StoredPlace; readonly breather: Breather },
  ): Promise<void> {
    await gradually(this.#add(kind, text, since), breather);
  }

  *#add(kind: RecalledKind, text: string, since: StoredPlace): Steps<void> {
    for (const hash of hashesOf(kind, text))
      if (hash === undefined) yield;
      else this.#hashes.add(hash, since);
  }

  /**
   * Whether these words, as `normalWords` gives them, are a whole line or sentence that memory held before a row. A
   * turn that is older than the text cannot have recalled it.
   */
  has(source: RecalledSource, words: readonly string[], before: StoredPlace): boolean {
    return words.length > 0 && this.#hashes.isBefore(hashWords(words, SEEDS[source]), before);
  }

  /**
   * Whether these words begin a line or sentence that memory held before a row. They are compared up to the last
   * eighth word; fewer than eight words never match.
   */
  hasOpening(source: RecalledSource, words: readonly string[], before: StoredPlace): boolean {
    const length = words.length - (words.length % OPENING_STEP);
    return (
      length > 0 && this.#hashes.isBefore(hashWords(words.slice(0, length), openingSeed(source)), before)
    );
  }
}

function openingSeed(source: RecalledSource): number {
  return SEEDS[`${source}Opening`];
}

/** Hashes of the whole text, its lines and its sentences, without duplicates; yields undefined where it may pause. */
function* hashesOf(kind: RecalledKind, text: string): Generator<number | undefined, void, undefined> {
  const source = kind === 'turn' ? 'said' : 'written';
  const seen = new Set<string>();
  for (const unit of unitsOf(text)) {
    yield;
    if (seen.has(unit)) continue;
    seen.add(unit);
    const words = yield* readWords(unit);
    if (words.length === 0) continue;
    yield hashWords(words, SEEDS[source]);
    yield* openings(words, openingSeed(source));
  }
}

/** Openings within the first 240 words: no printed line is longer. */
function* openings(words: readonly string[], seed: number): Generator<number> {
  const hash = new WordHash(seed);
  const last = Math.min(words.length, 240);
  for (let length = 1; length <= last; length += 1) {
    hash.add(words[length - 1]!);
    if (length % OPENING_STEP === 0) yield hash.value;
  }
}

/**
 * Splits sentences both with and without regard to abbreviations, because quotes are truncated after every full stop.
 */
function* unitsOf(text: string): Generator<string> {
  yield text;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    yield line;
    const marks = [...line.matchAll(PARTING)];
    const parting = marks.filter((mark) => parts(line, mark));
    const splits = parting.length < marks.length ? [parting, marks] : [marks];
    for (const split of splits)
      for (const { start, end } of piecesBetween(line, split)) yield line.slice(start, end);
  }
}
