import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { readLines } from '../../src/importers/read-lines.ts';
import { temporaryFolder } from './temporary-file.ts';

it.each([
  ['\n', 0],
  ['\r\n', 0],
  ['\r', 0],
  // The end of a line falls between two chunks.
  ['\r\n', 256 * 1024 - 1],
  ['\r\n', 256 * 1024 - 2],
])('lines say where they stand, with ends %j and a first line of %i bytes', async (end, length) => {
  const lines = ['x'.repeat(length), 'Zürich', '', 'y'.repeat(300_000), '🙂', 'last'];
  using folder = temporaryFolder();
  const path = folder.write('lines.txt', lines.join(end));
  const file = await readFile(path);
  const found: string[] = [];
  for await (const line of readLines(path, { maxBytes: 1_000_000 })) {
    if ('problem' in line) throw new Error(line.problem);
    expect(file.subarray(line.start, line.start + line.bytes).toString()).toBe(line.text);
    found.push(line.text);
  }
  expect(found).toEqual(lines);
});
