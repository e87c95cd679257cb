import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import MiniSearch from 'minisearch';
import { analyze } from '../src/search/analyzer.ts';
import { LexicalIndex, readLexicalSections } from '../src/search/lexical-index.ts';
import { prefixSections, sectionsUnder } from '../src/search/sections.ts';
import { readSnapshot, writeSnapshot } from '../src/search/snapshot.ts';
import { TopHits, topK } from '../src/search/top-k.ts';
import { VectorIndex } from '../src/search/vector-index.ts';
import { bandwidthKernel, calibrate, medianMilliseconds } from './calibration.ts';

/**
 * Search kernels against their alternatives in one process.
 *   node --import tsx bench/kernels.ts [--json]
 * Times are milliseconds; queries are medians over 100 queries of 8 words drawn from the documents' own distribution.
 */
const WORDS_PER_DOCUMENT = 30;
const VOCABULARY = 50_000;
const DIMENSION = 256;
const VECTORS = 100_000;

let state = 2_463_534_242;
function random(): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}

/** Words numbered by rank, drawn by Zipf's law with exponent 1. */
const cumulative = new Float64Array(VOCABULARY);
for (let rank = 0, sum = 0; rank < VOCABULARY; rank++) {
  sum += 1 / (rank + 1);
  cumulative[rank] = sum;
}
function zipfWord(): string {
  const target = random() * cumulative[VOCABULARY - 1]!;
  let low = 0;
  let high = VOCABULARY - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulative[middle]! < target) low = middle + 1;
    else high = middle;
  }
  return `w${low.toString(36)}`;
}
const words = (count: number): string[] => Array.from({ length: count }, zipfWord);

function timed<T>(work: () => T): { readonly value: T; readonly ms: number } {
  const started = performance.now();
  const value = work();
  return { value, ms: performance.now() - started };
}

interface Scored {
  readonly slots: Uint32Array;
  readonly frequencies: Float32Array;
  /** Weight times idf times (k1 + 1). */
  readonly factor: number;
  /**
   * Upper bound of a posting's score: from the highest frequency and the shortest length, which an index can maintain.
   */
  readonly bound: number;
}

interface Collection {
  readonly lengths: Float32Array;
  readonly fixed: number;
  readonly perLength: number;
  lists(terms: readonly string[]): Scored[];
}

/**
 * MaxScore (Turtle and Flood 1995): documents in order; lists that cannot lift a document into the best k are only
 * probed.
 */
function maxScore(lists: readonly Scored[], { lengths, fixed, perLength }: Collection, k: number) {
  const sorted = [...lists].sort((a, b) => a.bound - b.bound);
  const bounds: number[] = [];
  for (const { bound } of sorted) bounds.push((bounds.at(-1) ?? 0) + bound);
  const at = new Uint32Array(sorted.length);
  const best = new TopHits(k);
  let read = 0;
  let essential = 0;
  for (;;) {
    const threshold = best.threshold;
    while (essential < sorted.length && bounds[essential]! < threshold) essential++;
    let slot = 0xffffffff;
    for (let list = essential; list < sorted.length; list++) {
      const { slots } = sorted[list]!;
      if (at[list]! < slots.length && slots[at[list]!]! < slot) slot = slots[at[list]!]!;
    }
    if (slot === 0xffffffff) return { hits: best.hits(), read };
    const norm = fixed + perLength * lengths[slot]!;
    let score = 0;
    for (let list = sorted.length - 1; list >= 0; list--) {
      const { slots, frequencies, factor } = sorted[list]!;
      if (list < essential) {
        if (score + bounds[list]! < threshold) break;
        at[list] = seek(slots, at[list]!, slot);
        read++;
      }
      if (at[list]! >= slots.length || slots[at[list]!] !== slot) continue;
      const frequency = frequencies[at[list]!]!;
      score += (factor * frequency) / (frequency + norm);
      if (list >= essential) {
        at[list]!++;
        read++;
      }
    }
    if (score >= threshold) best.offer(slot, score);
  }
}

