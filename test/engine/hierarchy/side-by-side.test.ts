import { describe, expect, it } from 'vitest';
import type { Categorizer } from '../../../src/hierarchy/categorizer.ts';
import { currentSummaries, staleIn } from '../../../src/hierarchy/describe/refresh-summaries.ts';
import type { ProfileId } from '../../../src/model/ids.ts';
import { brokenRules } from '../../hierarchy/broken-rules.ts';
import { byKind, categorizerOf } from '../../hierarchy/fake-categorizers.ts';
import { HierarchyLab } from '../../hierarchy/hierarchy-lab.ts';

const APPLES = ['Apple 1', 'Apple 2', 'Apple 3'];
const BOATS = ['Boat 1', 'Boat 2', 'Boat 3'];

function namesOf({ index: { hierarchy } }: HierarchyLab): string[] {
  return hierarchy.layer(1).map((id) => hierarchy.profileOf(id)!.name);
}

/** A new version of what is known of an entity, as consolidation or a correction writes it. */
async function retell(lab: HierarchyLab, name: string, summary: string): Promise<void> {
  const { store, scope, index, clock, newId } = lab.context;
  const [owner] = [...lab.entities].find(([, each]) => each === name)!;
  const current = index.entities.profileOf(owner)!;
  const [before] = await store.get(scope, 'profile', [current.id]);
  const createdAt = clock();
  const changes = {
    nodes: { profile: [{ ...before!, id: newId() as ProfileId, summary, createdAt }] },
    updates: [{ kind: 'profile' as const, id: current.id, set: { expiredAt: createdAt } }],
  };
  await store.commit(scope, changes);
  index.apply(changes);
}

