import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detectFormat } from '../../src/importers/detect-format.ts';
import type { ImportSettings } from '../../src/importers/importer.ts';
import { readAll, rejectionsOf, turnsOf } from './temporary-file.ts';

export const T = Date.UTC(2026, 2, 1, 10);
/** A time, in minutes after `T`. */
export const iso = (minutes: number) => new Date(T + minutes * 60_000).toISOString();

/** Detects the format of a file, and reads it as a person would see it. */
export async function imported(path: string, settings: ImportSettings = {}) {
  const { importer } = await detectFormat(path);
  const leftOut: string[] = [];
  const notes: string[] = [];
  const records = await readAll(importer, path, {
    settings,
    onLeftOut: ({ where, reason }) => leftOut.push(`${where}: ${reason}`),
    onNote: (note) => notes.push(note),
  });
  const turns = turnsOf(records);
  const said = turns.map(({ session, speaker, content }) => `${session} ${speaker}: ${content}`);
  const titles = records.flatMap((record) => (record.kind === 'turn' ? [record.conversation?.title] : []));
  const ids = turns.map(({ sourceId }) => sourceId);
  return { name: importer.name, said, turns, titles, ids, leftOut, notes, rejected: rejectionsOf(records) };
}

/** Writes files below a folder. */
export function tree(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

export const lines = (...values: readonly unknown[]) =>
  values.map((value) => JSON.stringify(value)).join('\n');
