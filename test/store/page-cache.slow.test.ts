import { copyFileSync, mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { embedding, episode, scopeOf } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const root = freshFolder();
const freshPath = () => join(mkdtempSync(join(root, 'memory-')), 'memory.db');
const A = scopeOf('a');
const MEBIBYTE = 2 ** 20;
const SMALL = 32 * MEBIBYTE;
const ROWS = 500;
/** Its multiples modulo 1 are all different, so that vectors are not stored once for several rows. */
const GOLDEN = 0.6180339887;

/** Commits turns with vectors until there are so many; the number that was acknowledged, and what ended it. */
async function fill(
  store: KuzuStore,
  turns: number,
  rows = ROWS,
): Promise<{ readonly stored: number; readonly error?: unknown }> {
  let stored = 0;
  try {
    while (stored < turns) {
      const ids = Array.from({ length: rows }, (_, at) => String(stored + at).padStart(36, '0'));
      await store.commit(A, {
        nodes: {
          episode: ids.map((id) => episode(id, { content: id.repeat(10) })),
          embedding: ids.map((id, at) =>
            embedding(`v-${id}`, {
              owner: id,
              vector: new Float32Array(1_536).fill(((stored + at) * GOLDEN) % 1),
            }),
          ),
        },
      });
      stored += rows;
    }
  } catch (error) {
    return { stored, error };
  }
  return { stored };
}

async function expectAll(path: string, turns: number): Promise<void> {
  const store = await KuzuStore.open({ path });
  expect(await store.count(A)).toMatchObject({ episode: turns, embedding: turns });
  await store.close();
}

describe('a page cache that is too small', () => {
  it('grows for checkpoints', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path, bufferPoolBytes: SMALL });
    expect(await fill(store, 12_000)).toEqual({ stored: 12_000 });
    await store.close();
    await expectAll(path, 12_000);
  });

  it('grows for a commit that is larger than it', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path, bufferPoolBytes: SMALL, checkpointBytes: 1_024 * MEBIBYTE });
    expect(await fill(store, 8_000, 8_000)).toEqual({ stored: 8_000 });
    await store.close();
    await expectAll(path, 8_000);
    const refused = await KuzuStore.open({
      path: freshPath(),
      bufferPoolBytes: SMALL,
      mostBufferPoolBytes: SMALL,
    });
    expect(await fill(refused, 8_000, 8_000)).toMatchObject({ stored: 0, error: { code: 'store-write' } });
    await refused.close();
  });

  it('keeps what was acknowledged where it may not grow, and says what to do', async () => {
    const path = freshPath();
    const sizes = { bufferPoolBytes: SMALL, mostBufferPoolBytes: SMALL };
    const store = await KuzuStore.open({ path, ...sizes });
    const { stored, error } = await fill(store, 12_000);
    expect(error).toMatchObject({ code: 'store-write', message: expect.stringContaining('bufferPoolMb') });
    expect(stored).toBeGreaterThan(0);
    await store.close();
    await expectAll(path, stored);
  });

  it('grows where a long log is read again', async () => {
    const path = freshPath();
    const store = await KuzuStore.open({ path, checkpointBytes: 1_024 * MEBIBYTE });
    await fill(store, 8_000);
    const copy = freshPath();
    for (const end of ['', '.wal', '.seal']) copyFileSync(path + end, copy + end);
    await store.close();
    expect(statSync(`${copy}.wal`).size).toBeGreaterThan(SMALL);
    await expect(
      KuzuStore.open({ path: copy, bufferPoolBytes: SMALL, mostBufferPoolBytes: SMALL }),
    ).rejects.toThrow('not enough memory');
    const opened = await KuzuStore.open({ path: copy, bufferPoolBytes: SMALL });
    expect(await opened.count(A)).toMatchObject({ episode: 8_000 });
    await opened.close();
  });
});
