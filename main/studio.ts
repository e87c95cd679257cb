import { retrievalGraph } from '../graphs/retrieval/graph.ts';
import { Mnemis } from '../src/engine.ts';
import { resolveConfig } from './config.ts';

/** What langgraph.json names. The memory is the configured one and is opened at the first question. */
let engine: Promise<Mnemis> | null = null;

export const retrieval = retrievalGraph(async (scope, question, recipe) => {
  engine ??= openConfigured();
  return (await engine).scope(scope).search(question, recipe === undefined ? {} : { recipe });
});

async function openConfigured(): Promise<Mnemis> {
  const { values } = resolveConfig({ flags: {}, environment: process.env, folder: process.cwd() });
  return Mnemis.open({ path: values.path, bufferPoolMb: values.bufferPoolMb });
}
