import { v5 } from 'uuid';
import { forgottenAmong } from '../../edit/forget/records.ts';
import {
  CancelledError,
  EmbeddingMismatchError,
  InvalidChangeError,
  InvalidInputError,
} from '../../errors/index.ts';
import { renameTargets } from '../../ingest/corrections/correction-detail.ts';
import type { IngestContext, StoredScope } from '../../ingest/ingest-context.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../../model/ids.ts';
import type { EmbeddingFingerprint, Episode, NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { embeddingModel } from '../../store/graph-store.ts';
import { groupBy } from '../../util/collections.ts';
import { embedderSetting } from '../match-embedder.ts';
import { type ArchiveLine, archiveBatches, checkArchive, toChanges } from './read-archive.ts';

/**
 * What one call of `importFrom` stored. A repeated call counts only its own part; rows stored by the first call count
 * as skipped.
 */
export interface RestoreSummary {
  readonly nodes: number;
  readonly relationships: number;
  /** Number of rows that existed already. */
  readonly skipped: number;
  /** Number of turns that were forgotten in this scope; they, and what was extracted with them, are not restored. */
  readonly forgotten: number;
  /** Their ids, for what else was written about them. */
  readonly forgottenTurns: readonly string[];
}

/** Options of an import into a scope. When `signal` fires, stored rows are kept, and the same call continues. */
export interface RestoreOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gives every row a new id: required to copy a scope within one database, where ids are unique. */
  readonly newIds?: boolean;
}

/** Namespace of the ids created for `newIds` (UUID version 5). */
const NEW_IDS = '6f0c8f0e-52f5-4b43-9c1d-6d2f3b1f7a10';

/**
 * Imports an export into a scope. Validates the whole file before writing; then stores the rows in batches and skips
 * batches that exist, so an interrupted import is simply run again.
 */
export async function importScope(
  context: IngestContext,
  file: string,
  options: RestoreOptions = {},
): Promise<RestoreSummary> {
  const { fingerprint } = await check(context, file);
  if (fingerprint !== null) await context.store.setFingerprint(fingerprint);
  const rename = options.newIds === true ? renamerFor(context.scope) : (id: string) => id;
  await refuseTwins(context, file, rename);
  let summary: RestoreSummary = { nodes: 0, relationships: 0, skipped: 0, forgotten: 0, forgottenTurns: [] };
  for await (const lines of archiveBatches(file)) {
    if (options.signal?.aborted)
      throw new CancelledError(
        `${summary.nodes} rows were stored and are kept; restore the same file again to continue`,
        options.signal.reason,
      );
    summary = await commitBatch(context, lines, { rename, summary });
  }
  return summary;
}

/** Turns of an export that were forgotten in the scope, with the ids they would have. */
export async function forgottenIn(
  context: IngestContext,
  file: string,
  { newIds = false }: RestoreOptions = {},
): Promise<Episode[]> {
  const { corrections } = context.index;
  if (!corrections.hasTombstones('turn') && !corrections.hasTombstones('moved')) return [];
  await checkArchive(file);
  const rename = newIds ? renamerFor(context.scope) : (id: string) => id;
  const found: Episode[] = [];
  for await (const lines of archiveBatches(file))
    for (const turn of forgottenAmong(context, toChanges(lines).nodes?.episode ?? []))
      found.push({ ...turn, id: rename(turn.id) as EpisodeId, content: '' });
  return found;
}

async function check({ embedder }: IngestContext, file: string) {
  const header = await checkArchive(file);
  const { fingerprint } = header;
  const { model, dimension } = embedder.fingerprint;
  if (fingerprint !== null && (fingerprint.model !== model || fingerprint.dimension !== dimension))
    throw mismatch(fingerprint, embedder.fingerprint);
  return header;
}

function mismatch(found: EmbeddingFingerprint, wanted: EmbeddingFingerprint): EmbeddingMismatchError {
  const madeWith = embedderSetting(found);
  const dimension = madeWith?.dimension === undefined ? '' : ` --embedder-dimension ${madeWith.dimension}`;
  const flags = madeWith === null ? '' : ` (--embedder ${madeWith.name}${dimension})`;
  const advice = `Restore the export into a memory of ${embeddingModel(found)}${flags}, then move that with: mnemis reembed`;
  return new EmbeddingMismatchError(embeddingModel(found), embeddingModel(wanted), { madeWith, advice });
}

