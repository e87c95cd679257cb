import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { percentile } from '../eval/metrics/numbers.ts';
import { Mnemis } from '../src/engine.ts';
import { HashingEmbedder } from '../src/inference/embedder/hashing-embedder.ts';
import { graphSource } from '../src/ingest/graph-source.ts';
import type { Scope } from '../src/model/ids.ts';
import { analyze } from '../src/search/analyzer.ts';
import { ScopeIndex } from '../src/search/scope-index.ts';
import { readWordsOf } from '../src/search/turn-text.ts';
import { postgres } from '../src/store/postgres-options.ts';
import { openPostgresStore } from '../src/store/sql/postgres/postgres-store.ts';
import { calibrate } from './calibration.ts';
import { randomNumbers, syntheticQuestions, syntheticTurns } from './synthetic-turns.ts';
import { type BenchSize, fill, round, SCOPE } from './temporary-memory.ts';

interface LargeScopeSize extends BenchSize {
  /** An empty database with the extension `vector`, or one that this filled before. */
  readonly url: string;
}

const QUESTIONS = 100;
const RECIPES = ['system1', 'system1-lexical', 'system1-vector'] as const;
/** Places of a ranking that are compared. */
const COMPARED = 10;

/** A scope on a Postgres server, held in memory and searched in the database: recall, latency, memory. */
export async function benchLargeScope({ url, episodes, dimension }: LargeScopeSize) {
  const embedder = new HashingEmbedder({ dimension, analyze });
  const open = (above?: number) =>
    Mnemis.open({
      store: postgres({ url, ...(above !== undefined && { searchInDatabaseAbove: above }) }),
      embedder,
    });
  const ingestSeconds = await fillOnce(await open(), episodes);
  const built = await build(url, embedder);
  const questions = [...syntheticQuestions(QUESTIONS / 2), ...aboutTurns(episodes, QUESTIONS / 2)];
  const held = await searchAll(await open(), questions);
  const large = await searchAll(await open(0), questions);
  return {
    episodes,
    dimension,
    questions: questions.length,
    ingestSeconds,
    ...built,
    held: { ...held, ranked: undefined },
    large: { ...large, ranked: undefined },
    /** Share of the first ten turns of the index in memory that are among the first ten of the database. */
    sameOfTen: Object.fromEntries(
      RECIPES.map((recipe) => [recipe, sameOf(held.ranked[recipe]!, large.ranked[recipe]!)]),
    ),
    nearest: await nearestRecall(url, { embedder, questions }),
    calibration: await calibrate(),
  };
}

async function fillOnce(engine: Mnemis, episodes: number): Promise<number | null> {
  const { episode } = await engine.scope(SCOPE).stats();
  const seconds = episode > 0 ? null : round(await fill(engine, episodes));
  await engine.close();
  return seconds;
}

/** Builds the tables, and loads the scope's index without and with what they hold: seconds and megabytes. */
async function build(url: string, { fingerprint }: HashingEmbedder) {
  const scope = SCOPE as Scope;
  const store = await openPostgresStore({ url, searchInDatabaseAbove: 0 }, { readWords: readWordsOf });
  const started = performance.now();
  const { search } = await store.openSearch(scope, fingerprint);
  const buildSeconds = round((performance.now() - started) / 1_000);
  const source = graphSource(store, scope, { embedder: { fingerprint }, comparesVectors: true });
  const indexes: ScopeIndex[] = [];
  const megabytesOf = async (options: Parameters<typeof ScopeIndex.load>[2]) => {
    const before = megabytes();
    indexes.push(await ScopeIndex.load(fingerprint.dimension, source, options));
    return megabytes() - before;
  };
  const large = await megabytesOf({ measured: () => search!.measures() });
  const held = await megabytesOf({});
  await store.close();
  return { buildSeconds, indexMb: { held, large }, turns: indexes[0]!.episodes.length };
}

/** Questions with eight words of a turn. */
function aboutTurns(episodes: number, count: number): string[] {
  const random = randomNumbers(5);
  const turns = [...syntheticTurns(episodes)];
  return Array.from({ length: count }, () => {
    const words = turns[Math.floor(random() * turns.length)]!.content.match(/[a-z]{4,}/g)!;
    const first = Math.floor(random() * Math.max(1, words.length - 8));
    return `Who said something about ${words.slice(first, first + 8).join(' ')}?`;
  });
}

async function searchAll(engine: Mnemis, questions: readonly string[]) {
  const memory = engine.scope(SCOPE);
  const started = performance.now();
  await memory.search('anything at all');
  const loadSeconds = round((performance.now() - started) / 1_000);
  for (const question of questions.slice(0, 10)) await memory.search(question);
  const ranked: Record<string, string[][]> = {};
  const times: Record<string, { p50Ms: number; p95Ms: number }> = {};
  for (const recipe of RECIPES) {
    const all: number[] = [];
    ranked[recipe] = [];
    for (const question of questions) {
      const asked = performance.now();
      const { ranked: found } = await memory.search(question, { recipe });
      all.push(performance.now() - asked);
      ranked[recipe].push(found.episodes.slice(0, COMPARED).map(({ id }) => id));
    }
    times[recipe] = { p50Ms: round(percentile(all, 50)!), p95Ms: round(percentile(all, 95)!) };
  }
  await engine.close();
  return { loadSeconds, times, ranked };
}

/** Memory in use after a collection: the heap, typed arrays, and what WebAssembly holds. */
function megabytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 1e6);
}

function sameOf(expected: readonly (readonly string[])[], found: readonly (readonly string[])[]): number {
  let [same, all] = [0, 0];
  for (const [place, ids] of expected.entries()) {
    all += ids.length;
    same += ids.filter((id) => found[place]!.includes(id)).length;
  }
  return Math.round((1e4 * same) / Math.max(1, all)) / 1e4;
}

/** Of the turns nearest to a question by exact vectors, the share that the database finds. */
async function nearestRecall(
  url: string,
  { embedder, questions }: { readonly embedder: HashingEmbedder; readonly questions: readonly string[] },
) {
  const scope = SCOPE as Scope;
  const store = await openPostgresStore({ url, searchInDatabaseAbove: 0 }, { readWords: readWordsOf });
  const { search } = await store.openSearch(scope, embedder.fingerprint);
  const source = graphSource(store, scope, { embedder, comparesVectors: true });
  const { dimension } = embedder.fingerprint;
  const { episodes } = await ScopeIndex.load(dimension, source);
  const queries = await embedder.embed(questions, { as: 'query' });
  const nearest = [];
  for (const [most, compared] of [
    [100, 10],
    [1_000, 10],
    [1_000, 200],
  ] as const) {
    let [found, all] = [0, 0];
    const times: number[] = [];
    for (const query of queries) {
      const exact = episodes.vectors.top(query, compared).map(({ ordinal }) => episodes.ids.idOf(ordinal));
      const asked = performance.now();
      const near = await search!.nearest('episode', query, { most, exact: 0, among: null });
      times.push(performance.now() - asked);
      const ids = new Set(near.map(({ id }) => id));
      all += exact.length;
      found += exact.filter((id) => ids.has(id)).length;
    }
    const recall = Math.round((1e4 * found) / all) / 1e4;
    nearest.push({ most, [`recallAt${compared}`]: recall, p50Ms: round(percentile(times, 50)!) });
  }
  await store.close();
  return nearest;
}
