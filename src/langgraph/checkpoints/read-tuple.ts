import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  maxChannelVersion,
  TASKS,
} from '@langchain/langgraph-checkpoint';
import type { CheckpointBlobs, Reference } from './checkpoint-blobs.ts';
import { channelsIn } from './checkpoint-row.ts';
import type { SqliteFile, SqlRow, SqlValue } from './sqlite-file.ts';

interface TupleSources {
  readonly file: SqliteFile;
  readonly blobs: CheckpointBlobs;
  /** Deserialises. */
  readonly load: <T>(type: SqlValue | undefined, value: SqlValue | undefined) => Promise<T>;
  readonly firstVersion: () => number;
}

interface StoredWrite {
  readonly task: string;
  readonly channel: string;
  readonly reference: Reference;
}

/** @param row Of table `checkpoint`, with the `name` of its thread. */
export async function readTuple(row: SqlRow, sources: TupleSources): Promise<CheckpointTuple> {
  const { file, blobs, load, firstVersion } = sources;
  // Everything is read before the first await: later it may have been pruned.
  const channels = channelsIn(file, row.channels);
  const writes = writesOf(file, row, row.checkpoint!);
  const sends = writesOf(file, row, row.parent!).filter(({ channel }) => channel === TASKS);
  const references = [
    ...channels.map(([, reference]) => reference),
    ...[...writes, ...sends].map(referenceOf),
  ];
  const decode = blobs.read(references, ({ type, bytes }) => load(type, bytes));
  const decodeAll = (wanted: readonly StoredWrite[]) => Promise.all(wanted.map(referenceOf).map(decode));

  const checkpoint = await load<Checkpoint>(row.type, row.value);
  if (row.channels !== null)
    checkpoint.channel_values = Object.fromEntries(
      await Promise.all(
        channels.map(
          async ([channel, reference]): Promise<[string, unknown]> => [channel, await decode(reference)],
        ),
      ),
    );
  if (checkpoint.v < 4 && row.parent !== null) addSends(checkpoint, await decodeAll(sends), firstVersion);
  const values = await decodeAll(writes);
  const place = { thread_id: row.name, checkpoint_ns: row.namespace };
  return {
    config: { configurable: { ...place, checkpoint_id: row.checkpoint } },
    checkpoint,
    metadata: await load<CheckpointMetadata>(row.metadata_type, row.metadata),
    pendingWrites: writes.map(({ task, channel }, at) => [task, channel, values[at]]),
    ...(row.parent === null
      ? {}
      : { parentConfig: { configurable: { ...place, checkpoint_id: row.parent } } }),
  };
}

/** Before version 4, what was sent to the next step was not in the checkpoint, but in the writes of its parent. */
function addSends(checkpoint: Checkpoint, sends: readonly unknown[], firstVersion: () => number): void {
  checkpoint.channel_values = { ...checkpoint.channel_values, [TASKS]: sends };
  const versions = Object.values(checkpoint.channel_versions ?? {});
  checkpoint.channel_versions = {
    ...checkpoint.channel_versions,
    [TASKS]: versions.length > 0 ? maxChannelVersion(...versions) : firstVersion(),
  };
}

/** In order of arrival. */
function writesOf(
  file: SqliteFile,
  { thread, namespace }: SqlRow,
  checkpoint: SqlValue,
): readonly StoredWrite[] {
  const rows = file.all(
    `SELECT task, channel, value FROM checkpoint_write WHERE thread = ? AND namespace = ? AND checkpoint = ?
     ORDER BY place`,
    [thread!, namespace!, checkpoint],
  );
  return rows.map(({ task, channel, value }) => ({
    task: String(task),
    channel: String(channel),
    reference: Number(value),
  }));
}

function referenceOf({ reference }: StoredWrite): Reference {
  return reference;
}
