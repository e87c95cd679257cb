import { stemmer } from 'stemmer';
import type { Breather } from '../util/breathe.ts';
import { IRREGULAR_FORMS, STOP_WORDS } from './english.ts';

/** The classes of characters. */
const SEPARATOR = 0;
const LETTER = 1;
const DIGIT = 2;
/** A character of a script written without spaces; see `analyze`. */
const IDEOGRAPH = 3;
const EMOJI = 4;
const REGIONAL_INDICATOR = 5;
/** Apostrophe, hyphen, full stop …: part of a word when alone between two letters or digits. */
const JOINER = 6;
/** A combining mark, part of the preceding letter. */
const MARK = 7;

const UNKNOWN = 255;
const JOINER_SIGNS = /^['’ʼ＇\-‐‑._@:,/&+]$/u;
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆ｰﾞﾟ]$/u;

/** Cached classes of the code points below U+10000. */
const classes = new Uint8Array(65_536).fill(UNKNOWN);

function characterClass(codePoint: number): number {
  if (codePoint >= 65_536) return classify(codePoint);
  const known = classes[codePoint]!;
  if (known !== UNKNOWN) return known;
  const found = classify(codePoint);
  classes[codePoint] = found;
  return found;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  if (JOINER_SIGNS.test(character)) return JOINER;
  if (UNSPACED.test(character)) return IDEOGRAPH;
  if (/^\p{N}$/u.test(character)) return DIGIT;
  if (/^\p{L}$/u.test(character)) return LETTER;
  if (/^\p{Regional_Indicator}$/u.test(character)) return REGIONAL_INDICATOR;
  if (codePoint > 127 && /^\p{Extended_Pictographic}$/u.test(character)) return EMOJI;
  if (/^\p{M}$/u.test(character) && !/^\p{Variation_Selector}$/u.test(character)) return MARK;
  return SEPARATOR;
}

const ASCII = /^[\0-\x7f]*$/;
/** Accents of Latin, Greek and Cyrillic letters. The marks of other scripts are vowels or tones and stay. */
const ACCENTS = /[\u0300-\u036f]/g;
const LETTERS_WITHOUT_DECOMPOSITION = /[ßæœøłđðþıħŧ]/g;
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
};

/**
 * Lower case without accents or compatibility forms (NFKD, then NFC so that Hangul syllables and kana stay whole). Call
 * it per word: the time of normalization grows faster than linearly with the length of a run of marks.
 */
export function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(ACCENTS, '')
    .replace(LETTERS_WITHOUT_DECOMPOSITION, (letter) => SPELLED[letter]!)
    .replace(/[’ʼ]/g, "'")
    .replace(/[‐‑]/g, '-')
    .normalize('NFC');
}

