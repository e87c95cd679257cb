import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { parseJson } from '../../importers/json/parse-json.ts';
import type { Sections } from '../../search/sections.ts';
import { decodeSnapshot } from '../../search/snapshot.ts';

export interface SnapshotFile {
  readonly stamp: string;
  readonly sections: Sections;
}

/** Where the table of a snapshot begins, and where its length stands (src/search/snapshot-format.ts). */
const TABLE_AT = 20;
const TABLE_LENGTH_AT = 12;
const stampSchema = z.object({ stamp: z.string() });

/** A snapshot of whatever commit; null for what is no whole snapshot. */
export async function readSnapshotFile(path: string): Promise<SnapshotFile | null> {
  const file = await readFile(path).catch(() => null);
  if (file === null || file.length < TABLE_AT) return null;
  const table = file.toString('utf8', TABLE_AT, TABLE_AT + file.readUInt32LE(TABLE_LENGTH_AT));
  const json = parseJson(table);
  const head = stampSchema.safeParse(json.ok ? json.value : null);
  return head.success ? decodeSnapshot(file, head.data.stamp).snapshot : null;
}

const commitSchema = z.tuple([
  z.number(),
  z.string(),
  z.number(),
  z.string(),
  z.number(),
  z.number(),
  z.string().nullable(),
  z.number(),
]);

export interface SnapshotCommit {
  readonly databaseId: string;
  readonly scope: string;
  readonly sequence: number;
  readonly token: number;
  /** Whose vectors it holds; null for words alone. */
  readonly model: string | null;
  readonly dimension: number;
}

/** What a stamp of `IndexKeeper` says; null for another form. */
export function readStamp(stamp: string): SnapshotCommit | null {
  const json = parseJson(stamp);
  const parsed = commitSchema.safeParse(json.ok ? json.value : null);
  if (!parsed.success) return null;
  const [, databaseId, , scope, sequence, token, model, dimension] = parsed.data;
  return { databaseId, scope, sequence, token, model, dimension };
}
