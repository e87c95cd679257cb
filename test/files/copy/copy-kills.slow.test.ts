import { beforeAll, expect, it } from 'vitest';
import { openStoreAt } from '../../../src/files/open-store.ts';
import { unfinishedCopyOf } from '../../../src/store/copy-mark.ts';
import { killProgram } from '../../child-program.ts';
import { freshPath } from '../../engine/memory-fixture.ts';
import { seededRandom } from '../../search/random.ts';
import { contentOf, copyAll, fill } from './copy-rows.ts';

const CHILD = new URL('../../fixtures/engine/copy-memory.ts', import.meta.url).pathname;
const KILLS = 6;

const source = freshPath('.db');
let wanted: Record<string, string[]>;
beforeAll(async () => {
  const store = await openStoreAt(source);
  await fill(store, 12_000);
  wanted = await contentOf(store);
  await store.close();
});

/** How many rows and relationships a process says it has stored. */
function toldIn(lines: readonly string[]): number {
  const [last] = lines.filter((line) => line.startsWith('copy ')).slice(-1);
  return Number(last?.split(' ')[1] ?? 0);
}

it.each(['.db', '.sqlite'])('a copy to %s that is killed again and again is completed', async (ending) => {
  const target = freshPath(ending);
  const random = seededRandom(7);
  let kills = 0;
  for (let trial = 0; trial < KILLS; trial++) {
    // Each process gets a little further than the one before it, and is killed in its next commits.
    const wait = 2 * trial;
    const killed = await killProgram(
      CHILD,
      [source, target],
      (lines) => lines.length >= wait,
      random() * 150,
    );
    expect(killed.errors).toBe('');
    if (killed.signal === null) break; // it was done before
    kills += 1;
    const to = await openStoreAt(target);
    const stored = Object.values(await contentOf(to)).flat().length;
    const told = toldIn(killed.lines);
    const isMarked = unfinishedCopyOf(to.describe()) !== null;
    await to.close();
    expect(stored).toBeGreaterThanOrEqual(told);
    if (stored > 0 && !killed.lines.includes('done')) expect(isMarked).toBe(true);
  }
  expect(kills).toBeGreaterThanOrEqual(2);
  const [from, to] = [await openStoreAt(source), await openStoreAt(target)];
  if (unfinishedCopyOf(to.describe()) !== null || (await to.scopes()).length === 0)
    await copyAll({ from, to });
  expect(unfinishedCopyOf(to.describe())).toBeNull();
  expect(await contentOf(to)).toEqual(wanted);
  await from.close();
  await to.close();
});
