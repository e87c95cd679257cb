import { currentSummaries } from '../../hierarchy/refresh-summaries.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { SearchResult } from '../../model/retrieved-item.ts';
import { runAll } from '../../retrieve/search.ts';
import { type RunningSearch, SearchRun } from '../../retrieve/search-run.ts';
import type { SearchSettings } from '../../retrieve/search-settings.ts';
import { describeEntity } from './describe-entity.ts';
import type { MemoryView } from './known-indexes.ts';
import type { LookBack } from './look-back.ts';

export interface QuestionSettings
  extends Pick<SearchSettings, 'recipe' | 'k' | 'signal' | 'budget' | 'validity' | 'routeMilliseconds'> {
  readonly times: LookBack;
  readonly clock: () => Milliseconds;
}

/** A search of the memory of now or then, about the present or a time that is past, step by step. */
export async function beginSearch(
  view: MemoryView,
  query: string,
  { times, clock, ...settings }: QuestionSettings,
): Promise<RunningSearch> {
  const asOf = times.asOf === null ? undefined : { at: times.asOf, describe: describeEntity };
  const run = await SearchRun.begin(view, query, { ...settings, asOf, now: presentOf(times, clock) });
  return {
    routes: run.routes,
    route: (place) => run.route(place),
    end: async (outcomes) => {
      const result = await run.end(outcomes);
      return times.asOf === null ? withCurrentSummaries(view, result) : result;
    },
  };
}

/** The same at once, its routes side by side. */
export async function searchMemory(
  view: MemoryView,
  query: string,
  settings: QuestionSettings,
): Promise<SearchResult> {
  return runAll(await beginSearch(view, query, settings));
}

/** What a category tells is brought up to date when it is shown: its children may have changed since it was written. */
async function withCurrentSummaries(view: MemoryView, result: SearchResult): Promise<SearchResult> {
  const categories = result.entities.filter(({ layer }) => layer > 0).map(({ id }) => id as string);
  if (categories.length === 0) return result;
  const summaries = await currentSummaries(view, categories);
  const entities = result.entities.map((item) => ({
    ...item,
    summary: summaries.get(item.id) ?? item.summary,
  }));
  return { ...result, entities };
}

/** What was the present when memory knew no more. */
export function presentOf({ knownAt }: LookBack, clock: () => Milliseconds): Milliseconds {
  return knownAt ?? clock();
}
