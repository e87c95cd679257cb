import { describe, expect, it } from 'vitest';
import { CancelledError, ModelUnavailableError } from '../../../src/errors/index.ts';
import type { Categorizer } from '../../../src/hierarchy/categorizer.ts';
import { brokenRules } from '../../hierarchy/broken-rules.ts';
import { byKind, categorizerOf } from '../../hierarchy/fake-categorizers.ts';
import { HierarchyLab } from '../../hierarchy/hierarchy-lab.ts';

const down = () =>
  new ModelUnavailableError('test', {
    ...{ reason: 'unreachable', status: null, attempts: 1, retryAfter: null },
  });

const KINDS = ['Apple', 'Boat', 'City', 'Dog'];
const names = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => `${KINDS[at % KINDS.length]} ${from + at}`);

/** One that fails at its nth call, once. */
function failingAt(call: number, error: () => Error, inner: Categorizer): Categorizer {
  let calls = 0;
  return {
    ...inner,
    categorize: async (request, options) => {
      if (++calls === call) throw error();
      return inner.categorize(request, options);
    },
  };
}

describe('the hierarchy after a failure', () => {
  it('keeps what was placed before a model failed, and continues from there', async () => {
    let asked = 0;
    const counting: Categorizer = {
      ...byKind(6),
      categorize: async (request) => {
        asked += request.due.size;
        return byKind(6).categorize(request);
      },
    };
    const lab = new HierarchyLab(failingAt(3, down, counting));
    await lab.add(names(20));
    await expect(lab.organize()).rejects.toMatchObject({ code: 'model-unavailable' });
    expect(asked).toBe(12);
    const placed = lab.index.hierarchy.layer(1).flatMap((id) => lab.index.hierarchy.childrenOf(id));
    expect(new Set(placed).size).toBe(12);
    await lab.organize();
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });

  it('stops at a cancel with what was placed', async () => {
    const controller = new AbortController();
    const lab = new HierarchyLab(
      failingAt(
        2,
        () => {
          controller.abort();
          return new CancelledError('memory is unchanged');
        },
        byKind(6),
      ),
    );
    await lab.add(names(20));
    await expect(lab.organize('update', { signal: controller.signal })).rejects.toBeInstanceOf(
      CancelledError,
    );
    expect(lab.index.hierarchy.size).toBeGreaterThan(0);
    await expect(lab.organize('update', { signal: controller.signal })).rejects.toBeInstanceOf(
      CancelledError,
    );
    await lab.organize();
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });

  it('keeps the old hierarchy if a rebuild fails in the first layer', async () => {
    const lab = new HierarchyLab(failingAt(8, down, byKind(6)));
    await lab.add(names(20));
    await lab.organize();
    const before = [...lab.index.hierarchy.all()];
    await expect(lab.organize('rebuild')).rejects.toMatchObject({ code: 'model-unavailable' });
    expect([...lab.index.hierarchy.all()]).toEqual(before);
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });

  it('ends even if entities are added all the time', async () => {
    let lab: HierarchyLab;
    let came = 0;
    const categorizer: Categorizer = {
      ...byKind(6),
      categorize: async (request) => {
        if (request.layer === 1 && came < 300) await lab.add([`Apple ${1_000 + came++}`]);
        return byKind(6).categorize(request);
      },
    };
    lab = new HierarchyLab(categorizer);
    await lab.add(names(12));
    await lab.organize();
    expect(came).toBeLessThan(300);
  });
});

describe('small, large and unusual memories', () => {
  it('have no hierarchy if they are empty, and say so', async () => {
    const lab = new HierarchyLab(byKind());
    const report = await lab.organize();
    expect(report).toMatchObject({ layers: [], stoppedBy: 'no-entities' });
    await lab.add(['Apple 1']);
    await lab.organize();
    await lab.remove([...lab.entities.keys()]);
    expect(await lab.organize()).toMatchObject({ layers: [], stoppedBy: 'no-entities' });
    expect(lab.index.hierarchy.size).toBe(0);
  });

  it('let one entity be alone in its category', async () => {
    for (const categorizer of [byKind(), byKind(3)]) {
      const lab = new HierarchyLab(categorizer);
      await lab.add(['Apple 1']);
      expect(await lab.organize()).toMatchObject({ layers: [1], stoppedBy: 'single-node' });
      expect(brokenRules(lab.index, lab.settings)).toEqual([]);
    }
  });

  it('split a category that grows too large, and ask again only when it has doubled', async () => {
    let splits = 0;
    const categorizer = categorizerOf(({ nodes, due, within, layer }) => {
      if (layer > 1) return [];
      if (within === undefined) return [{ name: 'All', tags: [], nodes: [...due] }];
      splits++;
      const odd = nodes.filter((_, at) => at % 2 === 1).map(({ id }) => id);
      return [{ name: `Half ${splits}`, tags: [], nodes: odd }];
    }, 20);
    const lab = new HierarchyLab(categorizer, { maximumChildren: 10 });
    await lab.add(names(16));
    await lab.organize();
    const sizes = () => lab.index.hierarchy.layer(1).map((id) => lab.index.hierarchy.childCount(id));
    expect(splits).toBe(1);
    expect(sizes()).toEqual([8, 8]);
    await lab.add(names(4, 100));
    await lab.organize();
    expect(splits).toBe(2);
    expect(sizes()).toEqual([6, 8, 6]);
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });

  it('hold 10,000 entities in one category that cannot be split, at a cost only when it doubles', async () => {
    let asked = 0;
    const categorizer = categorizerOf(({ due, within, layer }) => {
      asked += due.size;
      return within === undefined && layer === 1 ? [{ name: 'All', tags: [], nodes: [...due] }] : [];
    }, 2_500);
    const lab = new HierarchyLab(categorizer);
    await lab.add(names(10_000));
    const { layers } = await lab.organize();
    expect(layers).toEqual([1]);
    expect(lab.index.hierarchy.childCount(lab.index.hierarchy.layer(1)[0]!)).toBe(10_000);
    const first = asked;
    await lab.add(names(100, 20_000));
    await lab.organize();
    expect(asked - first).toBe(100);
  });
});
