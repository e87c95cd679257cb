import { walkDown } from '../../graphs/retrieval/global-selection/walk-down.ts';
import type { WalkSteps } from '../../graphs/retrieval/steps.ts';
import { CONTEXT_TOKENS, CONTEXT_TURNS } from '../answer/defaults.ts';
import type { AnswerListener, AnswerTrace, GivenAnswer } from '../answer/given-answer.ts';
import { promptParts } from '../answer/llm/answer-question-prompt.ts';
import { answerContext, countedContext, counterOf, type MemoryContext } from '../answer/memory-context.ts';
import { type PromptBlock, promptBlock, tokensOfForm } from '../answer/prompt-block.ts';
import { currentSummaries } from '../hierarchy/describe/refresh-summaries.ts';
import { roughTokens } from '../inference/language-model/tokens/count-tokens.ts';
import { plusUsage } from '../inference/language-model/tokens/plus-usage.ts';
import { UsageMeter } from '../inference/language-model/tokens/usage-meter.ts';
import { summarizeEntity } from '../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../ingest/extract/extractor.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { CountedForm } from '../model/context-form.ts';
import type { EpisodeId, Milliseconds } from '../model/ids.ts';
import {
  BESIDE_FOUND,
  type RetrievedEpisode,
  type RetrievedItem,
  type RewriteTrace,
  type SearchResult,
  type Usage,
} from '../model/retrieved-item.ts';
import { GlobalSelection, system2Result } from '../retrieve/categories/categories.ts';
import type { System2Route } from '../retrieve/categories/defaults.ts';
import { NO_LISTS } from '../retrieve/fuse.ts';
import { type DescribeEntity, hydrateEpisodes, hydrateFacts } from '../retrieve/hydrate.ts';
import { readInConversation } from '../retrieve/read-in-conversation.ts';
import { relevanceFor } from '../retrieve/relevance.ts';
import type { QuestionRewriter } from '../retrieve/rewrite/question-rewriter.ts';
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
  type FusedRoutes,
  fuseSearch,
  type PreparedQuery,
  preparedAgain,
  prepareQuery,
  rerankSearch,
  type SearchSettings,
  turnsBeside,
} from '../retrieve/search.ts';
import { checkFilter } from '../retrieve/turn-filter.ts';
import { Limit, withinTime } from '../retrieve/within-time.ts';
import type { LookBack } from '../search/look-back.ts';
import { breathe } from '../util/breathe.ts';
import { type AskSettings, answerFrom } from './answer.ts';
import type { MemoryView } from './past/known-indexes.ts';
import { profileFor } from './profile.ts';
import { presentOf, thenOf } from './quoting-view.ts';
import { type AskedIn, readQuestion } from './read-question.ts';
import type { PromptBlockOptions } from './search-options.ts';

/** How a question is searched and answered. */
export interface QuerySettings
  extends Pick<
      SearchSettings,
      'recipe' | 'k' | 'budget' | 'validity' | 'filter' | 'minScore' | 'routeMilliseconds'
    >,
    Omit<AskSettings, 'times' | 'clock' | 'signal' | 'budget'>,
    Pick<PromptBlockOptions, 'countTokens'>,
    AskedIn {
  readonly times: LookBack;
  readonly clock: () => Milliseconds;
  /** Writes other wordings of the question; without one, only the plain question is searched. */
  readonly rewriter?: QuestionRewriter | undefined;
  /** Whether a model may read the context of an answer, which holds more turns than the result. */
  readonly isRead?: boolean | undefined;
}

/** A question that was read and embedded, for the current memory or for one as of a system time. */
export interface Query {
  readonly view: MemoryView;
  /** The question as it was asked; `prepared` holds it as it was read. */
  readonly asked: string;
  readonly prepared: PreparedQuery;
  readonly settings: QuerySettings;
  readonly rewritten?: RewriteTrace | undefined;
  /** When the search began, by `performance.now()`. */
  readonly started: number;
}

