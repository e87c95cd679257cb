import { isDeepStrictEqual } from 'node:util';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  getCheckpointId,
  type PendingWrite,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { InvalidInputError } from '../../errors/index.ts';
import { Breather } from '../../util/breathe.ts';
import { CheckpointBlobs, dump } from './checkpoint-blobs.ts';
import { type Channels, channelsIn, leaningOf, parentsColumn } from './checkpoint-row.ts';
import { prepareSchema } from './checkpoint-schema.ts';
import { pruneThread, referencesOf } from './prune-thread.ts';
import { readTuple } from './read-tuple.ts';
import { SqliteFile, type SqlRow, type SqlValue } from './sqlite-file.ts';

const ROWS = `SELECT checkpoint.*, checkpoint_thread.name FROM checkpoint
  JOIN checkpoint_thread ON checkpoint_thread.id = checkpoint.thread`;

/** How checkpoints are serialised, and how many stay. */
export interface SqliteCheckpointerOptions {
  /** Serializer of values. Default: LangGraph's JSON. */
  readonly serde?: SerializerProtocol;
  /**
   * How many checkpoints each namespace of a thread keeps, at least 1: each new one deletes older ones (`prune`).
   * Default: all.
   */
  readonly keep?: number;
}

/** What `prune` leaves. */
export interface PruneOptions {
  /** How many checkpoints stay in each namespace of a thread, at least 1. */
  readonly keep: number;
  /** Default: all threads. */
  readonly thread?: string;
}

/**
 * LangGraph checkpoints in one SQLite file, for one process at a time. Acknowledged writes of `put` and `putWrites`
 * survive a killed process. Values that a thread has more than once (such as messages in a channel that grows) are
 * stored once. The file is readable for its owner only; it holds whole conversations (see `checkpointHolder`).
 */
export class SqliteCheckpointer extends BaseCheckpointSaver {
  readonly file: SqliteFile;
  readonly #blobs: CheckpointBlobs;
  readonly #keep: number;

  /**
   * @param file May contain other tables; the caller closes it.
   * @throws InvalidInputError, CheckpointFileError, SchemaTooNewError
   */
  constructor(file: SqliteFile, { serde, keep = Number.POSITIVE_INFINITY }: SqliteCheckpointerOptions = {}) {
    super(serde);
    this.#keep = checkedKeep(keep);
    prepareSchema(file, { isJson: serde === undefined });
    this.file = file;
    this.#blobs = new CheckpointBlobs(file);
  }

  /**
   * @throws DatabaseLockedError if it is already open, CheckpointFileError, SchemaTooNewError: the file is unchanged.
   */
  static async open(path: string, options: SqliteCheckpointerOptions = {}): Promise<SqliteCheckpointer> {
    const file = await SqliteFile.open(path);
    try {
      return new SqliteCheckpointer(file, options);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Idempotent. */
  async close(): Promise<void> {
    await this.file.close();
  }

  /** The checkpoint in the config, else the newest of its thread and namespace. */
  async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: thread, checkpoint_ns: namespace = '' } = config.configurable ?? {};
    if (thread === undefined) return undefined;
    const named = getCheckpointId(config);
    const [row] = this.file.all(
      `${ROWS} WHERE name = ? AND namespace = ? ${named ? 'AND checkpoint = ?' : ''}
       ORDER BY checkpoint DESC LIMIT 1`,
      [thread, namespace, ...(named ? [named] : [])],
    );
    if (row === undefined) return undefined;
    const tuple = await this.#tuple(row);
    return named ? { ...tuple, config } : tuple;
  }

