import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  readSnapshotFile,
  readStamp,
  type SnapshotCommit,
  type SnapshotFile,
} from '../../edit/proof/index-holders.ts';
import { CancelledError } from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Scope } from '../../model/ids.ts';
import type { DocumentIndex } from '../../search/document-index.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import { ScopeIndex } from '../../search/scope-index.ts';
import { scopeIndexFromSections } from '../../search/scope-index-sections.ts';
import { unfinishedCopyOf } from '../../store/copy-mark.ts';
import { embeddingModel, type GraphStore, sameFingerprint } from '../../store/graph-store.ts';
import { Breather } from '../../util/breathe.ts';
import { filesIn } from '../../util/files.ts';
import { checkGraph } from './check-graph.ts';
import {
  type CheckReport,
  type Finding,
  type Found,
  finding,
  isSound,
  type ScopeReport,
} from './check-report.ts';

/** The parts of two indexes of one scope that give searches different results; empty if none. */
export async function indexDifferences(one: ScopeIndex, other: ScopeIndex): Promise<string[]> {
  const differences: string[] = [];
  const compare = (what: string, of: (index: ScopeIndex) => unknown) => {
    if (!isDeepStrictEqual(of(one), of(other))) differences.push(what);
  };
  compare('its turns', turns);
  compare('its facts', ({ facts }) => documents(facts));
  compare('its segments', ({ segments }) => documents(segments));
  compare('its entities', ({ entities }) =>
    sorted(entities.current().map((profile) => JSON.stringify(profile))),
  );
  compare('its hierarchy', ({ hierarchy }) => [hierarchy.record, categories(hierarchy)]);
  compare('what waits for enrichment', ({ enrichment }) => [
    sorted(enrichment.pending),
    sorted(enrichment.setAside),
  ]);
  if (!sameWords(one, other)) differences.push('its words');
  if (differences.length === 0 && !(await sameLinks(one, other))) differences.push('its links');
  return differences;
}

function turns({ episodes }: ScopeIndex): string[] {
  const { ids, conversation, vectors, passages } = episodes;
  const counts = passages.counts(ids.length);
  return sorted(
    ids
      .ids()
      .flatMap((id, ordinal) =>
        conversation.isLive(ordinal) ? `${id} ${vectors.has(ordinal)} ${counts[ordinal]}` : [],
      ),
  );
}

function categories(index: HierarchyIndex): string[] {
  const { documents, nameVectors } = index;
  return sorted(
    [...index.all()].map((id) => {
      const ordinal = index.ordinalOf(id);
      const vectors = [documents.vectors, nameVectors].map(
        (each) => ordinal !== undefined && each.has(ordinal),
      );
      const { category, profile } = { category: index.category(id), profile: index.profileOf(id) };
      return JSON.stringify([category, profile, vectors, sorted(index.childrenOf(id))]);
    }),
  );
}

function documents({ ids, lexical, vectors }: DocumentIndex): string[] {
  return sorted(
    ids.ids().flatMap((id, ordinal) => (lexical.has(ordinal) ? `${id} ${vectors.has(ordinal)}` : [])),
  );
}

function sameWords({ episodes: { conversation: one } }: ScopeIndex, { episodes }: ScopeIndex): boolean {
  const other = episodes.conversation;
  if (one.size !== other.size || one.averageLength !== other.averageLength) return false;
  return [...one.terms, ...other.terms].every(
    (term) => one.documentFrequency(term) === other.documentFrequency(term),
  );
}

/** Compares the links of indexes with the same rows. */
async function sameLinks(one: ScopeIndex, other: ScopeIndex): Promise<boolean> {
  const breather = new Breather();
  const alike = (of: (index: ScopeIndex) => readonly string[]) =>
    isDeepStrictEqual(sorted(of(one)), sorted(of(other)));
  for (const id of one.episodes.ids.ids()) {
    await breather.breathe();
    if (!one.episodes.isLive(id)) continue;
    if (one.segmentOf(id) !== other.segmentOf(id)) return false;
    if (!alike((index) => index.entitiesMentionedIn(id))) return false;
  }
  for (const id of one.facts.ids.ids()) {
    await breather.breathe();
    if (!one.facts.lexical.has(one.facts.ids.ordinalOf(id)!)) continue;
    if (!alike((index) => index.entitiesOf(id)) || !alike((index) => index.evidenceOf(id))) return false;
  }
  return true;
}

function sorted(texts: Iterable<string>): string[] {
  return [...texts].sort();
}

/** A memory that is open, with the folder of its index snapshots. */
export interface OpenedMemory {
  readonly store: GraphStore;
  readonly snapshotFolder: string | null;
}

/**
 * Reads the whole memory and compares its parts: counts, ends of relationships, references between rows, vectors, and
 * each current index snapshot against an index built from the graph. Changes nothing.
 *
 * @throws CancelledError.
 */
export async function checkMemory(context: OpenedMemory, { signal }: CallOptions = {}): Promise<CheckReport> {
  const findings: Finding[] = unfinishedWork(context.store).map((found) => finding(null, found));
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

/** Reports an unfinished copy, or an unfinished move to another embedder. */
function unfinishedWork(store: GraphStore): Found[] {
  const { fingerprint, nextFingerprint } = store.describe();
  if (unfinishedCopyOf({ nextFingerprint }) !== null)
    return [{ code: 'unfinished-copy', what: 'the memory is an unfinished copy of another one' }];
  if (fingerprint === null || nextFingerprint === null) return [];
  const what = sameFingerprint(fingerprint, nextFingerprint)
    ? 'vectors of a former embedder remain after a move'
    : `a move from ${embeddingModel(fingerprint)} to ${embeddingModel(nextFingerprint)} is unfinished`;
  return [{ code: 'unfinished-move', what }];
}

interface SnapshotCheck {
  readonly state: ScopeReport['index'];
  readonly findings: readonly Found[];
}

const NONE: SnapshotCheck = { state: 'none', findings: [] };

async function checkSnapshot({ store, snapshotFolder }: OpenedMemory, scope: Scope): Promise<SnapshotCheck> {
  const found = snapshotFolder === null ? null : await currentSnapshot(store, scope, snapshotFolder);
  if (found === null) return NONE;
  const { commit, file } = found;
  const index = scopeIndexFromSections(commit.dimension, file.sections);
  if (index === null) return NONE; // another layout: the next open rebuilds it
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

/** A snapshot that the next open would use. */
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
