import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis, type OpenOptions } from '../../../src/engine.ts';
import { HIERARCHY_SETTINGS } from '../../../src/hierarchy/defaults.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { brokenRules } from '../../hierarchy/broken-rules.ts';
import { type Graph, graphOf } from '../memory-fixture.ts';

const embedder = new HashingEmbedder({ analyze, dimension: 64 });

export const openGrouped = (path: string, more: Partial<OpenOptions> = {}): Promise<Mnemis> =>
  Mnemis.open({ path, embedder, automatic: false, logger: { warn: () => undefined }, ...more });

/** Each sentence is a turn of its own. */
export function session(name: string, text: string, day = 8): TurnInput[] {
  return text.split(/(?<=\.)\s+/).map((content, index) => ({
    ...{ speaker: 'Ann', session: name, index, content },
    at: `2023-05-${String(day).padStart(2, '0')}`,
  }));
}

export const FOOD = session('food', 'I love bread. I love cheese. I love pizza. I love soup. I love pasta.');
export const PETS = session(
  'pets',
  'I bought a dog. I bought a cat. I bought a parrot. I bought a rabbit.',
  9,
);
export const MUSIC = session(
  'music',
  'I love the zither. I love the guitar. I love the piano. I love the violin.',
  10,
);

/** Of the graph of record alone, as an opening without a snapshot reads it; without vectors. */
export function indexOf({ nodes, relationships }: Graph): ScopeIndex {
  const index = ScopeIndex.empty(64);
  index.apply({ nodes: { ...nodes, embedding: [] }, relationships } as Parameters<ScopeIndex['apply']>[0]);
  return index;
}

export const rulesBrokenIn = async (memory: MemoryScope): Promise<string[]> =>
  brokenRules(indexOf(await graphOf(memory)), HIERARCHY_SETTINGS);

/** "layer name" to id and the names of its children. */
export async function categoriesOf(
  memory: MemoryScope,
): Promise<Record<string, readonly [string, string[]]>> {
  const { hierarchy, entities } = indexOf(await graphOf(memory));
  const nameOf = (id: string) => (hierarchy.profileOf(id) ?? entities.profileOf(id))?.name ?? '';
  return Object.fromEntries(
    [...hierarchy.all()].map((id) => {
      const children = hierarchy.childrenOf(id).map(nameOf).sort();
      return [`${hierarchy.category(id)!.layer} ${nameOf(id)}`, [id as string, children] as const];
    }),
  );
}

export async function idsOf(memory: MemoryScope): Promise<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(await categoriesOf(memory))
      .map(([name, [id]]) => [name, id])
      .sort(),
  );
}