/** The first position from `from` whose slot is at least `slot`: galloping, then halving. */
function seek(slots: Uint32Array, from: number, slot: number): number {
  let step = 1;
  while (from + step < slots.length && slots[from + step]! < slot) step *= 2;
  let low = from + (step >> 1);
  let high = Math.min(from + step, slots.length);
  if (low < slots.length && slots[low]! >= slot) high = low;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (slots[middle]! < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The lists of an index, from its own sections. */
function collectionOf(index: LexicalIndex): Collection {
  const { terms, counts, slots, frequencies, lengths } = readLexicalSections(index.toSections())!;
  const fixed = 1.2 * 0.25;
  const perLength = (1.2 * 0.75) / index.averageLength;
  const lists = new Map<string, Scored>();
  for (let term = 0, start = 0; term < terms.length; start += counts[term]!, term++) {
    const count = counts[term]!;
    const own = {
      slots: slots.slice(start, start + count),
      frequencies: frequencies.slice(start, start + count),
    };
    const factor = 2.2 * Math.log(1 + (index.size - count + 0.5) / (count + 0.5));
    const most = own.frequencies.reduce((a, b) => Math.max(a, b), 0);
    const shortest = own.slots.reduce((length, slot) => Math.min(length, lengths[slot]!), Infinity);
    lists.set(terms[term]!, {
      ...own,
      factor,
      bound: (factor * most) / (most + fixed + perLength * shortest),
    });
  }
  return { lengths, fixed, perLength, lists: (asked) => asked.flatMap((term) => lists.get(term) ?? []) };
}

function benchLexical(count: number) {
  const texts = Array.from({ length: count }, () => words(WORDS_PER_DOCUMENT).join(' '));
  const queries = Array.from({ length: 100 }, () => [...new Set(words(8))]);
  const split = (text: string): string[] => text.split(' ');
  const ours = timed(() => {
    const index = new LexicalIndex({ analyze: split });
    texts.forEach((text, ordinal) => {
      index.add(ordinal, [{ text, weight: 1 }]);
    });
    return index;
  });
  const theirs = timed(() => {
    const index = new MiniSearch<{ id: number; text: string }>({
      fields: ['text'],
      tokenize: split,
      processTerm: (term) => term,
    });
    index.addAll(texts.map((text, id) => ({ id, text })));
    return index;
  });
  const index = ours.value;
  const asked = queries.map((terms) => terms.map((term) => ({ term, weight: 1 })));
  const scores = new Float32Array(count);
  const ofQuery = <T>(list: readonly T[], run: number): T => list[run % list.length]!;
  const score = medianMilliseconds(100, (run) => index.score(ofQuery(asked, run), scores));
  const top = medianMilliseconds(100, (run) => {
    index.score(ofQuery(asked, run), scores);
    return topK(scores, 20, { above: 0 });
  });
  const miniSearch = medianMilliseconds(100, (run) =>
    theirs.value.search(ofQuery(queries, run).join(' '), { combineWith: 'OR' }).slice(0, 20),
  );
  const collection = collectionOf(index);
  const prepared = queries.map((terms) => collection.lists(terms));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
  const postings = mean(prepared.map((lists) => lists.reduce((sum, { slots }) => sum + slots.length, 0)));
  const pruned = [20, 100].map((k) => {
    const exhaustive = medianMilliseconds(100, (run) => {
      index.score(ofQuery(asked, run), scores);
      return topK(scores, k, { above: 0 });
    });
    const ms = medianMilliseconds(100, (run) => maxScore(ofQuery(prepared, run), collection, k));
    const read = mean(prepared.map((lists) => maxScore(lists, collection, k).read)) / postings;
    const totals = [
      timed(() => prepared.forEach((lists) => void maxScore(lists, collection, k))).ms,
      timed(() => {
        for (const query of asked) {
          index.score(query, scores);
          topK(scores, k, { above: 0 });
        }
      }).ms,
    ] as const;
    return {
      k,
      exhaustive,
      maxScore: ms,
      ratio: ms / exhaustive,
      ratioOfMeans: totals[0] / totals[1],
      postingsRead: read,
    };
  });
  const slowest = Math.max(...asked.map((query) => timed(() => index.score(query, scores)).ms));
  const remove = removals(index, count);
  return {
    documents: count,
    build: { ours: ours.ms, miniSearch: theirs.ms, ratio: theirs.ms / ours.ms },
    query: { score, slowestScore: slowest, top20: top, miniSearch, ratio: miniSearch / top },
    maxScore: pruned,
    remove,
  };
}

function removals(index: LexicalIndex, count: number) {
  const times: number[] = [];
  for (let ordinal = 0; ordinal < count; ordinal++) {
    if (ordinal % 3 > 0) times.push(timed(() => index.remove(ordinal)).ms);
  }
  times.sort((a, b) => a - b);
  return { median: times[times.length >> 1], slowestIsACompaction: times.at(-1) };
}

function randomUnit(): Float32Array {
  const vector = Float32Array.from({ length: DIMENSION }, () => random() + random() + random() - 1.5);
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / norm);
}

/** The plain JavaScript alternative: four float64 sums over one flat array. */
function plainScan(rows: Float32Array, query: Float32Array, out: Float32Array): void {
  for (let row = 0, at = 0; row < out.length; row++) {
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let place = 0; place < DIMENSION; place += 4, at += 4) {
      a += rows[at]! * query[place]!;
      b += rows[at + 1]! * query[place + 1]!;
      c += rows[at + 2]! * query[place + 2]!;
      d += rows[at + 3]! * query[place + 3]!;
    }
    out[row] = a + b + (c + d);
  }
}

