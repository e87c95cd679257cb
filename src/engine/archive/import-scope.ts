import { v5 } from 'uuid';
import { forgottenAmong } from '../../edit/forget/records.ts';
import {
  CancelledError,
  EmbeddingMismatchError,
  InvalidChangeError,
  InvalidInputError,
} from '../../errors/index.ts';
import { renameTargets } from '../../ingest/corrections/correction-detail.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { EpisodeId, Scope } from '../../model/ids.ts';
import type { EmbeddingFingerprint, Episode, NodeKind, NodeRows } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { embeddingModel } from '../../store/graph-store.ts';
import { groupBy } from '../../util/collections.ts';
import { embedderSetting } from '../embedding/match-embedder.ts';
import { type ArchiveLine, archiveBatches, checkArchive, toChanges } from './read-archive.ts';

/**
 * What one call of `importFrom` stored. A call that goes on after a break counts its own part, and what the first one
 * stored as skipped.
 */
export interface RestoreSummary {
  readonly nodes: number;
  readonly relationships: number;
  /** Rows that were there already. */
  readonly skipped: number;
  /** Turns that were forgotten here: they, and what was read beside them, do not come back. */
  readonly forgotten: number;
}

/** How an export is read into a scope. When `signal` fires, what was stored is kept, and the same call goes on. */
export interface RestoreOptions {
  readonly signal?: AbortSignal | undefined;
  /** Gives every row a new id: needed to copy a scope inside one database, where ids are unique. */
  readonly newIds?: boolean;
}

/** Namespace of the ids that `newIds` makes (UUID version 5). */
const NEW_IDS = '6f0c8f0e-52f5-4b43-9c1d-6d2f3b1f7a10';

/**
 * Reads an export into a scope. The whole file is checked before anything is written; the rows then go in by
 * batches, and a batch that is there already is skipped, so an import that broke off is simply run again.
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
  let summary: RestoreSummary = { nodes: 0, relationships: 0, skipped: 0, forgotten: 0 };
  for await (const lines of archiveBatches(file)) {
    if (options.signal?.aborted)
      throw new CancelledError(
        `${summary.nodes} rows were stored and are kept; restore the same file again to go on`,
        options.signal.reason,
      );
    summary = await commitBatch(context, lines, { rename, summary });
  }
  return summary;
}

/** Turns of an export that the scope has forgotten, as they would be named here. */
export async function forgottenIn(
  context: IngestContext,
  file: string,
  { newIds = false }: RestoreOptions = {},
): Promise<Episode[]> {
  if (!context.index.corrections.hasTombstones('turn')) return [];
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
 * The file has been checked, so that rows are refused for their ids alone: those are unique in a database, not in a
 * scope. With new ids there is nothing to run into.
 */
function takenIds(error: unknown, { nodes }: RestoreSummary): unknown {
  if (!InvalidChangeError.isInstance(error) || nodes > 0) return error;
  return new InvalidInputError(
    'Rows of the export are in another scope of this memory under the same ids; copy them with the option newIds',
    error,
  );
}

async function missingRelationships(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
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

/** Always the same new id for the same old one in a scope, so that an import that broke off can go on. */
function renamerFor(scope: Scope): (id: string) => string {
  return (id) => v5(JSON.stringify([scope, id]), NEW_IDS);
}

/** A turn that the scope has under another id would be there twice. */
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
        'This scope holds some of the turns of the export already, as other rows; restore into an empty scope',
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
