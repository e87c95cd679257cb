import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { compactFile } from '../../../src/files/backup/compact.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { freshPath } from '../../engine/memory-fixture.ts';
import { PLAIN, session } from './forget-lab.ts';

const embedder = new HashingEmbedder({ analyze, dimension: 32 });
const open = (path: string) => Mnemis.open({ path, embedder, automatic: false });
/** More turns than one step removes. */
const LONG = session(
  'long',
  Array.from({ length: 620 }, (_, at) => `Ann: I take zither lesson ${at}.`),
  5,
);

/** A file whose forgetting was cancelled after its first step. */
async function unfinished(): Promise<string> {
  const path = freshPath();
  const engine = await open(path);
  const memory = engine.scope('a');
  await memory.add([...LONG, ...PLAIN]);
  const stop = new AbortController();
  const forgetting = async () => {
    for await (const _ of memory.forget({ session: 'long' }, { signal: stop.signal })) stop.abort();
  };
  await expect(forgetting()).rejects.toThrow('the rest is removed before');
  await engine.close();
  return path;
}

function filesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  return statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => filesOf(join(path, name)))
    : [path];
}

describe('a forgetting and the copies of its text', () => {
  it('compact completes an interrupted forgetting, and then no file contains it', async () => {
    const path = await unfinished();
    const engine = await open(path);
    await engine.compact();
    await engine.close();
    const files = [path, `${path}.wal`, `${path}.indexes`].flatMap(filesOf);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(readFileSync(file).includes('zither')).toBe(false);
  });

  it('compact is refused if the forgetting cannot be completed without an embedder', async () => {
    const path = await unfinished();
    const compacting = async () => {
      for await (const _ of compactFile(path));
    };
    await expect(compacting()).rejects.toThrow('mnemis resume --scope "a"');
  });
});

describe('a forgetting that is not awaited', () => {
  it('runs all the same, once', async () => {
    const engine = await open(':memory:');
    const memory = engine.scope('a');
    await memory.add([...LONG.slice(0, 3), ...PLAIN]);
    const run = memory.forget({ session: 'long' });
    await engine.close();
    const report = await run;
    expect(report.removed.episode).toBe(3);
    expect(await run.finally(() => undefined)).toBe(report);
  });

  it('reports its failure to every handler', async () => {
    await using engine = await open(':memory:');
    const caught = await engine
      .scope('a')
      .forget({ session: 'nowhere' })
      .catch((error: unknown) => String(error));
    expect(caught).toContain('InvalidInputError');
  });
});
