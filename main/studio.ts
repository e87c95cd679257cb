import { retrievalGraph } from '../graphs/retrieval/graph.ts';
import type { Mnemis } from '../src/engine.ts';
import { resolveConfig } from './config.ts';
import { openMemory } from './open-memory.ts';

/** What langgraph.json names. The memory is the configured one and is opened at the first question. */
let engine: Promise<Mnemis> | null = null;

export const retrieval = retrievalGraph(async (scope, question, recipe) => {
  engine ??= openConfigured();
  return (await engine).scope(scope).search(question, recipe === undefined ? {} : { recipe });
});

async function openConfigured(): Promise<Mnemis> {
  const { values } = resolveConfig({ flags: {}, environment: process.env, folder: process.cwd() });
  return (await openMemory(values)).engine;
}
