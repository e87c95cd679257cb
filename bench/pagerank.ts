import { existsSync } from 'node:fs';
import { readLocomoDataset } from '../eval/datasets/locomo.ts';
import { percentile } from '../eval/metrics/numbers.ts';
import type { PagerankRoute } from '../src/retrieve/pagerank/defaults.ts';
import { runPagerank } from '../src/retrieve/pagerank/run-pagerank.ts';
import { recipeNamed } from '../src/retrieve/recipes/recipes.ts';
import type { SearchContext } from '../src/retrieve/route.ts';
import { prepareQuery } from '../src/retrieve/search.ts';
import { Limit } from '../src/retrieve/within-time.ts';

import { calibrate } from './calibration.ts';
import { inMemoryOf } from './selection/selection-memory.ts';

export interface PagerankOptions {
  /** A file in LoCoMo's format. */
  readonly data: string;
  readonly recipe: string;
  /** The most questions per memory. */
  readonly questions: number;
}

/** Measurements of one question. */
type Measured = Readonly<
  Record<
    | 'nodes'
    | 'edges'
    | 'rounds'
    | 'bytesPerRound'
    | 'seedsMs'
    | 'projectionMs'
    | 'iterationMs'
    | 'routeMs'
    | 'limitMs',
    number
  >
>;

/** Warm-up questions, not counted. */
const WARM_UP = 200;
/** Bytes read per edge and round: its source, its weight and the source's share. */
const BYTES_PER_EDGE = 4 + 4 + 8;
/**
 * Bytes read or written per node and round: rank (three times), seed, share, outgoing share, and the offset of its
 * edges.
 */
const BYTES_PER_NODE = 3 * 8 + 8 + 8 + 8 + 4;

/**
 * PageRank on the memories of real conversations: the iteration, compared with the time for reading the same bytes, and
 * the whole route. Null without the data, which is not part of the repository.
 */
export async function benchPagerank({ data, recipe: name, questions }: PagerankOptions) {
  if (!existsSync(data)) return null;
  const recipe = recipeNamed(name);
  const route = recipe.routes.find((each) => each.route === 'pagerank');
  if (route === undefined) throw new TypeError(`The recipe ${name} has no PageRank in it`);
  const calibration = await calibrate();
  const bandwidth = calibration.find(({ gigabytesPerSecond }) => gigabytesPerSecond)!.gigabytesPerSecond!;
  const { cases } = await readLocomoDataset(data);
  const all: Measured[] = [];
  let turns = 0;
  for (const each of cases) {
    process.stderr.write(`${each.scope}: ${each.turns.length} turns\n`);
    turns += each.turns.length;
    const texts = each.questions.slice(0, questions).map(({ text }) => text);
    await inMemoryOf(each.turns, async (context) => {
      const ask = (text: string) => measure(context, text, { recipe, route, bandwidth });
      for (let run = 0; run < WARM_UP; run++) await ask(texts[run % texts.length]!);
      for (const text of texts) all.push(await ask(text));
    });
  }
  return {
    recipe: name,
    memories: cases.length,
    turns,
    questions: all.length,
    ...summaryOf(all),
    calibration,
  };
}

interface MeasuredWith {
  readonly recipe: ReturnType<typeof recipeNamed>;
  readonly route: PagerankRoute;
  readonly bandwidth: number;
}

async function measure(
  context: SearchContext,
  text: string,
  { recipe, route, bandwidth }: MeasuredWith,
): Promise<Measured> {
  const asked = await prepareQuery(context, text, { recipe, k: 10 });
  const input = { ...asked, calls: {}, limit: new Limit(Number.POSITIVE_INFINITY) };
  // Each route receives the set of allowed rows.
  input.rows();
  const started = performance.now();
  const { report } = runPagerank(input, route);
  const routeMs = performance.now() - started;
  const figure = (of: string) => report?.figures?.[of] ?? 0;
  const [nodes, edges, rounds] = [figure('subgraphNodes'), figure('subgraphEdges'), figure('rounds')];
  const directed = route.edges === 'symmetric' ? 2 * edges : edges;
  const bytesPerRound = nodes * BYTES_PER_NODE + directed * BYTES_PER_EDGE;
  const limitMs = (rounds * bytesPerRound) / bandwidth / 1e6;
  const times = { seedsMs: figure('seedsMs'), projectionMs: figure('projectionMs'), routeMs, limitMs };
  return { nodes, edges, rounds, bytesPerRound, iterationMs: figure('pagerankMs'), ...times };
}

function summaryOf(all: readonly Measured[]) {
  const of = (name: keyof Measured) => {
    const values = all.map((each) => each[name]);
    return {
      p50: thousandths(percentile(values, 50)!),
      p95: thousandths(percentile(values, 95)!),
    };
  };
  return {
    nodes: of('nodes'),
    edges: of('edges'),
    rounds: of('rounds'),
    bytesPerRound: of('bytesPerRound'),
    /** PageRank itself, and the time for reading its bytes. */
    iterationMs: of('iterationMs'),
    limitMs: of('limitMs'),
    seedsMs: of('seedsMs'),
    projectionMs: of('projectionMs'),
    routeMs: of('routeMs'),
  };
}

/** An iteration takes some hundredths of a millisecond. */
function thousandths(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
