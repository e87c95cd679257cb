import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openStoreAt } from '../../src/files/open-store.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { openSqliteStore } from '../../src/store/sql/sqlite/sqlite-store.ts';
import {
  beginSwap,
  continueSwap,
  draftPath,
  dropDraft,
  forgetSwap,
  swapState,
} from '../../src/store/swap-files.ts';
import { killProgram } from '../child-program.ts';
import { episode, scopeOf } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const scope = scopeOf('s');
let folder: string;
let path: string;
beforeEach(() => {
  folder = freshFolder();
  path = join(folder, 'memory.db');
});

type Kind = 'Kùzu' | 'SQLite';

/** As a killed process leaves it: what is written is in the log, not in the file. */
async function write(at: string, content: string, kind: Kind = 'Kùzu'): Promise<void> {
  const name = `${at}.written`;
  const store = await (kind === 'Kùzu' ? KuzuStore.open({ path: name }) : openSqliteStore(name));
  await store.commit(scope, { nodes: { episode: [episode('e1', { content })] } });
  for (const ending of ENDINGS) if (existsSync(name + ending)) copyFileSync(name + ending, at + ending);
  await store.close();
  for (const ending of ENDINGS) rmSync(name + ending, { force: true });
}

/** What the memory says after it was opened. */
async function opened(): Promise<string | undefined> {
  const store = await openStoreAt(path);
  const [row] = await store.get(scope, 'episode', ['e1']);
  await store.close();
  return row?.content;
}

const steps = (step: string, tries = 0) =>
  writeFileSync(`${path}.swap`, JSON.stringify({ id: 'r', step, tries }));
/** In the order in which they are moved. */
const ENDINGS = ['.indexes', '-shm', '-wal', '.seal', '.wal', ''] as const;
const ALL = ENDINGS.length;
/** Each leaves other files of one of the two kinds. */
const COUNTS = [0, 3, 4, 5, 6];
const moveSome = (from: string, to: string, count: number) => {
  for (const ending of ENDINGS.slice(0, count))
    if (existsSync(`${from}${ending}`)) renameSync(`${from}${ending}`, `${to}${ending}`);
};
const isClean = () => [existsSync(`${path}.replaced`), existsSync(draftPath(path))];

const SAME: readonly (readonly [Kind, Kind])[] = [
  ['Kùzu', 'Kùzu'],
  ['SQLite', 'SQLite'],
];
const OTHER: readonly (readonly [Kind, Kind])[] = [
  ['SQLite', 'Kùzu'],
  ['Kùzu', 'SQLite'],
];

