import { describe, expect, it } from 'vitest';
import { measureDrift } from '../../src/hierarchy/maintain/drift.ts';
import { byKind, categorizerOf } from './fake-categorizers.ts';
import { HierarchyLab } from './hierarchy-lab.ts';

const numbered = (kind: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `${kind} ${from + at}`);
const namesIn = ({ index: { hierarchy } }: HierarchyLab) =>
  hierarchy.layer(1).map((id) => hierarchy.profileOf(id)!.name);

describe('a hierarchy written by several categorizers', () => {
  /** Puts all due nodes into one category, in layer 1 only. */
  const model = {
    ...categorizerOf(
      ({ due, layer }) => (layer === 1 ? [{ name: 'Model made', tags: [], nodes: [...due] }] : []),
      20,
    ),
    name: 'llm',
  };
  const rules = { ...byKind(), name: 'local' };

  it("keeps the groups of a model, also if the model's run was interrupted", async () => {
    const lab = new HierarchyLab(rules);
    await lab.add([...numbered('Apple', 3), ...numbered('Beet', 3)]);
    await lab.organize();
    lab.reopened(model);
    await lab.add(['Quark 1', 'Gluon 1', 'Boson 1']);
    await lab.organize();
    expect(lab.index.hierarchy.record!.categorizer).toBe('llm');
    lab.reopened(rules);
    await lab.organize();
    expect(namesIn(lab)).toContain('Model made');
    await lab.organize('rebuild');
    expect(namesIn(lab)).not.toContain('Model made');
    expect(lab.index.hierarchy.record!.categorizer).toBe('local');
  });

  it('is split by a rebuild as by a first build', async () => {
    let splits = 0;
    const groups = ({ splitting }: { splitting: boolean }) =>
      categorizerOf(({ nodes, due, within, layer }) => {
        if (layer > 1) return [];
        if (within === undefined) return [{ name: 'All', tags: [], nodes: [...due] }];
        splits++;
        return splitting ? [{ name: 'Half', tags: [], nodes: nodes.slice(0, 5).map(({ id }) => id) }] : [];
      }, 20);
    const lab = new HierarchyLab(groups({ splitting: false }), { maximumChildren: 10 });
    await lab.add(numbered('Apple', 16));
    await lab.organize();
    expect([splits, namesIn(lab)]).toEqual([1, ['All']]);
    await lab.organize();
    expect(splits).toBe(1);
    lab.reopened(groups({ splitting: true }));
    await lab.organize('rebuild');
    expect([splits, namesIn(lab)]).toEqual([2, ['All', 'Half']]);
  });
});

describe('the advice to rebuild', () => {
  const driftOf = async (first: number, more: number) => {
    const lab = new HierarchyLab(byKind(20));
    await lab.add(numbered('Apple', first));
    await lab.organize();
    const { builtAt } = lab.index.hierarchy.record!;
    await lab.add(numbered('Apple', more, first));
    await lab.organize();
    const ids = [...lab.entities.keys()];
    const createdAt = new Map(ids.map((id, at) => [id, at < first ? 0 : builtAt + 1]));
    return measureDrift(lab.index, { createdAt, maximumChildren: 10 } as never);
  };

  it('is given when memory has doubled, not for a few entities', async () => {
    expect(await driftOf(60, 60)).toMatchObject({ added: 60, share: 0.5, rebuildPays: true });
    expect(await driftOf(60, 50)).toMatchObject({ added: 50, rebuildPays: false });
    expect(await driftOf(10, 40)).toMatchObject({ added: 40, share: 0.8, rebuildPays: false });
  });

  it('is not given for a category that cannot be split', async () => {
    expect(await driftOf(60, 1)).toMatchObject({ overfull: 1, rebuildPays: false });
  });
});
