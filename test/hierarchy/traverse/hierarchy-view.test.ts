import { describe, expect, it } from 'vitest';
import { HierarchyView } from '../../../src/hierarchy/traverse/hierarchy-view.ts';
import { seededRandom } from '../../search/random.ts';
import { hierarchyRows, indexOf, type Sketch, TRAVELS } from './hand-made-hierarchy.ts';

const viewOf = async (sketch: Sketch, isVisible: (name: string) => boolean = () => true) => {
  const index = await indexOf(hierarchyRows(sketch));
  const { profiles } = index.entities;
  return new HierarchyView(index, (profile) =>
    isVisible(profiles.ids.idOf(profile).replace('profile of ', '')),
  );
};
const childrenOf = (view: HierarchyView, id: string) => view.node(id)?.children;

describe('HierarchyView', () => {
  it('starts with nodes in no category, highest layer first, oldest first', async () => {
    const view = await viewOf([...TRAVELS, '1 Loose: x, y']);
    expect(view.top).toEqual(['Places', 'Living things', 'Things', 'People', 'Loose']);
    expect(childrenOf(view, 'Places')).toEqual(['Cities', 'Parks']);
    expect(view.node('Oslo')).toMatchObject({ layer: 0, name: 'Oslo', tags: ['place'], children: [] });
  });

  it('is empty without categories', async () => {
    expect((await viewOf([])).top).toEqual([]);
  });

  it('replaces a category by the promoted node it holds', async () => {
    const view = await viewOf(['2 Top: Promoted, Cities', '1 Promoted: Oslo', '1 Cities: Rome, Lima']);
    expect(childrenOf(view, 'Top')).toEqual(['Oslo', 'Cities']);
    expect(view.node('Promoted')).toBeUndefined();
    expect((await viewOf(['2 Top: Cities', '1 Cities: Rome, Lima'])).top).toEqual(['Cities']);
    expect((await viewOf(['3 A: B', '2 B: C', '1 C: Oslo'])).top).toEqual(['Oslo']);
  });

  it('omits invisible entities, and categories of only those', async () => {
    const view = await viewOf(TRAVELS, (name) => !['Rex', 'Luna', 'Milo', 'fern', 'basil'].includes(name));
    expect(childrenOf(view, 'Living things')).toBeUndefined();
    expect(view.top).toEqual(['Places', 'rose', 'Things', 'People']);
    expect((await viewOf(TRAVELS, () => false)).top).toEqual([]);
  });

  it('replaces a category without a profile by its children', async () => {
    const rows = hierarchyRows(TRAVELS);
    const profile = rows.nodes.profile!.filter(({ name }) => name !== 'Places');
    const index = await indexOf({ ...rows, nodes: { ...rows.nodes, profile } });
    expect(new HierarchyView(index, () => true).top.slice(0, 2)).toEqual(['Cities', 'Parks']);
  });

  it('has no cycles, for any data', async () => {
    const random = seededRandom(7);
    const names = Array.from({ length: 12 }, (_, at) => `C${at}`);
    for (let round = 0; round < 60; round++) {
      const sketch = names.map((name) => {
        const children = Array.from({ length: 4 }, () =>
          random() < 0.6 ? names[Math.floor(random() * names.length)]! : `e${Math.floor(random() * 8)}`,
        );
        return `${1 + Math.floor(random() * 4)} ${name}: ${children.join(', ')}`;
      });
      const view = await viewOf(sketch);
      for (const { id, layer, children } of view.categories) {
        expect(children.length).toBeGreaterThan(1);
        expect(new Set(children).size).toBe(children.length);
        for (const child of children) {
          expect(child).not.toBe(id);
          expect(view.node(child)!.layer).toBeLessThan(layer);
        }
      }
    }
  });
});
