import type { TokenBudget } from '../inference/language-model/calling/token-budget.ts';
import type { Milliseconds } from '../model/ids.ts';
import { NO_USAGE, type SearchResult, type Usage } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { DescribeEntity } from './entities-then.ts';
import { type FusedItem, reciprocalRankFusion } from './fuse.ts';
import { hydrateEntities, hydrateEpisodes, hydrateFacts } from './hydrate.ts';
import { readQuestion } from './question.ts';
import type { Recipe, Route } from './recipes.ts';
import type { SearchContext } from './search-context.ts';
import { episodesBehind } from './source-turns.ts';
import { type System1Input, system1 } from './system1/system1.ts';
import { TurnScores } from './system1/turn-scores.ts';
import { rankedLists } from './system2/ranked-lists.ts';
import { type Found, type System2Input, system2 } from './system2/system2.ts';
import { eligibleRows, type TimeView, timeView } from './time-view.ts';
import type { Validity } from './validity.ts';

/** A search about a time that is past. */
export interface AsOf {
  /** Facts that held then, turns said until then, entities spoken of until then (DESIGN §8.4). */
  readonly at: Milliseconds;
  /** For the summaries of entities. */
  readonly describe: DescribeEntity;
}

export interface SearchSettings {
  readonly recipe: Recipe;
  /** Episodes in the result; entities and facts get twice as many (Mnemis §3.1). */
  readonly k: number;
  readonly signal?: AbortSignal | undefined;
  /** Bounds what selectors that ask a language model may cost. */
  readonly budget?: TokenBudget | undefined;
  readonly asOf?: AsOf | undefined;
  /** Default: only facts that hold where `asOf` is given, else what the recipe says. */
  readonly validity?: Validity | undefined;
  /** The present. Default: later than every end of a fact. */
  readonly now?: Milliseconds | undefined;
}

interface Fused {
  readonly episode: readonly FusedItem[];
  readonly fact: readonly FusedItem[];
  readonly entity: readonly FusedItem<string>[];
}

/** Runs a recipe's routes, fuses their lists by kind, and reads the rows of what fits the budgets. */
export async function search(
  context: SearchContext,
  query: string,
  { recipe, k, signal, budget, asOf, validity, now = Number.POSITIVE_INFINITY }: SearchSettings,
): Promise<SearchResult> {
  const started = performance.now();
  const { index } = context;
  const question = readQuestion(query, index.episodes.timeline.liveSpeakerNames());
  const walked = recipe.routes.some(({ route }) => route === 'system2') && question.kindWords !== '';
  const texts = [question.withoutSpeakers, ...(walked ? [question.kindWords] : [])];
  const [queryVector, kindVector = null] = await context.embedder.embed(texts, { as: 'query', signal });
  const asked = { question, queryVector: queryVector! };
  const view = timeView({
    validity: validity ?? (asOf === undefined ? (recipe.validity ?? 'current') : 'current'),
    asOf: asOf?.at ?? null,
    now,
  });
  const walks = await walkAll(context, recipe, { ...asked, kindVector, view, calls: { signal, budget } });
  // From here to the first row nothing waits: a commit could put a new row in the place of a ranked one.
  const eligible = eligibleRows(index, view);
  const ranking = rank(index, recipe, { ...asked, eligible, walks });
  const { episodes: turns, facts } = index;
  const ranked = {
    episodes: ranking.episode.map(({ key, score }) => ({
      id: turns.ids.idOf(key),
      score,
      session: turns.timeline.sessions[turns.timeline.session.at(key)]!,
      index: turns.timeline.index.at(key),
    })),
    entities: ranking.entity.map(({ key, score }) => ({ id: key, score })),
    facts: ranking.fact.map(({ key, score }) => ({ id: facts.ids.idOf(key), score })),
  };
  const rows = { ...context, view, describe: asOf?.describe };
  const traces = [...walks.values()].map(({ trace }) => trace);
  const result = {
    query,
    recipe: recipe.name,
    episodes: await hydrateEpisodes(rows, ranking.episode.slice(0, k)),
    entities: await hydrateEntities(rows, ranking.entity.slice(0, 2 * k)),
    facts: await hydrateFacts(rows, ranking.fact.slice(0, 2 * k)),
    ranked,
    usage: traces.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
    ...(traces.length > 0 && { trace: traces }),
  };
  return { ...result, milliseconds: performance.now() - started };
}

/** The walks of a recipe's System-2 routes, one after another; a model may be asked in them. */
async function walkAll(
  context: SearchContext,
  recipe: Recipe,
  asked: Omit<System2Input, 'eligible'> & { readonly view: TimeView },
): Promise<ReadonlyMap<Route, Found>> {
  const walks = new Map<Route, Found>();
  for (const route of recipe.routes)
    if (route.route === 'system2') {
      const eligible = eligibleRows(context.index, asked.view);
      walks.set(route, await system2(context, { ...asked, eligible }, route));
    }
  return walks;
}

function rank(
  index: ScopeIndex,
  recipe: Recipe,
  {
    walks,
    ...asked
  }: Pick<System1Input, 'question' | 'queryVector' | 'eligible'> & {
    readonly walks: ReadonlyMap<Route, Found>;
  },
): Fused {
  const { eligible } = asked;
  // Each list is twice as deep as the final cut (PAPERS §1.2).
  const input = { ...asked, index, turnScores: new TurnScores(index, asked), depth: 2 * recipe.depth };
  const lists = recipe.routes.map((route) =>
    route.route === 'system1' ? system1(input, route) : rankedLists(walks.get(route)!, input),
  );
  const { rankConstant: constant, depth } = recipe;
  const ties = tieBreaks(index);
  const fact = reciprocalRankFusion(
    lists.flatMap((each) => each.fact),
    { constant, depth, before: ties.newest },
  );
  const entity = reciprocalRankFusion(
    lists.flatMap((each) => each.entity),
    { constant, depth, before: ties.node },
  );
  const found = reciprocalRankFusion(
    lists.flatMap((each) => each.episode),
    { constant, depth, before: ties.turn },
  );
  // "What about Nora?" has no word that a turn need repeat, but what is known of her comes from turns.
  const episode = found.length > 0 ? found : episodesBehind(fact, entity, { index, recipe, eligible });
  return { episode, entity, fact };
}

/** Turns tie by session and place (DESIGN §8.6), the rest by age: ordinals follow the order of arrival. */
function tieBreaks({ episodes: { timeline }, entities, hierarchy }: ScopeIndex) {
  const newest = (a: number, b: number) => b - a;
  const age = (id: string) => entities.profiles.ids.ordinalOf(entities.profileOf(id)?.id ?? '') ?? -1;
  const ageOfCategory = (id: string) => hierarchy.ordinalOf(id) ?? -1;
  return {
    newest,
    turn: (a: number, b: number) =>
      timeline.session.at(a) - timeline.session.at(b) || timeline.index.at(a) - timeline.index.at(b) || a - b,
    // Entities before categories.
    node: (a: string, b: string) => newest(age(a), age(b)) || newest(ageOfCategory(a), ageOfCategory(b)),
  };
}

function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}
