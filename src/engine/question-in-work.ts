import { retrievalDefinition } from '../../graphs/retrieval/definition.ts';
import { globalSelection } from '../../graphs/retrieval/global-selection/definition.ts';
import { bestItems } from '../../graphs/retrieval/nodes.ts';
import type { BestItems, EvidenceIds } from '../../graphs/retrieval/state.ts';
import type { EndedWalk, Picks, RetrievalSteps, WalkSteps } from '../../graphs/retrieval/steps.ts';
import { runDirectly } from '../../graphs/run-directly.ts';
import { answerContext } from '../answer/answer-context.ts';
import { CONTEXT_TURNS, CONTEXT_TURNS_OF_ALL } from '../answer/defaults.ts';
import type { AnswerListener, AnswerTrace, GivenAnswer } from '../answer/given-answer.ts';
import type { MemoryContext } from '../answer/memory-context.ts';
import { CancelledError } from '../errors/index.ts';
import { currentSummaries } from '../hierarchy/describe/refresh-summaries.ts';
import { roughTokens } from '../inference/language-model/tokens/count-tokens.ts';
import { UsageMeter } from '../inference/language-model/tokens/usage-meter.ts';
import { summarizeEntity } from '../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../ingest/extract/extractor.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Milliseconds } from '../model/ids.ts';
import { BESIDE_FOUND, type RetrievedItem, type SearchResult, type Usage } from '../model/retrieved-item.ts';
import { GlobalSelection, system2Result } from '../retrieve/categories/categories.ts';
import type { System2Route } from '../retrieve/categories/defaults.ts';
import { NO_LISTS } from '../retrieve/fuse.ts';
import type { DescribeEntity } from '../retrieve/hydrate.ts';
import type { Question } from '../retrieve/question.ts';
import {
  chooseRoute,
  type RouteOutcome,
  routeFailure,
  routeOutcome,
  runOneRoute,
  skippedRoute,
  UNEXPECTED,
} from '../retrieve/run-routes.ts';
import {
  bestRows,
  type FusedRoutes,
  fuseSearch,
  type PreparedQuery,
  preparedAgain,
  prepareQuery,
  rerankSearch,
  type SearchSettings,
} from '../retrieve/search.ts';
import { turnsBeside } from '../retrieve/turns-beside.ts';
import { Limit, withinTime } from '../retrieve/within-time.ts';
import type { LookBack } from '../search/look-back.ts';
import { breathe } from '../util/breathe.ts';
import { type AskSettings, answerFrom, presentOf } from './answer.ts';
import type { MemoryView } from './history/known-indexes.ts';
import { type AskedIn, readQuestion } from './read-question.ts';

/** How a question is searched and answered. */
export interface QuestionSettings
  extends Pick<SearchSettings, 'recipe' | 'k' | 'budget' | 'validity' | 'filter' | 'routeMilliseconds'>,
    Omit<AskSettings, 'times' | 'clock' | 'signal' | 'budget'>,
    AskedIn {
  readonly times: LookBack;
  readonly clock: () => Milliseconds;
  /** Whether a model may read the context of an answer, which holds more turns than the result. */
  readonly isRead?: boolean | undefined;
}

interface Parts {
  readonly view: MemoryView;
  /** The question as it was asked; `prepared` holds it as it was read. */
  readonly asked: string;
  readonly prepared: PreparedQuery;
  readonly settings: QuestionSettings;
  /** When the search began, by `performance.now()`. */
  readonly started: number;
}

const definition = retrievalDefinition(async (_request, { context }) => (context as RunContext).steps);
const selectionDefinition = globalSelection(async (_request, { context }) => (context as RunContext).steps);

interface RunContext {
  readonly steps: QuestionInWork;
  readonly answers?: boolean;
}

/**
 * One question in work: what each node of the retrieval graph computed, kept for the nodes after it. `search` and `ask`
 * run the graph's definition without LangGraph, whose overhead would be longer than the search (docs/graphs.md).
 */