const THOUSANDS = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;
const DECIMAL = /^\d+\.\d+$/;
const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})(?:t(\d{2}:\d{2}).*)?$/;
const NUMBERS_OF_ONE_DATE_OR_TIME = /^\d+(?:[:/]\d+)+$/;
const NEGATION = /^[a-z]+n't$/;
const CLITIC = /'(?:s|m|ll|ve|re|d)$/;
const INITIALS = /^\p{L}(?:\.\p{L})+$/u;
const DOTTED = /[.@]/;
const JOINERS = /['\-._@:,/&+]/;
const ENGLISH = /^[a-z]+$/;

/**
 * Longer words are not stemmed: stems do not improve, and the regular expressions of the Porter stemmer become slow.
 */
const LONGEST_STEMMED = 40;

interface WordTerms {
  readonly terms: readonly string[];
  /** Stop words: terms that count only in a text without other terms. */
  readonly spare: readonly string[];
}

/**
 * The index terms of one word: letters and digits, perhaps with single joiners between them. A compound yields itself
 * and its parts, so that O'Brien is found as obrien and brien, and a date by its year.
 */
function wordTerms(raw: string): WordTerms {
  const word = fold(raw);
  if (NEGATION.test(word)) return { terms: [], spare: [word.replace("'", '')] };
  const base = word.replace(CLITIC, '');
  if (!JOINERS.test(base)) return single(base);
  return { terms: [...new Set(compoundTerms(base))], spare: [] };
}

function single(word: string): WordTerms {
  if (STOP_WORDS.has(word)) return { terms: [], spare: [word] };
  return { terms: word === '' ? [] : [stem(word)], spare: [] };
}

function compoundTerms(word: string): string[] {
  if (THOUSANDS.test(word)) return [word.replaceAll(',', '')];
  if (DECIMAL.test(word)) return [word];
  const date = ISO_DATE.exec(word);
  if (date !== null) return isoDateTerms(date);
  if (NUMBERS_OF_ONE_DATE_OR_TIME.test(word)) {
    return [word, ...word.split(JOINERS).filter((part) => part.length === 4)];
  }
  if (INITIALS.test(word)) return [word.replaceAll('.', '')];
  const parts = word.split(JOINERS);
  const ofParts = parts.flatMap((part) => (part.length > 1 || /\d/.test(part) ? single(part).terms : []));
  return [whole(word, parts), ...ofParts];
}

function isoDateTerms([, year, month, day, time]: RegExpExecArray): string[] {
  const terms = [`${year}-${month}-${day}`, `${year}-${month}`, year!];
  return time === undefined ? terms : [...terms, time];
}

/**
 * Hyphens and apostrophes are optional in spelling (e-mail, O’Brien), so they are dropped; the joiners of dates, hosts
 * and addresses are kept.
 */
function whole(word: string, parts: readonly string[]): string {
  if (DOTTED.test(word) || parts.every((part) => /^\d+$/.test(part))) return word;
  return stem(parts.join(''));
}

function stem(word: string): string {
  if (!ENGLISH.test(word) || word.length > LONGEST_STEMMED) return word;
  return stemmer(IRREGULAR_FORMS.get(word) ?? word);
}

/** A term of a question and its weight. */
export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
}

/** Longer runs of letters are cut here, so that the time stays linear for any input. */
const LONGEST_WORD = 256;
const LONGEST_CACHED = 32;
const CACHED_WORDS = 131_072;

/** The terms of recent words. It contains words of users: `clearAnalyzerCache` empties it. */
const cache = new Map<string, WordTerms>();

/** The words in the cache, which is one of the places that hold text. */
export function cachedWords(): Iterable<string> {
  return cache.keys();
}

/** Empties the cache; part of forgetting. */
export function clearAnalyzerCache(): void {
  cache.clear();
}

/**
 * The index terms of a text, in order, repeated as often as they occur.
 *
 * Words are folded (accents, case, compatibility forms) and, if English, stemmed (Porter); compounds yield their parts
 * as well; stop words count only in a text without other words. Scripts without spaces (Han, kana, Hangul, Thai …)
 * yield every character and every pair of neighbours: unlike the dictionaries behind Intl.Segmenter, pairs are the same
 * in a question and in a text, and in every version of Node.
 */
export function analyze(text: string): string[] {
  return new Scanner(text, true).run();
}

/** Characters between two yields: one or two milliseconds of work. */
const CHARACTERS_PER_BREATH = 8_192;

/** Like `analyze`, but yields the thread in between. */
export async function analyzeGradually(text: string, breather: Breather): Promise<readonly string[]> {
  const scanner = new Scanner(text, true);
  while (!scanner.readOn(CHARACTERS_PER_BREATH)) await breather.breathe();
  return scanner.found;
}

/**
 * The terms of a question without duplicates, weighted by how often they occur. In scripts without spaces a character
 * counts only where it is alone, since pairs are more specific.
 */
export function analyzeQuery(text: string): QueryTerm[] {
  const weights = new Map<string, number>();
  for (const term of new Scanner(text, false).run()) weights.set(term, (weights.get(term) ?? 0) + 1);
  return Array.from(weights, ([term, weight]) => ({ term, weight }));
}

/** One pass over a text, by UTF-16 code units; a lone surrogate separates words. */
class Scanner {
  readonly #text: string;
  readonly #allCharacters: boolean;
  readonly #terms: string[] = [];
  readonly #spare: string[] = [];
  #at = 0;
  /** Where reading stopped inside a run of ideographs, and the last one before that position. */
  #interrupted: { readonly at: number; readonly previous: string } | null = null;

  constructor(text: string, allCharacters: boolean) {
    this.#text = text;
    this.#allCharacters = allCharacters;
  }

