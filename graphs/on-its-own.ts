import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';

/**
 * Runs one of memory's graphs outside the graph that may be calling. Otherwise LangGraph would treat it as a
 * subgraph: its steps would appear in the caller's stream, and the texts of turns in the caller's checkpoints.
 */
export function onItsOwn<T>(run: () => Promise<T>): Promise<T> {
  return AsyncLocalStorageProviderSingleton.getInstance().run(undefined, run);
}
