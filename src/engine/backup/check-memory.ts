import { join } from 'node:path';
import { CancelledError } from '../../errors/index.ts';
import type { Scope } from '../../model/ids.ts';
import { ScopeIndex } from '../../search/scope-index.ts';
import { scopeIndexFromSections } from '../../search/scope-index-sections.ts';
import { embeddingModel, type GraphStore, sameFingerprint } from '../../store/graph-store.ts';
import type { CallOptions } from '../call-options.ts';
import {
  readSnapshotFile,
  readStamp,
  type SnapshotCommit,
  type SnapshotFile,
} from '../text-holders/snapshot-file.ts';
import { checkGraph } from './check-graph.ts';
import { indexDifferences } from './check-index.ts';
import {
  type CheckReport,
  type Finding,
  type Found,
  finding,
  isSound,
  type ScopeReport,
} from './check-report.ts';
import { filesIn } from './folders.ts';

export interface CheckContext {
  readonly store: GraphStore;
  readonly snapshotFolder: string | null;
}

/**
 * Reads all of a memory and holds its parts against each other: counts, the ends of every relationship, the rows that
 * rows name, vectors, and each index snapshot of the present commit against an index made from the graph. Changes
 * nothing.
 *
 * @throws CancelledError.
 */
export async function checkMemory(context: CheckContext, { signal }: CallOptions = {}): Promise<CheckReport> {
  const findings: Finding[] = unfinishedMove(context.store).map((found) => finding(null, found));
  const scopes: ScopeReport[] = [];
  try {
    for (const scope of await context.store.scopes()) {
      const { findings: found, ...graph } = await checkGraph(context.store, scope, signal);
      const index = await checkSnapshot(context, scope);
      for (const each of [...found, ...index.findings]) findings.push(finding(scope, each));
      scopes.push({ scope, ...graph, index: index.state });
    }
  } catch (error) {
    if (signal?.aborted) throw new CancelledError('nothing was changed', error);
    throw error;
  }
  return { sound: isSound(findings), findings, scopes };
}

/** A move to another embedder that was begun and not ended. */
function unfinishedMove(store: GraphStore): Found[] {
  const { fingerprint, nextFingerprint } = store.describe();
  if (fingerprint === null || nextFingerprint === null) return [];
  const what = sameFingerprint(fingerprint, nextFingerprint)
    ? 'vectors of a former embedder are left of a move'
    : `a move from ${embeddingModel(fingerprint)} to ${embeddingModel(nextFingerprint)} was begun and not ended`;
  return [{ code: 'unfinished-move', what }];
}

interface SnapshotCheck {
  readonly state: ScopeReport['index'];
  readonly findings: readonly Found[];
}

const NONE: SnapshotCheck = { state: 'none', findings: [] };

async function checkSnapshot({ store, snapshotFolder }: CheckContext, scope: Scope): Promise<SnapshotCheck> {
  const found = snapshotFolder === null ? null : await currentSnapshot(store, scope, snapshotFolder);
  if (found === null) return NONE;
  const { commit, file } = found;
  const index = scopeIndexFromSections(commit.dimension, file.sections);
  if (index === null) return NONE; // of another layout: whoever opens it builds it anew
  const differences = await indexDifferences(index, await indexOf(store, scope, commit));
  if (differences.length === 0) return { state: 'equal', findings: [] };
  const what = `the index snapshot differs from the graph in ${differences.join(', ')}`;
  return { state: 'differs', findings: [{ code: 'index-differs', what }] };
}

interface CurrentSnapshot {
  readonly path: string;
  readonly commit: SnapshotCommit;
  readonly file: SnapshotFile;
}

/** One that the next open would believe. */
export async function currentSnapshot(
  store: GraphStore,
  scope: Scope,
  folder: string,
): Promise<CurrentSnapshot | null> {
  const { sequence, token } = await store.state(scope);
  const { databaseId } = store.describe();
  for (const name of await filesIn(folder)) {
    const path = join(folder, name);
    const file = await readSnapshotFile(path);
    const commit = file && readStamp(file.stamp);
    if (commit?.scope !== scope || commit.databaseId !== databaseId) continue;
    if (file !== null && commit.sequence === sequence && commit.token === token)
      return { path, commit, file };
  }
  return null;
}

function indexOf(store: GraphStore, scope: Scope, { model, dimension }: SnapshotCommit): Promise<ScopeIndex> {
  return ScopeIndex.load(dimension, {
    rows: (kind, fields) => store.scan(scope, kind, fields),
    embeddings: (fields) =>
      model === null ? nothing() : store.embeddings(scope, `${model}@${dimension}`, fields),
    relationships: (kind) => store.relationships(scope, kind),
  });
}

async function* nothing(): AsyncGenerator<never> {}
