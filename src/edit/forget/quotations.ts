import { hashWords, normalWords, splitPieces, wordWeight } from '../../ingest/admit/recalled-texts.ts';
import { isFiller } from '../../ingest/extract/local-gate.ts';
import type { StoredScope } from '../../ingest/ingest-context.ts';
import type { Episode } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';

/** A run of at least `words` words is a quotation if at least `meaningful` of them carry meaning. */
const RUN = { words: 6, meaningful: 3 };
/** A whole sentence is a quotation under these lower limits. */
const SENTENCE = { words: 3, meaningful: 2 };
/** Number of words in the key that looks up a sentence. */
const KEY_WORDS = 3;

/**
 * Finds texts that quote a given set of texts: six words in a row of which three carry meaning, or a whole sentence of
 * at least three words of which two do. Ignores case, punctuation, quotation marks and accents; courtesies and words
 * such as "the" carry no meaning; two characters of a script without spaces count as a word. Adding and searching take
 * time linear in the text.
 */
export class QuotationFinder {
  readonly #words = new Set<string>();
  readonly #runs = new Set<number>();
  /** Whole sentences without a run that is long enough, once each. */
  readonly #sentences = new Map<string, readonly string[]>();
  #byKey: ReadonlyMap<string, readonly SentenceAt[]> | null = null;

  add(text: string): void {
    for (const line of text.split('\n'))
      for (const { start, end } of splitPieces(line, { abbreviations: true }))
        this.#addSentence(line.slice(start, end));
    const words = normalWords(text);
    for (const word of words) this.#words.add(word);
    for (const { hash } of meaningfulRuns(words)) this.#runs.add(hash);
    this.#byKey = null;
  }

  get isEmpty(): boolean {
    return this.#runs.size + this.#sentences.size === 0;
  }

  /** Where a text first quotes one of the added texts, as a share of its words from 0 to 1; null if it does not. */
  foundIn(text: string): number | null {
    const words = normalWords(text);
    if (!this.#mayQuote(words)) return null;
    const sentence = this.#sentenceIn(words);
    for (const { hash, start } of meaningfulRuns(words)) {
      if (sentence !== null && start >= sentence) break;
      if (this.#runs.has(hash)) return start / words.length;
    }
    return sentence === null ? null : sentence / words.length;
  }

  /** Whether enough words in a row occur in the added texts. */
  #mayQuote(words: readonly string[]): boolean {
    let weight = 0;
    for (const word of words) {
      weight = this.#words.has(word) ? weight + wordWeight(word) : 0;
      if (weight >= SENTENCE.words) return true;
    }
    return false;
  }

  #addSentence(sentence: string): void {
    const words = normalWords(sentence);
    if (!reaches(words, SENTENCE) || !meaningfulRuns(words).next().done) return;
    this.#sentences.set(words.join(' '), words);
  }

  #sentenceIn(words: readonly string[]): number | null {
    this.#byKey ??= sentencesByKey([...this.#sentences.values()]);
    if (this.#byKey.size === 0) return null;
    for (let at = 0; at + KEY_WORDS <= words.length; at++)
      for (const { sentence, offset } of this.#byKey.get(keyAt(words, at)) ?? []) {
        const start = at - offset;
        if (start >= 0 && sentence.every((word, index) => words[start + index] === word)) return start;
      }
    return null;
  }
}

interface SentenceAt {
  readonly sentence: readonly string[];
  /** Position of the key in the sentence, in words. */
  readonly offset: number;
}

/** Indexes each sentence by its consecutive words that occur in the fewest other sentences. */
function sentencesByKey(
  sentences: readonly (readonly string[])[],
): ReadonlyMap<string, readonly SentenceAt[]> {
  const counts = new Map<string, number>();
  const keysOf = (sentence: readonly string[]) =>
    Array.from({ length: Math.max(0, sentence.length - KEY_WORDS + 1) }, (_, at) => keyAt(sentence, at));
  for (const sentence of sentences)
    for (const key of keysOf(sentence)) counts.set(key, (counts.get(key) ?? 0) + 1);
  const byKey = new Map<string, SentenceAt[]>();
  for (const sentence of sentences) {
    const keys = keysOf(sentence);
    const rarest = keys.reduce((best, key) => (counts.get(key)! < counts.get(best)! ? key : best), keys[0]!);
    const known = byKey.get(rarest) ?? [];
    known.push({ sentence, offset: keys.indexOf(rarest) });
    byKey.set(rarest, known);
  }
  return byKey;
}

