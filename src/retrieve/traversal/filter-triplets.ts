import type { Row, ScopeGraph } from './scope-graph.ts';
import type { TraversalRoute } from './settings.ts';
import type { RowScores, Similarity } from './similarity.ts';
import type { TraversalEdge } from './traversal-graph.ts';

/** A text that triplets were found by, and those triplets. */
export interface FoundText extends Row {
  readonly score: number;
  readonly edges: readonly TraversalEdge[];
}

interface FilterOptions {
  readonly filter: TraversalRoute['filter'];
  readonly similarity: Similarity;
  /** What rows say, by their place in the list; null where one is gone. */
  readonly textsOf: (rows: readonly Row[]) => Promise<readonly (string | null)[]>;
}

/**
 * The triplets filter (PersonalAI, "Information Searching"; PAPERS §4.2): the texts of triplets that are most similar to
 * the question, each text once.
 */
export async function filterTriplets(
  graph: Pick<ScopeGraph, 'rowOf'>,
  edges: readonly TraversalEdge[],
  { filter, similarity, textsOf }: FilterOptions,
): Promise<FoundText[]> {
  const rows = new Map<string, { readonly row: Row; readonly edges: TraversalEdge[] }>();
  for (const edge of edges) {
    const row = graph.rowOf(edge);
    const key = `${row.kind} ${row.ordinal}`;
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { row, edges: [edge] });
    else known.edges.push(edge);
  }
  const found = [...rows.values()].map(({ row, edges }, place) => ({
    ...{ ...row, edges, score: similarity.chosen[row.kind][row.ordinal]!, place },
  }));
  const nearest = found.sort((a, b) => b.score - a.score || a.place - b.place);
  const kept = (
    await withoutRepeats(nearest, { most: filter.most, cosine: similarity.cosine, textsOf })
  ).slice(0, filter.most);
  return filter.order === 'similarity' ? kept : kept.sort((a, b) => a.place - b.place);
}

/** Equal texts have equal vectors, so that few texts need reading. */
async function withoutRepeats<T extends Row>(
  rows: readonly T[],
  options: { readonly most: number; readonly cosine: RowScores; readonly textsOf: FilterOptions['textsOf'] },
): Promise<T[]> {
  const { most, cosine, textsOf } = options;
  const alike = new Map<string, T[]>();
  for (const row of rows.slice(0, 2 * most)) {
    const key = `${row.kind} ${cosine[row.kind][row.ordinal]}`;
    alike.set(key, [...(alike.get(key) ?? []), row]);
  }
  const doubtful = [...alike.values()].filter(({ length }) => length > 1).flat();
  const texts = doubtful.length === 0 ? [] : await textsOf(doubtful);
  const said = new Set<string>();
  const repeats = new Set<T>();
  for (const [place, row] of doubtful.entries()) {
    const text = texts[place];
    if (text == null) continue;
    const key = `${row.kind} ${text}`;
    if (said.has(key)) repeats.add(row);
    said.add(key);
  }
  return rows.filter((row) => !repeats.has(row));
}
