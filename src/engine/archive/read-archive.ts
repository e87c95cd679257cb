import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { FileUnreadableError } from '../../errors/index.ts';
import { readLines } from '../../importers/read-lines.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  decodeVector,
  endSchema,
  headerSchema,
  lineSchema,
  nodeSchemas,
} from './archive-format.ts';

export interface NodeLine {
  readonly node: NodeKind;
  readonly row: NodeRows[NodeKind];
}
export type ArchiveLine = NodeLine | { readonly relationship: Relationship };

/** A line holds one row: the longest turn with its attachments is far below this. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** @throws FileUnreadableError for a file that is no export, or of a newer version. */
export async function readArchiveHeader(file: string): Promise<ArchiveHeader> {
  for await (const line of textLines(file)) {
    const parsed = headerSchema.safeParse(parseJson(line));
    if (!parsed.success)
      throw new FileUnreadableError(file, `its first line is not the header of a ${ARCHIVE_FORMAT} file`);
    if (parsed.data.version > ARCHIVE_VERSION)
      throw new FileUnreadableError(
        file,
        `its format version ${parsed.data.version} is newer than ${ARCHIVE_VERSION}`,
      );
    return parsed.data;
  }
  throw new FileUnreadableError(file, 'it is empty');
}

/**
 * The lines between header and end, each checked.
 *
 * @throws FileUnreadableError at the line that does not fit, or after the last one when the file is not whole or
 *   not as it was written: half an archive is no backup.
 */
export async function* readArchiveLines(file: string): AsyncGenerator<ArchiveLine> {
  const hash = createHash('sha256');
  const counts = { nodes: 0, relationships: 0 };
  let number = 0;
  for await (const line of textLines(file)) {
    number++;
    const end = number === 1 ? null : endSchema.safeParse(parseJson(line));
    if (end?.success) {
      if (!isDeepStrictEqual(end.data.end, { ...counts, sha256: hash.digest('hex') }))
        throw new FileUnreadableError(file, 'it was changed after it was written');
      return;
    }
    hash.update(`${line}\n`);
    if (number === 1) continue;
    const parsed = parseLine(line);
    if (parsed === null) throw new FileUnreadableError(file, `line ${number} is not a row of an export`);
    counts['node' in parsed ? 'nodes' : 'relationships']++;
    yield parsed;
  }
  throw new FileUnreadableError(file, `it breaks off after line ${number}`);
}

function parseLine(line: string): ArchiveLine | null {
  const parsed = lineSchema.safeParse(parseJson(line));
  if (!parsed.success) return null;
  if ('relationship' in parsed.data) return { relationship: parsed.data.relationship as Relationship };
  const { node } = parsed.data;
  const row = nodeSchemas[node].safeParse(parsed.data.row);
  if (!row.success) return null;
  return { node, row: decodeRow(node, row.data) };
}

function decodeRow(node: NodeKind, row: z.infer<(typeof nodeSchemas)[NodeKind]>): NodeRows[NodeKind] {
  const decoded =
    node === 'embedding' && 'vector' in row ? { ...row, vector: decodeVector(row.vector) } : row;
  return decoded as unknown as NodeRows[NodeKind];
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function* textLines(file: string): AsyncGenerator<string> {
  for await (const line of readLines(file, { maxBytes: LONGEST_LINE, regularOnly: true })) {
    if ('problem' in line) throw new FileUnreadableError(file, `line ${line.number} ${line.problem}`);
    yield line.text;
  }
}
