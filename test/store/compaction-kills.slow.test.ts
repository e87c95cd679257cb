import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { killProgram } from '../child-program.ts';
import { edge, episode, fact, scopeOf } from '../contract/graph-rows.ts';
import { seededRandom } from '../search/random.ts';
import { FILE_FORMS, openFileStore } from './file-stores.ts';

const ROWS = 150;
const folder = mkdtempSync(join(tmpdir(), 'mnemis-compaction-kills-'));
const scope = scopeOf('s');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CHILD = new URL('../fixtures/compact-loop.ts', import.meta.url).pathname;

/** Kills it a while after it has printed a line for the nth time; the line may be late, so it does not count on it. */
async function compactUntilKilled(
  memory: readonly string[],
  line: string,
  milliseconds: number,
): Promise<readonly string[]> {
  const killed = await killProgram(CHILD, memory, (printed) => printed.includes(line), milliseconds);
  expect([killed.signal, killed.errors]).toEqual(['SIGKILL', '']);
  return killed.lines;
}

const textOf = (trial: number, i: number) => `forgotten in round ${trial} as number ${i} of many`;

/** What is removed stays readable in the file until it is compacted. */
async function writeAndRemove(store: GraphStore, trial: number): Promise<void> {
  const ids = Array.from({ length: ROWS }, (_, i) => `${trial}-${i}`);
  await store.commit(scope, {
    nodes: {
      episode: ids.map((id, i) => episode(`e${id}`, { content: textOf(trial, i) })),
      fact: ids.map((id) => fact(`f${id}`)),
    },
    relationships: ids.map((id) => edge('EVIDENCED_BY', `f${id}`, `e${id}`)),
  });
  const removals = ids.slice(10).map((id) => ({ kind: 'episode', id: `e${id}` }) as const);
  await store.commit(scope, { removals });
}

async function contentOf(store: GraphStore): Promise<unknown> {
  const rows: unknown[] = [];
  for (const kind of ['episode', 'fact'] as const)
    for await (const batch of store.scan(scope, kind)) rows.push(...batch);
  for await (const batch of store.relationships(scope, 'EVIDENCED_BY')) rows.push(...batch);
  return [rows.map((row) => JSON.stringify(row)).sort(), await store.state(scope)];
}

function removedOnDisk(place: string, trial: number): number {
  const files = readdirSync(place).map((name) => readFileSync(join(place, name)));
  const texts = Array.from({ length: ROWS }, (_, i) => textOf(trial, i)).slice(10);
  return texts.filter((text) => files.some((bytes) => bytes.includes(text))).length;
}

describe.each(FILE_FORMS)('$name', ({ ending, leastFileBytes }) => {
  const place = mkdtempSync(join(folder, 'form-'));
  const path = join(place, `memory${ending}`);
  const memory = [path, String(leastFileBytes)];
  const isKuzu = ending === '.db';
  const trials = isKuzu ? 20 : 8;
  /** Of so small a file: the child compacts it again and again, and most of these kills come in the first round. */
  const untilCopied = isKuzu ? 900 : 20;

  it(`opens as it was or as compacted, and complete, in ${trials} kills`, async () => {
    const random = seededRandom(11);
    const seen = { before: 0, after: 0, inExchange: 0 };
    for (let trial = 0; trial < trials; trial++) {
      const store = await openFileStore(path, { leastFileBytes });
      await writeAndRemove(store, trial);
      const wanted = await contentOf(store);
      const { databaseId } = store.describe();
      await store.close();
      // SQLite overwrites removed rows at once.
      expect(removedOnDisk(place, trial) > 0).toBe(isKuzu);
      // Every other one is aimed at the exchange, which follows the last check; some come before it and some after.
      const lines =
        trial % 2 === 0
          ? await compactUntilKilled(memory, 'check ends', random() * 60)
          : trial % 4 === 1
            ? await compactUntilKilled(memory, 'open', random() * untilCopied)
            : await compactUntilKilled(memory, 'done', random() * 300);
      if (lines.at(-1) === 'check ends') seen.inExchange++;
      const again = await openFileStore(path, { leastFileBytes });
      expect(await contentOf(again)).toEqual(wanted);
      const isCompacted = again.describe().databaseId !== databaseId;
      if (lines.includes('done')) expect(isCompacted).toBe(true);
      await again.close();
      expect(readdirSync(place).filter((name) => name.includes('compacting'))).toEqual([]);
      if (isCompacted) expect(removedOnDisk(place, trial)).toBe(0);
      seen[isCompacted ? 'after' : 'before']++;
    }
    expect(seen.before).toBeGreaterThan(0);
    expect(seen.after).toBeGreaterThan(0);
    expect(seen.inExchange).toBeGreaterThan(0);
  });
});
