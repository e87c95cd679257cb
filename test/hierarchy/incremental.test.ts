import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import { LlmCategorizer } from '../../src/hierarchy/categorize/llm/llm-categorizer.ts';
import { LocalCategorizer } from '../../src/hierarchy/categorize/local/local-categorizer.ts';
import type { Categorizer } from '../../src/hierarchy/categorizer.ts';
import { readNounTaxonomy } from '../../src/inference/taxonomy/noun-taxonomy.ts';
import { counter } from '../fakes/openai-server/tokens.ts';
import { inTier } from '../tier.ts';
import { brokenRules, idsByContent, similarity } from './broken-rules.ts';
import { categorizerOf } from './fake-categorizers.ts';
import { HierarchyLab } from './hierarchy-lab.ts';
import { tagsOf, VARIED_NAMES } from './varied-names.ts';

interface Step {
  readonly add: readonly string[];
  /** Of every thirteen entities, this one is deleted. */
  readonly drop: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    add: fc.shuffledSubarray([...VARIED_NAMES], { minLength: 5, maxLength: 90 }),
    drop: fc.nat(16),
  }),
  { minLength: 3, maxLength: 6 },
);

/** Grows step by step; checks rules and ids after each. */
async function grow(categorizer: Categorizer, lived: readonly Step[]): Promise<HierarchyLab> {
  const lab = new HierarchyLab(categorizer);
  for (const { add, drop } of lived) {
    const there = new Set(lab.entities.values());
    await lab.remove([...lab.entities.keys()].filter((_, at) => at % 13 === drop));
    await lab.add(
      add.filter((name) => !there.has(name)),
      tagsOf,
    );
    const before = idsByContent(lab.index);
    await lab.organize();
    expect(brokenRules(lab.index, lab.settings)).toEqual([]);
    const after = idsByContent(lab.index);
    for (const [content, id] of before) if (after.has(content)) expect(after.get(content)).toBe(id);
  }
  return lab;
}

async function builtAtOnce(categorizer: Categorizer, names: Iterable<string>): Promise<HierarchyLab> {
  const lab = new HierarchyLab(categorizer);
  await lab.add([...names], tagsOf);
  await lab.organize();
  return lab;
}

/** Minimum similarity of a memory that grew to one with the same entities built at once. */
async function leastSimilarity(make: () => Categorizer, numRuns: number): Promise<number> {
  let least = 1;
  await fc.assert(
    fc.asyncProperty(steps, async (lived) => {
      const grown = await grow(make(), lived);
      const anew = await builtAtOnce(make(), grown.entities.values());
      least = Math.min(least, similarity(grown.index, anew.index));
    }),
    { numRuns, seed: 6, endOnFailure: true },
  );
  return least;
}

const taxonomy = await readNounTaxonomy();
const model = new RehearsalModel({ counter });

/** Uses different words for the same group in different calls, unless a known category has one of them. */
function wavering(): Categorizer {
  let calls = 0;
  return categorizerOf(({ nodes, due, loose, known, layer }) => {
    calls++;
    const used = new Set(known.map(({ name }) => name.toLowerCase()));
    const groups = new Map<string, string[]>();
    for (const { id, name, tags } of nodes.filter(({ id }) => due.has(id) || loose.has(id))) {
      const subject = layer === 1 ? `${tags[0]} ${name.length % 9}` : name.split(' ')[0]!;
      const words = [`${subject} stuff`, `${subject} matter`];
      const word = words.find((each) => used.has(each)) ?? words[calls % 2]!;
      groups.set(word, [...(groups.get(word) ?? []), id]);
    }
    return [...groups].map(([name, ids]) => ({ name, tags: [], nodes: ids }));
  }, 25);
}

describe('a hierarchy that grows with its memory', () => {
  it('equals the one built at once, with rules', async () => {
    expect(await leastSimilarity(() => new LocalCategorizer(taxonomy), inTier({ fast: 1, slow: 12 }))).toBe(
      1,
    );
  });

  // Measured at least 0.90: a node long alone is shown again only beside similar due nodes.
  it.each([
    ['all at once where it fits', {}],
    ['a few nodes to a call', { nodesAtOnce: 40, nodesPerCall: 20 }],
  ])('is similar to it with a model that sees only new nodes: %s', async (_, options) => {
    expect(
      await leastSimilarity(() => new LlmCategorizer(model, options), inTier({ fast: 1, slow: 5 })),
    ).toBeGreaterThanOrEqual(0.8);
  });

  it('is similar to it also for a model that varies its words', async () => {
    expect(await leastSimilarity(wavering, inTier({ fast: 1, slow: 12 }))).toBeGreaterThanOrEqual(0.8);
  });

  it('equals the one built at once after a rebuild', async () => {
    for (const make of [() => new LocalCategorizer(taxonomy), () => new LlmCategorizer(model)]) {
      const half = VARIED_NAMES.filter((_, at) => at % 2 === 0);
      const grown = await builtAtOnce(make(), half);
      await grown.add(
        VARIED_NAMES.filter((name) => !half.includes(name)),
        tagsOf,
      );
      await grown.organize();
      await grown.organize('rebuild');
      const anew = await builtAtOnce(make(), grown.entities.values());
      expect(similarity(grown.index, anew.index)).toBeGreaterThanOrEqual(0.99);
    }
  });
});
