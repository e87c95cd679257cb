import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { RECIPES } from '../../src/retrieve/recipes/recipes.ts';

const NAMES = ['Mia', 'Omar', 'Lena', 'Zoe', 'Ben'];
/** Many turns, facts and entities that equal each other in every score. */
const TURNS: readonly TurnInput[] = ['b', 'a', 'c'].flatMap((session) =>
  NAMES.map((name, index) => ({
    ...{ session, index, sourceId: `${session}${index}`, source: 'notes', speaker: 'Ann', at: '2026-03-02' },
    content: `${name} lives in Ghent and likes tea.`,
  })),
);

/** A memory of the turns that arrive in this order, with ids that ascend or descend. */
async function memoryOf(turns: readonly TurnInput[], step: 1 | -1) {
  let number = 500_000;
  const newId = () => {
    number += step;
    return String(number).padStart(9, '0');
  };
  const engine = await Mnemis.open({
    path: ':memory:',
    automatic: false,
    newId,
    clock: () => 1_800_000_000_000,
  });
  const memory = engine.scope('a');
  await memory.add([...turns]);
  await memory.flush();
  return { engine, memory };
}

describe.each([...RECIPES.values()].map(({ name }) => name))('%s', (recipe) => {
  it('ranks what ties in the same order in every memory of the same turns', async () => {
    const seen: string[][] = [];
    for (const step of [1, -1] as const) {
      const { engine, memory } = await memoryOf(TURNS, step);
      for (const question of ['Who lives in Ghent?', 'Who likes tea?', 'What does Mia like?']) {
        const { episodes, facts, entities } = await memory.search(question, { recipe, k: 40 });
        seen.push([
          ...episodes.map(({ session, index }) => `${session}${index}`),
          ...facts.map(({ statement }) => statement),
          ...entities.map(({ name }) => name),
        ]);
      }
      await engine.close();
    }
    const half = seen.length / 2;
    expect(seen.slice(half)).toEqual(seen.slice(0, half));
    expect(seen[0]!.length).toBeGreaterThan(0);
  });
});
