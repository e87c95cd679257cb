import type { SearchResult } from '../model/retrieved-item.ts';
import type { SearchContext } from './search-context.ts';
import { type RunningSearch, SearchRun } from './search-run.ts';
import type { SearchSettings } from './search-settings.ts';

/** A whole search. @throws CancelledError */
export async function search(
  context: SearchContext,
  query: string,
  settings: SearchSettings,
): Promise<SearchResult> {
  return runAll(await SearchRun.begin(context, query, settings));
}

/** All routes of a search side by side, then its end. @throws CancelledError */
export async function runAll(run: RunningSearch): Promise<SearchResult> {
  return run.end(await Promise.all(run.routes.map((_, place) => run.route(place))));
}
