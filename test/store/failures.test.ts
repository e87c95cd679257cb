import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asWriteError } from '../../src/store/kuzu/failures.ts';
import { loadKuzu } from '../../src/store/kuzu/load-kuzu.ts';

it('names the setting to change when the buffer pool is full', () => {
  const full = new Error(
    'Buffer manager exception: Unable to allocate memory! The buffer pool is full and …',
  );
  expect(asWriteError('x.db', full)).toMatchObject({
    code: 'store-write',
    message: expect.stringContaining('bufferPoolMb'),
  });
});

it('says which command brings the database, missing or not usable here', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-without-kuzu-'));
  const missing = {
    code: 'package-missing',
    message: expect.stringMatching(
      /needs kuzu, which is not installed .*; name the file memory\.sqlite .* npm install kuzu/,
    ),
  };
  expect(() => loadKuzu([folder])).toThrow(expect.objectContaining(missing));
  mkdirSync(join(folder, 'kuzu'));
  const unusable = { code: 'package-missing', message: expect.stringContaining('npm rebuild kuzu') };
  expect(() => loadKuzu([folder])).toThrow(expect.objectContaining(unusable));
});