  /** Newest first. A filter compares whole metadata values. */
  async *list(
    config: RunnableConfig,
    { limit = Number.POSITIVE_INFINITY, before, filter = {} }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { thread_id, checkpoint_ns, checkpoint_id } = config.configurable ?? {};
    const conditions: readonly (readonly [condition: string, value: SqlValue | undefined])[] = [
      ['name = ?', thread_id],
      ['namespace = ?', checkpoint_ns],
      ['checkpoint = ?', checkpoint_id],
      ['checkpoint < ?', before?.configurable?.checkpoint_id],
    ];
    const given = conditions.filter(([, value]) => value !== undefined);
    const where = given.length === 0 ? '' : `WHERE ${given.map(([condition]) => condition).join(' AND ')}`;
    const ids = this.file.all(
      `SELECT checkpoint.id FROM checkpoint JOIN checkpoint_thread ON checkpoint_thread.id = thread ${where}
       ORDER BY checkpoint DESC, checkpoint.id DESC`,
      given.map(([, value]) => value as SqlValue),
    );
    let left = limit;
    for (const { id } of ids) {
      if (left <= 0) return;
      // Read one by one, so that a long history is never in memory at once; a row may have been deleted meanwhile.
      const [row] = this.file.all(`${ROWS} WHERE checkpoint.id = ?`, [id!]);
      if (row === undefined || !(await this.#hasMetadata(row, filter))) continue;
      left -= 1;
      yield await this.#tuple(row);
    }
  }

  /**
   * Stores a checkpoint, on disk when it resolves. Returns the config that names it. Channels without a new version
   * are taken from the parent if it has them in the same version; without `newVersions`, all are stored.
   */
  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread, namespace, parent } = placeOf(config);
    const { channel_values: values = {}, channel_versions: versions = {} } = checkpoint;
    const parentChannels = newVersions === undefined ? null : this.#channelsOf(thread, namespace, parent);
    const inherited = channelsIn(this.file, parentChannels).filter(
      ([channel, , version]) =>
        Object.hasOwn(values, channel) &&
        !Object.hasOwn(newVersions ?? {}, channel) &&
        version !== null &&
        version === versions[channel],
    );
    const others = Object.keys(values).filter((channel) => inherited.every(([known]) => known !== channel));
    const [[type, value], [metadataType, metadataValue], ...dumped] = await Promise.all([
      this.serde.dumpsTyped({ ...checkpoint, channel_values: {} }),
      this.serde.dumpsTyped(metadata),
      ...others.map((channel) => dump(this.serde, values[channel])),
    ]);
    const isStored = this.file.transaction(() => {
      // Deleted in the meantime, and with it perhaps the values.
      if (inherited.length > 0 && this.#channelsOf(thread, namespace, parent) !== parentChannels)
        return false;
      const threadId = this.#threadId(thread);
      const references = this.#blobs.store(threadId, dumped);
      const channels: Channels = [
        ...inherited,
        ...others.map((channel, at): Channels[number] => [
          channel,
          references[at]!,
          Object.hasOwn(versions, channel) ? versions[channel]! : null,
        ]),
      ];
      this.file.run(
        `INSERT INTO checkpoint (thread, namespace, checkpoint, parent, leans, parents, channels, type, value, metadata_type, metadata)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET parent = excluded.parent, leans = excluded.leans, parents = excluded.parents,
           channels = excluded.channels, type = excluded.type, value = excluded.value,
           metadata_type = excluded.metadata_type, metadata = excluded.metadata`,
        [
          ...[threadId, namespace, checkpoint.id, parent ?? null],
          ...[leaningOf(checkpoint, metadata), parentsColumn(metadata.parents), JSON.stringify(channels)],
          ...[type, value, metadataType, metadataValue],
        ],
      );
      this.#keepNewest(threadId, namespace);
      return true;
    });
    if (!isStored) return this.put(config, checkpoint, metadata);
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  /** An existing ordinary write of a task is kept; interrupts, errors and the like are replaced. */
  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread, namespace, parent: checkpoint } = placeOf(config);
    if (checkpoint === undefined)
      throw new InvalidInputError('Writes belong to a checkpoint, and the config has no checkpoint_id');
    const dumped = await Promise.all(writes.map(([, value]) => dump(this.serde, value)));
    this.file.transaction(() => {
      const threadId = this.#threadId(thread);
      const references = this.#blobs.store(threadId, dumped);
      for (const [at, [channel]] of writes.entries())
        this.file.run(
          `INSERT INTO checkpoint_write (thread, namespace, checkpoint, task, position, channel, value, place)
           SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, coalesce(max(place), 0) + 1 FROM checkpoint_write
           WHERE thread = ?1 AND namespace = ?2 AND checkpoint = ?3
           ON CONFLICT DO UPDATE SET channel = excluded.channel, value = excluded.value WHERE position < 0`,
          [
            ...[threadId, namespace, checkpoint, taskId],
            ...[
              Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : at,
              channel,
              references[at]!,
            ],
          ],
        );
    });
  }

