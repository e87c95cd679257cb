import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { KeptLines } from '../../../eval/run/kept-lines.ts';
import { DatabaseLockedError, FileUnreadableError } from '../../../src/errors/index.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();
const schema = z.strictObject({ at: z.number(), text: z.string() });
let files = 0;
const freshFile = () => join(folder, 'deep', `${++files}.jsonl`);

async function read(file: string) {
  const lines: z.output<typeof schema>[] = [];
  const kept = await KeptLines.open(file, schema, (line) => lines.push(line));
  return { lines, kept };
}

describe('lines that are kept', () => {
  it('are there when the file is opened again, in the order of their calls', async () => {
    const file = freshFile();
    const { lines, kept } = await read(file);
    expect(lines).toEqual([]);
    // Two at once could cut each other's lines.
    await expect(read(file)).rejects.toSatisfy(DatabaseLockedError.isInstance);
    const said = Array.from({ length: 20 }, (_, at) => ({ at, text: `line\n\u2028${at}\r – ü` }));
    await Promise.all(said.map((line) => kept.append(line)));
    await kept.close();
    const again = await read(file);
    expect(again.lines).toEqual(said);
    await again.kept.close();
  });

  it.each([
    ['a part of a line', '{"at":1,"te'],
    ['a long part of a line', `{"at":1,"text":"${'x'.repeat(200_000)}`],
    ['nothing', ''],
  ])('lose only what a kill left half written: %s', async (_, torn) => {
    const file = freshFile();
    const first = await read(file);
    await first.kept.append({ at: 0, text: 'whole' });
    await first.kept.close();
    appendFileSync(file, torn);
    const second = await read(file);
    expect(second.lines).toEqual([{ at: 0, text: 'whole' }]);
    await second.kept.append({ at: 2, text: 'after' });
    await second.kept.close();
    expect(readFileSync(file, 'utf8')).toBe('{"at":0,"text":"whole"}\n{"at":2,"text":"after"}\n');
  });

  it.each([
    ['no JSON', 'hello\n', 1],
    ['another form', '{"at":0,"text":"a"}\n{"at":"0","text":"a"}\n', 2],
    ['a key too many', '{"at":0,"text":"a","more":1}\n', 1],
  ])('are refused with their number: %s', async (_, text, line) => {
    const file = freshFile();
    await (await read(file)).kept.close();
    writeFileSync(file, text);
    await expect(read(file)).rejects.toSatisfy(FileUnreadableError.isInstance);
    await expect(read(file)).rejects.toThrow(`line ${line} `);
  });
});
