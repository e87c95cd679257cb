import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { unfinishedForgettings } from '../../edit/forget/records.ts';
import type { IndexedScope } from '../../ingest/ingest-context.ts';
import type { Scope } from '../../model/ids.ts';
import type { Correction, Embedding, NodeKind } from '../../model/nodes.ts';
import { RELATIONSHIP_KINDS } from '../../model/relationships.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { asWriteError } from '../disk.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveHeader,
  encodeVector,
  NODE_ORDER,
} from './archive-format.ts';

/** The result of `exportTo`: it writes all rows of the scope, superseded ones and vectors included. */
export interface ExportSummary {
  /** The path given to `exportTo`. */
  readonly file: string;
  readonly nodes: number;
  readonly relationships: number;
}

/** Writes to a temporary file and renames it, so that an interrupted export leaves an existing file unchanged. */
export async function exportScope(
  context: Omit<IndexedScope, 'index'>,
  file: string,
  signal?: AbortSignal,
): Promise<ExportSummary> {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const written = await writeLines(context, temporary, signal);
    await rename(temporary, file);
    return { file, ...written };
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw asWriteError(cause, file, { signal, kept: 'no file was written' });
  }
}

async function writeLines(
  context: Omit<IndexedScope, 'index'>,
  file: string,
  signal: AbortSignal | undefined,
) {
  const handle = await open(file, 'w', 0o600);
  const counts = { nodes: 0, relationships: 0 };
  const hash = createHash('sha256');
  const write = async (lines: readonly string[]) => {
    const text = `${lines.join('\n')}\n`;
    hash.update(text);
    await handle.appendFile(text);
  };
  try {
    await write([JSON.stringify(await header(context))]);
    for await (const { lines, what } of chunks(context)) {
      signal?.throwIfAborted();
      await write(lines);
      counts[what] += lines.length;
    }
    await write([JSON.stringify({ end: { ...counts, sha256: hash.copy().digest('hex') } })]);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return counts;
}

async function header({ scope, store, clock }: Omit<IndexedScope, 'index'>): Promise<ArchiveHeader> {
  const model = modelInUse(store);
  const embedding = model === null ? 0 : (await store.countEmbeddings(scope)).get(model);
  const counts = await store.count(scope);
  const unfinished = await unfinishedForgettings(store, scope);
  return {
    format: ARCHIVE_FORMAT,
    version: ARCHIVE_VERSION,
    scope,
    exportedAt: new Date(clock()).toISOString(),
    fingerprint: store.describe().fingerprint,
    counts: { ...counts, correction: counts.correction - unfinished, embedding: embedding ?? 0 },
  };
}

async function* chunks({ scope, store }: Omit<IndexedScope, 'index'>) {
  for (const node of NODE_ORDER)
    for await (const rows of rowsOf(scope, store, node))
      if (rows.length > 0)
        yield {
          what: 'nodes' as const,
          lines: rows.map((row) => JSON.stringify({ node, row: encodeRow(node, row) })),
        };
  for (const kind of RELATIONSHIP_KINDS)
    for await (const rows of store.relationships(scope, kind))
      if (rows.length > 0)
        yield {
          what: 'relationships' as const,
          lines: rows.map((relationship) => JSON.stringify({ relationship })),
        };
}

/** Exports only vectors of the header's embedder: during a move there are others. */
function rowsOf(scope: Scope, store: GraphStore, node: NodeKind): AsyncIterable<readonly object[]> {
  const model = modelInUse(store);
  if (node === 'correction') return withoutUnfinished(store.scan(scope, node));
  if (node !== 'embedding' || model === null) return store.scan(scope, node);
  return store.embeddings(scope, model, ['id', 'owner', 'field', 'model', 'vector']);
}

/** Omits unfinished forgettings: the rows that they still have to remove are hidden from the export. */
async function* withoutUnfinished(batches: AsyncIterable<readonly Correction[]>) {
  for await (const rows of batches)
    yield rows.filter(({ kind, finishedAt }) => kind !== 'forget' || finishedAt !== null);
}

function modelInUse(store: GraphStore): string | null {
  const { fingerprint } = store.describe();
  return fingerprint && embeddingModel(fingerprint);
}

function encodeRow(node: NodeKind, row: object): object {
  return node === 'embedding' ? { ...row, vector: encodeVector((row as Embedding).vector) } : row;
}