  run(): string[] {
    this.readOn(this.#text.length);
    return this.found;
  }

  /** Reads about this many more characters; returns whether it reached the end of the text. */
  readOn(characters: number): boolean {
    const until = Math.min(this.#text.length, this.#at + characters);
    while (this.#at < until) {
      const kind = this.#classAt(this.#at);
      if (kind === LETTER || kind === DIGIT) this.#word();
      else if (kind === IDEOGRAPH) this.#ideographs(until);
      else if (kind === EMOJI) this.#terms.push(this.#character());
      else if (kind === REGIONAL_INDICATOR) this.#flag();
      else this.#at += this.#widthAt(this.#at);
    }
    return this.#at >= this.#text.length;
  }

  get found(): string[] {
    return this.#terms.length > 0 ? this.#terms : this.#spare;
  }

  #word(): void {
    const start = this.#at;
    const end = this.#wordEnd(start, Math.min(this.#text.length, start + LONGEST_WORD));
    this.#at = end;
    const { terms, spare } = cachedTerms(this.#text.slice(start, end));
    for (const term of terms) this.#terms.push(term);
    if (this.#terms.length === 0) for (const term of spare) this.#spare.push(term);
  }

  /** Letters, digits and marks, and single joiners between them. */
  #wordEnd(start: number, limit: number): number {
    let at = start;
    while (at < limit) {
      const kind = this.#classAt(at);
      if (kind === LETTER || kind === DIGIT || kind === MARK) at += this.#widthAt(at);
      else if (kind === JOINER && at + 1 < limit && this.#joins(at)) at++;
      else break;
    }
    return at;
  }

  /** Commas, colons and slashes join only digits; other joiners join any word characters. */
  #joins(at: number): boolean {
    const after = this.#classAt(at + 1);
    const sign = this.#text[at]!;
    if (sign !== ',' && sign !== ':' && sign !== '/') return after === LETTER || after === DIGIT;
    return after === DIGIT && this.#classAt(at - 1) === DIGIT;
  }

  /** Normalizes in pieces, so that decomposed kana and Hangul are composed and a long run takes linear time. */
  #ideographs(until: number): void {
    let previous = this.#interrupted?.at === this.#at ? this.#interrupted.previous : null;
    let count = 0;
    while (this.#at < until && this.#classAt(this.#at) === IDEOGRAPH) {
      const start = this.#at;
      this.#at = this.#ideographsEnd(start, Math.min(this.#text.length, start + LONGEST_WORD));
      for (const character of this.#text.slice(start, this.#at).normalize('NFKC')) {
        if (previous !== null) this.#terms.push(previous + character);
        if (this.#allCharacters) this.#terms.push(character);
        previous = character;
        count++;
      }
    }
    if (count === 1 && !this.#allCharacters) this.#terms.push(previous!);
    this.#interrupted = previous === null ? null : { at: this.#at, previous };
  }

  #ideographsEnd(start: number, limit: number): number {
    let at = start;
    while (at < limit) {
      const kind = this.#classAt(at);
      if (kind !== IDEOGRAPH && kind !== MARK) break;
      at += this.#widthAt(at);
    }
    return at;
  }

  /** A flag is two regional indicators; a single one yields no term. */
  #flag(): void {
    const first = this.#character();
    if (this.#at < this.#text.length && this.#classAt(this.#at) === REGIONAL_INDICATOR) {
      this.#terms.push(first + this.#character());
    }
  }

  #character(): string {
    const start = this.#at;
    this.#at += this.#widthAt(start);
    return this.#text.slice(start, this.#at);
  }

  #widthAt(at: number): number {
    return this.#text.codePointAt(at)! > 0xffff ? 2 : 1;
  }

  #classAt(at: number): number {
    const unit = this.#text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdfff) return characterClass(unit);
    const codePoint = this.#text.codePointAt(at)!;
    return codePoint > 0xffff ? characterClass(codePoint) : SEPARATOR;
  }
}

function cachedTerms(word: string): WordTerms {
  const known = cache.get(word);
  if (known !== undefined) return known;
  const found = wordTerms(word);
  if (word.length > LONGEST_CACHED) return found;
  if (cache.size >= CACHED_WORDS) cache.clear();
  // A slice would keep the whole text in memory; a copy of its characters does not.
  cache.set(Buffer.from(word, 'utf16le').toString('utf16le'), found);
  return found;
}
