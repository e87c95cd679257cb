import { PAPER_PROFILES } from '../eval/papers/profiles.ts';
import { assistantGraph } from '../graphs/assistant/graph.ts';
import { hierarchyGraph } from '../graphs/hierarchy/graph.ts';
import { ingestionGraph } from '../graphs/ingestion/graph.ts';
import { retrievalGraph } from '../graphs/retrieval/graph.ts';
import type { MemoryScope } from '../src/engine/memory-scope.ts';
import type { LanguageModel } from '../src/inference/language-model.ts';
import { INGEST_PROFILES } from '../src/ingest/profile.ts';
import { type Config, resolveConfig } from './config.ts';
import { configuredLanguageModel } from './language-model.ts';
import { openMemory } from './open-memory.ts';
import { findProfile, findRecipe, recipeNames } from './papers.ts';

/**
 * The four graphs of langgraph.json over the configured memory, which is opened on first use. Studio recompiles the
 * graphs with its own checkpointer and store, so each holds the memory in a closure.
 */
const environment = process.env;

const engine = lazily(async () => (await openMemory(configured(), { purpose: 'learn', environment })).engine);

const languageModel = lazily(async (): Promise<LanguageModel | null> => {
  const config = configured();
  return config.llmProvider === 'none' ? null : configuredLanguageModel(config, environment);
});

export const ingestion = ingestionGraph(
  async ({ scope, profile: name, tier }) => {
    const profile = name === null ? undefined : await findProfile(name);
    const model = (tier ?? profile?.tier) === 'llm' ? await languageModel() : null;
    return (await memoryOf(scope)).ingestionSteps({
      profile,
      tier: tier ?? undefined,
      ...(model && { languageModel: model }),
    });
  },
  { profiles: [...INGEST_PROFILES, ...PAPER_PROFILES].map(({ name }) => name) },
);

export const hierarchy = hierarchyGraph(async ({ scope }) => (await memoryOf(scope)).hierarchy.steps());

export const retrieval = retrievalGraph(
  async ({ scope, question, settings, begins }, { signal }) => {
    const { recipe, ...others } = settings;
    const found = await findRecipe(recipe);
    return (await memoryOf(scope)).retrievalSteps(question, { ...others, recipe: found, begins, signal });
  },
  await recipeNames(),
);

export const assistant = assistantGraph({ memoryOf, languageModel });

async function memoryOf(scope: string): Promise<MemoryScope> {
  return (await engine()).scope(scope);
}

function configured(): Config {
  return resolveConfig({ flags: {}, environment, folder: process.cwd() }).values;
}

/** Created once; after a failure, the next call tries again. */
function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error) => {
      made = null;
      throw error;
    });
    return made;
  };
}
