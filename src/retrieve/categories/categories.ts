import { HierarchyView } from '../../hierarchy/traverse/hierarchy-view.ts';
import type { Selector, SelectRequest } from '../../hierarchy/traverse/selector.ts';
import { type Walk, walk } from '../../hierarchy/traverse/walk.ts';
import {
  type ModelUsage,
  NO_MODEL_USAGE,
  UsageMeter,
} from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { WalkTrace } from '../../model/retrieved-item.ts';
import { listsById } from '../fuse.ts';
import type { Question } from '../question.ts';
import type { RouteInput, RouteResult, SearchContext } from '../route.ts';
import type { Eligible } from '../time-view.ts';
import type { System2Route } from './defaults.ts';
import { LlmSelector, ShortlistSelector } from './llm-selector.ts';
import { type AskedQuestion, LocalSelector, NodeScores } from './local-selector.ts';
import { type RankedSelection, rankedLists } from './ranked-lists.ts';

/** System-2 Global Selection (Mnemis §2.3): walks the hierarchy and ranks the rows of the selected nodes. */
export async function runSystem2(input: RouteInput, route: System2Route): Promise<RouteResult> {
  const { index } = input.context;
  const found = await globalSelection(input.context, { ...input, ...input.rows() }, route);
  // The walk may have waited for a model, so the current rows are read again.
  const lists = rankedLists(found, { ...input, ...input.rows(), index });
  const { trace, usage } = found;
  const { calls, promptTokens, completionTokens } = usage;
  return {
    lists: listsById(lists, index),
    report: { walk: trace, failure: trace.failure, usage: { calls, promptTokens, completionTokens } },
  };
}

/** The result of one walk, with its trace. */
export interface Found extends RankedSelection {
  readonly trace: WalkTrace;
  readonly usage: ModelUsage;
}

interface System2Input extends AskedQuestion {
  readonly question: Question;
  readonly eligible: Eligible;
  readonly calls: ModelCallOptions;
}

/**
 * The walk of System-2 (docs/papers.md §1.6) down the hierarchy of a scope. If the selector's model fails or refuses,
 * the route has no results and the trace gives the reason. @throws CancelledError
 */
export async function globalSelection(
  context: SearchContext,
  input: System2Input,
  route: System2Route,
): Promise<Found> {
  const { index } = context;
  const view = new HierarchyView(index, (profile) => input.eligible.entity?.[profile] !== 0);
  const scores = new NodeScores(index, view, input);
  const meter = new UsageMeter();
  const local = new LocalSelector(scores, input.question.enumerates, route.local);
  const selector = selectorOf(context, { route, input, local });
  const walked: Walk =
    selector === null
      ? { selected: [], steps: [], end: 'no-model', failure: null }
      : await walk(view, input.question.text, {
          selector,
          settings: walkSettings(route, selector),
          calls: { ...input.calls, meter },
          // Reads the current index: it may have changed while the model ran.
          current: (id) => index.profileOf(id),
          prefer: (node) => local.score(node),
        });
  const usage = view.top.length === 0 ? NO_MODEL_USAGE : meter.total;
  const { selected } = walked;
  const entities = selected.filter(({ layer }) => layer === 0).length;
  const trace: WalkTrace = {
    selector: selector?.name ?? route.selector,
    steps: walked.steps,
    end: walked.end,
    endLayer: walked.steps.at(-1)?.layer ?? null,
    failure: walked.failure,
    categories: selected.length - entities,
    entities,
  };
  return { route, selected, scores, trace, usage };
}

function walkSettings({ walk: settings }: System2Route, selector: Selector) {
  // The local selector needs no shortcuts: it reads lists at no cost.
  return selector instanceof LocalSelector ? { ...settings, skipTop: 0, together: 0 } : settings;
}

function selectorOf(
  { languageModel, scope, store, index }: SearchContext,
  { route, input, local }: { route: System2Route; input: System2Input; local: LocalSelector },
): Selector | null {
  if (route.selector === 'local' || (route.selector === 'auto' && !languageModel)) return local;
  if (!languageModel) return null;
  // Stored summaries may contain facts from after the asked time.
  const isPast = input.eligible.entity !== null;
  const summariesOf = async (ids: readonly string[]) => {
    const profiles = ids.flatMap((id) => index.profileOf(id)?.id ?? []);
    const rows = await store.get(scope, 'profile', profiles);
    return new Map(rows.map(({ owner, summary }) => [owner as string, summary]));
  };
  const { shown, listTokens, shortlist } = route.llm;
  const llm = new LlmSelector(languageModel, {
    shown: isPast && shown === 'names+tags+summary' ? 'names+tags' : shown,
    listTokens,
    summariesOf,
  });
  const score = (node: SelectRequest['nodes'][number]) => local.score(node);
  return new ShortlistSelector(llm, { most: shortlist, score });
}