/** Parses and embeds a question. @throws CancelledError */
export async function beginQuery(
  view: MemoryView,
  asked: string,
  { signal, ...settings }: QuerySettings & CallOptions,
): Promise<Query> {
  const started = performance.now();
  checkFilter(settings.filter, view.index);
  const read = await readQuestion(view, asked, settings);
  const rewritten = await rewriteOf(view, asked, { ...settings, signal });
  const prepared = await prepareQuery(view, read, {
    ...searchSettings(settings),
    wordings: rewritten?.wordings,
    signal,
  });
  return { view, asked, prepared, settings, rewritten, started };
}

/** Rewrites a question as its caller gave it, since the question as it was read may have names of memory. */
async function rewriteOf(
  { languageModel }: MemoryView,
  asked: string,
  { rewriter, asker, earlier = [], routeMilliseconds, signal, budget }: QuerySettings & CallOptions,
): Promise<RewriteTrace | undefined> {
  const question = readInConversation(asked, { asker: asker ?? null, earlier, isUser: false });
  return rewriter?.rewrite(question, { languageModel, milliseconds: routeMilliseconds, signal, budget });
}

/** Runs the routes side by side, fuses and reranks. @throws CancelledError */
export async function runSearch(query: Query, calls: CallOptions): Promise<SearchResult> {
  return searchResult(query, await rank(query, await fuse(query, calls), calls));
}

/** Searches, and answers from the result. @throws CancelledError */
export async function runAsk(
  query: Query,
  { signal, onText }: CallOptions & Pick<AnswerListener, 'onText'>,
): Promise<GivenAnswer> {
  return writeAnswer(query, await readEvidence(query, { signal }), { signal, onText });
}

/** Searches, and composes a block of what was found, of at most `tokens` in all. @throws CancelledError */
export async function runContext(
  query: Query,
  {
    signal,
    tokens = countedForm(query) === null ? CONTEXT_TOKENS : Number.POSITIVE_INFINITY,
    countTokens = counterOf(query.view),
    isInPrompt,
  }: Pick<PromptBlockOptions, 'signal' | 'tokens' | 'countTokens' | 'isInPrompt'>,
): Promise<Omit<PromptBlock, 'search'> & { readonly found: SearchResult }> {
  const contextTokens = Math.max(0, tokens - (await tokensOfForm(countTokens)));
  const settings = { ...query.settings, contextTokens, countTokens };
  const { found, context } = await readEvidence({ ...query, settings }, { signal, isInPrompt });
  return { ...(await promptBlock(context, countTokens)), found };
}

/** How many items of each kind a context has; null: as many as fit. */
function countedForm({ settings: { contextForm = 'filled' } }: Query): CountedForm | null {
  return contextForm === 'filled' ? null : contextForm;
}

async function readEvidence(
  query: Query,
  { isInPrompt, ...calls }: CallOptions & Pick<PromptBlockOptions, 'isInPrompt'>,
) {
  const ranked = await rank(query, await fuse(query, calls), calls);
  const found = searchResult(query, ranked);
  const all = await evidenceFor(query, ranked, found);
  const evidence = isInPrompt === undefined ? all : withoutTurns(all, isInPrompt);
  return { found, evidence, context: await composeContext(query, evidence) };
}

/** Without some turns, and without facts that come from them alone. */
function withoutTurns(
  result: SearchResult,
  isLeftOut: NonNullable<PromptBlockOptions['isInPrompt']>,
): SearchResult {
  const gone = new Set<string>(result.episodes.filter(isLeftOut).map(({ id }) => id));
  return {
    ...result,
    episodes: result.episodes.filter(({ id }) => !gone.has(id)),
    facts: result.facts.filter(
      ({ sources }) => sources.length === 0 || sources.some(({ episode }) => !gone.has(episode)),
    ),
  };
}

async function fuse(query: Query, calls: CallOptions): Promise<FusedRoutes> {
  const { prepared, settings } = query;
  const outcomes = settings.recipe.routes.map((_, place) => runRouteAt(query, place, calls));
  return fuseSearch(prepared, await Promise.all(outcomes), settings.recipe);
}

/** Runs one route of the recipe, or says why it is skipped. @throws CancelledError */
export async function runRouteAt(
  query: Query,
  place: number,
  { signal }: CallOptions,
): Promise<RouteOutcome> {
  const { settings, prepared } = query;
  const route = settings.recipe.routes[place]!;
  const { runs, reason } = chooseRoute(route.when, prepared);
  if (!runs) return skippedRoute(route, reason);
  if (route.route === 'system2') return walkDown(walkAt(query, place), place, { signal });
  const calls = { signal, budget: settings.budget };
  return runOneRoute({ ...prepared, calls }, route, routeMilliseconds(query));
}