async function commitBatch(
  { store, scope, index }: IngestContext,
  lines: readonly ArchiveLine[],
  { rename, summary }: { rename: (id: string) => string; summary: RestoreSummary },
): Promise<RestoreSummary> {
  const wanted = toChanges(lines);
  const nodes: { [K in NodeKind]?: NodeRows[K][] } = {};
  for (const kind of Object.keys(wanted.nodes ?? {}) as NodeKind[]) {
    const rows = wanted.nodes![kind]!.map((row) => renameRow(row, rename));
    const ids = rows.map((row) => row.id);
    const there = new Set((await store.get(scope, kind, ids)).map((row) => row.id as string));
    (nodes as Record<string, unknown[]>)[kind] = rows.filter((row) => !there.has(row.id));
  }
  const edges = wanted.relationships!.map((edge) => renameEdge(edge, rename));
  const relationships = await missingRelationships({ store, scope }, edges);
  const changes: GraphChanges = { nodes, relationships };
  const written = Object.values(nodes).reduce((sum, rows) => sum + rows.length, 0);
  if (written + relationships.length > 0) {
    await store.commit(scope, changes).catch((error: unknown) => {
      throw takenIds(error, summary);
    });
    index.apply(changes);
  }
  return {
    ...summary,
    nodes: summary.nodes + written,
    relationships: summary.relationships + relationships.length,
    skipped: summary.skipped + lines.length - written - relationships.length,
  };
}

/**
 * The file was validated, so rows are rejected only for their ids, which are unique in a database, not in a scope.
 * New ids cannot collide.
 */
function takenIds(error: unknown, { nodes }: RestoreSummary): unknown {
  if (!InvalidChangeError.isInstance(error) || nodes > 0) return error;
  return new InvalidInputError(
    'Another scope of this memory has rows with the same ids; copy the export with the option newIds',
    error,
  );
}

async function missingRelationships(
  { store, scope }: StoredScope,
  wanted: readonly Relationship[],
): Promise<Relationship[]> {
  const there = new Set<string>();
  for (const [kind, edges] of groupBy(wanted, (edge) => edge.kind))
    for await (const batch of store.relationships(scope, kind, {
      from: [...new Set(edges.map((edge) => edge.from))],
    }))
      for (const edge of batch) there.add(edgeKey(edge));
  return wanted.filter((edge) => !there.has(edgeKey(edge)));
}

function edgeKey({ kind, from, to, role }: Relationship): string {
  return JSON.stringify([kind, from, to, role ?? null]);
}

/** Maps an old id to the same new id in every call, so that an interrupted import can continue. */
function renamerFor(scope: Scope): (id: string) => string {
  return (id) => v5(JSON.stringify([scope, id]), NEW_IDS);
}

/** Rejects an export with turns that the scope has under other ids, which would duplicate them. */
async function refuseTwins(
  { store, scope }: IngestContext,
  file: string,
  rename: (id: string) => string,
): Promise<void> {
  for await (const lines of archiveBatches(file)) {
    const live = (toChanges(lines).nodes?.episode ?? []).filter(({ expiredAt }) => expiredAt === null);
    const known = await store.episodesByKey(
      scope,
      live.map(({ key }) => key),
    );
    if (live.some(({ id, key }) => (known.get(key)?.id ?? rename(id)) !== rename(id)))
      throw new InvalidInputError(
        'This scope already contains some turns of the export under other ids; restore into an empty scope',
      );
  }
}

function renameRow(row: NodeRows[NodeKind], rename: (id: string) => string): NodeRows[NodeKind] {
  const renamed: Record<string, unknown> = { ...row, id: rename(row.id) };
  for (const reference of ['owner', 'entity', 'segment'])
    if (typeof renamed[reference] === 'string') renamed[reference] = rename(renamed[reference]);
  if ('targets' in row) Object.assign(renamed, renameTargets(row, rename));
  return renamed as unknown as NodeRows[NodeKind];
}

function renameEdge(edge: Relationship, rename: (id: string) => string): Relationship {
  return { ...edge, from: rename(edge.from), to: rename(edge.to) };
}
