import { listsById } from '../rankings.ts';
import type { RouteInput, RouteResult } from '../route.ts';
import { globalSelection } from './global-selection.ts';
import { rankedLists } from './ranked-lists.ts';
import type { System2Route } from './settings.ts';

/** System-2 Global Selection (Mnemis §2.3): the walk, and a ranking of what it leads to. */
export async function runSystem2(input: RouteInput, route: System2Route): Promise<RouteResult> {
  const { index } = input.context;
  const found = await globalSelection(input.context, { ...input, ...input.rows() }, route);
  // A model may have been asked: the rows are those of now.
  const lists = rankedLists(found, { ...input, ...input.rows(), index });
  const { trace, usage } = found;
  const { calls, promptTokens, completionTokens } = usage;
  return {
    lists: listsById(lists, index),
    report: { walk: trace, failure: trace.failure, usage: { calls, promptTokens, completionTokens } },
  };
}
