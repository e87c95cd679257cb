import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Importer, ImportRecord, ReadOptions } from '../../src/importers/importer.ts';

export const FIXTURES = join(import.meta.dirname, '../fixtures/importers');
export const SHARED_DATA = join(import.meta.dirname, '../../../shared/data');

/** A folder that is deleted at the end of `using`. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'mnemis-importers-'));
  return {
    path,
    write(name: string, content: string | Uint8Array): string {
      writeFileSync(join(path, name), content);
      return join(path, name);
    },
    json(value: unknown): string {
      return this.write('data.json', JSON.stringify(value));
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

export async function readAll(
  importer: Importer,
  path: string,
  options?: ReadOptions,
): Promise<ImportRecord[]> {
  const records: ImportRecord[] = [];
  for await (const record of importer.read(path, options)) records.push(record);
  return records;
}

export const turnsOf = (records: readonly ImportRecord[]) =>
  records.flatMap((record) => (record.kind === 'turn' ? [record.turn] : []));

export const rejectionsOf = (records: readonly ImportRecord[]) =>
  records.flatMap((record) => (record.kind === 'rejected' ? [`${record.where}: ${record.reason}`] : []));
