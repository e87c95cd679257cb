import { groupBy } from '../../util/collections.ts';
import type { Reference } from './checkpoint-blobs.ts';
import { channelsIn, Leaning, type Parents, parentsIn } from './checkpoint-row.ts';
import type { SqliteFile } from './sqlite-file.ts';

interface StoredCheckpoint {
  readonly id: number;
  readonly namespace: string;
  readonly checkpoint: string;
  readonly parent: string | null;
  readonly leans: Leaning;
  readonly parents: Parents;
}

/** The checkpoints of each namespace, the newest first. */
type Namespaces = ReadonlyMap<string, readonly StoredCheckpoint[]>;

interface PruneThreadOptions {
  readonly thread: number;
  /** How many checkpoints stay in each namespace, at least 1. */
  readonly keep: number;
}

/**
 * Deletes all but the newest checkpoints of each namespace of a thread, with their writes. Within a transaction; values
 * are collected by the caller. Returns the number of deleted checkpoints and the values that these referred to.
 *
 * What a kept checkpoint needs to be read stays. A subgraph's checkpoint goes with the outer one that it belongs to,
 * but the newest of a namespace that all runs share stays: the next run continues from it.
 */
export function pruneThread(file: SqliteFile, { thread, keep }: PruneThreadOptions) {
  const stored = checkpointsOf(file, thread);
  const kept = keptOf(
    groupBy(stored, ({ namespace }) => namespace),
    keep,
  );
  const released: Reference[] = [];
  const dead = stored.filter((checkpoint) => !kept.has(checkpoint));
  for (const { id, namespace, checkpoint } of dead) {
    const key = [thread, namespace, checkpoint];
    const [row] = file.all('DELETE FROM checkpoint WHERE id = ? RETURNING channels', [id]);
    released.push(...channelsIn(file, row?.channels).map(([, reference]) => reference));
    released.push(
      ...writesIn(
        file.all(
          'DELETE FROM checkpoint_write WHERE thread = ? AND namespace = ? AND checkpoint = ? RETURNING value',
          key,
        ),
      ),
    );
  }
  // Writes that came after their checkpoint was pruned. Those of a checkpoint that is not stored yet are newer.
  const late = file.all(
    `DELETE FROM checkpoint_write WHERE thread = ?1
       AND NOT EXISTS (SELECT 1 FROM checkpoint AS own WHERE own.thread = ?1
         AND own.namespace = checkpoint_write.namespace AND own.checkpoint = checkpoint_write.checkpoint)
       AND checkpoint < (SELECT max(newer.checkpoint) FROM checkpoint AS newer
         WHERE newer.thread = ?1 AND newer.namespace IN ('', checkpoint_write.namespace))
     RETURNING value`,
    [thread],
  );
  return { deleted: dead.length, released: [...released, ...writesIn(late)] };
}

/** Everything that the checkpoints and writes of a thread refer to. */
export function referencesOf(file: SqliteFile, thread: number): readonly Reference[] {
  const channels = file
    .all('SELECT channels FROM checkpoint WHERE thread = ?', [thread])
    .flatMap((row) => channelsIn(file, row.channels).map(([, reference]) => reference));
  return [
    ...channels,
    ...writesIn(file.all('SELECT value FROM checkpoint_write WHERE thread = ?', [thread])),
  ];
}

function keptOf(namespaces: Namespaces, keep: number): ReadonlySet<StoredCheckpoint> {
  const kept = new Set<StoredCheckpoint>();
  const isGone = (namespace: string, id: string) => {
    const outer = namespaces.get(namespace) ?? [];
    const found = outer.find(({ checkpoint }) => checkpoint === id);
    // One that is newer than all stored ones is not stored yet.
    return found === undefined ? outer[0] !== undefined && id < outer[0].checkpoint : !kept.has(found);
  };
  const outermostFirst = [...namespaces].sort(([a], [b]) => depthOf(a) - depthOf(b));
  for (const [namespace, checkpoints] of outermostFirst)
    for (const [at, checkpoint] of checkpoints.slice(0, keep).entries()) {
      const outer = Object.entries(checkpoint.parents).filter(([other]) => other !== namespace);
      const isContinued = at === 0 && !namespace.includes(':');
      if (!isContinued && outer.some(([other, id]) => isGone(other, id))) continue;
      for (const needed of neededBy(checkpoint, checkpoints)) kept.add(needed);
    }
  return kept;
}

/** A checkpoint, and the earlier ones without which it cannot be read. */
function* neededBy(
  checkpoint: StoredCheckpoint,
  siblings: readonly StoredCheckpoint[],
): Iterable<StoredCheckpoint> {
  yield checkpoint;
  const parentOf = ({ parent }: StoredCheckpoint) => siblings.find((other) => other.checkpoint === parent);
  let parent = checkpoint.leans === Leaning.none ? undefined : parentOf(checkpoint);
  while (parent !== undefined) {
    yield parent;
    parent = parent.leans === Leaning.onAncestors ? parentOf(parent) : undefined;
  }
}

/** 0 is the outermost graph; a subgraph's namespace has a part for each level. */
function depthOf(namespace: string): number {
  return namespace === '' ? 0 : namespace.split('|').length;
}

function checkpointsOf(file: SqliteFile, thread: number): readonly StoredCheckpoint[] {
  const rows = file.all(
    `SELECT id, namespace, checkpoint, parent, leans, parents FROM checkpoint WHERE thread = ?
     ORDER BY checkpoint DESC`,
    [thread],
  );
  return rows.map(({ id, namespace, checkpoint, parent, leans, parents }) => ({
    id: Number(id),
    namespace: String(namespace),
    checkpoint: String(checkpoint),
    parent: parent === null ? null : String(parent),
    leans: Number(leans) as Leaning,
    parents: parentsIn(file, parents),
  }));
}

function writesIn(rows: ReturnType<SqliteFile['all']>): readonly Reference[] {
  return rows.map(({ value }) => Number(value));
}
