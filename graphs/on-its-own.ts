import { AsyncLocalStorageProviderSingleton } from '@langchain/core/singletons';

/**
 * Runs a graph of memory's own apart from the one that may be calling. Without it LangGraph would take it for a
 * subgraph: its steps would come up in the caller's stream, and the texts of turns in the caller's checkpoints.
 */
export function onItsOwn<T>(run: () => Promise<T>): Promise<T> {
  return AsyncLocalStorageProviderSingleton.getInstance().run(undefined, run);
}
