import { hierarchyGraph } from '../graphs/hierarchy/graph.ts';
import { ingestionGraph } from '../graphs/ingestion/graph.ts';
import { retrievalGraph } from '../graphs/retrieval/graph.ts';
import type { Mnemis } from '../src/engine.ts';
import { resolveConfig } from './config.ts';
import { openMemory } from './open-memory.ts';

/** What langgraph.json names. The memory is the configured one and is opened when it is first needed. */
let engine: Promise<Mnemis> | null = null;

export const ingestion = ingestionGraph(async ({ scope }) =>
  (await configured()).scope(scope).ingestionSteps(),
);

export const hierarchy = hierarchyGraph(async ({ scope }) =>
  (await configured()).scope(scope).hierarchy.steps(),
);

export const retrieval = retrievalGraph(async (scope, question, recipe) =>
  (await configured()).scope(scope).search(question, recipe === undefined ? {} : { recipe }),
);

function configured(): Promise<Mnemis> {
  engine ??= openConfigured();
  return engine;
}

async function openConfigured(): Promise<Mnemis> {
  const environment = process.env;
  const { values } = resolveConfig({ flags: {}, environment, folder: process.cwd() });
  return (await openMemory(values, { purpose: 'learn', environment })).engine;
}