function keyAt(words: readonly string[], at: number): string {
  return words.slice(at, at + KEY_WORDS).join(' ');
}

function reaches(
  words: readonly string[],
  least: { readonly words: number; readonly meaningful: number },
): boolean {
  const sum = (each: (word: string) => number) => words.reduce((total, word) => total + each(word), 0);
  return sum(wordWeight) >= least.words && sum(meaningWeight) >= least.meaningful;
}

function meaningWeight(word: string): number {
  return isFiller(word, true) ? 0 : wordWeight(word);
}

/** Yields, from each word on, the shortest run that is long enough and carries enough meaning. */
function* meaningfulRuns(
  words: readonly string[],
): Generator<{ readonly start: number; readonly hash: number }> {
  let [end, weight, meaningful] = [0, 0, 0];
  for (let start = 0; start < words.length; start++) {
    while (end < words.length && weight < RUN.words) {
      weight += wordWeight(words[end]!);
      meaningful += meaningWeight(words[end]!);
      end++;
    }
    if (weight < RUN.words) return;
    if (meaningful >= RUN.meaningful) yield { start, hash: hashWords(words.slice(start, end), 0) };
    weight -= wordWeight(words[start]!);
    meaningful -= meaningWeight(words[start]!);
  }
}

/** A turn that quotes others. */
export type Quoting = Pick<Episode, 'id' | 'session' | 'speaker' | 'validAt'> & {
  /** Its text, from shortly before the quotation. */
  readonly text: string;
};

const COLUMNS = ['id', 'session', 'speaker', 'validAt', 'content', 'attachments'] as const;
type Row = Pick<Episode, (typeof COLUMNS)[number]>;

/** Turns per read. */
const BATCH = 500;
/** Characters of a long turn shown before its quotation. */
const BEFORE = 30;

/** Remaining turns that quote removed ones, in the order in which they were said: see `QuotationFinder`. */
export async function quotationsOf(
  { store, scope }: StoredScope,
  turns: readonly string[],
): Promise<readonly Quoting[]> {
  const said = new QuotationFinder();
  const breather = new Breather();
  for (let start = 0; start < turns.length; start += BATCH)
    for (const row of await store.get(scope, 'episode', turns.slice(start, start + BATCH))) {
      await breather.breathe();
      for (const text of textsIn(row)) said.add(text);
    }
  if (said.isEmpty) return [];
  const removed = new Set(turns);
  const found: Quoting[] = [];
  for await (const rows of store.scan(scope, 'episode', COLUMNS))
    for (const row of rows) {
      if (removed.has(row.id)) continue;
      await breather.breathe();
      const text = quotationIn(row, said);
      const { id, session, speaker, validAt } = row;
      if (text !== null) found.push({ id, session, speaker, validAt, text });
    }
  return found.sort((a, b) => a.validAt - b.validAt);
}

/** The text of a turn and the descriptions of its pictures. */
export function textsIn({ content, attachments }: Pick<Row, 'content' | 'attachments'>): string[] {
  return [content, ...attachments.map(({ description }) => description)];
}

function quotationIn(row: Row, said: QuotationFinder): string | null {
  for (const text of textsIn(row)) {
    const share = said.foundIn(text);
    if (share !== null) return text.slice(startOf(text, share));
  }
  return null;
}

/** Approximate start of the quotation, at the start of a word. */
function startOf(text: string, share: number): number {
  const from = Math.floor(text.length * share) - BEFORE;
  return from <= BEFORE ? 0 : text.indexOf(' ', from) + 1;
}
