import { expect, it } from 'vitest';
import { memoryOver, watchedStore } from '../../engine/ingestion/memory-over.ts';
import { freshPath, graphOf, remember } from '../../engine/memory-fixture.ts';
import { expectWithout, PLAIN, SECRET, SECRET_WORDS } from './forget-lab.ts';

it.each([false, true])('an import does not restore forgotten turns (new ids: %s)', async (newIds) => {
  const file = freshPath('.jsonl');
  const { memory } = await memoryOver(watchedStore().store);
  await remember(memory, [...SECRET, ...PLAIN]);
  await memory.exportTo(file);
  const target = newIds ? await memoryOver(watchedStore().store) : { memory };
  if (newIds) await remember(target.memory, SECRET);
  await target.memory.forget({ session: 'secret' });
  const summary = await target.memory.importFrom(file, { newIds });
  expect(summary.forgotten).toBe(3);
  const graph = await graphOf(target.memory);
  expectWithout(graph, SECRET_WORDS);
  expect(graph.nodes.episode).toHaveLength(3);
  expect(graph.nodes.fact.length).toBeGreaterThan(2);
  // What keeps it from coming back goes along with an export.
  await target.memory.exportTo(file + 2);
  const other = await memoryOver(watchedStore().store);
  await other.memory.importFrom(file + 2);
  expect(await other.memory.add(SECRET)).toMatchObject({ rejected: 3 });
});
