import { stemmer } from 'stemmer';
import { fold } from './fold.ts';
import { IRREGULAR_FORMS } from './irregular-forms.ts';
import { STOP_WORDS } from './stop-words.ts';

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

/** A Porter stem grows no better on long input, and its regular expressions get slow. */
const LONGEST_STEMMED = 40;

export interface WordTerms {
  readonly terms: readonly string[];
  /** Terms that count only where a text has no others: stop words. */
  readonly spare: readonly string[];
}

/**
 * The index terms of one word: letters and digits, perhaps with single joiners between them. A compound gives
 * itself and its parts, so that O'Brien is found as obrien and brien, and a date by its year.
 */
export function wordTerms(raw: string): WordTerms {
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

/** Hyphens and apostrophes come and go (e-mail, O’Brien), the signs of dates, hosts and addresses don't. */
function whole(word: string, parts: readonly string[]): string {
  if (DOTTED.test(word) || parts.every((part) => /^\d+$/.test(part))) return word;
  return stem(parts.join(''));
}

function stem(word: string): string {
  if (!ENGLISH.test(word) || word.length > LONGEST_STEMMED) return word;
  return stemmer(IRREGULAR_FORMS.get(word) ?? word);
}
