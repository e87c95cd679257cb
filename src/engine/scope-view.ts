import { HiddenRows, HidingStore } from '../edit/forget/hidden-rows.ts';
import type { Scope } from '../model/ids.ts';
import type { GraphStore } from '../store/graph-store.ts';
import type { EngineContext } from './engine-context.ts';
import { IndexKeeper } from './index-keeper.ts';
import { type ScopeSharing, SharedScope, SOLE_PROCESS } from './sharing/scope-sharing.ts';

/**
 * The components for one scope: those of the engine, with a store that hides rows that a forgetting could not remove
 * yet.
 */
export interface ScopeView {
  readonly context: EngineContext;
  /** The store with the hidden rows, for completing that forgetting. */
  readonly whole: GraphStore;
  readonly index: IndexKeeper;
  readonly hidden: HiddenRows;
  readonly sharing: ScopeSharing;
}

export function scopeView(name: Scope, engine: EngineContext): ScopeView {
  const hidden = new HiddenRows();
  const context = { ...engine, store: new HidingStore(engine.store, name, hidden) };
  const sharing = engine.shared ? new SharedScope(name, engine.shared) : SOLE_PROCESS;
  return { context, whole: engine.store, index: new IndexKeeper(name, context, sharing), hidden, sharing };
}