/** The walk of a `system2` route. */
export function walkAt(query: Query, place: number): WalkSteps {
  const { view, prepared, settings } = query;
  const route = settings.recipe.routes[place] as System2Route;
  const selection = new GlobalSelection(prepared.context, { ...prepared, ...prepared.rows() }, route);
  const { reason } = chooseRoute(route.when, prepared);
  let meter = new UsageMeter();
  return {
    obstacle: selection.obstacle,
    after: (picks) => selection.after(picks),
    select: (walk, { signal, used }) => {
      meter = new UsageMeter();
      const milliseconds = Math.max(0, routeMilliseconds(query) - used);
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
    end: (picks, { end, failure, milliseconds, usage }) => {
      const run = { milliseconds, reason };
      if (end === 'late' || failure === UNEXPECTED)
        return routeOutcome(
          route,
          { lists: NO_LISTS },
          { ...run, end: end === 'late' ? end : 'failed', failure: failure ?? undefined },
        );
      const found = selection.found(selection.after(picks), { end, failure });
      return routeOutcome(route, system2Result(found, prepared, usage), run);
    },
  };
}

function routeMilliseconds({ settings }: Query): number {
  return settings.routeMilliseconds ?? Number.POSITIVE_INFINITY;
}

/** The best rows of each kind. */
export async function rank(
  { view, prepared, settings, rewritten, started }: Query,
  fused: FusedRoutes,
  { signal }: CallOptions,
): Promise<SearchResult> {
  const found = await rerankSearch(prepared, fused, { ...searchSettings(settings), signal, started });
  const result =
    rewritten === undefined ? found : { ...found, rewritten, usage: plusUsage(found.usage, rewritten.usage) };
  return settings.times.asOf === null ? withCurrentSummaries(view, result) : result;
}

/** What a search returns of a ranking. */
export function searchResult({ settings }: Query, ranked: SearchResult): SearchResult {
  const result = shownOf(ranked, settings.k);
  settings.onFound?.(result);
  return result;
}

/** What an answer may be composed from: the result, and where a model reads it, turns ranked after and beside it. */
export async function evidenceFor(
  query: Query,
  ranked: SearchResult,
  result: SearchResult,
): Promise<SearchResult> {
  const { prepared, settings } = query;
  if (!settings.isRead) return result;
  const form = countedForm(query);
  if (form !== null) return countedEvidence(query, ranked, form);
  const near = await further(query, ranked, NEIGHBOURS_WITHIN);
  const beside = await turnsBeside(prepared, near);
  const all = await further(query, { ...ranked, episodes: near }, CONTEXT_TURNS);
  const taken = new Set(beside.map(({ id }) => id));
  const found = all.filter(({ id }) => !taken.has(id));
  const last = found.at(-1)?.rank ?? 0;
  return { ...ranked, episodes: [...found, ...beside.map((turn, at) => ({ ...turn, rank: last + at + 1 }))] };
}

/** The best of each kind, so many as a context form names. */
async function countedEvidence(
  { prepared }: Query,
  ranked: SearchResult,
  form: CountedForm,
): Promise<SearchResult> {
  const { context, view } = prepared;
  const episodes = ranked.episodes.slice(0, form.turns);
  const entities = ranked.entities.slice(0, form.entities);
  if (form.facts !== 'citing')
    return { ...ranked, episodes, entities, facts: ranked.facts.slice(0, form.facts) };
  const eligible = prepared.rows().eligible.fact;
  const { ids } = context.index.facts;
  const citing = new Set<string>(episodes.flatMap(({ id }) => context.index.factsEvidencedBy(id)));
  const items = [...citing]
    .filter((id) => eligible?.[ids.ordinalOf(id)!] !== 0)
    .map((key) => ({ key, score: 0, votes: [] }));
  return { ...ranked, episodes, entities, facts: await hydrateFacts({ ...context, view }, items) };
}

/** Turns whose neighbours may be shown: those that a model likely reads with care. */
const NEIGHBOURS_WITHIN = 40;

/** The turns of a result, continued by its ranking as far as `minScore` allows. */
async function further(
  { prepared, settings: { recipe, minScore = 0 } }: Query,
  { episodes, ranked }: Pick<SearchResult, 'episodes' | 'ranked'>,
  most: number,
): Promise<readonly RetrievedEpisode[]> {
  const { context, view } = prepared;
  const known = new Set<string>(episodes.map(({ id }) => id));
  const relevance = minScore > 0 ? relevanceFor(prepared, recipe) : () => 1;
  const items = ranked.episodes
    .slice(0, most)
    .filter(({ id }) => !known.has(id) && relevance({ kind: 'episode', id: id as EpisodeId }) >= minScore)
    .map(({ id, score }) => ({ key: id, score, votes: [] }));
  const more = await hydrateEpisodes({ ...context, view }, items);
  const last = episodes.at(-1)?.rank ?? 0;
  return [...episodes, ...more.map((turn) => ({ ...turn, rank: last + turn.rank }))];
}

/** The evidence that fits the token budget, as numbered sources. */
export async function composeContext(query: Query, evidence: SearchResult): Promise<MemoryContext> {
  const { view, settings, prepared } = query;
  const { contextTokens, countTokens, onContext, asker } = settings;
  if (countedForm(query) !== null && settings.isRead) {
    const counted = await countedContext(evidence, { ...view, contextTokens, countTokens });
    onContext?.(counted);
    return counted;
  }
  const asked = { asker, time: thenOf(view, settings) };
  const profile = settings.isRead ? (await profileFor(view, evidence.query, asked))?.sections : undefined;
  // Of one thing, what entities and categories add is hardly ever what answers.
  const entities = prepared.question.enumerates ? evidence.entities : [];
  const options = { ...view, contextTokens, countTokens, profile };
  const context = await answerContext({ ...evidence, entities }, options);
  onContext?.(context);
  return context;
}

/** Answers from evidence and the context that was composed from it. @throws CancelledError */
export async function writeAnswer(
  query: Query,
  { evidence, context }: { readonly evidence: SearchResult; readonly context: MemoryContext },
  { signal, onText }: CallOptions & Pick<AnswerListener, 'onText'>,
): Promise<GivenAnswer> {
  const { view, prepared, settings, asked, started } = query;
  const answering = {
    view,
    question: prepared.question,
    sources: context,
    searchAgain: async (other: Pick<SearchSettings, 'recipe' | 'k'>) =>
      runSearch(await again(query, other), { signal }),
  };
  const answer = await answerFrom(answering, shownOf(evidence, settings.k), { ...settings, signal, onText });
  return {
    ...answer,
    question: asked,
    ...(settings.traced && {
      trace: { ...traceOf(context, performance.now() - started), ...promptOf(query, { context, answer }) },
    }),
  };
}

/** The same question by another recipe. */
async function again(
  { view, asked, prepared, settings }: Query,
  { recipe, k }: Pick<SearchSettings, 'recipe' | 'k'>,
): Promise<Query> {
  const { onFound: _, onContext: _c, ...others } = settings;
  return {
    view,
    asked,
    prepared: await preparedAgain(prepared, { recipe, k }),
    settings: { ...others, recipe, k, isRead: false },
    started: performance.now(),
  };
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

/** What each part of the prompt took, where a model was asked. */
function promptOf(
  { prepared, settings: { times, clock } }: Query,
  { context: { sources }, answer }: { readonly context: MemoryContext; readonly answer: GivenAnswer },
): Pick<AnswerTrace, 'prompt'> {
  if (answer.answerer !== 'llm') return {};
  const now = times.asOf ?? presentOf(times, clock);
  const { rules, question, memory } = promptParts({ sources, question: prepared.question.text, now });
  return {
    prompt: {
      rules: roughTokens(rules),
      question: roughTokens(question),
      memory: roughTokens(memory),
    },
  };
}

function usageOf({ total: { calls, promptTokens, completionTokens } }: UsageMeter): Usage {
  return { calls, promptTokens, completionTokens };
}

function searchSettings({
  times,
  clock,
  isRead: _r,
  rewriter: _w,
  asker: _a,
  earlier: _e,
  ...settings
}: QuerySettings): SearchSettings {
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
