import { afterEach, describe, expect, it } from 'vitest';
import { hierarchyGraph } from '../../graphs/hierarchy/graph.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis, type OpenOptions } from '../../src/engine.ts';
import { byKind } from '../hierarchy/fake-categorizers.ts';

let engine: Mnemis;
afterEach(() => engine.close());

async function memoryOf(names: readonly string[], options: Partial<OpenOptions> = {}): Promise<MemoryScope> {
  engine = await Mnemis.open({ path: ':memory:', automatic: false, categorizer: byKind(), ...options });
  const memory = engine.scope('default');
  await memory.add({ content: 'Hello there.', speaker: 'Ann', session: 's', at: '2026-01-01T10:00:00Z' });
  await memory.addFacts(
    names.map((name) => ({
      statement: `${name} is known.`,
      participants: [name],
      evidence: [{ session: 's', index: 0 }],
    })),
  );
  return memory;
}

const graph = hierarchyGraph(async ({ scope }) => engine.scope(scope).hierarchy.steps());

describe('hierarchy graph', () => {
  it('builds layers, tells what it did and why it stopped', async () => {
    const memory = await memoryOf(['Apple 1', 'Apple 2', 'Apple 3', 'Boat 1', 'Boat 2', 'Boat 3', 'City 1']);
    const told = await graph.invoke({});
    expect(told).toMatchObject({ scope: 'default', created: 3, layers: 1, stoppedBy: 'nothing-merged' });
    const tree = await memory.hierarchy.tree();
    expect(tree.map(({ name, entities }) => `${name} ${entities}`)).toEqual([
      'Apple 3',
      'Boat 3',
      'City 1 0',
    ]);
  });

  it('goes on where the last run ended', async () => {
    const memory = await memoryOf(['Apple 1', 'Apple 2', 'Apple 3'], { categorizer: byKind(2) });
    await graph.invoke({});
    const [apples] = await memory.hierarchy.tree();
    await memory.addFacts([
      { statement: 'Apple 4 is known.', participants: ['Apple 4'], evidence: [{ session: 's', index: 0 }] },
    ]);
    const told = await graph.invoke({});
    expect(told).toMatchObject({ created: 0, placed: 1 });
    expect((await memory.hierarchy.tree())[0]).toMatchObject({ id: apples!.id, entities: 4 });
  });

  it('can be drawn', async () => {
    await memoryOf([]);
    const drawn = await graph.getGraphAsync();
    expect(Object.keys(drawn.nodes)).toEqual([
      '__start__',
      'begin',
      'plan',
      'categorize',
      'commit',
      '__end__',
    ]);
  });
});
