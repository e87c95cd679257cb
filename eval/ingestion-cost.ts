import { Mnemis } from '../src/engine.ts';
import { CancelledError } from '../src/errors/index.ts';
import {
  addUsage,
  type ModelUsage,
  NO_MODEL_USAGE,
} from '../src/inference/language-model/tokens/usage-meter.ts';
import type { LanguageModel } from '../src/inference/language-model.ts';
import type { IngestProfile } from '../src/ingest/profile.ts';
import type { TurnInput } from '../src/model/turn-input.ts';
import { RehearsalModel } from './rehearsal/rehearsal-model.ts';

/** Turns of one memory, in the order of adding. */
export interface TurnsToPrice {
  readonly scope: string;
  readonly turns: readonly TurnInput[];
}

/** Options of `measureIngestionCost`. A `model` that you pass is really called, at its usual cost. */
export interface CostOptions {
  readonly profile: IngestProfile;
  /** Default: a rehearsal, without network and cost. */
  readonly model?: LanguageModel;
  readonly signal?: AbortSignal | undefined;
  /** Called before each memory, with the number of memories done and the total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The cost of ingesting turns, in requests to a model and tokens: in total, and on average per session. */
export interface IngestionCost {
  /** Name of the ingest profile. */
  readonly profile: string;
  readonly sessions: number;
  readonly turns: number;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly perSession: StageCost;
  /** By the name of the prompt, the most expensive first. */
  readonly byStage: Readonly<Record<string, StageCost>>;
}

export interface StageCost {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/**
 * Measures the cost of ingesting turns with a profile, in calls and tokens. Runs the whole ingestion in a temporary
 * memory; without a model of the caller, `RehearsalModel` replies with the results of the local tier.
 */
export async function measureIngestionCost(
  cases: readonly TurnsToPrice[],
  { profile, model = new RehearsalModel(), signal, onProgress }: CostOptions,
): Promise<IngestionCost> {
  const engine = await Mnemis.open({ path: ':memory:', languageModel: model, profile, automatic: false });
  let usage = NO_MODEL_USAGE;
  const byStage = new Map<string, ModelUsage>();
  try {
    for (const [done, { scope, turns }] of cases.entries()) {
      onProgress?.(done, cases.length);
      if (signal?.aborted) throw new CancelledError('no figures were printed', signal.reason);
      const memory = engine.scope(scope);
      const records = turns.map((turn, at) => ({ kind: 'turn' as const, turn, where: `turn ${at + 1}` }));
      for await (const event of memory.import(records, { signal, enrich: false })) void event;
      const report = await memory.flush({ signal });
      usage = addUsage(usage, report.usage);
      for (const [stage, cost] of Object.entries(report.byStage))
        byStage.set(stage, addUsage(byStage.get(stage) ?? NO_MODEL_USAGE, cost));
    }
  } finally {
    await engine.close();
  }
  const sessions = cases.reduce((sum, each) => sum + sessionsOf(each), 0);
  return {
    profile: profile.name,
    sessions,
    turns: cases.reduce((sum, { turns }) => sum + turns.length, 0),
    ...costOf(usage),
    perSession: costOf(usage, sessions),
    byStage: Object.fromEntries(
      [...byStage]
        .toSorted(([, a], [, b]) => b.promptTokens - a.promptTokens)
        .map(([stage, cost]) => [stage, costOf(cost)]),
    ),
  };
}

function sessionsOf({ turns }: TurnsToPrice): number {
  return new Set(turns.map(({ session = 'main' }) => session)).size;
}

/** Averages over `count`, to one decimal. */
function costOf({ calls, promptTokens, completionTokens }: ModelUsage, over = 1): StageCost {
  const share = (value: number) => (over === 0 ? 0 : Math.round((10 * value) / over) / 10);
  return {
    calls: share(calls),
    promptTokens: share(promptTokens),
    completionTokens: share(completionTokens),
  };
}
