import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeStaticModel } from '../../../scripts/static-model/static-model-file.ts';
import {
  readStaticModel,
  readStaticName,
  STATIC_MODEL_FILE,
} from '../../../src/inference/embedder/static-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { packageFile } from '../../../src/util/files.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();

function fileOf(bytes: Uint8Array): string {
  const file = join(folder, 'model.bin');
  writeFileSync(file, bytes);
  return file;
}

const SMALL = encodeStaticModel(
  'small-v1',
  {
    words: ['ant', 'bée', '象'],
    weights: Float64Array.of(1, 0.5, 0),
    rows: Float64Array.of(0.6, -0.8, 0, 1, 0, 0),
  },
  2,
);

/** Files whose start and size show that they are no model. */
const SEEN_AT_THE_START: [string, Uint8Array][] = [
  ['empty', new Uint8Array()],
  ['something else', Buffer.from('{"not":"a model"}')],
  ['cut off', SMALL.subarray(0, -1)],
  ['cut off in the header', SMALL.subarray(0, 20)],
  ['too long', Buffer.concat([SMALL, Buffer.alloc(1)])],
];

describe('the bundled static model', () => {
  it('is at most 10 MB and includes the licence of its source', () => {
    expect(statSync(packageFile(STATIC_MODEL_FILE)!).size).toBeLessThanOrEqual(10_000_000);
    const licence = readFileSync(packageFile('models/LICENSE-WordNet.txt')!, 'utf8');
    expect(licence).toContain('Princeton University');
    expect(licence).toContain('Permission to use, copy, modify and distribute');
  });

  it('has unit rows within rounding, and a row for common words', async () => {
    const { rowOf, rows, factors, dimension } = await readStaticModel();
    expect(dimension).toBe(256);
    for (const row of [0, 5_000, 20_000, rowOf.size - 1]) {
      const numbers = rows.subarray(row * dimension, (row + 1) * dimension);
      const length = factors[row]! * Math.hypot(...numbers);
      expect(length).toBeGreaterThan(0);
      expect(length).toBeLessThanOrEqual(1.01);
    }
    const everyday =
      'awesome basketball birthday boyfriend camping choose coffee computer cousin depressed divorce doctor email exam flight friend grandmother guitar happiness holiday hospital internet jealous kitchen laptop lonely marriage medicine mortgage movie neighbour nervous novel painting phone pizza pregnant promotion recipe school scared shopping sister stress surgery swimming teacher television therapy tired travelling vegetarian vegan volunteer wedding yoga';
    const missing = everyday.split(' ').filter((word) => !analyze(word).every((term) => rowOf.has(term)));
    expect(missing).toEqual([]);
  });
});

describe('readStaticModel', () => {
  it('reads a file that was written', async () => {
    const { name, dimension, rowOf, factors, rows } = await readStaticModel(fileOf(SMALL));
    expect({ name, dimension, words: [...rowOf] }).toEqual({
      name: 'small-v1',
      dimension: 2,
      words: [
        ['ant', 0],
        ['bée', 1],
        ['象', 2],
      ],
    });
    expect(rows).toEqual(Int8Array.of(95, -127, 0, 127, 0, 0));
    expect(factors[0]! * 95).toBeCloseTo(0.6, 2);
    expect(factors[1]! * 127).toBeCloseTo(0.5);
    expect(factors[2]).toBe(0);
  });

  it.each<[string, Uint8Array]>([
    ...SEEN_AT_THE_START,
    [
      'of another format',
      Buffer.from(SMALL.toString('latin1').replace('"format":1', '"format":2'), 'latin1'),
    ],
    [
      'with a word twice',
      Buffer.from(SMALL.toString('latin1').replace('\u00e8\u00b1\u00a1', 'ant'), 'latin1'),
    ],
    [
      'with an absurd header length',
      Buffer.concat([SMALL.subarray(0, 8), Buffer.alloc(4, 255), SMALL.subarray(12)]),
    ],
  ])('rejects a file that is %s', async (_, bytes) => {
    await expect(readStaticModel(fileOf(bytes))).rejects.toMatchObject({ code: 'bundled-file' });
  });

  it('rejects factors that are not numbers', async () => {
    const bytes = Buffer.from(SMALL);
    bytes.writeFloatLE(Number.NaN, bytes.length - 6 - 12);
    await expect(readStaticModel(fileOf(bytes))).rejects.toMatchObject({ code: 'bundled-file' });
  });

  it('reports which file is missing and what to do', async () => {
    await expect(readStaticModel(join(folder, 'none.bin'))).rejects.toThrow(/none\.bin.*install the package/);
  });
});

describe('readStaticName', () => {
  it('reads the header alone', async () => {
    expect(await readStaticName(fileOf(SMALL))).toEqual({ name: 'small-v1', dimension: 2 });
    const { name, dimension } = await readStaticModel();
    expect(await readStaticName()).toEqual({ name, dimension });
  });

  it.each(SEEN_AT_THE_START)('rejects a file that is %s', async (_, bytes) => {
    await expect(readStaticName(fileOf(bytes))).rejects.toMatchObject({ code: 'bundled-file' });
  });
});
