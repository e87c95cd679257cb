import { describe, expect, it } from 'vitest';
import type { CategoryId } from '../../../src/model/ids.ts';
import { groupBy } from '../../../src/util/collections.ts';
import { brokenRules } from '../../hierarchy/broken-rules.ts';
import { byKind, categorizerOf } from '../../hierarchy/fake-categorizers.ts';
import { HierarchyLab } from '../../hierarchy/hierarchy-lab.ts';

const threeOf = (...kinds: readonly string[]) =>
  kinds.flatMap((kind) => [1, 2, 3].map((at) => `${kind} ${at}`));

describe('the record of a hierarchy', () => {
  it('includes a layer that was added later, however few categories that has', async () => {
    const categorizer = categorizerOf((request) => {
      if (request.layer > 2 || (request.layer === 2 && request.nodes.length < 7)) return [];
      if (request.layer === 1) return wholeOf(request.due);
      return ['Early', 'Late'].map((name, half) => ({
        ...{ name, tags: [] },
        nodes: request.nodes.filter((_, at) => Math.min(1, Math.floor(at / 3)) === half).map(({ id }) => id),
      }));
    }, 10);
    const lab = new HierarchyLab(categorizer);
    // Groups of layer 1 by the first word of a name.
    const wholeOf = (due: ReadonlySet<string>) => {
      const groups = groupBy(due, (id) => lab.entities.get(id)!.split(' ')[0]!);
      return [...groups].map(([name, nodes]) => ({ name, tags: [], nodes }));
    };
    await lab.add(threeOf('Apple', 'Boat', 'City', 'Dog'));
    expect(await lab.organize()).toMatchObject({ layers: [4], stoppedBy: 'nothing-merged' });
    await lab.add(threeOf('Event', 'Flower', 'Game'));
    expect(await lab.organize()).toMatchObject({ layers: [7, 2], stoppedBy: 'nothing-merged' });
    expect(lab.index.hierarchy.record).toMatchObject({ layers: 2, topNodes: 2 });
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });
});

describe('categories that lost their names to a forgetting', () => {
  /** As forgetting leaves a category that is above what went. */
  async function emptied(lab: HierarchyLab, ids: readonly string[]): Promise<void> {
    const profiles = ids.map((id) => lab.index.hierarchy.profileOf(id)!.id);
    const changes = {
      removals: profiles.map((id) => ({ kind: 'profile' as const, id })),
      updates: ids.map((id) => ({ kind: 'category' as const, id: id as CategoryId, set: { staleSince: 1 } })),
    };
    await lab.context.store.commit(lab.context.scope, changes);
    lab.index.apply(changes);
  }

  it.each([
    ['about the whole', null, ['Zebra 1', 'Yak 1']],
    ['a few nodes at once', 6, []],
  ])('get their ids back from their members, in every layer: %s', async (_, nodesAtOnce, alone) => {
    const lab = new HierarchyLab(byKind(nodesAtOnce));
    await lab.add([...threeOf('Apple', 'Art', 'Axe', 'Boat', 'Bike', 'Ball'), ...alone]);
    expect((await lab.organize()).layers).toEqual([6 + alone.length, 2 + alone.length]);
    const { hierarchy } = lab.index;
    const namedBefore = [...hierarchy.all()].map((id) => [id, hierarchy.profileOf(id)!.name]);
    await emptied(lab, [...hierarchy.all()]);
    const { counts } = await lab.organize();
    expect(counts).toMatchObject({ created: 0, dissolved: 0 });
    expect([...hierarchy.all()].map((id) => [id, hierarchy.profileOf(id)?.name])).toEqual(namedBefore);
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });

  it('are removed when their members are elsewhere', async () => {
    const lab = new HierarchyLab(byKind());
    await lab.add(threeOf('Apple', 'Boat', 'City'));
    await lab.organize();
    const [apples] = lab.index.hierarchy.layer(1);
    await emptied(lab, [apples!]);
    await lab.forget(lab.index.hierarchy.childrenOf(apples!));
    await lab.organize();
    expect(lab.index.hierarchy.has(apples!)).toBe(false);
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });
});
