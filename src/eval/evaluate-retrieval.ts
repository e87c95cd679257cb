import type { MemoryScope } from '../engine/memory-scope.ts';
import type { Mnemis } from '../engine.ts';
import type { RankedEpisode } from '../model/retrieved-item.ts';
import type { TurnInput } from '../model/turn-input.ts';
import type { Recipe } from '../retrieve/recipes/recipe.ts';
import type { EvaluationCase, EvaluationDataset } from './datasets/evaluation-dataset.ts';
import { cancelledEvaluation, ingestCase } from './ingest-case.ts';
import { buildRetrievalReport, type RetrievalReport, type RetrievalResult } from './retrieval-report.ts';

export interface RetrievalEvaluation {
  readonly engine: Mnemis;
  readonly dataset: EvaluationDataset;
  readonly recipes: readonly Recipe[];
  readonly tier: string;
  /** `dataset` adds the facts that the data set brings along. */
  readonly facts: 'none' | 'dataset';
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number, what: string) => void) | undefined;
  /** Gets every result, with the recipe's name, as soon as there is one. */
  readonly onResult?: ((recipe: string, result: RetrievalResult) => Promise<void>) | undefined;
}

/** Ingests each case into a scope of its own and asks all its questions with every recipe (DESIGN §8.6–8.8). */
export async function evaluateRetrieval(evaluation: RetrievalEvaluation): Promise<RetrievalReport[]> {
  const { dataset, recipes, tier, onProgress } = evaluation;
  const results = new Map(recipes.map((recipe) => [recipe.name, [] as RetrievalResult[]]));
  const written = { turns: 0, seconds: 0 };
  for (const [position, each] of dataset.cases.entries()) {
    onProgress?.(position, dataset.cases.length, each.scope);
    const memory = evaluation.engine.scope(each.scope);
    written.seconds += await ingest(memory, each, evaluation);
    written.turns += each.turns.length;
    for (const recipe of recipes)
      results.get(recipe.name)!.push(...(await askAll(memory, each, { recipe, evaluation })));
  }
  return recipes.map(({ name: recipe }) =>
    buildRetrievalReport({
      dataset: dataset.name,
      recipe,
      tier,
      results: results.get(recipe)!,
      ingest: written,
      ...(dataset.note === undefined ? {} : { note: dataset.note }),
    }),
  );
}

async function ingest(
  memory: MemoryScope,
  each: EvaluationCase,
  { facts, signal }: RetrievalEvaluation,
): Promise<number> {
  const seconds = await ingestCase(memory, each, signal);
  if (facts === 'none') return seconds;
  const started = performance.now();
  await memory.addFacts(each.facts, { signal });
  await memory.flush({ signal });
  return seconds + (performance.now() - started) / 1000;
}

async function askAll(
  memory: MemoryScope,
  { turns, questions }: EvaluationCase,
  { recipe, evaluation }: { recipe: Recipe; evaluation: RetrievalEvaluation },
): Promise<RetrievalResult[]> {
  const { signal, onResult } = evaluation;
  const sourceIds = sourceIdsByPlace(turns);
  const idsOf = (ranked: readonly RankedEpisode[]) =>
    ranked.flatMap(({ session, index }) => sourceIds.get(place(session, index)) ?? []);
  const results: RetrievalResult[] = [];
  for (const question of questions) {
    if (signal?.aborted) throw cancelledEvaluation(signal);
    const { ranked, milliseconds, routes, usage } = await memory.search(question.text, { recipe, signal });
    const subgraph = await turnsInSubgraph(memory, question.text, { recipe, signal });
    const result: RetrievalResult = {
      question,
      rankedTurns: idsOf(ranked.episodes),
      rankedSessions: ranked.episodes.map(({ session }) => session),
      subgraphTurns: subgraph === null ? null : idsOf(subgraph),
      ...{ milliseconds, routes, usage },
    };
    await onResult?.(recipe.name, result);
    results.push(result);
  }
  return results;
}

/** The longest list that a search gives. */
const DEEPEST = 1_000;

/**
 * The turns that PageRank ranks for a question: a second search by that route alone, which lists them all, outside the
 * first one's time. Null where the recipe has no such route or there are more than a search lists.
 */
async function turnsInSubgraph(
  memory: MemoryScope,
  question: string,
  { recipe, signal }: { recipe: Recipe; signal: AbortSignal | undefined },
): Promise<readonly RankedEpisode[] | null> {
  const route = recipe.routes.find((each) => each.route === 'pagerank');
  if (route === undefined) return null;
  const { when: _, ...always } = route;
  const alone: Recipe = {
    ...recipe,
    ...{ depth: DEEPEST, rerank: undefined },
    routes: [{ ...always, kinds: ['episode'], weight: 1 }],
  };
  const { ranked } = await memory.search(question, { recipe: alone, signal });
  return ranked.episodes.length < DEEPEST ? ranked.episodes : null;
}

function sourceIdsByPlace(turns: readonly TurnInput[]): ReadonlyMap<string, string> {
  const next = new Map<string, number>();
  return new Map(
    turns.map(({ session = 'main', index, sourceId = '' }) => {
      const at = index ?? next.get(session) ?? 0;
      next.set(session, at + 1);
      return [place(session, at), sourceId];
    }),
  );
}

function place(session: string, index: number): string {
  return JSON.stringify([session, index]);
}