describe('the hierarchy beside other writers', () => {
  it('writes nothing of a rebuild whose input was read before a forgetting', async () => {
    let lab: HierarchyLab;
    let calls = 0;
    const telling: Categorizer = categorizerOf(({ nodes, due, layer }) => {
      calls++;
      const secret = nodes.some(({ name }) => name.startsWith('Secret'));
      if (calls === 4 && secret) void lab.forget([[...lab.entities.keys()].at(-1)!]);
      return layer === 1 ? [{ name: secret ? 'Secret things' : 'Things', tags: [], nodes: [...due] }] : [];
    }, 3);
    lab = new HierarchyLab(telling);
    await lab.add([...APPLES, ...BOATS, 'Secret 1']);
    await lab.organize();
    calls = 2; // the fourth call is the second of the rebuild
    await lab.organize('rebuild');
    expect(namesOf(lab)).toEqual(['Things']);
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });

  it.each(['update', 'rebuild'] as const)(
    'leaves what arrives during a run to the next one (%s)',
    async (mode) => {
      let lab: HierarchyLab;
      let asked: string[] = [];
      const whileAsked: Categorizer = {
        ...byKind(4),
        categorize: async (request) => {
          asked.push(...request.nodes.filter(({ id }) => request.due.has(id)).map(({ name }) => name));
          if (request.layer === 1 && lab.entities.size < 8) await lab.add(['Apple 4']);
          return byKind(4).categorize(request);
        },
      };
      lab = new HierarchyLab(whileAsked);
      await lab.add([...APPLES, ...BOATS]);
      await lab.organize(mode);
      expect(lab.entities.size).toBe(8);
      const waiting = [...lab.entities.keys()].filter((id) => lab.index.hierarchy.parentsOf(id).length === 0);
      expect([waiting.length, asked.includes('Apple 4')]).toEqual([2, false]);
      asked = [];
      await lab.organize();
      expect(asked.filter((name) => name === 'Apple 4')).toHaveLength(2);
      expect(brokenRules(lab.index, lab.settings)).toEqual([]);
    },
  );

  it.each(['update', 'rebuild'] as const)(
    'asks again when a node that bounds the work is removed (%s)',
    async (mode) => {
      let lab: HierarchyLab;
      let calls = 0;
      const removing: Categorizer = {
        ...byKind(2),
        categorize: async (request) => {
          calls++;
          // The last node asked about in the second call, then the last of the layer.
          if (calls === 2) await lab.remove([[...request.due].at(-1)!]);
          if (calls === 4) await lab.remove([[...lab.entities.keys()].at(-1)!]);
          return byKind(2).categorize(request);
        },
      };
      lab = new HierarchyLab(removing);
      await lab.add([...APPLES, ...BOATS, 'Apple 4', 'Boat 4', 'Boat 5']);
      await lab.organize(mode);
      expect(namesOf(lab)).toEqual(['Apple', 'Boat']);
      expect([...lab.entities.keys()].every((id) => lab.index.hierarchy.parentsOf(id).length === 1)).toBe(
        true,
      );
      expect(brokenRules(lab.index, lab.settings)).toEqual([]);
    },
  );

  it('asks once in a run about a node that the categorizer declines', async () => {
    let asked: string[] = [];
    const declining = categorizerOf(({ nodes, due, layer }) => {
      if (layer === 1) asked.push(...nodes.filter(({ id }) => due.has(id)).map(({ name }) => name));
      return [];
    }, 2);
    const lab = new HierarchyLab(declining);
    await lab.add([...APPLES, ...BOATS]);
    await lab.organize();
    expect(asked).toEqual([...APPLES, ...BOATS]);
    asked = [];
    await lab.organize('rebuild');
    expect(asked).toEqual([...APPLES, ...BOATS]);
  });

  it('asks again for a reply that was dropped, and not for one that is known', async () => {
    let calls = 0;
    const paid = categorizerOf(({ due }) => {
      calls++;
      return [{ name: 'Fruit', tags: [], nodes: [...due] }];
    }, 10);
    const lab = new HierarchyLab(paid);
    await lab.add(APPLES);
    const steps = lab.updates.steps({});
    const { run, sizes } = await steps.begin('update');
    const step = await steps.plan({ run, sizes, layer: 1, mode: 'update', cursor: null }, {});
    for (let each = 0; each < 2; each++) await steps.categorize(step, {});
    expect(calls).toBe(1);
    lab.updates.dropText();
    await steps.commit(step, {});
    expect([calls, namesOf(lab)]).toEqual([2, ['Fruit']]);
  });

  it('stops a run after its step when it is interrupted, and can continue', async () => {
    let calls = 0;
    let lab: HierarchyLab;
    const slow: Categorizer = {
      ...byKind(2),
      categorize: async (request) => {
        if (++calls === 1) void lab.updates.interrupt();
        return byKind(2).categorize(request);
      },
    };
    lab = new HierarchyLab(slow);
    await lab.add([...APPLES, ...BOATS]);
    await expect(lab.organize()).rejects.toMatchObject({ code: 'cancelled' });
    expect(calls).toBe(1);
    await lab.organize();
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  });
});

describe('outdated summaries', () => {
  it('are composed again when they are read, before any update', async () => {
    const lab = new HierarchyLab(byKind());
    await lab.add([...APPLES, ...BOATS]);
    await lab.organize();
    const [apples] = lab.index.hierarchy.layer(1);
    expect(staleIn(lab.index)).toEqual([]);
    await retell(lab, 'Apple 2', 'Apple 2 was eaten.');
    expect(staleIn(lab.index)).toEqual([apples]);
    expect((await currentSummaries(lab.context, [apples!])).get(apples!)).toContain('Apple 2 was eaten.');
    await lab.updates.refresh({});
    expect(staleIn(lab.index)).toEqual([]);
  });

  it('are not written by a model from data that changed during the call', async () => {
    const lab = new HierarchyLab(byKind());
    await lab.add([...APPLES, ...BOATS]);
    await lab.organize();
    const [apples] = lab.index.hierarchy.layer(1);
    const describe = async (categories: readonly { readonly name: string }[]) => {
      await retell(lab, 'Apple 2', 'Apple 2 was eaten.');
      return categories.map(({ name }) => `All about ${name}.`);
    };
    await lab.updates.refresh({ all: true, describe });
    const [row] = await lab.context.store.get(lab.context.scope, 'profile', [
      lab.index.hierarchy.profileOf(apples!)!.id,
    ]);
    expect(row!.summary).toContain('Apple 2 was eaten.');
    const boats = lab.index.hierarchy.layer(1)[1]!;
    const told = await currentSummaries(lab.context, [boats]);
    expect(told.get(boats)).toBe('All about Boat.');
  });
});
