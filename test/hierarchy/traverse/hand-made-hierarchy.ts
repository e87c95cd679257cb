import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { Embedder } from '../../../src/inference/embedder.ts';
import { embedNodes } from '../../../src/ingest/write/embed-nodes.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { Relationship } from '../../../src/model/relationships.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { edge, entity, profile } from '../../contract/graph-rows.ts';

export const DIMENSION = 64;
export const embedder: Embedder = new HashingEmbedder({ dimension: DIMENSION, analyze });

/** A category as "layer Name (tag, tag): child, child". */
export type Sketch = readonly string[];

const LINE = /^(\d) ([^(:]+?)(?: \(([^)]*)\))?: ?(.*)$/;
const list = (text = '') =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/**
 * Rows of a hierarchy: the id of a category is its name; children without a line are entities, with their kind after
 * a slash ("Oslo/place").
 */
export function hierarchyRows(
  sketch: Sketch,
): GraphChanges & { readonly nodes: NonNullable<GraphChanges['nodes']> } {
  const categories = sketch.map((line) => {
    const [, layer, name, tags, children] = LINE.exec(line)!;
    return { layer: Number(layer), name: name!, tags: list(tags), children: list(children) };
  });
  const names = new Set(categories.map(({ name }) => name));
  const entities = new Map(
    categories
      .flatMap(({ children }) => children)
      .filter((child) => !names.has(child))
      .map((child) => child.split('/'))
      .map(([name, kind = 'thing']) => [name!, kind]),
  );
  return {
    nodes: {
      entity: [...entities.keys()].map((name) => entity(name)),
      category: categories.map(({ name, layer }) => ({
        ...{ id: name as never, layer, createdAt: 1, expiredAt: null, staleSince: null },
      })),
      profile: [
        ...[...entities].map(([name, kind]) => profileOf(name, { tags: [kind] })),
        ...categories.map(({ name, tags, children }) =>
          profileOf(name, { tags, summary: children.map((child) => child.split('/')[0]).join(', ') }),
        ),
      ],
    },
    relationships: categories.flatMap(({ name, children }) =>
      children.map((child) => {
        const to = child.split('/')[0]!;
        return {
          ...edge('CATEGORIZES', name, to),
          toKind: names.has(to) ? 'category' : 'entity',
        } as Relationship;
      }),
    ),
  };
}

export function profileOf(name: string, more: { tags?: readonly string[]; summary?: string } = {}) {
  return profile(`profile of ${name}`, {
    owner: name as never,
    name,
    aliases: [],
    tags: [],
    summary: '',
    ...more,
  });
}

/** An index of the rows, with vectors. */
export async function indexOf(changes: GraphChanges): Promise<ScopeIndex> {
  const index = ScopeIndex.empty(DIMENSION);
  let ids = 0;
  const embedding = await embedNodes(
    { embedder, newId: () => `vector ${++ids}` },
    changes.nodes ?? {},
    undefined,
  );
  index.apply({ ...changes, nodes: { ...changes.nodes, embedding } });
  return index;
}

/** Two short layers under three topics. */
export const TRAVELS: Sketch = [
  '1 Cities (travel): Oslo/place, Bergen/place, Rome/place, Lima/place',
  '1 Pets (animals): Rex, Luna, Milo',
  '1 Instruments (music): violin, cello, flute',
  '2 Places: Cities, Parks',
  '1 Parks: Yosemite/place, Tiergarten/place',
  '2 Living things: Pets, Plants',
  '1 Plants: fern, basil, rose',
  '2 Things: Instruments, Tools',
  '1 Tools: hammer, saw, drill',
  '2 People: Friends, Family',
  '1 Friends: Nora/person, Karl/person',
  '1 Family: Mother/person, Brother/person',
];