export class QuestionInWork implements RetrievalSteps {
  readonly #parts: Parts;
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #selections = new Map<number, GlobalSelection>();
  /** Whether people look at the run, so that examples are read for them. */
  readonly #isShown: boolean;
  #answer: GivenAnswer | null = null;

  private constructor(parts: Parts, isShown: boolean) {
    this.#parts = parts;
    this.#isShown = isShown;
  }

  /** Parses and embeds a question, for the current memory or for one as of a system time. @throws CancelledError */
  static async begin(
    view: MemoryView,
    query: string,
    { isShown = false, signal, ...settings }: QuestionSettings & CallOptions & { isShown?: boolean },
  ): Promise<QuestionInWork> {
    const started = performance.now();
    const read = await readQuestion(view, query, settings);
    const prepared = await prepareQuery(view, read, { ...searchSettings(settings), signal });
    return new QuestionInWork({ view, asked: query, prepared, settings, started }, isShown);
  }

  /** Runs the routes side by side, fuses and reranks. @throws CancelledError */
  async search({ signal }: CallOptions): Promise<SearchResult> {
    const context: RunContext = { steps: this, answers: false };
    await runDirectly(definition, { question: this.question.text }, { context, signal });
    return this.rerank({ signal });
  }

  /** Searches, and answers from the result. @throws CancelledError */
  async ask({ signal, onText }: CallOptions & Pick<AnswerListener, 'onText'>): Promise<GivenAnswer> {
    const context: RunContext = { steps: this };
    const writer =
      onText &&
      ((event: unknown) => {
        const { type, text } = event as { type: string; text: string };
        if (type === 'answer') onText(text);
      });
    await runDirectly(definition, { question: this.question.text }, { context, signal, writer });
    return this.#answer!;
  }

  /** Number of episodes that the caller requested. */
  get k(): number {
    return this.#parts.settings.k;
  }

  get question(): Question {
    return this.#parts.prepared.question;
  }

  get routes(): RetrievalSteps['routes'] {
    const { settings, prepared } = this.#parts;
    return settings.recipe.routes.map(({ route, when }) => ({
      route,
      runs: chooseRoute(when, prepared).runs,
    }));
  }

