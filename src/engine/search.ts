import { currentSummaries } from '../hierarchy/describe/refresh-summaries.ts';
import { summarizeEntity } from '../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../ingest/extract/extractor.ts';
import type { Milliseconds } from '../model/ids.ts';
import type { SearchResult } from '../model/retrieved-item.ts';
import type { DescribeEntity } from '../retrieve/hydrate.ts';
import { type RunningSearch, runAll, SearchRun, type SearchSettings } from '../retrieve/search.ts';
import type { LookBack } from '../search/look-back.ts';
import type { MemoryView } from './history/known-indexes.ts';

export interface QuestionSettings
  extends Pick<SearchSettings, 'recipe' | 'k' | 'signal' | 'budget' | 'validity' | 'routeMilliseconds'> {
  readonly times: LookBack;
  readonly clock: () => Milliseconds;
}

/** A running search with its prepared question. */
export interface BegunSearch extends RunningSearch {
  readonly prepared: SearchRun;
}

/**
 * Prepares a question for the current memory or for one as of a system time; the caller runs its routes, then `end`.
 */
export async function beginSearch(
  view: MemoryView,
  query: string,
  { times, clock, ...settings }: QuestionSettings,
): Promise<BegunSearch> {
  const asOf = times.asOf === null ? undefined : { at: times.asOf, describe: describeEntity };
  const run = await SearchRun.begin(view, query, { ...settings, asOf, now: presentOf(times, clock) });
  return {
    prepared: run,
    routes: run.routes,
    route: (place) => run.route(place),
    end: async (outcomes) => {
      const result = await run.end(outcomes);
      return times.asOf === null ? withCurrentSummaries(view, result) : result;
    },
  };
}

/** Runs a whole search, with its routes in parallel. */
export async function searchMemory(
  view: MemoryView,
  query: string,
  settings: QuestionSettings,
): Promise<SearchResult> {
  return runAll(await beginSearch(view, query, settings));
}

/** Updates the summaries of the returned categories, because their children may have changed since. */
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

/** The "now" of a question: its `knownAt`, else the clock. */
export function presentOf({ knownAt }: LookBack, clock: () => Milliseconds): Milliseconds {
  return knownAt ?? clock();
}

/** Uses rules in both tiers, because the description is used for one search only. */
const describeEntity: DescribeEntity = ({ tags, ...entity }) => {
  const kind = ENTITY_KINDS.find((each) => tags.includes(each)) ?? 'thing';
  return summarizeEntity({ ...entity, kind });
};
