import { isDeepStrictEqual } from 'node:util';
import { HierarchyView } from '../../hierarchy/traverse/hierarchy-view.ts';
import type { Pick, Selection, Selector, SelectRequest } from '../../hierarchy/traverse/selector.ts';
import { HierarchyWalk } from '../../hierarchy/traverse/walk.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { Usage, WalkEnd, WalkTrace } from '../../model/retrieved-item.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { listsById } from '../fuse.ts';
import type { Question } from '../question.ts';
import type { RouteInput, RouteResult, SearchContext } from '../route.ts';
import type { Eligible } from '../time-view.ts';
import type { System2Route } from './defaults.ts';
import { LlmSelector, ShortlistSelector } from './llm-selector.ts';
import { type AskedQuestion, LocalSelector, NodeScores } from './local-selector.ts';
import { type RankedSelection, rankedLists } from './ranked-lists.ts';

/** The result of one walk, with its trace. */
export interface Found extends RankedSelection {
  readonly trace: WalkTrace;
}

interface System2Input extends AskedQuestion {
  readonly question: Question;
  readonly eligible: Eligible;
}

/** How a walk ended, and the code of the error if it failed. */
export interface WalkOutcome {
  readonly end: WalkEnd;
  readonly failure: string | null;
}

type Picks = readonly (readonly Pick[])[];

/**
 * System-2 Global Selection (docs/papers.md §1.6) for one question: the walk down the hierarchy of a scope, list by list.
 * `graphs/retrieval/global-selection` runs it.
 */
export class GlobalSelection {
  readonly #index: ScopeIndex;
  readonly #route: System2Route;
  readonly #question: string;
  readonly #view: HierarchyView;
  readonly #scores: NodeScores;
  readonly #newSelector: () => { readonly selector: Selector | null; readonly local: LocalSelector };
  #selector: Selector | null;
  #walk: HierarchyWalk;

  constructor(context: SearchContext, input: System2Input, route: System2Route) {
    const { index } = context;
    this.#index = index;
    this.#route = route;
    this.#question = input.question.text;
    this.#view = new HierarchyView(index, (profile) => input.eligible.entity?.[profile] !== 0);
    this.#scores = new NodeScores(index, this.#view, input);
    this.#newSelector = () => {
      const local = new LocalSelector(this.#scores, input.question.enumerates, route.local);
      return { local, selector: selectorOf(context, { route, input, local }) };
    };
    [this.#selector, this.#walk] = this.#begin();
  }

  /** Why there is nothing to walk; null if there is. */
  get obstacle(): 'no-hierarchy' | 'no-model' | null {
    if (this.#selector === null) return 'no-model';
    return this.#view.top.length === 0 ? 'no-hierarchy' : null;
  }

  /** The walk after these picks, list by list; starts over if they differ from those that it took. */
  after(picks: Picks): HierarchyWalk {
    if (isDeepStrictEqual(this.#walk.picks, picks)) return this.#walk;
    [this.#selector, this.#walk] = this.#begin();
    for (const list of picks) {
      // Earlier picks were edited, and nothing is left below them.
      if (this.#walk.offer().length === 0) break;
      this.#take(this.#walk, { picks: list, notes: [] });
    }
    return this.#walk;
  }

  /** Asks the selector about the next list, and takes its picks. @throws what a `Selector` throws. */
  async select(walk: HierarchyWalk, calls: ModelCallOptions): Promise<Selection> {
    const [nodes, { layer }] = [walk.offer(), walk];
    const reply = await this.#selector!.select({ question: this.#question, layer, nodes }, calls);
    return { ...this.#take(walk, reply), usage: reply.usage };
  }

  /** What a walk found; nothing if it failed. */
  found(walk: HierarchyWalk, { end, failure }: WalkOutcome): Found {
    const selected = end === 'failed' ? [] : walk.selected();
    const steps = walk.report();
    const entities = selected.filter(({ layer }) => layer === 0).length;
    const trace: WalkTrace = {
      selector: this.#selector?.name ?? this.#route.selector,
      steps,
      end,
      endLayer: steps.at(-1)?.layer ?? null,
      failure,
      categories: selected.length - entities,
      entities,
    };
    return { route: this.#route, selected, scores: this.#scores, trace };
  }

  #take(walk: HierarchyWalk, reply: Omit<Selection, 'usage'>): Omit<Selection, 'usage'> {
    const taken = walk.take(reply);
    this.#selector?.follow?.(taken.picks);
    return taken;
  }

  #begin(): [Selector | null, HierarchyWalk] {
    const { selector, local } = this.#newSelector();
    const walk = new HierarchyWalk(this.#view, {
      settings: walkSettings(this.#route, selector),
      // Reads the current index: it may have changed while a model ran.
      current: (id) => this.#index.profileOf(id),
      prefer: (node) => local.score(node),
    });
    return [selector, walk];
  }
}

/** The lists of the route for what a walk found. The walk may have waited for a model, so the current rows are read. */
export function system2Result(
  found: Found,
  input: Omit<RouteInput, 'limit' | 'calls'>,
  usage: Usage,
): RouteResult {
  const { index, embedder } = input.context;
  const { trace } = found;
  const lists = rankedLists(found, { ...input, ...input.rows(), index, embedder });
  return { lists: listsById(lists, index), report: { walk: trace, failure: trace.failure, usage } };
}

function walkSettings({ walk: settings }: System2Route, selector: Selector | null) {
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
