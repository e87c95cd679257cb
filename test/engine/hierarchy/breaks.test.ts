import { describe, expect, it } from 'vitest';
import { DiskFullError } from '../../../src/errors/index.ts';
import { checkGraph } from '../../../src/files/backup/check-graph.ts';
import type { Categorizer } from '../../../src/hierarchy/categorizer.ts';
import type { HierarchyId } from '../../../src/model/ids.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { brokenRules } from '../../hierarchy/broken-rules.ts';
import { categorizerOf } from '../../hierarchy/fake-categorizers.ts';
import { HierarchyLab } from '../../hierarchy/hierarchy-lab.ts';
import { inTier } from '../../tier.ts';

/** A store that fails at a commit, counted from when it was said, whether before or after it is stored. */
class Breakable {
  left = Number.POSITIVE_INFINITY;
  late = false;
  readonly store: GraphStore;

  constructor() {
    const inner = new InMemoryStore();
    this.store = new Proxy<GraphStore>(inner, {
      get: (_, name: keyof GraphStore) => {
        if (name !== 'commit') return (inner[name] as (...input: never[]) => unknown).bind(inner);
        return async (...input: Parameters<GraphStore['commit']>) => {
          this.left -= 1;
          if (this.left !== 0) return inner.commit(...input);
          if (this.late) await inner.commit(...input);
          throw new DiskFullError('memory.db');
        };
      },
    });
  }
}

/** "Apple 3" by kind, then by the kind's first letter, then by its place in the alphabet. */
function alphabetical(nodesAtOnce: number | null, name = 'fake'): Categorizer {
  const group = categorizerOf(({ nodes, due, loose, layer }) => {
    const groups = new Map<string, string[]>();
    for (const { id, name } of nodes) {
      if (nodesAtOnce !== null && !due.has(id) && !loose.has(id)) continue;
      const [first = '', second = ''] = name.split(' ');
      const key =
        layer === 1 ? first : layer === 2 ? `Letter ${first.slice(0, 1)}` : second < 'D' ? 'Early' : 'Late';
      groups.set(key, [...(groups.get(key) ?? []), id]);
    }
    return [...groups].map(([name, ids]) => ({ name, tags: ['kind'], nodes: ids }));
  }, nodesAtOnce);
  return { ...group, name };
}

const FEW = ['Apple', 'Boat', 'City'];
const MANY = [
  'Ant',
  'Axe',
  'Bear',
  'Bat',
  'Cat',
  'Cow',
  'Dog',
  'Duck',
  'Drum',
  'Egg',
  'Eye',
  'Elk',
  'Fox',
  'Fig',
];
const names = (kinds: readonly string[], each: number, from = 0) =>
  kinds.flatMap((kind) => Array.from({ length: each }, (_, at) => `${kind} ${from + at}`));

interface Case {
  /** What was there, undisturbed. */
  readonly before: (lab: HierarchyLab) => Promise<void>;
  readonly broken: (lab: HierarchyLab) => Promise<unknown>;
}

const thirds = (lab: HierarchyLab) => [...lab.entities.keys()].filter((_, at) => at % 6 !== 0);

const CASES: Readonly<Record<string, Case>> = {
  'a first build': {
    before: (lab) => lab.add(names(MANY, 3)),
    broken: (lab) => lab.organize(),
  },
  'an update that brings layers': {
    before: async (lab) => {
      await lab.add(names(FEW, 3));
      await lab.organize();
      await lab.add(names(MANY, 3));
    },
    broken: (lab) => lab.organize(),
  },
  'an update that takes layers away': {
    before: async (lab) => {
      await lab.add(names(MANY, 3));
      await lab.organize();
      await lab.remove(thirds(lab));
    },
    broken: (lab) => lab.organize(),
  },
  'an update after everything went': {
    before: async (lab) => {
      await lab.add(names(MANY, 3));
      await lab.organize();
      await lab.forget([...lab.entities.keys()]);
    },
    broken: (lab) => lab.organize(),
  },
  'a rebuild by another': {
    before: async (lab) => {
      await lab.add(names(FEW, 4));
      await lab.organize();
      await lab.add(names(MANY, 3));
      lab.reopened(alphabetical(null, 'another'));
    },
    broken: (lab) => lab.organize('rebuild'),
  },
  'summaries written anew': {
    before: async (lab) => {
      await lab.add(names(MANY, 3));
      await lab.organize();
      await lab.add(names(MANY, 2, 3));
    },
    broken: (lab) => lab.updates.refresh({ all: true, least: 0 }),
  },
};

/** Without counts: a run that broke off has mended some of what it found. */
const findings = async (lab: HierarchyLab) =>
  (await checkGraph(lab.context.store, lab.context.scope, undefined)).findings.map(({ what }) =>
    what.startsWith('the hierarchy has') ? what : what.replace(/\d+/g, 'some'),
  );

describe('the hierarchy and its record agree after every commit', () => {
  const all = Object.keys(CASES).flatMap((name) =>
    [null, 12].flatMap((atOnce) => [false, true].map((late) => [name, atOnce, late] as const)),
  );
  const runs = all.filter((_, at) => at % inTier({ fast: 5, slow: 1 }) === 0);
  it.each(runs)('%s, %s nodes at once, the commit stored: %s', async (name, atOnce, late) => {
    let broken = 0;
    for (let at = 1; ; at += 1) {
      const breakable = new Breakable();
      const lab = new HierarchyLab(alphabetical(atOnce), { maximumLayers: 5 }, breakable.store);
      await CASES[name]!.before(lab);
      const known = await findings(lab); // entities that went leave categories with nothing in them
      Object.assign(breakable, { left: at, late });
      const failure = await CASES[name]!.broken(lab).then(
        () => null,
        (error: unknown) => error,
      );
      breakable.left = Number.POSITIVE_INFINITY;
      if (failure === null) break;
      expect(failure).toSatisfy(DiskFullError.isInstance);
      broken += 1;
      await lab.reload();
      expect(known, `broken off at commit ${at}`).toEqual(expect.arrayContaining(await findings(lab)));
      await lab.organize();
      expect(await findings(lab)).toEqual([]);
      expect(brokenRules(lab.index, lab.settings)).toEqual([]);
    }
    expect(broken).toBeGreaterThan(0);
  });

  it('an update corrects a record that an earlier version left wrong', async () => {
    const lab = new HierarchyLab(alphabetical(null));
    await lab.add(names(MANY, 3));
    await lab.organize();
    const { record, depth } = lab.index.hierarchy;
    expect(depth).toBeGreaterThan(1);
    const { store, scope, newId } = lab.context;
    const wrong = { ...record!, id: newId() as HierarchyId, layers: depth - 1 };
    await store.commit(scope, {
      nodes: { hierarchy: [wrong] },
      removals: [{ kind: 'hierarchy', id: record!.id }],
    });
    await lab.reload();
    expect(await findings(lab)).toEqual([
      `the hierarchy has ${depth} layers, but its record says ${depth - 1}`,
    ]);
    await lab.organize();
    expect(await findings(lab)).toEqual([]);
  });
});
