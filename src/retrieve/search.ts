import type { Milliseconds } from '../model/ids.ts';
import { NO_USAGE, type SearchResult } from '../model/retrieved-item.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { DescribeEntity } from './entities-then.ts';
import { type FusedItem, reciprocalRankFusion } from './fuse.ts';
import { hydrateEntities, hydrateEpisodes, hydrateFacts } from './hydrate.ts';
import { readQuestion } from './question.ts';
import type { Recipe, SearchedKind } from './recipes.ts';
import type { SearchContext } from './search-context.ts';
import { episodesBehind } from './source-turns.ts';
import { type System1Input, system1 } from './system1/system1.ts';
import { eligibleRows, timeView } from './time-view.ts';
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
  readonly asOf?: AsOf | undefined;
  /** Default: only facts that hold where `asOf` is given, else what the recipe says. */
  readonly validity?: Validity | undefined;
  /** The present. Default: later than every end of a fact. */
  readonly now?: Milliseconds | undefined;
}

type Ranking = Readonly<Record<SearchedKind, readonly FusedItem[]>>;

/** Runs a recipe's routes, fuses their lists by kind, and reads the rows of what fits the budgets. */
export async function search(
  context: SearchContext,
  query: string,
  { recipe, k, signal, asOf, validity, now = Number.POSITIVE_INFINITY }: SearchSettings,
): Promise<SearchResult> {
  const started = performance.now();
  const question = readQuestion(query, context.index.episodes.timeline.liveSpeakerNames());
  const [queryVector] = await context.embedder.embed([question.withoutSpeakers], { as: 'query', signal });
  const view = timeView({
    validity: validity ?? (asOf === undefined ? (recipe.validity ?? 'current') : 'current'),
    asOf: asOf?.at ?? null,
    now,
  });
  // From here to the first row nothing waits: a commit could put a new profile in the place of a ranked one.
  const eligible = eligibleRows(context.index, view);
  const ranking = rank(context.index, recipe, { question, queryVector: queryVector!, eligible });
  const { episodes: turns, entities, facts } = context.index;
  const ranked = {
    episodes: ranking.episode.map(({ ordinal, score }) => ({
      id: turns.ids.idOf(ordinal),
      score,
      session: turns.timeline.sessions[turns.timeline.session.at(ordinal)]!,
      index: turns.timeline.index.at(ordinal),
    })),
    entities: ranking.entity.map(({ ordinal, score }) => ({ id: entities.ownerOf(ordinal), score })),
    facts: ranking.fact.map(({ ordinal, score }) => ({ id: facts.ids.idOf(ordinal), score })),
  };
  const rows = { ...context, view, describe: asOf?.describe };
  const result = {
    query,
    recipe: recipe.name,
    episodes: await hydrateEpisodes(rows, ranking.episode.slice(0, k)),
    entities: await hydrateEntities(rows, ranking.entity.slice(0, 2 * k)),
    facts: await hydrateFacts(rows, ranking.fact.slice(0, 2 * k)),
    ranked,
    usage: NO_USAGE,
  };
  return { ...result, milliseconds: performance.now() - started };
}

function rank(
  index: ScopeIndex,
  recipe: Recipe,
  { question, queryVector, eligible }: Pick<System1Input, 'question' | 'queryVector' | 'eligible'>,
): Ranking {
  // Each list is twice as deep as the final cut (PAPERS §1.2).
  const input = { index, question, queryVector, eligible, depth: 2 * recipe.depth };
  const lists = recipe.routes.map((route) => system1(input, route));
  const fuse = (kind: SearchedKind) =>
    reciprocalRankFusion(
      lists.flatMap((byKind) => byKind.get(kind) ?? []),
      { constant: recipe.rankConstant, depth: recipe.depth, before: tieBreak(kind, index) },
    );
  const fact = fuse('fact');
  const entity = fuse('entity');
  const found = fuse('episode');
  // "What about Nora?" has no word that a turn need repeat, but what is known of her comes from turns.
  const episode = found.length > 0 ? found : episodesBehind(fact, entity, { index, recipe, eligible });
  return { episode, entity, fact };
}

/** Turns tie by session and place (DESIGN §8.6), the rest by age: ordinals follow the order of arrival. */
function tieBreak(
  kind: SearchedKind,
  { episodes: { timeline } }: ScopeIndex,
): (a: number, b: number) => number {
  if (kind !== 'episode') return (a, b) => b - a;
  return (a, b) =>
    timeline.session.at(a) - timeline.session.at(b) || timeline.index.at(a) - timeline.index.at(b) || a - b;
}