  route(place: number, { signal }: CallOptions): Promise<RouteOutcome> {
    return this.#once(`route ${place}`, signal, async () => {
      const { settings, prepared } = this.#parts;
      const route = settings.recipe.routes[place]!;
      const { runs, reason } = chooseRoute(route.when, prepared);
      if (!runs) return skippedRoute(route, reason);
      if (route.route === 'system2') return this.#walked(place, signal);
      return runOneRoute(
        { ...prepared, calls: { signal, budget: settings.budget } },
        route,
        this.#routeMilliseconds,
      );
    });
  }

  walk(place: number): WalkSteps {
    const { view, prepared, settings } = this.#parts;
    const route = settings.recipe.routes[place] as System2Route;
    const selection = this.#selection(place, route);
    const reason = chooseRoute(route.when, prepared).reason;
    const meter = new UsageMeter();
    return {
      obstacle: selection.obstacle,
      after: (picks) => selection.after(picks),
      select: (walk, { signal, used }) => {
        const milliseconds = Math.max(0, this.#routeMilliseconds - used);
        const limit = new Limit(milliseconds, signal);
        const select = async (within: AbortSignal) => {
          // Lets other work on the thread, such as a cancel, run between two lists.
          await breathe();
          limit.check();
          return selection.select(walk, { signal: within, budget: settings.budget, meter });
        };
        return withinTime(select, { signal, milliseconds });
      },
      failureOf: (error) => ({ ...routeFailure(error, route, view.onDefect), usage: usageOf(meter) }),
      end: (picks, ended) => {
        const outcome = this.#ended(selection, { picks, ended, route, reason });
        this.#results.set(`route ${place}`, Promise.resolve(outcome));
        return outcome;
      },
    };
  }

  fuse({ signal }: CallOptions): Promise<FusedRoutes> {
    return this.#once('fuse', signal, async () => {
      const { prepared, settings } = this.#parts;
      const places = settings.recipe.routes.map((_, place) => this.route(place, { signal }));
      return fuseSearch(prepared, await Promise.all(places), settings.recipe);
    });
  }

  async best({ fused }: FusedRoutes): Promise<BestItems | undefined> {
    return this.#isShown ? bestItems(await bestRows(this.#parts.prepared, fused)) : undefined;
  }

  async rerank({ signal }: CallOptions): Promise<SearchResult> {
    return this.#once('rerank', signal, async () => {
      const { settings } = this.#parts;
      const result = shownOf(await this.#ranked({ signal }), settings.k);
      settings.onFound?.(result);
      return result;
    });
  }

  evidence({ signal }: CallOptions): Promise<SearchResult> {
    return this.#once('evidence', signal, async () => {
      const shown = await this.rerank({ signal });
      if (!this.#parts.settings.isRead) return shown;
      const ranked = await this.#ranked({ signal });
      const beside = await turnsBeside(this.#parts.prepared, ranked.episodes);
      return { ...ranked, episodes: [...ranked.episodes, ...beside] };
    });
  }

  compose(evidence: EvidenceIds, { signal }: CallOptions): Promise<MemoryContext> {
    const { episodes, facts, entities } = evidence;
    return this.#once(`compose ${[episodes, facts, entities].join(' ')}`, signal, async () => {
      const { view, settings } = this.#parts;
      const chosen = chosenOf(await this.evidence({ signal }), evidence);
      const { contextTokens, onContext } = settings;
      const context = await answerContext(chosen, { model: view.languageModel, contextTokens });
      onContext?.(context);
      return context;
    });
  }

  async answer(
    evidence: EvidenceIds,
    { signal, onText }: CallOptions & Pick<AnswerListener, 'onText'>,
  ): Promise<GivenAnswer> {
    const { view, settings } = this.#parts;
    const sources = await this.compose(evidence, { signal });
    const context = {
      ...{ view, question: this.question, sources },
      searchAgain: (other: Pick<SearchSettings, 'recipe' | 'k'>) => this.#again(other).search({ signal }),
    };
    const chosen = chosenOf(await this.evidence({ signal }), evidence);
    const result = shownOf(chosen, settings.k);
    const answer = await answerFrom(context, result, { ...settings, signal, onText });
    this.#answer = {
      ...{ ...answer, question: this.#parts.asked },
      ...(settings.traced && { trace: traceOf(sources, performance.now() - this.#parts.started) }),
    };
    return this.#answer;
  }

  /** The best rows: as many turns as an answer's context may hold, if one may follow. */
  #ranked({ signal }: CallOptions): Promise<SearchResult> {
    return this.#once('ranked', signal, async () => {
      const { view, prepared, settings, started } = this.#parts;
      const fused = await this.fuse({ signal });
      const turns = this.question.enumerates ? CONTEXT_TURNS_OF_ALL : CONTEXT_TURNS;
      const result = await rerankSearch(prepared, fused, {
        ...searchSettings(settings),
        ...{ signal, started, turns: settings.isRead ? turns : undefined },
      });
      return settings.times.asOf === null ? withCurrentSummaries(view, result) : result;
    });
  }

  get #routeMilliseconds(): number {
    return this.#parts.settings.routeMilliseconds ?? Number.POSITIVE_INFINITY;
  }

  /** A search by another recipe for the same question, with its parse and embedding. */
  #again({ recipe, k }: Pick<SearchSettings, 'recipe' | 'k'>): QuestionInWork {
    const { view, asked, prepared, settings } = this.#parts;
    const { onFound: _, onContext: _c, ...others } = settings;
    return new QuestionInWork(
      {
        ...{ view, asked },
        prepared: preparedAgain(prepared, { recipe, k }),
        settings: { ...others, recipe, k, isRead: false },
        started: performance.now(),
      },
      false,
    );
  }

  #selection(place: number, route: System2Route): GlobalSelection {
    const known = this.#selections.get(place);
    if (known !== undefined) return known;
    const { prepared } = this.#parts;
    const made = new GlobalSelection(prepared.context, { ...prepared, ...prepared.rows() }, route);
    this.#selections.set(place, made);
    return made;
  }

  async #walked(place: number, signal: AbortSignal | undefined): Promise<RouteOutcome> {
    const context: RunContext = { steps: this };
    const input = { question: this.question.text, settings: {}, planned: { [place]: 'system2' } };
    await runDirectly(selectionDefinition, input, { context, signal });
    return this.#results.get(`route ${place}`) as Promise<RouteOutcome>;
  }

  #ended(
    selection: GlobalSelection,
    { picks, ended, route, reason }: { picks: Picks; ended: EndedWalk; route: System2Route; reason: string },
  ): RouteOutcome {
    const { end, failure, milliseconds, usage } = ended;
    const run = { milliseconds, reason };
    if (end === 'late' || failure === UNEXPECTED)
      return routeOutcome(
        route,
        { lists: NO_LISTS },
        { ...run, end: end === 'late' ? end : 'failed', failure: failure ?? undefined },
      );
    const found = selection.found(selection.after(picks), { end, failure });
    return routeOutcome(route, system2Result(found, this.#parts.prepared, usage), run);
  }

  /** A result that is computed once; a failed or cancelled one is computed again. */
  async #once<T>(key: string, signal: AbortSignal | undefined, make: () => Promise<T>): Promise<T> {
    const known = this.#results.get(key) as Promise<T> | undefined;
    if (known === undefined) {
      const made = make();
      this.#results.set(key, made);
      made.catch(() => this.#results.delete(key));
      return made;
    }
    return known.catch((error: unknown) => {
      // Another run that asked for it was cancelled, not this one.
      if (!CancelledError.isInstance(error) || signal?.aborted) throw error;
      return this.#once(key, signal, make);
    });
  }
}

function traceOf({ sources, tokens, leftOut }: MemoryContext, milliseconds: number): AnswerTrace {
  const items = sources.map(({ item: { kind, id }, text }) => ({
    kind,
    id,
    text,
    tokens: roughTokens(text),
  }));
  return { milliseconds, context: { items, tokens, leftOut } };
}

function usageOf({ total: { calls, promptTokens, completionTokens } }: UsageMeter): Usage {
  return { calls, promptTokens, completionTokens };
}

function searchSettings({
  times,
  clock,
  isRead: _r,
  asker: _a,
  earlier: _e,
  ...settings
}: QuestionSettings): SearchSettings {
  const asOf = times.asOf === null ? undefined : { at: times.asOf, describe: describeEntity };
  return { ...settings, asOf, now: presentOf(times, clock) };
}

/** What `search` returns of a deeper ranking: at most k found turns, and twice as many facts and entities. */
function shownOf(result: SearchResult, k: number): SearchResult {
  const isFound = ({ why }: RetrievedItem) => why.length !== 1 || why[0]!.route !== BESIDE_FOUND;
  return {
    ...result,
    episodes: result.episodes.filter(isFound).slice(0, k),
    facts: result.facts.slice(0, 2 * k),
    entities: result.entities.slice(0, 2 * k),
  };
}

/** The part of a search result that was chosen as evidence, in its order; the whole result as a rule. */
function chosenOf(result: SearchResult, { episodes, facts, entities }: EvidenceIds): SearchResult {
  return {
    ...result,
    episodes: chosen(result.episodes, episodes),
    facts: chosen(result.facts, facts),
    entities: chosen(result.entities, entities),
  };
}

function chosen<Item extends RetrievedItem>(items: readonly Item[], ids: readonly string[]): readonly Item[] {
  if (items.length === ids.length && items.every(({ id }, at) => id.endsWith(ids[at]!))) return items;
  return ids
    .flatMap((id) => items.find((item) => item.id.endsWith(id)) ?? [])
    .map((item, at) => ({ ...item, rank: at + 1 }));
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

/** Uses rules in both tiers, because the description is used for one search only. */
const describeEntity: DescribeEntity = ({ tags, ...entity }) => {
  const kind = ENTITY_KINDS.find((each) => tags.includes(each)) ?? 'thing';
  return summarizeEntity({ ...entity, kind });
};