describe.each([...SAME, ...OTHER])(
  'files of %s that replace a memory in %s at its next opening',
  (fresh, former) => {
    beforeEach(async () => {
      await write(path, 'old', former);
      // What other programs leave beside a SQLite file.
      if (former === 'SQLite') writeFileSync(`${path}-shm`, 'stale');
      await write(draftPath(path), 'new', fresh);
    });

    it('replace it, and the old ones are removed', async () => {
      beginSwap(path, 'r');
      expect(swapState(path, 'r')).toBe('under-way');
      expect(await opened()).toBe('new');
      expect([swapState(path, 'r'), swapState(path, 'other')]).toEqual(['done', null]);
      expect(isClean()).toEqual([false, false]);
      expect(existsSync(`${path}-shm`)).toBe(false);
      forgetSwap(path, 'r');
      expect(swapState(path, 'r')).toBeNull();
      expect(await opened()).toBe('new');
    });

    it.each(COUNTS)('replace it after a kill that had moved %i of the old files aside', async (count) => {
      steps('ready');
      moveSome(path, `${path}.replaced`, count);
      expect(await opened()).toBe('new');
      expect(isClean()).toEqual([false, false]);
    });

    it.each(COUNTS)('replace it after a kill that had moved %i of the new files in', async (count) => {
      moveSome(path, `${path}.replaced`, ALL);
      steps('aside');
      moveSome(draftPath(path), path, count);
      expect(await opened()).toBe('new');
      expect(isClean()).toEqual([false, false]);
    });

    it('do not replace it if they cannot be opened', async () => {
      writeFileSync(draftPath(path), 'no database');
      beginSwap(path, 'r');
      expect(await opened()).toBe('old');
      expect(swapState(path, 'r')).toBe('undone');
      expect(isClean()).toEqual([false, false]);
      expect(await opened()).toBe('old');
    });

    it.each(COUNTS)('are moved out again after a kill that had moved %i of them out', async (count) => {
      moveSome(path, `${path}.replaced`, ALL);
      moveSome(draftPath(path), path, ALL);
      steps('undoing');
      moveSome(path, draftPath(path), count);
      expect(await opened()).toBe('old');
      expect(isClean()).toEqual([false, false]);
    });

    it('are given up if their opening ends the process twice', async () => {
      moveSome(path, `${path}.replaced`, ALL);
      moveSome(draftPath(path), path, ALL);
      steps('placed', 2);
      expect(await opened()).toBe('old');
      expect(swapState(path, 'r')).toBe('undone');
    });

    it('do nothing if they are missing', async () => {
      dropDraft(path);
      beginSwap(path, 'r');
      expect(await opened()).toBe('old');
      expect(swapState(path, 'r')).toBe('undone');
    });

    it('leave no copy if the process was killed before the swap began', async () => {
      expect(await opened()).toBe('old');
      expect(isClean()).toEqual([false, false]);
      steps('undone');
      await write(draftPath(path), 'new', fresh);
      expect(await opened()).toBe('old');
      expect(isClean()).toEqual([false, false]);
    });

    it.each(['no', 'an ended'])(
      'leave the old files in place of missing ones with %s record',
      async (kind) => {
        moveSome(path, `${path}.replaced`, ALL);
        moveSome(draftPath(path), path, ALL - 1); // a mixture: all but the database file
        if (kind === 'an ended') steps('done');
        expect(await opened()).toBe('old');
        expect(isClean()).toEqual([false, false]);
      },
    );

    it('keep the old files aside if the record is missing', async () => {
      moveSome(path, `${path}.replaced`, ALL);
      moveSome(draftPath(path), path, ALL);
      expect(await opened()).toBe('new');
      expect(isClean()).toEqual([true, false]);
      rmSync(path);
      expect(await opened()).toBe('old');
    });

    it('are refused if the record is missing while some of the old files are aside', async () => {
      moveSome(path, `${path}.replaced`, ALL - 1);
      await expect(openStoreAt(path)).rejects.toMatchObject({
        code: 'database-corrupt',
        message: expect.stringContaining('back to the same name'),
      });
      moveSome(`${path}.replaced`, path, ALL - 1);
      expect(await opened()).toBe('old');
    });

    it.each([1, ALL])(
      'that vanish after a kill that had moved %i of the old files aside are given up',
      async (count) => {
        steps('ready');
        moveSome(path, `${path}.replaced`, count);
        dropDraft(path);
        expect(await opened()).toBe('old');
        expect(swapState(path, 'r')).toBe('undone');
      },
    );

    it('are left alone if the record is damaged', async () => {
      writeFileSync(`${path}.swap`, '{');
      expect(() => continueSwap(path)).toThrow(expect.objectContaining({ code: 'database-corrupt' }));
      await expect(openStoreAt(path)).rejects.toMatchObject({ code: 'database-corrupt' });
      expect(readFileSync(path).length).toBeGreaterThan(0);
    });
  },
);

describe('a process that is killed while it replaces a memory', () => {
  it.each([
    ['.db', 15],
    ['.sqlite', 8],
  ])('leaves one of the two memories, whole: %s, %i kills', async (ending, kills) => {
    const child = new URL('../fixtures/swap-loop.ts', import.meta.url).pathname;
    path = join(folder, `memory${ending}`);
    await write(path, 'round 0', ending === '.db' ? 'Kùzu' : 'SQLite');
    for (let kill = 0; kill < kills; kill += 1) {
      const killed = await killProgram(
        child,
        [path],
        (lines) => lines.filter((line) => line === 'swap').length >= 2,
        (kill * 37) % 150,
      );
      expect([killed.signal, killed.errors]).toEqual(['SIGKILL', '']);
      expect(await opened()).toMatch(/^round \d+$/);
      const { length } = killed.lines.filter((line) => line === 'swap');
      expect(length).toBeGreaterThanOrEqual(2);
    }
  });
});
