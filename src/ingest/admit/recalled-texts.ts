import type { Milliseconds } from '../../model/ids.ts';
import { atOnce, type Breather, gradually, type Steps } from '../../util/breathe.ts';
import { HashTimes } from './recalled/hash-times.ts';
import { hashWords } from './recalled/hash-words.ts';
import { readWords } from './recalled/normal-form.ts';
import { splitPieces } from './recalled/split-pieces.ts';

/** A fact's statement, a profile's or a segment's summary, the content of a turn or the description of an attachment. */
export type RecalledKind = 'fact' | 'profile' | 'segment' | 'turn';

/** What memory wrote itself, and what was said to it: people repeat themselves, memory's own words come from it alone. */
export type RecalledSource = 'written' | 'said';

const SEEDS = { written: 1, said: 2, writtenOpening: 3, saidOpening: 4 } as const;
/** The words of a long text are also held up to every eighth, because printed lines are cut. */
const OPENING_STEP = 8;

/**
 * The texts that memory holds, as 52-bit hashes of their lines and sentences, with the time from which it held each:
 * enough to recognise one, not to read it. About 50 bytes a sentence.
 */
export class RecalledTexts {
  readonly #hashes = new HashTimes();

  /** How many different lines, sentences and openings are held. */
  get size(): number {
    return this.#hashes.size;
  }

  /** @param since When memory began to hold the text, in system time. */
  add(kind: RecalledKind, text: string, since: Milliseconds): void {
    atOnce(this.#add(kind, text, since));
  }

  /** As `add`; a long text lets others in while it is read. */
  async addGradually(
    kind: RecalledKind,
    text: string,
    { since, breather }: { readonly since: Milliseconds; readonly breather: Breather },
  ): Promise<void> {
    await gradually(this.#add(kind, text, since), breather);
  }

  *#add(kind: RecalledKind, text: string, since: Milliseconds): Steps<void> {
    for (const hash of hashesOf(kind, text))
      if (hash === undefined) yield;
      else this.#hashes.add(hash, since);
  }

  /**
   * Whether these words, as `normalWords` gives them, are a whole line or sentence that was held before a time: what
   * is said first cannot have been recalled.
   */
  has(source: RecalledSource, words: readonly string[], before: Milliseconds): boolean {
    return words.length > 0 && this.#hashes.timeOf(hashWords(words, SEEDS[source])) < before;
  }

  /**
   * Whether these words begin a line or sentence that was held before a time: they are compared up to the last eighth
   * word, and with fewer than eight they begin none.
   */
  hasOpening(source: RecalledSource, words: readonly string[], before: Milliseconds): boolean {
    const length = words.length - (words.length % OPENING_STEP);
    return length > 0 && this.#hashes.timeOf(hashWords(words.slice(0, length), openingSeed(source))) < before;
  }
}

function openingSeed(source: RecalledSource): number {
  return SEEDS[`${source}Opening`];
}

/** Of the whole text, its lines and its sentences, each text once; undefined where others may get their turn. */
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

/** Openings of the first 240 words: no line is printed longer. */
function* openings(words: readonly string[], seed: number): Generator<number> {
  const last = Math.min(words.length, 240);
  for (let length = OPENING_STEP; length <= last; length += OPENING_STEP)
    yield hashWords(words.slice(0, length), seed);
}

/** Sentences are taken with and without regard to abbreviations, because quotes are cut after every full stop. */
function* unitsOf(text: string): Generator<string> {
  yield text;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    yield line;
    for (const abbreviations of [true, false])
      for (const { start, end } of splitPieces(line, { abbreviations })) yield line.slice(start, end);
  }
}
