import { analyze } from '../search/analyzer.ts';
import type { OrdinalTable } from '../search/ordinals.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { ScopeSearch, VectorKind } from '../store/scope-search.ts';
import type { Question } from './question.ts';
import type { SearchContext } from './route.ts';
import type { Eligible } from './time-view.ts';

/** Rows of a kind whose vectors are compared with the question. */
const NEAREST = 1_000;
/** The same for a search that leaves out many rows. */
const MOST_NEAREST = 10_000;
/** Turns whose words are scored. */
const MOST_TURNS = 20_000;
/** So few rows are compared one by one, if they are a small part of all. */
const FEW = 20_000;
const SMALL_SHARE = 0.1;

interface Asked {
  readonly question: Pick<Question, 'terms' | 'allTerms'>;
  readonly queryVector: Float32Array;
  readonly eligible: Eligible;
}

/**
 * For a scope that is too large to hold: its index with the words and vectors that the store finds for a question. The
 * routes rank these as if they were all, so that recipes and results are the same; a turn that is neither among the
 * nearest nor has a word of the question counts only by its neighbours, its session and its facts.
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
    // A row that is left out still raises its neighbours.
    const found = await search.nearest(kind, queryVector, { most, among: null });
    if (among === null) return inOrder(found, ids);
    return inOrder([...found, ...(await search.nearest(kind, queryVector, { most, among }))], ids);
  };
  const few = extentOf(episodes.ids, eligible.episode).among;
  const [words, turns, statements] = await Promise.all([
    search.words(terms, { most: MOST_TURNS, among: few }),
    nearest('episode', episodes.ids, eligible.episode),
    nearest('fact', facts.ids, eligible.fact),
  ]);
  const { frequencies } = words;
  return index.withFound({
    words: { frequencies, turns: inOrder(words.turns, episodes.ids) },
    turns,
    facts: statements,
  });
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
