import type { AsyncLocalStorage } from 'node:async_hooks';

/** Where LangChain keeps its context of the running call; there once a program uses a graph or a chain. */
const CONTEXT = Symbol.for('ls:tracing_async_local_storage');

/**
 * Runs one of memory's graphs outside the graph or chain that may be calling. Otherwise the model calls in it would be
 * the caller's runs: its events and traces would show prompts with the texts of turns. Loads nothing where no LangChain
 * is in use.
 */
export async function onItsOwn<T>(run: () => Promise<T>): Promise<T> {
  const storage = (globalThis as { [CONTEXT]?: AsyncLocalStorage<unknown> })[CONTEXT];
  return storage === undefined ? run() : storage.run(undefined, run);
}
