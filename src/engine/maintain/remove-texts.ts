import { renameTargets } from '../../ingest/corrections/correction-detail.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import type { GraphChanges, RowRemoval } from '../../model/graph-changes.ts';
import { type CorrectionId, type EpisodeId, type Milliseconds, renewedId } from '../../model/ids.ts';
import type { Correction, Episode } from '../../model/nodes.ts';
import type { Relationship, RelationshipKind } from '../../model/relationships.ts';
import { relationshipKey } from '../../store/change-check.ts';
import type { RelationshipFilter } from '../../store/graph-store.ts';

/** Author of the changes made by retention rules. */
export const RETENTION_AUTHOR = 'retention';

export interface RemovedTexts {
  readonly turns: number;
  /** Bytes of text and vectors; the file contains them until it is compacted. */
  readonly bytes: number;
}

/** Vector ids by turn. */
export type VectorsOf = ReadonlyMap<string, readonly string[]>;

type Context = Pick<IngestContext, 'store' | 'scope' | 'index' | 'clock' | 'newId'>;

/**
 * Removes the text of turns and keeps everything extracted from them. Text is append-only, so each turn is replaced
 * by a row without text, which `add` treats as the same turn (key and hash stay). Writes one commit, with a
 * correction as its record.
 */
export async function removeTexts(
  context: Context,
  ids: readonly EpisodeId[],
  { before, vectors }: { readonly before: Milliseconds; readonly vectors: VectorsOf },
): Promise<RemovedTexts> {
  const { store, scope, index } = context;
  const turns = await store.get(scope, 'episode', ids);
  if (turns.length === 0) return { turns: 0, bytes: 0 };
  const renamed = new Map<string, string>(turns.map(({ id }) => [id, idWithoutText(id)]));
  const rename = (id: string) => renamed.get(id) ?? id;
  const relationships = await edgesOf(context, ids);
  const corrections = renameCorrections(context, renamed);
  const embeddings = turns.flatMap(({ id }) => vectors.get(id) ?? []);
  const { dimension } = index;
  const removed = { turns: turns.length, bytes: textBytes(turns) + embeddings.length * dimension * 4 };
  const stubs = turns.map((turn) => withoutText(turn, rename));
  const changes: GraphChanges = {
    nodes: {
      episode: stubs,
      correction: [...corrections, retentionRecord(context, { stubs, counts: { ...removed }, before })],
    },
    relationships: relationships.map((edge) => ({ ...edge, from: rename(edge.from), to: rename(edge.to) })),
    removals: [
      ...removals('episode', turns),
      ...embeddings.map((id): RowRemoval => ({ kind: 'embedding', id })),
      ...[...renamed.keys()].flatMap((id): RowRemoval[] =>
        index.corrections.correction(id) === undefined ? [] : [{ kind: 'correction', id }],
      ),
    ],
  };
  await store.commit(scope, changes);
  index.apply(changes);
  return removed;
}

/** Sorts at the turn's position: ids order the rows of one commit. */
function idWithoutText(id: EpisodeId): EpisodeId {
  return `${id}-r` as EpisodeId;
}

function withoutText(turn: Episode, rename: (id: string) => string): Episode {
  return { ...turn, id: rename(turn.id) as EpisodeId, content: '', attachments: [], metadata: {} };
}

/** Rewrites corrections that name a turn, so that they name the row that replaces it. */
function renameCorrections({ index }: Context, renamed: Map<string, string>): Correction[] {
  const corrections = index.corrections.all;
  // An undo names the correction that it undoes, which may have been rewritten for a turn that it names.
  for (let found = true; found; ) {
    found = false;
    for (const { id, targets } of corrections) {
      if (renamed.has(id) || !targets.some((target) => renamed.has(target))) continue;
      renamed.set(id, renewedId(id));
      found = true;
    }
  }
  const rename = (id: string) => renamed.get(id) ?? id;
  return corrections
    .filter(({ id }) => renamed.has(id))
    .map((row) => ({ ...row, id: rename(row.id) as CorrectionId, ...renameTargets(row, rename) }));
}

function retentionRecord(
  { clock, newId }: Context,
  { stubs, ...detail }: { stubs: readonly Episode[]; counts: Record<string, number>; before: Milliseconds },
): Correction {
  const now = clock();
  return {
    id: newId() as CorrectionId,
    kind: 'retain',
    author: RETENTION_AUTHOR,
    targets: stubs.map(({ id }) => id),
    detail: JSON.stringify(detail),
    createdAt: now,
    finishedAt: now,
    undoneAt: null,
  };
}

async function edgesOf({ store, scope }: Context, ids: readonly string[]): Promise<Relationship[]> {
  const wanted: readonly (readonly [RelationshipKind, RelationshipFilter])[] = [
    ['NEXT', { from: ids }],
    ['NEXT', { to: ids }],
    ['IN_SEGMENT', { from: ids }],
    ['MENTIONS', { from: ids }],
    ['FAILED_IN', { from: ids }],
    ['EVIDENCED_BY', { to: ids }],
  ];
  const edges = new Map<string, Relationship>();
  for (const [kind, filter] of wanted)
    for await (const batch of store.relationships(scope, kind, filter))
      for (const edge of batch) edges.set(relationshipKey(edge), edge);
  return [...edges.values()];
}

function removals(kind: RowRemoval['kind'], rows: readonly { readonly id: string }[]): RowRemoval[] {
  return rows.map(({ id }) => ({ kind, id }));
}

function textBytes(turns: readonly Episode[]): number {
  let bytes = 0;
  for (const { content, attachments } of turns) {
    bytes += Buffer.byteLength(content);
    if (attachments.length > 0) bytes += Buffer.byteLength(JSON.stringify(attachments));
  }
  return bytes;
}
