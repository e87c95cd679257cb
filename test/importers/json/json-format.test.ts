import { chmodSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locomoImporter } from '../../../eval/datasets/locomo.ts';
import { DATASET_IMPORTERS } from '../../../eval/datasets/registry.ts';
import { CancelledError, FileUnreadableError, UnknownNameError } from '../../../src/errors/index.ts';

import type { ImportProgress } from '../../../src/importers/importer.ts';
import { MAX_JSON_BYTES } from '../../../src/importers/json/json-format.ts';
import { IMPORTERS, importerNamed } from '../../../src/importers/registry.ts';
import { UniqueNames } from '../../../src/importers/unique-names.ts';
import { FIXTURES, readAll, rejectionsOf, temporaryFolder, turnsOf } from '../temporary-file.ts';

const JSON_IMPORTERS = DATASET_IMPORTERS;

async function failureOf(path: string): Promise<string[]> {
  const errors = await Promise.all(
    JSON_IMPORTERS.map((importer) => readAll(importer, path).catch((cause: unknown) => cause)),
  );
  for (const error of errors) expect(error).toSatisfy(FileUnreadableError.isInstance);
  return errors.map((error) => (error as Error).message);
}

describe('JSON files', () => {
  it('that cannot be read are reported with the reason', async () => {
    using folder = temporaryFolder();
    const huge = folder.write('huge.json', '[]');
    truncateSync(huge, MAX_JSON_BYTES + 1);
    const wrong: [path: string, reason: string][] = [
      [folder.path, 'it is a directory'],
      [join(folder.path, 'none.json'), 'there is no such file'],
      ['/dev/null', 'it is not a regular file'],
      [huge, 'it is larger than 400 MB; split it'],
      [folder.write('empty.json', ''), 'it is empty'],
      [folder.write('text.json', 'secret'), 'it is not JSON from line 1, column 1 on'],
      [folder.write('cut.json', '[{"secret":\n["se'), 'it ends too early, at line 2, column 5'],
      [folder.write('latin1.json', Buffer.from('["\xe9"]', 'latin1')), 'it is not UTF-8 text near byte 0'],
      [folder.write('utf16.json', Buffer.from('\uFEFF[]', 'utf16le')), 'it is UTF-16 text'],
      [folder.write('a.zip', 'PK\u0003\u0004'), 'it is compressed'],
      [folder.write('other.json', '{"secret":[]}'), 'it is neither a'],
      [folder.write('number.json', '7'), 'it is neither a'],
    ];
    for (const [path, reason] of wrong) {
      for (const message of await failureOf(path)) {
        expect(message).toContain(reason);
        expect(message.replace(path, '')).not.toContain('secret');
      }
    }
  });

  it.skipIf(process.getuid?.() === 0)(
    'without permission are reported (skipped as root, who may read every file)',
    async () => {
      using folder = temporaryFolder();
      const path = folder.write('a.json', '[]');
      chmodSync(path, 0);
      for (const message of await failureOf(path)) expect(message).toContain('its permissions forbid it');
    },
  );

  it('may start with a byte order mark and may be empty lists', async () => {
    using folder = temporaryFolder();
    expect(await readAll(locomoImporter, folder.write('bom.json', '\uFEFF[]'))).toEqual([]);
  });

  it('of another format are rejected entry by entry', async () => {
    const records = await readAll(locomoImporter, join(FIXTURES, 'hotpotqa.json'));
    expect(rejectionsOf(records)).toEqual(['conversation 1: conversation: is missing or not an object']);
  });

  it('report progress by entry and stop when the signal fires', async () => {
    const path = join(FIXTURES, 'locomo.json');
    const seen: ImportProgress[] = [];
    await readAll(locomoImporter, path, { onProgress: (progress) => seen.push(progress) });
    expect(seen).toEqual([1, 2].map((done) => ({ unit: 'entries', done, total: 2 })));
    const aborted = readAll(locomoImporter, path, { signal: AbortSignal.abort() });
    await expect(aborted).rejects.toSatisfy(CancelledError.isInstance);
  });

  it('yield nothing from a file with an invalid record if none is tolerated', async () => {
    using folder = temporaryFolder();
    const path = folder.json([{ conversation: { session_1: 'secret' } }]);
    await expect(readAll(locomoImporter, path, { tolerate: false })).rejects.toThrow(
      'conversation 1, session 1: is not a list of turns',
    );
    const good = await readAll(locomoImporter, join(FIXTURES, 'locomo.json'), { tolerate: false });
    expect(turnsOf(good)).toHaveLength(7);
  });
});

it('registry finds each importer and lists the known names otherwise', () => {
  for (const importer of IMPORTERS) expect(importerNamed(importer.name)).toBe(importer);
  for (const importer of DATASET_IMPORTERS)
    expect(importerNamed(importer.name, DATASET_IMPORTERS)).toBe(importer);
  expect(() => importerNamed('docx')).toThrow('known: jsonl, chatgpt, claude');
  expect(() => importerNamed('docx')).toThrow(expect.toSatisfy(UnknownNameError.isInstance));
});

it('UniqueNames never returns a name twice', () => {
  const names = new UniqueNames();
  expect(['a', 'a', 'a#2', 'a', 'a#2'].map((name) => names.take(name))).toEqual([
    'a',
    'a#2',
    'a#2#2',
    'a#3',
    'a#2#3',
  ]);
});
