import { analyze } from '../search/analyzer.ts';
import { STOP_WORDS } from '../search/english.ts';

/** The words of a scope. A word that is not among them may be misspelt. */
export interface Vocabulary {
  /** Index terms of memory's texts. */
  readonly terms: Iterable<string>;
  /** Number of texts with the term; 0 for one that memory does not have. */
  readonly frequency: (term: string) => number;
  /** Whether it is a word of the language, although memory does not have it. */
  readonly isWord: (word: string) => Promise<boolean>;
  /** Whether such a word may be none, but equal to the index term of others: "parot" of "parotid". */
  readonly isStem: (word: string) => Promise<boolean>;
}

const WORD = /[\p{L}][\p{L}'’]*/gu;
const LETTERS = /^[a-z]+$/;
/** Shorter words are too near to too many others. */
const SHORTEST = 4;
/** Words from this length on may differ in two letters. */
const LONG = 8;
const LONGEST = 30;
/** Words that questions use and memory need not have. */
const ASKING =
  'happen happened name named called live lives living work works working study favorite favourite birthday hobby instrument language profession married brother sister mother father husband daughter children'.split(
    ' ',
  );
/** From this length on, a word of questions is recognised without a letter: "liv". */
const SHORTEST_ASKING = 3;
/** Further unknown words of a question stay as they are, so that the time stays bounded. */
const MOST_CORRECTED = 5;

/**
 * A question in which words that memory does not have are replaced by its nearest word, where they differ by a typing
 * error: one letter (two in a long word) missing, too many, wrong, or two swapped. Words of the language stay. Takes
 * time linear in the terms of the scope for each unknown word.
 */
export async function spelled(
  question: string,
  { terms, frequency, isWord, isStem }: Vocabulary,
): Promise<string> {
  const corrections = new Map<string, string>();
  for (const [word] of question.matchAll(WORD)) {
    const lower = word.toLowerCase();
    if (corrections.has(word) || corrections.size >= MOST_CORRECTED || !isUnknown(lower, frequency)) continue;
    if (ASKING.includes(lower)) continue;
    const isName = /^\p{Lu}/u.test(word);
    const asking = isName ? undefined : ASKING.find((each) => isSlipOf(lower, each));
    const near = asking ?? (lower.length < SHORTEST ? null : nearest(lower, { terms, frequency, isName }));
    if (near === null) continue;
    const isSure = asking !== undefined || lacksLetter(lower, near);
    if (!(await isWord(lower)) || (isSure && (await isStem(lower)))) corrections.set(word, near);
  }
  if (corrections.size === 0) return question;
  return question.replace(WORD, (word) => {
    const near = corrections.get(word);
    if (near === undefined) return word;
    return /^\p{Lu}/u.test(word) ? near.charAt(0).toUpperCase() + near.slice(1) : near;
  });
}

function isUnknown(word: string, frequency: Vocabulary['frequency']): boolean {
  if (word.length < SHORTEST_ASKING || word.length > LONGEST || !LETTERS.test(word)) return false;
  // The index holds no function words, so they would all look unknown.
  if (STOP_WORDS.has(word)) return false;
  const found = analyze(word);
  return found.length === 1 && frequency(found[0]!) === 0 && !IS_STOP_WORD.test(word);
}

function isSlipOf(word: string, asking: string): boolean {
  return mayBeNear(asking, word) && typingErrors(word, asking, 1) === 1;
}

/** "parot" for "parrot". */
function lacksLetter(word: string, near: string): boolean {
  return word.length > SHORTEST && near.length === word.length + 1 && typingErrors(word, near, 1) === 1;
}

/** "dont" and "whats" are stop words without their apostrophe. */
const IS_STOP_WORD =
  /^(?:dont|doesnt|didnt|isnt|wasnt|arent|cant|wont|whats|wheres|whos|whens|hows|thats|theres|lets|ive|youre|theyre)$/;

/**
 * A question that is typed without capitals, with those of the names of people: "where does ken live", "kens dog". In
 * one with capitals, a word in small letters is no name.
 */
export function capitalised(question: string, nameOf: (word: string) => string | undefined): string {
  if (/\p{Lu}/u.test(question)) return question;
  return question.replace(WORD, (word) => {
    const [, name, ending] = /^(.*?)(?:['’]?(s))?$/u.exec(word)!;
    if (STOP_WORDS.has(word)) return word;
    const own = nameOf(word);
    const owner = ending === undefined ? undefined : nameOf(name!);
    return own ?? (owner === undefined ? word : `${owner}’s`);
  });
}

/** The nearest term by the word or its stem; of equally near ones the most frequent, then the first by alphabet. */
function nearest(
  word: string,
  { terms, frequency, isName }: Pick<Vocabulary, 'terms' | 'frequency'> & { readonly isName: boolean },
): string | null {
  const forms = [...new Set([word, ...analyze(word)])];
  const most = word.length >= LONG ? 2 : 1;
  let best: { readonly term: string; readonly apart: number; readonly often: number } | null = null;
  for (const term of terms) {
    if (!mayBeNear(term, word)) continue;
    let apart = most + 1;
    for (const form of forms) apart = Math.min(apart, typingErrors(form, term, most));
    if (apart > most || (isName && isOtherName(word, term))) continue;
    const often = frequency(term);
    if (often === 0) continue;
    if (
      best === null ||
      apart < best.apart ||
      (apart === best.apart && (often > best.often || (often === best.often && term < best.term)))
    )
      best = { term, apart, often };
  }
  return best?.term ?? null;
}

/** Short names that differ by a letter, such as Lena and Lana, are two people; with letters swapped they are one. */
function isOtherName(word: string, term: string): boolean {
  return (
    word.length < LONG &&
    word.length === term.length &&
    [...word].sort().join('') !== [...term].sort().join('')
  );
}

/** Typing errors seldom concern the first letter, unless it is swapped with the second. */
function mayBeNear(term: string, word: string): boolean {
  if (term.length < SHORTEST - 1 || Math.abs(term.length - word.length) > 4 || !LETTERS.test(term))
    return false;
  return term[0] === word[0] || (term[0] === word[1] && term[1] === word[0]);
}

/**
 * The distance of Damerau and Levenshtein (optimal string alignment): letters inserted, deleted, replaced or swapped
 * with the next. More than `most` is returned as `most + 1`.
 */
export function typingErrors(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let [before, last] = [new Array<number>(b.length + 1), Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= a.length; row++) {
    const next = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, next[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, before[column - 2]! + 1);
      next.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    [before, last] = [last, next];
  }
  return Math.min(last[b.length]!, most + 1);
}
