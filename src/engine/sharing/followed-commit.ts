import type { EmbeddingInUse } from '../../inference/embedder/embedding-switch.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import { embeddingModel } from '../../store/graph-store.ts';
import type { LoggedCommit } from '../../store/store-sharing.ts';

/**
 * Whether an index can follow a commit of another process. It is read again after removals, because it may hold their
 * words; after an unfinished forgetting; and where expired rows came back, which an index does not hold.
 */
export function canFollow({ changes: { nodes = {}, updates = [], removals = [] } }: LoggedCommit): boolean {
  const comesBack = ({ set }: (typeof updates)[number]) => 'expiredAt' in set && set.expiredAt === null;
  return (
    removals.every(({ kind }) => kind === 'embedding') &&
    !(nodes.correction ?? []).some(({ kind, finishedAt }) => kind === 'forget' && finishedAt === null) &&
    !updates.some(comesBack)
  );
}

/** The changes without the vectors of other embedders. */
export function withVectorsOf(
  changes: GraphChanges,
  { embedder, comparesVectors }: EmbeddingInUse,
): GraphChanges {
  const { nodes = {} } = changes;
  const model = embeddingModel(embedder.fingerprint);
  const embedding = (nodes.embedding ?? []).filter((row) => comparesVectors && row.model === model);
  return { ...changes, nodes: { ...nodes, embedding } };
}
