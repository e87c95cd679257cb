import { readQuestion } from './question.ts';
import type { CurrentRows, RouteInput } from './route.ts';
import type { SearchContext } from './search-context.ts';
import type { SearchSettings } from './search-settings.ts';
import { TurnScores } from './system1/turn-scores.ts';
import { eligibleRows, timeView } from './time-view.ts';
import { withinTime } from './within-time.ts';

/** What the routes of a search start from: the question, its vectors, and what may be offered. */
export async function readAsked(
  context: SearchContext,
  query: string,
  { recipe, k, signal, budget, asOf, validity, now = Number.POSITIVE_INFINITY }: SearchSettings,
): Promise<Omit<RouteInput, 'limit'>> {
  const { index } = context;
  const question = readQuestion(query, index.episodes.timeline.liveSpeakerNames());
  const asksForKind = recipe.routes.some(({ route }) => route === 'system2') && question.kindWords !== '';
  const texts = [question.withoutSpeakers, ...(asksForKind ? [question.kindWords] : [])];
  const [queryVector, kindVector = null] = await withinTime(
    (signal) => context.embedder.embed(texts, { as: 'query', signal }),
    { signal },
  );
  const view = timeView({
    validity: validity ?? (asOf === undefined ? (recipe.validity ?? 'current') : 'current'),
    asOf: asOf?.at ?? null,
    now,
  });
  let current: { readonly revision: number; readonly rows: CurrentRows } | null = null;
  const rows = () => {
    if (current?.revision !== index.revision) {
      const eligible = eligibleRows(index, view);
      const turnScores = new TurnScores(index, { question, queryVector: queryVector!, eligible });
      current = { revision: index.revision, rows: { eligible, turnScores } };
    }
    return current.rows;
  };
  const calls = { signal, budget };
  // Each list is twice as deep as the final cut (PAPERS §1.2).
  const depth = 2 * recipe.depth;
  return { context, question, queryVector: queryVector!, kindVector, view, k, depth, calls, rows };
}
