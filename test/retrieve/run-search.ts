import { beginQuery, runSearch } from '../../src/engine/query.ts';
import type { SearchResult } from '../../src/model/retrieved-item.ts';
import type { SearchContext } from '../../src/retrieve/route.ts';
import type { SearchSettings } from '../../src/retrieve/search.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';

export interface RunSettings
  extends Pick<SearchSettings, 'recipe' | 'k' | 'budget' | 'validity' | 'routeMilliseconds' | 'signal'> {
  /** Milliseconds since 1970. */
  readonly asOf?: number;
  /** Milliseconds since 1970; default: later than every end of a fact. */
  readonly now?: number;
}

/** A search over an index of the test. */
export async function search(
  context: SearchContext,
  query: string,
  { signal, asOf, now = Number.POSITIVE_INFINITY, ...settings }: RunSettings,
): Promise<SearchResult> {
  const view = { ...context, store: context.store as GraphStore };
  const begun = await beginQuery(view, query, {
    ...settings,
    times: { asOf: asOf ?? null, knownAt: null },
    clock: () => now,
    signal,
  });
  return runSearch(begun, { signal });
}
