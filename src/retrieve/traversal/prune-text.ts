import type { Embedder } from '../../inference/embedder.ts';
import { analyze } from '../../search/analyzer.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import { dotProduct } from '../../util/dot-product.ts';
import { sentencesOf } from '../../util/sentences.ts';
import type { Row, ScopeGraph } from './scope-graph.ts';
import type { TraversalEdge, TraversalGraph } from './traversal-graph.ts';

interface Line {
  readonly cosine: number;
  /** Which entities of the question it names. */
  readonly names: ReadonlySet<number>;
}

interface PruneOptions {
  /** Entities of the question. */
  readonly asked: readonly number[];
  readonly entities: EntityIndex;
  readonly queryVector: Float32Array;
  readonly textsOf: (rows: readonly Row[]) => Promise<readonly (string | null)[]>;
  readonly embed: (lines: readonly string[]) => ReturnType<Embedder['embed']>;
}

/** Maximum of texts read line by line, most similar first: thousands may mention an entity. */
const MOST_TEXTS = 100;

/**
 * A graph in which theses and episodes around the entities are scored by their best line alone: the line that names
 * most entities of the question, ties by similarity to it (PersonalAI's do_text_pruning, Appendix F).
 */
export async function prunedGraph(graph: ScopeGraph, options: PruneOptions): Promise<TraversalGraph> {
  const { asked, textsOf } = options;
  const around = new Map<string, { readonly row: Row; readonly relevance: number }>();
  for (const edge of asked.flatMap((entity) => graph.edgesOf(entity)))
    if (edge.relation === null)
      around.set(keyOf(graph.rowOf(edge)), { row: graph.rowOf(edge), relevance: graph.relevance(edge) });
  const rows = [...around.values()]
    .sort((a, b) => b.relevance - a.relevance)
    .slice(0, MOST_TEXTS)
    .map(({ row }) => row);
  const best = await bestLines(rows, await textsOf(rows), options);
  const lineOf = (edge: TraversalEdge) =>
    edge.relation === null ? best.get(keyOf(graph.rowOf(edge))) : undefined;
  return {
    typeOf: (node) => graph.typeOf(node),
    edgesOf: (node) => graph.edgesOf(node),
    distance: (a, b) => graph.distance(a, b),
    relevance: (edge) => lineOf(edge)?.cosine ?? graph.relevance(edge),
    names: (edge, entity) => lineOf(edge)?.names.has(entity) ?? graph.names(edge, entity),
  };
}

async function bestLines(
  rows: readonly Row[],
  texts: readonly (string | null)[],
  { asked, entities, queryVector, embed }: PruneOptions,
): Promise<ReadonlyMap<string, Line>> {
  const lines = rows.flatMap((row, place) =>
    sentencesOf(texts[place] ?? '').map((text) => ({ key: keyOf(row), text })),
  );
  const vectors = lines.length === 0 ? [] : await embed(lines.map(({ text }) => text));
  const namesOf = new Map(asked.map((entity) => [entity, nameTerms(entities, entity)]));
  const best = new Map<string, Line>();
  for (const [place, { key, text }] of lines.entries()) {
    const terms = new Set(analyze(text));
    const isNamed = (entity: number) =>
      namesOf.get(entity)!.some((name) => name.length > 0 && name.every((term) => terms.has(term)));
    const line = {
      cosine: dotProduct(queryVector, vectors[place]!),
      names: new Set(asked.filter(isNamed)),
    };
    const known = best.get(key);
    if (known === undefined || isBetter(line, known)) best.set(key, line);
  }
  return best;
}

function isBetter(line: Line, than: Line): boolean {
  return (
    line.names.size - than.names.size > 0 ||
    (line.names.size === than.names.size && line.cosine > than.cosine)
  );
}

function nameTerms(entities: EntityIndex, entity: number): readonly (readonly string[])[] {
  const profile = entities.profileOf(entities.ids.idOf(entity));
  return profile === undefined ? [] : [profile.name, ...profile.aliases].map(analyze);
}

function keyOf({ kind, ordinal }: Row): string {
  return `${kind} ${ordinal}`;
}
