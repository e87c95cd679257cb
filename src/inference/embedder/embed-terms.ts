import { Breather, breathe } from '../../util/breathe.ts';
import { refuseIfAborted } from '../embedder.ts';

/** Some milliseconds of work, after which other tasks get their turn. */
const TEXTS_PER_TURN = 128;
/** Characters of a long text that are read before other tasks get their turn. */
const LONGEST_PIECE = 8_192;

export interface TermEmbedding {
  readonly dimension: number;
  readonly analyze: (text: string) => readonly string[];
  /** Adds one term of the text to its vector; the weight is 1 + ln(occurrences). */
  readonly addTerm: (vector: Float32Array, term: string, weight: number) => void;
}

/**
 * For embedders that compute in this thread: each text's vector is the weighted sum of its terms, scaled to unit
 * length; zeros for a text without terms. Yields to other tasks between texts, and within a long one.
 *
 * @throws CancelledError
 */
export async function embedTerms(
  texts: readonly string[],
  signal: AbortSignal | undefined,
  embedding: TermEmbedding,
): Promise<Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (const text of texts) {
    if (vectors.length > 0 && vectors.length % TEXTS_PER_TURN === 0) await breathe();
    refuseIfAborted(signal);
    vectors.push(toUnitLength(await sumOfTerms(text, embedding)));
  }
  return vectors;
}

async function sumOfTerms(
  text: string,
  { dimension, analyze, addTerm }: TermEmbedding,
): Promise<Float32Array> {
  const breather = text.length > LONGEST_PIECE ? new Breather() : null;
  const counts = new Map<string, number>();
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start);
    for (const term of analyze(text.slice(start, end))) counts.set(term, (counts.get(term) ?? 0) + 1);
    start = end;
    if (breather !== null) await breather.breathe();
  }
  const vector = new Float32Array(dimension);
  for (const [term, count] of counts) {
    addTerm(vector, term, 1 + Math.log(count));
    if (breather !== null) await breather.breathe();
  }
  return vector;
}

/** Ends after a space or a line break; without one, between two characters. */
function pieceEnd(text: string, start: number): number {
  const end = start + LONGEST_PIECE;
  if (end >= text.length) return text.length;
  const gap = Math.max(text.lastIndexOf(' ', end - 1), text.lastIndexOf('\n', end - 1));
  if (gap > start + LONGEST_PIECE / 2) return gap + 1;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

/** In place; a zero vector is unchanged. */
function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares > 0) {
    const scale = 1 / Math.sqrt(squares);
    for (let position = 0; position < vector.length; position++) vector[position]! *= scale;
  }
  return vector;
}

/** Weight of all character n-grams of a word beside the word itself. */
const GRAM_WEIGHT = 0.5;
const GRAM_SIZES = [3, 4, 5];

/** FNV-1a's start, after the two characters that say what a feature is. */
const WORD = hashOn(hashOn(0x811c9dc5, 'w'), ':');
const GRAM = hashOn(hashOn(0x811c9dc5, 'g'), ':');

/**
 * Adds a word by its spelling: itself and its character 3- to 5-grams with its ends marked, each in its hashed bucket.
 */
export function addHashedTerm(vector: Float32Array, term: string, weight: number): void {
  addFeature(vector, hashOn(WORD, term), weight);
  const word = `^${term}$`;
  const grams = GRAM_SIZES.reduce((count, size) => count + gramsOf(word, size), 0);
  const weightOfGram = (GRAM_WEIGHT * weight) / Math.sqrt(grams);
  for (const size of GRAM_SIZES)
    for (let start = 0; start < gramsOf(word, size); start++) {
      let hash = GRAM;
      for (let at = start; at < start + size; at++) hash = hashed(hash, word.charCodeAt(at));
      addFeature(vector, hash, weightOfGram);
    }
}

/** The number of n-grams of a word, the word itself left out. */
function gramsOf(word: string, size: number): number {
  return size < word.length ? word.length - size + 1 : 0;
}

/** Adds a feature to its bucket with the sign of its hash, so that collisions cancel out on average. */
function addFeature(vector: Float32Array, fnv: number, weight: number): void {
  const hash = mixed(fnv);
  vector[hash % (vector.length >>> 0)]! += hash & 0x80000000 ? -weight : weight;
}

/** FNV-1a over UTF-16 units. */
function hashed(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

function hashOn(before: number, text: string): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = hashed(hash, text.charCodeAt(at));
  return hash;
}

/** MurmurHash3's finaliser, so that low and high bits are both usable. */
function mixed(fnv: number): number {
  let hash = Math.imul(fnv ^ (fnv >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
