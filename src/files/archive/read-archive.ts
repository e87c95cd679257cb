import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { FileUnreadableError, InvalidChangeError } from '../../errors/index.ts';
import { readLines } from '../../importers/read-lines.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { type ChangeSummary, checkChanges, type IdsByKind } from '../../store/change-check.ts';
import { embeddingModel } from '../../store/graph-store.ts';
import { groupBy } from '../../util/collections.ts';
import { isUsableVector } from '../../util/rounded-vector.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  endSchema,
  headerSchema,
  lineSchema,
  nodeSchemas,
} from './archive-format.ts';

interface NodeLine {
  readonly node: NodeKind;
  readonly row: NodeRows[NodeKind];
}
export type ArchiveLine = NodeLine | { readonly relationship: Relationship };

/** A line contains one row; the longest turn with its attachments is far shorter. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** @throws FileUnreadableError for a file that is not an export, or a newer version. */
async function readArchiveHeader(file: string): Promise<ArchiveHeader> {
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
 * Yields the validated lines between header and end.
 *
 * @throws FileUnreadableError at the first invalid line, or after the last line if the file is incomplete or was
 *   changed: half an archive is not a backup.
 */
async function* readArchiveLines(file: string): AsyncGenerator<ArchiveLine> {
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
  throw new FileUnreadableError(file, `it ends unexpectedly after line ${number}`);
}

function parseLine(line: string): ArchiveLine | null {
  const parsed = lineSchema.safeParse(parseJson(line));
  if (!parsed.success) return null;
  if ('relationship' in parsed.data) return { relationship: parsed.data.relationship };
  const { node } = parsed.data;
  const row = nodeSchemas.get(node)?.safeParse(parsed.data.row);
  return row?.success ? { node, row: row.data as unknown as NodeRows[NodeKind] } : null;
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

const ROWS_PER_BATCH = 20_000;

/**
 * Validates a whole archive without storing anything: every row is valid, every edge joins two rows of the file, and
 * every vector has the header's dimension.
 *
 * @throws FileUnreadableError
 */
export async function checkArchive(file: string): Promise<ArchiveHeader> {
  const header = await readArchiveHeader(file);
  const counts = new Map<string, number>();
  const [added, required] = [new Set<string>(), new Set<string>()];
  const [ids, owners, liveKeys] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const layers = new Map<string, number>();
  for await (const lines of archiveBatches(file)) {
    const changes = toChanges(lines);
    const summary = checkBatch(file, changes);
    addAll(added, summary.added);
    addAll(required, summary.required);
    for (const [kind, rows] of Object.entries(changes.nodes ?? {}))
      counts.set(kind, (counts.get(kind) ?? 0) + rows.length);
    checkVectors(file, changes, header);
    for (const rows of Object.values(changes.nodes ?? {})) for (const { id } of rows) ids.add(id);
    for (const { owner } of [...(changes.nodes?.profile ?? []), ...(changes.nodes?.embedding ?? [])])
      owners.add(owner);
    checkLiveKeys(file, changes, liveKeys);
    checkLayers(file, changes, layers);
  }
  for (const [kind, count] of Object.entries(header.counts))
    if ((counts.get(kind) ?? 0) !== count)
      throw new FileUnreadableError(file, `it holds ${counts.get(kind) ?? 0} of ${count} ${kind} rows`);
  for (const name of required)
    if (!added.has(name)) throw new FileUnreadableError(file, 'a relationship refers to a missing row');
  for (const owner of owners)
    if (!ids.has(owner)) throw new FileUnreadableError(file, 'a profile or vector belongs to a missing row');
  return header;
}

/**
 * A category may only contain nodes of the layer below, so that no cycle is possible. Rows come before relationships.
 */
function checkLayers(
  file: string,
  { nodes, relationships = [] }: GraphChanges,
  layers: Map<string, number>,
): void {
  for (const { id, layer } of nodes?.category ?? []) layers.set(id, layer);
  for (const { kind, from, to, toKind } of relationships) {
    if (kind !== 'CATEGORIZES') continue;
    const below = toKind === 'entity' ? 0 : layers.get(to);
    if (below !== undefined && layers.get(from) !== below + 1)
      throw new FileUnreadableError(file, 'a category contains a node that is not of the layer below');
  }
}

/** A turn has one current version. */
function checkLiveKeys(file: string, { nodes }: GraphChanges, keys: Set<string>): void {
  for (const { key, expiredAt } of nodes?.episode ?? []) {
    if (expiredAt !== null) continue;
    if (keys.has(key)) throw new FileUnreadableError(file, 'two of its turns have the same key');
    keys.add(key);
  }
}

/** Groups the lines of an archive into one part per commit. */
export async function* archiveBatches(file: string): AsyncGenerator<readonly ArchiveLine[]> {
  let batch: ArchiveLine[] = [];
  for await (const line of readArchiveLines(file)) {
    batch.push(line);
    if (batch.length < ROWS_PER_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

export function toChanges(lines: readonly ArchiveLine[]): GraphChanges {
  const nodes: { [K in NodeKind]?: NodeRows[K][] } = {};
  const rows = lines.filter((line): line is NodeLine => 'node' in line);
  for (const [kind, group] of groupBy(rows, (line) => line.node))
    (nodes as Record<string, unknown[]>)[kind] = group.map(({ row }) => row);
  return { nodes, relationships: lines.flatMap((line) => ('node' in line ? [] : [line.relationship])) };
}

function checkBatch(file: string, changes: GraphChanges): ChangeSummary {
  try {
    return checkChanges(changes);
  } catch (error) {
    if (!InvalidChangeError.isInstance(error)) throw error;
    throw new FileUnreadableError(file, 'a row or relationship breaks the rules of the graph', error);
  }
}

function checkVectors(file: string, { nodes }: GraphChanges, { fingerprint }: ArchiveHeader): void {
  const made = fingerprint && embeddingModel(fingerprint);
  for (const { model, vector } of nodes?.embedding ?? []) {
    if (model !== made)
      throw new FileUnreadableError(file, 'a vector has another embedder than its header says');
    if (vector.length !== fingerprint?.dimension || !isUsableVector(vector))
      throw new FileUnreadableError(
        file,
        'a vector is not usable or has another length than its header says',
      );
  }
}

function addAll(names: Set<string>, ids: IdsByKind): void {
  for (const [kind, group] of ids) for (const id of group) names.add(`${kind}:${id}`);
}