  /** When it resolves, the thread is erased from the file and its log, and the file is smaller. */
  async deleteThread(threadId: string): Promise<void> {
    this.file.transaction(() => {
      const [row] = this.file.all('DELETE FROM checkpoint_thread WHERE name = ? RETURNING id', [threadId]);
      if (row === undefined) return;
      for (const table of ['checkpoint', 'checkpoint_write', 'checkpoint_blob'])
        this.file.run(`DELETE FROM ${table} WHERE thread = ?`, [row.id!]);
    });
    this.file.erase();
  }

  /**
   * Deletes older checkpoints with their writes, and all values that nothing needs any more; when it resolves, they are
   * erased from the file and its log. Returns the number of deleted checkpoints.
   *
   * The newest checkpoints of each namespace stay, and with them what is needed to read them. A subgraph's checkpoints
   * go with the outer one that they belong to.
   *
   * @throws InvalidInputError
   */
  async prune({ keep, thread }: PruneOptions): Promise<number> {
    checkedKeep(keep);
    const threads = this.file.all(
      `SELECT id FROM checkpoint_thread ${thread === undefined ? '' : 'WHERE name = ?'}`,
      thread === undefined ? [] : [thread],
    );
    const breather = new Breather();
    let pruned = 0;
    for (const { id } of threads) {
      await breather.breathe();
      this.file.transaction(() => {
        const { deleted } = pruneThread(this.file, { thread: Number(id), keep });
        this.#blobs.collectAll(Number(id), referencesOf(this.file, Number(id)));
        pruned += deleted;
      });
    }
    this.file.erase();
    return pruned;
  }

  /** Within a transaction. */
  #keepNewest(thread: number, namespace: string): void {
    if (this.#keep === Number.POSITIVE_INFINITY) return;
    const [row] = this.file.all(
      'SELECT count(*) AS count FROM checkpoint WHERE thread = ? AND namespace = ?',
      [thread, namespace],
    );
    if (Number(row?.count) <= this.#keep) return;
    const { released } = pruneThread(this.file, { thread, keep: this.#keep });
    if (released.length > 0) this.#blobs.collect(thread, released, referencesOf(this.file, thread));
  }

  /** Within a transaction. */
  #threadId(name: string): number {
    const [known] = this.file.all('SELECT id FROM checkpoint_thread WHERE name = ?', [name]);
    const [row] = known
      ? [known]
      : this.file.all('INSERT INTO checkpoint_thread (name) VALUES (?) RETURNING id', [name]);
    return Number(row?.id);
  }

  /** The column of a checkpoint's channels. */
  #channelsOf(thread: string, namespace: string, checkpoint: string | undefined): SqlValue {
    const [row] = this.file.all(
      `SELECT channels FROM checkpoint WHERE thread = (SELECT id FROM checkpoint_thread WHERE name = ?)
         AND namespace = ? AND checkpoint = ?`,
      [thread, namespace, checkpoint ?? null],
    );
    return row?.channels ?? null;
  }

  async #hasMetadata(row: SqlRow, filter: Readonly<Record<string, unknown>>): Promise<boolean> {
    const wanted = Object.entries(filter);
    if (wanted.length === 0) return true;
    const metadata: Readonly<Record<string, unknown>> = await this.#load(row.metadata_type, row.metadata);
    return wanted.every(([key, value]) => isDeepStrictEqual(metadata[key], value));
  }

  async #tuple(row: SqlRow): Promise<CheckpointTuple> {
    return readTuple(row, {
      file: this.file,
      blobs: this.#blobs,
      load: (type, value) => this.#load(type, value),
      firstVersion: () => this.getNextVersion(undefined),
    });
  }

  #load<T>(type: SqlValue | undefined, value: SqlValue | undefined): Promise<T> {
    return this.serde.loadsTyped(String(type), value as Uint8Array) as Promise<T>;
  }
}

function checkedKeep(keep: number): number {
  if (keep !== Number.POSITIVE_INFINITY && (!Number.isInteger(keep) || keep < 1))
    throw new InvalidInputError('A thread keeps at least one checkpoint: `keep` is a whole number from 1 on');
  return keep;
}

function placeOf({ configurable = {} }: RunnableConfig) {
  const { thread_id: thread, checkpoint_ns: namespace = '', checkpoint_id: parent } = configurable;
  if (typeof thread !== 'string' || thread === '')
    throw new InvalidInputError(
      'The config has no thread_id: pass { configurable: { thread_id } } with the run',
    );
  return { thread, namespace: String(namespace), parent: parent as string | undefined };
}
