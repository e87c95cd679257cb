import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../src/files/backup/check-graph.ts';
import type { Categorizer } from '../../src/hierarchy/categorizer.ts';
import { inTier } from '../tier.ts';
import { brokenRules, idsByContent, similarity } from './broken-rules.ts';
import { byKind, hostile } from './fake-categorizers.ts';
import { HierarchyLab } from './hierarchy-lab.ts';

const KINDS = ['Apple', 'Boat', 'City', 'Dog', 'Event', 'Flower', 'Game'];
const OTHERS = ['user', 'I', 'Alex', 'Alex', 'Speaker', 'Cities', 'Food and drink'];

type Step = { readonly add: readonly number[]; readonly drop: number; readonly rebuilds: boolean };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    add: fc.array(fc.nat(200), { maxLength: 14 }),
    drop: fc.nat(6),
    rebuilds: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);

function nameOf(number: number): string {
  if (number % 9 === 0) return OTHERS[(number / 9) % OTHERS.length]!;
  return `${KINDS[number % KINDS.length]} ${number}`;
}

async function live(categorizer: Categorizer, lived: readonly Step[]): Promise<HierarchyLab> {
  const lab = new HierarchyLab(categorizer);
  for (const { add, drop, rebuilds } of lived) {
    await lab.add(add.map(nameOf));
    await lab.remove([...lab.entities.keys()].filter((_, at) => at % 7 === drop));
    await lab.organize(rebuilds ? 'rebuild' : 'update');
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
  }
  return lab;
}

describe('invariants of the hierarchy over random histories', () => {
  const makers: readonly (readonly [string, (seed: number) => Categorizer])[] = [
    ['one that looks at the whole', () => byKind()],
    ['one that is asked about a few nodes at once', () => byKind(5)],
    ['replies that are nonsense, about the whole', (seed) => hostile(seed)],
    ['replies that are nonsense, a few nodes at once', (seed) => hostile(seed, 4)],
  ];
  for (const [name, make] of makers)
    it(name, async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.nat(), async (lived, seed) => {
          const lab = await live(make(seed), lived);
          const { findings } = await checkGraph(lab.context.store, lab.context.scope, undefined);
          expect(findings).toEqual([]);
        }),
        { numRuns: inTier({ fast: 4, slow: 25, long: 200 }) },
      );
    });

  it('keeps the ids of unchanged categories, and commits nothing without changes', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.array(fc.nat(200), { maxLength: 5 }), async (lived, more) => {
        for (const categorizer of [byKind(), byKind(4)]) {
          const lab = await live(categorizer, lived);
          const { counts } = await lab.organize();
          expect(counts).toMatchObject({ created: 0, dissolved: 0, renamed: 0, placed: 0 });
          const before = idsByContent(lab.index);
          await lab.add(more.map(nameOf));
          await lab.organize();
          const after = idsByContent(lab.index);
          for (const [content, id] of before) if (after.has(content)) expect(after.get(content)).toBe(id);
        }
      }),
      { numRuns: inTier({ fast: 2, slow: 12, long: 100 }) },
    );
  });

  it('an update gives the same as a rebuild', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (lived) => {
        for (const make of [() => byKind(), () => byKind(4)]) {
          const grown = await live(
            make(),
            lived.map((step) => ({ ...step, rebuilds: false })),
          );
          const anew = new HierarchyLab(make());
          await anew.add([...grown.entities.values()]);
          await anew.organize();
          expect(similarity(grown.index, anew.index)).toBeGreaterThanOrEqual(0.8);
        }
      }),
      { numRuns: inTier({ fast: 2, slow: 12, long: 100 }) },
    );
  });
});