async function benchVectors() {
  const rows = new Float32Array(VECTORS * DIMENSION);
  for (let row = 0; row < VECTORS; row++) rows.set(randomUnit(), row * DIMENSION);
  const index = new VectorIndex(DIMENSION);
  const build = timed(() => {
    for (let row = 0; row < VECTORS; row++) {
      index.set(row, rows.subarray(row * DIMENSION, (row + 1) * DIMENSION));
    }
  }).ms;
  const queries = Array.from({ length: 20 }, randomUnit);
  const out = new Float32Array(VECTORS);
  const { sum } = await bandwidthKernel();
  const bandwidth = medianMilliseconds(20, () => sum(VECTORS * DIMENSION));
  const score = medianMilliseconds(20, (run) => index.score(queries[run]!, out));
  const exhaustive = medianMilliseconds(20, (run) => {
    index.score(queries[run]!, out);
    return topK(out, 20);
  });
  const top20 = medianMilliseconds(20, (run) => index.top(queries[run]!, 20));
  const plain = medianMilliseconds(20, (run) => plainScan(rows, queries[run]!, out));
  const same = queries.every((query) => {
    index.score(query, out);
    return JSON.stringify(topK(out, 20)) === JSON.stringify(index.top(query, 20));
  });
  return {
    index,
    figures: {
      vectors: VECTORS,
      dimension: DIMENSION,
      build,
      readingTheSameBytes: bandwidth,
      score,
      exhaustiveTop20: exhaustive,
      top20,
      plainJavaScript: plain,
      ratios: {
        plainToScore: plain / score,
        scoreToReading: score / bandwidth,
        exhaustiveToTop20: exhaustive / top20,
      },
      top20EqualsExhaustive: same,
    },
  };
}

async function benchSnapshot(vectors: VectorIndex) {
  const lexical = new LexicalIndex({ analyze: (text) => text.split(' ') });
  for (let ordinal = 0; ordinal < VECTORS; ordinal++) {
    lexical.add(ordinal, [{ text: words(WORDS_PER_DOCUMENT).join(' '), weight: 1 }]);
  }
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-bench-'));
  try {
    const path = join(folder, 'index');
    const writing = performance.now();
    await writeSnapshot(
      path,
      's',
      new Map([...prefixSections('l.', lexical.toSections()), ...prefixSections('v.', vectors.toSections())]),
    );
    const write = performance.now() - writing;
    const reading = performance.now();
    const { snapshot } = await readSnapshot(path, 's');
    const read = performance.now() - reading;
    const loadLexical = timed(() => LexicalIndex.fromSections(sectionsUnder('l.', snapshot!.sections))).ms;
    const loadVectors = timed(() => VectorIndex.fromSections(sectionsUnder('v.', snapshot!.sections))).ms;
    return { write, readAndCheck: read, loadLexical, loadVectors, load: read + loadLexical + loadVectors };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function benchAnalyzer() {
  const stems =
    'walk paint support group research adopt counsel camp family run painting children café'.split(' ');
  const endings = ['', 's', 'ing', 'ed', "'s", ' the', ', and', '.'];
  const turns = Array.from({ length: 20_000 }, () =>
    Array.from({ length: WORDS_PER_DOCUMENT }, () => {
      const rare = random() < 0.2 ? zipfWord() : stems[Math.floor(random() * stems.length)]!;
      return rare + endings[Math.floor(random() * endings.length)]!;
    }).join(' '),
  );
  const started = timed(() => turns.forEach((turn) => void analyze(turn))).ms;
  return { turnsPerSecondFromCold: Math.round((turns.length / started) * 1_000) };
}

const analyzer = benchAnalyzer();
const lexical = [benchLexical(10_000), benchLexical(100_000)];
const { index, figures } = await benchVectors();
const report = {
  node: process.version,
  calibration: await calibrate(),
  analyzer,
  lexical,
  vectors: figures,
  snapshot: await benchSnapshot(index),
};
const rounded = (_key: string, value: unknown) =>
  typeof value === 'number' ? Number(value.toPrecision(3)) : value;
if (process.argv.includes('--json')) console.log(JSON.stringify(report, rounded));
else console.dir(JSON.parse(JSON.stringify(report, rounded)), { depth: null });
