import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { z } from 'zod';
import { FileUnreadableError } from '../../errors/index.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  decodeVector,
  headerSchema,
  lineSchema,
  nodeSchemas,
} from './archive-format.ts';

export interface NodeLine {
  readonly node: NodeKind;
  readonly row: NodeRows[NodeKind];
}
export type ArchiveLine = NodeLine | { readonly relationship: Relationship };

/** Reads an export line by line. Every line must fit: half an archive is no backup. */
export function readArchive(file: string): {
  /** Rejects with FileUnreadableError for a file that is no export, or of a newer version. */
  readonly header: Promise<ArchiveHeader>;
  /** The lines after the header, each checked. */
  readonly lines: AsyncIterable<ArchiveLine>;
} {
  return { header: readHeader(file), lines: readLines(file) };
}

async function readHeader(file: string): Promise<ArchiveHeader> {
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

async function* readLines(file: string): AsyncGenerator<ArchiveLine> {
  let number = 0;
  for await (const line of textLines(file)) {
    number++;
    if (number === 1 || line === '') continue;
    const parsed = parseLine(line);
    if (parsed === null) throw new FileUnreadableError(file, `line ${number} is not a row of an export`);
    yield parsed;
  }
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
  const stream = createReadStream(file, 'utf8');
  try {
    yield* createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (cause) {
    throw new FileUnreadableError(file, String((cause as NodeJS.ErrnoException).code ?? 'unknown'), cause);
  } finally {
    stream.destroy();
  }
}
