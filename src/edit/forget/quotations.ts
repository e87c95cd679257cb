import { hashWords, normalWords, splitPieces, wordWeight } from '../../ingest/admit/recalled-texts.ts';
import { isFiller } from '../../ingest/extract/local-gate.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { Episode } from '../../model/nodes.ts';
import { Breather } from '../../util/breathe.ts';

/** A run of so many words in a row is a quotation if so many of them tell something. */
const RUN = { words: 6, telling: 3 };
/** And so is a whole sentence. */
const SENTENCE = { words: 3, telling: 2 };
/** Words of a sentence by which it is looked up. */
const KEY_WORDS = 3;

/**
 * Texts, to be asked whether others say the same again: six words in a row of which three tell something, or a whole
 * sentence of at least three words of which two do. Case, punctuation, quotation marks and accents of writing do not
 * count; courtesies and words such as "the" tell nothing; two characters of a script without spaces are a word. Both
 * steps take time in proportion to the text.
 */
export class SaidAgain {
  readonly #runs = new Set<number>();
  /** Whole sentences that no run stands for, once each. */
  readonly #sentences = new Map<string, readonly string[]>();
  #byKey: ReadonlyMap<string, readonly SentenceAt[]> | null = null;

  add(text: string): void {
    for (const line of text.split('\n'))
      for (const { start, end } of splitPieces(line, { abbreviations: true }))
        this.#addSentence(line.slice(start, end));
    for (const { hash } of tellingRuns(normalWords(text))) this.#runs.add(hash);
    this.#byKey = null;
  }

  get isEmpty(): boolean {
    return this.#runs.size + this.#sentences.size === 0;
  }

  /** Where a text first says again what one of the others says, as a share of its words from 0 to 1; null where it does not. */
  foundIn(text: string): number | null {
    const words = normalWords(text);
    if (words.length === 0) return null;
    const sentence = this.#sentenceIn(words);
    for (const { hash, start } of tellingRuns(words)) {
      if (sentence !== null && start >= sentence) break;
      if (this.#runs.has(hash)) return start / words.length;
    }
    return sentence === null ? null : sentence / words.length;
  }

  #addSentence(sentence: string): void {
    const words = normalWords(sentence);
    if (!reaches(words, SENTENCE) || !tellingRuns(words).next().done) return;
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
  /** Where its key stands. */
  readonly offset: number;
}

/** Each sentence under those of its words in a row that the fewest others have. */
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
  least: { readonly words: number; readonly telling: number },
): boolean {
  const sum = (each: (word: string) => number) => words.reduce((total, word) => total + each(word), 0);
  return sum(wordWeight) >= least.words && sum(tellingWeight) >= least.telling;
}

function tellingWeight(word: string): number {
  return isFiller(word, true) ? 0 : wordWeight(word);
}

/** From each word on the shortest run that is long enough, if it tells enough. */
function* tellingRuns(
  words: readonly string[],
): Generator<{ readonly start: number; readonly hash: number }> {
  let [end, weight, telling] = [0, 0, 0];
  for (let start = 0; start < words.length; start++) {
    while (end < words.length && weight < RUN.words) {
      weight += wordWeight(words[end]!);
      telling += tellingWeight(words[end]!);
      end++;
    }
    if (weight < RUN.words) return;
    if (telling >= RUN.telling) yield { start, hash: hashWords(words.slice(start, end), 0) };
    weight -= wordWeight(words[start]!);
    telling -= tellingWeight(words[start]!);
  }
}

/** A turn that says again what others say. */
export type Quoting = Pick<Episode, 'id' | 'session' | 'speaker' | 'validAt'> & {
  /** What it says, from a little before the quotation on. */
  readonly text: string;
};

const COLUMNS = ['id', 'session', 'speaker', 'validAt', 'content', 'attachments'] as const;
type Row = Pick<Episode, (typeof COLUMNS)[number]>;

/** Turns that are read in one go. */
const BATCH = 500;
/** So many characters of a long turn are shown before what it quotes. */
const BEFORE = 30;

/** Turns that stay and say again what turns that go say, in the order in which they were said: see `SaidAgain`. */
export async function quotationsOf(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  turns: readonly string[],
): Promise<readonly Quoting[]> {
  const said = new SaidAgain();
  const breather = new Breather();
  for (let start = 0; start < turns.length; start += BATCH)
    for (const row of await store.get(scope, 'episode', turns.slice(start, start + BATCH))) {
      await breather.breathe();
      for (const text of textsIn(row)) said.add(text);
    }
  if (said.isEmpty) return [];
  const going = new Set(turns);
  const found: Quoting[] = [];
  for await (const rows of store.scan(scope, 'episode', COLUMNS))
    for (const row of rows) {
      if (going.has(row.id)) continue;
      await breather.breathe();
      const text = quotationIn(row, said);
      const { id, session, speaker, validAt } = row;
      if (text !== null) found.push({ id, session, speaker, validAt, text });
    }
  return found.sort((a, b) => a.validAt - b.validAt);
}

/** What a turn says, and what is seen in the pictures shown with it. */
export function textsIn({ content, attachments }: Pick<Row, 'content' | 'attachments'>): string[] {
  return [content, ...attachments.map(({ description }) => description)];
}

function quotationIn(row: Row, said: SaidAgain): string | null {
  for (const text of textsIn(row)) {
    const share = said.foundIn(text);
    if (share !== null) return text.slice(startOf(text, share));
  }
  return null;
}

/** About where the quotation begins, at the start of a word. */
function startOf(text: string, share: number): number {
  const from = Math.floor(text.length * share) - BEFORE;
  return from <= BEFORE ? 0 : text.indexOf(' ', from) + 1;
}
