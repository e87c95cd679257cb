import type { MemoryScope } from '../engine/memory-scope.ts';
import type { Mnemis } from '../engine.ts';
import { CancelledError } from '../errors/index.ts';
import { NO_USAGE } from '../model/retrieved-item.ts';
import type { TurnInput } from '../model/turn-input.ts';
import type { Recipe } from '../retrieve/recipes/recipe.ts';
import type { EvaluationCase, EvaluationDataset } from './datasets/evaluation-dataset.ts';
import type { QuestionResult } from './metrics/recall.ts';
import { buildRetrievalReport, type RetrievalReport } from './retrieval-report.ts';

export interface RetrievalEvaluation {
  readonly engine: Mnemis;
  readonly dataset: EvaluationDataset;
  readonly recipes: readonly Recipe[];
  readonly tier: string;
  /** `dataset` adds the facts that the data set brings along. */
  readonly facts: 'none' | 'dataset';
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (done: number, total: number, what: string) => void;
}

/** Ingests each case into a scope of its own and asks all its questions with every recipe (DESIGN §8.6–8.8). */
export async function evaluateRetrieval(evaluation: RetrievalEvaluation): Promise<RetrievalReport[]> {
  const { dataset, recipes, tier, signal, onProgress } = evaluation;
  const results = new Map(recipes.map((recipe) => [recipe.name, [] as QuestionResult[]]));
  const ingest = { turns: 0, seconds: 0 };
  for (const [position, each] of dataset.cases.entries()) {
    onProgress?.(position, dataset.cases.length, each.scope);
    const memory = evaluation.engine.scope(each.scope);
    ingest.seconds += await ingestCase(memory, each, evaluation);
    ingest.turns += each.turns.length;
    for (const recipe of recipes)
      results.get(recipe.name)!.push(...(await askAll(memory, each, { recipe, signal })));
  }
  return recipes.map(({ name: recipe }) =>
    buildRetrievalReport({
      dataset: dataset.name,
      recipe,
      tier,
      results: results.get(recipe)!,
      ingest,
      usage: NO_USAGE,
      ...(dataset.note === undefined ? {} : { note: dataset.note }),
    }),
  );
}

async function ingestCase(
  memory: MemoryScope,
  { turns, facts }: EvaluationCase,
  evaluation: RetrievalEvaluation,
): Promise<number> {
  const { signal } = evaluation;
  const started = performance.now();
  const records = turns.map((turn, line) => ({ kind: 'turn' as const, turn, where: `turn ${line + 1}` }));
  try {
    for await (const event of memory.import(records, { signal })) void event;
  } catch (error) {
    throw CancelledError.isInstance(error) ? cancelled(signal) : error;
  }
  if (evaluation.facts === 'dataset') await memory.addFacts(facts, { signal });
  await memory.flush();
  return (performance.now() - started) / 1000;
}

async function askAll(
  memory: MemoryScope,
  { turns, questions }: EvaluationCase,
  { recipe, signal }: { recipe: Recipe; signal: AbortSignal | undefined },
): Promise<QuestionResult[]> {
  const sourceIds = sourceIdsByPlace(turns);
  const results: QuestionResult[] = [];
  for (const question of questions) {
    if (signal?.aborted) throw cancelled(signal);
    const { ranked, milliseconds } = await memory.search(question.text, { recipe, signal });
    results.push({
      question,
      rankedTurns: ranked.episodes.flatMap(
        ({ session, index }) => sourceIds.get(place(session, index)) ?? [],
      ),
      rankedSessions: ranked.episodes.map(({ session }) => session),
      milliseconds,
    });
  }
  return results;
}

function cancelled(signal: AbortSignal | undefined): CancelledError {
  return new CancelledError('no figures were printed', signal?.reason);
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
