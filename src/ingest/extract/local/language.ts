import { wordSet } from '../../../util/collections.ts';
import functionWords from './function-words.json' with { type: 'json' };

export type Language = 'de' | 'fr' | 'es' | 'it' | 'pt' | 'nl' | 'zh' | 'ja' | 'other';

/** Function words by language. A word that English shares counts for English. */
const FUNCTION_WORDS: Readonly<Record<string, readonly string[]>> = functionWords;
const LANGUAGES = Object.keys(FUNCTION_WORDS) as (Language | 'en')[];
/** One bit per language. */
const ENGLISH = 1;
const BY_WORD = languagesByWord();
/** Names are ignored: "El Camino de la Sierra" in an English sentence is a name. */
const NAME =
  /\p{Lu}[\p{L}'-]+(?: (?:(?:de|del|la|las|los|el|le|les|du|des|di|da|do|van|von|der|den|y|e) ){0,3}\p{Lu}[\p{L}'-]+)+/gu;
const BETWEEN_WORDS = /[\s.,!?;:"()'\u2019/-]+/;
const BEYOND_LATIN = /[\u0250-\u1fff\u2c00-\uffff]/;
/** A longer sentence is judged by its beginning. */
const ENOUGH_LENGTH = 400;
const FEWEST_HITS = 2;
const FEWEST_UNKNOWN = 4;

function languagesByWord(): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const [at, language] of LANGUAGES.entries()) {
    for (const word of wordSet(FUNCTION_WORDS[language]!)) {
      words.set(word, (words.get(word) ?? 0) | (1 << at));
    }
  }
  return words;
}

/**
 * The languages of a turn's sentences, null for English. A sentence with too few cues takes the language of the other
 * sentences of its turn, unless it has an English word.
 */
export function languagesOf(sentences: readonly string[]): (Language | null)[] {
  if (!mayBeForeign(sentences)) return sentences.map(() => null);
  const found = sentences.map(foreignLanguage);
  const main = found.find((language) => language !== null) ?? null;
  if (main === null) return found;
  return found.map((language, at) => language ?? (hasEnglish(sentences[at]!) ? null : main));
}

/** Quick test: whether a turn has another script, other letters or two words of another language, which is rare. */
function mayBeForeign(sentences: readonly string[]): boolean {
  const text = sentences.join(' ');
  if (/[\u00c0-\u1fff\u2c00-\uffff]/.test(text)) return true;
  let hits = 0;
  for (const word of text.toLowerCase().split(BETWEEN_WORDS)) {
    if (isForeign(BY_WORD.get(word))) hits += 1;
    if (hits >= FEWEST_HITS) return true;
  }
  return false;
}

function hasEnglish(text: string): boolean {
  return wordsIn(text).some((word) => ((BY_WORD.get(word) ?? 0) & ENGLISH) !== 0);
}

/**
 * The language of a sentence, or null for English. Decided by its script or by its function words: it needs at least
 * two, and more than of English, because a foreign name or title in an English sentence has fewer.
 */
export function foreignLanguage(text: string): Language | null {
  return ofScript(text) ?? ofWords(text);
}

function ofScript(text: string): Language | null {
  if (!BEYOND_LATIN.test(text)) return null;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  if (latin * 2 > letters || letters === 0) return null;
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  return /\p{Script=Han}/u.test(text) ? 'zh' : 'other';
}

function ofWords(text: string): Language | null {
  const words = wordsIn(text);
  const foreign = words.filter((word) => isForeign(BY_WORD.get(word)));
  if (foreign.length < FEWEST_HITS) return hasNoEnglish(words, text) ? 'other' : null;
  return mostLikely(new Set(wordsIn(text.replace(NAME, ' '))));
}

/** Whether it has four or more words, none of them English, with letters that English does not have. */
function hasNoEnglish(words: readonly string[], text: string): boolean {
  if (!/[\u00c0-\u024f]/.test(text)) return false;
  const full = words.filter((word) => word !== '');
  return full.length >= FEWEST_UNKNOWN && !full.some((word) => ((BY_WORD.get(word) ?? 0) & ENGLISH) !== 0);
}

function wordsIn(text: string): string[] {
  return text.slice(0, ENOUGH_LENGTH).toLowerCase().split(BETWEEN_WORDS);
}

/** Words that English shares ("in", "am", "was") are no cue for another language. */
function isForeign(languages: number | undefined): languages is number {
  return languages !== undefined && (languages & ENGLISH) === 0;
}

function mostLikely(words: ReadonlySet<string>): Language | null {
  const known = [...words].map((word) => BY_WORD.get(word) ?? 0);
  const english = known.filter((languages) => languages === ENGLISH).length;
  const hits = LANGUAGES.map(
    (_, at) => known.filter((each) => isForeign(each) && (each & (1 << at)) !== 0).length,
  );
  const best = Math.max(...hits);
  return best >= FEWEST_HITS && best > english ? (LANGUAGES[hits.indexOf(best)] as Language) : null;
}
