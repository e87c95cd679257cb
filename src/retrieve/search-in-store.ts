import { analyze } from '../search/analyzer.ts';
import type { OrdinalTable } from '../search/ordinals.ts';
import type { FoundVector, ScopeIndex } from '../search/scope-index.ts';
import { NONE } from '../search/timeline.ts';
import { topK } from '../search/top-k.ts';
import type { ScopeSearch, ScoredRow, VectorKind } from '../store/scope-search.ts';
import type { Question } from './question.ts';
import type { SearchContext } from './route.ts';
import { nearnessOfTurns } from './similarity/asked-days.ts';
import type { Eligible } from './time-view.ts';

/** Rows of a kind that are found near the question, and how many of them with their exact vectors. */
const NEAREST = 1_000;
const EXACT = 300;
/** The same for a search that leaves out many rows. */
const MOST_NEAREST = 10_000;
/** Turns around the nearest ones that are compared too, and how many of the nearest have such. */
const MOST_AROUND = 8_000;
const CENTRES = 300;
const STEPS_AROUND = 2;
/** Turns of the time that a question names that are compared too, the nearest first, and how near they are at least. */
const MOST_OF_TIME = 8_000;
const OF_TIME = 0.5;
/** Turns whose words are scored. */
const MOST_TURNS = 20_000;
/** So few rows are compared one by one, if they are a small part of all. */
const FEW = 20_000;
const SMALL_SHARE = 0.1;

interface Asked {
  readonly question: Pick<Question, 'terms' | 'allTerms' | 'time'>;
  readonly queryVector: Float32Array;
  readonly eligible: Eligible;
}

/**
 * For a scope that is too large to hold: its index with the words and vectors that the store finds for a question. The
 * routes rank these as if they were all, so that recipes and results are the same; rows that are neither near nor around
 * the nearest turns, nor of the time that the question names, nor have a word of it, count as unlike it.
 */
export async function foundInStore(
  { index }: Pick<SearchContext, 'index'>,
  search: ScopeSearch,
  { question, queryVector, eligible }: Asked,
): Promise<ScopeIndex> {
  const { episodes, facts } = index;
  const terms = question.terms.length > 0 ? question.terms : question.allTerms;
  const asksVectors = queryVector.some((value) => value !== 0);
  const nearest = async (kind: VectorKind, ids: OrdinalTable, selected: Uint8Array | null) => {
    if (!asksVectors) return [];
    const { most, among } = extentOf(ids, selected);
    const exact = Math.ceil((EXACT * most) / NEAREST);
    // A row that is left out still raises its neighbours.
    const found = await search.nearest(kind, queryVector, { most, exact, among: null });
    if (among === null) return inOrder(found, ids);
    return inOrder([...found, ...(await search.nearest(kind, queryVector, { most, exact, among }))], ids);
  };
  const few = extentOf(episodes.ids, eligible.episode).among;
  const [words, turns, statements] = await Promise.all([
    search.words(terms, { most: MOST_TURNS, among: few }),
    nearest('episode', episodes.ids, eligible.episode),
    nearest('fact', facts.ids, eligible.fact),
  ]);
  const around = rowsAround(index, { turns, statements, time: question.time });
  const [turnsAround, factsAround] = await Promise.all([
    search.scores('episode', queryVector, around.turns),
    search.scores('fact', queryVector, around.facts),
  ]);
  const { frequencies } = words;
  const scored = (rows: readonly ScoredRow[], ids: OrdinalTable) =>
    inOrder(rows, ids).map((row) => ({ ...row, vector: null }));
  return index.withFound({
    queryVector,
    words: { frequencies, turns: inOrder(words.turns, episodes.ids) },
    turns: [...turns, ...scored(turnsAround, episodes.ids)],
    facts: [...statements, ...scored(factsAround, facts.ids)],
  });
}

/**
 * The ids of rows that add to the scores of the nearest turns without being near themselves: their neighbours, the turns
 * of their sessions, and the facts that cite them; and of the turns of an asked time.
 */
function rowsAround(
  index: ScopeIndex,
  {
    turns,
    statements,
    time,
  }: Pick<Question, 'time'> & Readonly<Record<'turns' | 'statements', readonly FoundVector[]>>,
): { readonly turns: readonly string[]; readonly facts: readonly string[] } {
  const { episodes, facts, graphs } = index;
  const { timeline } = episodes;
  const centres = turns.toSorted((a, b) => b.score - a.score).slice(0, CENTRES);
  const [around, cited, sessions] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const { ordinal } of centres) {
    for (const links of [timeline.next, timeline.previous])
      for (
        let at = links.at(ordinal), step = 0;
        step < STEPS_AROUND && at !== NONE;
        step++, at = links.at(at)
      )
        around.add(at);
    for (const fact of graphs.evidence.neighbours(ordinal, 'in').ordinals) cited.add(fact);
    sessions.add(timeline.session.at(ordinal));
  }
  for (const session of sessions)
    for (
      let at = timeline.lastOf.at(session);
      at !== NONE && around.size < MOST_AROUND;
      at = timeline.previous.at(at)
    )
      around.add(at);
  const near = nearnessOfTurns(index, time);
  for (const { ordinal } of near === null ? [] : topK(near, MOST_OF_TIME, { above: OF_TIME }))
    around.add(ordinal);
  for (const { ordinal } of turns) around.delete(ordinal);
  for (const { ordinal } of statements) cited.delete(ordinal);
  return {
    turns: [...around].map((ordinal) => episodes.ids.idOf(ordinal)),
    facts: [...cited].map((ordinal) => facts.ids.idOf(ordinal)),
  };
}

/** In how many turns the terms of a text are, of its words and together; those in no turn are left out. */
export function termsInTurns(search: ScopeSearch, text: string): Promise<ReadonlyMap<string, number>> {
  return search.frequencies([...analyze(text), ...text.split(/\s+/).flatMap((word) => analyze(word))]);
}

/** How many of all rows to find, and among which few rows besides. */
function extentOf(
  ids: OrdinalTable,
  selected: Uint8Array | null,
): { readonly most: number; readonly among: readonly string[] | null } {
  if (selected === null) return { most: NEAREST, among: null };
  const count = selected.reduce((sum, flag) => sum + flag, 0);
  if (count > FEW || count > SMALL_SHARE * ids.length)
    return {
      most: Math.min(MOST_NEAREST, Math.ceil((NEAREST * ids.length) / Math.max(1, count))),
      among: null,
    };
  const among: string[] = [];
  for (let ordinal = 0; ordinal < selected.length; ordinal++)
    if (selected[ordinal] === 1) among.push(ids.idOf(ordinal));
  return { most: NEAREST, among };
}

/** Rows that the index has, with their ordinals; it may lag behind the store, or hide some. */
function inOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  ids: OrdinalTable,
): (Row & { readonly ordinal: number })[] {
  return rows
    .flatMap((row) => {
      const ordinal = ids.ordinalOf(row.id);
      return ordinal === undefined ? [] : [{ ...row, ordinal }];
    })
    .sort((a, b) => a.ordinal - b.ordinal);
}
