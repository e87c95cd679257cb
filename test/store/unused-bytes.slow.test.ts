import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { clearUnusedBytes } from '../../src/store/kuzu/unused-bytes.ts';
import { programArguments } from '../child-program.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const folder = freshFolder();

/** glibc fills memory with the first when it gives it out, and with the second when it takes it back. */
const FILLED = [0xca, 0x35];
const PROGRAM = join(import.meta.dirname, 'files-program.ts');
const FILES = ['empty.db', 'filled.db', 'compacted.db'];

beforeAll(() => {
  const env = { ...process.env, MALLOC_PERTURB_: String(FILLED[1]) };
  const child = spawnSync(process.execPath, [...programArguments(PROGRAM), folder], {
    env,
    encoding: 'utf8',
  });
  expect(child.stderr).toBe('');
  expect(child.status).toBe(0);
});

describe('19: files of Kùzu', () => {
  it('hold nothing that was in the memory of the process before', () => {
    const names = readdirSync(folder);
    expect(names).toEqual(expect.arrayContaining(FILES));
    const found = names.flatMap((name) =>
      pagesWith(readFileSync(join(folder, name))).map((page) => `${name}: ${page}`),
    );
    expect(found).toEqual([]);
  });

  it.each(FILES)('are read to the end of their content: %s', (name) => {
    const [path, before] = copyOf(name);
    expect(clearUnusedBytes(path)).toBe(true);
    expect(readFileSync(path).equals(before)).toBe(true);
    writeFileSync(path, Buffer.from(before).fill(0xca, 28, 4096));
    expect(clearUnusedBytes(path)).toBe(true);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it('are left as they are when their content is not known', () => {
    const [path, before] = copyOf('filled.db');
    const [version, catalog, metadata] = [4, before.readUInt32LE(12) * 4096, before.readUInt32LE(20) * 4096];
    // Of another version; tables of an unknown kind; more tables than there can be.
    for (const [at, value] of [
      [version, 40],
      [catalog + 16, 99],
      [metadata + 3, 1],
    ] as const) {
      const spoilt = Buffer.from(before);
      spoilt[at] = value;
      writeFileSync(path, spoilt);
      expect(clearUnusedBytes(path)).toBe(false);
      expect(readFileSync(path).equals(spoilt)).toBe(true);
    }
  });
});

/** Sixteen such bytes in a row are in no content of these files. */
function pagesWith(file: Buffer): number[] {
  const pages = new Set<number>();
  let run = 0;
  file.forEach((byte, at) => {
    run = FILLED.includes(byte) ? run + 1 : 0;
    if (run === 16) pages.add(Math.floor(at / 4096));
  });
  return [...pages];
}

function copyOf(name: string): [path: string, bytes: Buffer] {
  const path = join(folder, `copy of ${name}`);
  copyFileSync(join(folder, name), path);
  return [path, readFileSync(path)];
}
