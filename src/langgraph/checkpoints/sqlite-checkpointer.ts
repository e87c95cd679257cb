import { isDeepStrictEqual } from 'node:util';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
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
import { prepareSchema, SqliteFile, type SqlRow, type SqlValue } from './sqlite-file.ts';

const THIS_CHECKPOINT = 'thread = ? AND namespace = ? AND checkpoint = ?';

/** The options of LangGraph's own checkpointers. */
export interface SqliteCheckpointerOptions {
  /** Serializer of values. Default: LangGraph's JSON. */
  readonly serde?: SerializerProtocol;
}

/**
 * LangGraph checkpoints in one SQLite file, for one process at a time. Acknowledged writes of `put` and `putWrites`
 * survive a killed process. The file is readable for its owner only; it holds whole conversations (see
 * `checkpointHolder`).
 */
export class SqliteCheckpointer extends BaseCheckpointSaver {
  readonly file: SqliteFile;

  /** @param file May contain other tables; the caller closes it. */
  constructor(file: SqliteFile, { serde }: SqliteCheckpointerOptions = {}) {
    super(serde);
    prepareSchema(file);
    this.file = file;
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
      `SELECT * FROM checkpoint WHERE thread = ? AND namespace = ? ${named ? 'AND checkpoint = ?' : ''}
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
      ['thread = ?', thread_id],
      ['namespace = ?', checkpoint_ns],
      ['checkpoint = ?', checkpoint_id],
      ['checkpoint < ?', before?.configurable?.checkpoint_id],
    ];
    const given = conditions.filter(([, value]) => value !== undefined);
    const where = given.length === 0 ? '' : `WHERE ${given.map(([condition]) => condition).join(' AND ')}`;
    const ids = this.file.all(
      `SELECT id FROM checkpoint ${where} ORDER BY checkpoint DESC, id DESC`,
      given.map(([, value]) => value as SqlValue),
    );
    let left = limit;
    for (const { id } of ids) {
      if (left <= 0) return;
      // Read one by one, so that a long history is never in memory at once; a row may have been deleted meanwhile.
      const [row] = this.file.all('SELECT * FROM checkpoint WHERE id = ?', [id!]);
      if (row === undefined || !(await this.#hasMetadata(row, filter))) continue;
      left -= 1;
      yield await this.#tuple(row);
    }
  }

  /** Stores a checkpoint, on disk when it resolves. Returns the config that names it. */
  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const { thread, namespace, parent } = placeOf(config);
    const [[type, value], [metadataType, metadataValue]] = await Promise.all([
      this.serde.dumpsTyped(checkpoint),
      this.serde.dumpsTyped(metadata),
    ]);
    this.file.run(
      `INSERT INTO checkpoint (thread, namespace, checkpoint, parent, type, value, metadata_type, metadata)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET parent = excluded.parent, type = excluded.type, value = excluded.value,
         metadata_type = excluded.metadata_type, metadata = excluded.metadata`,
      [thread, namespace, checkpoint.id, parent ?? null, type, value, metadataType, metadataValue],
    );
    return { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: checkpoint.id } };
  }

  /** An existing ordinary write of a task is kept; interrupts, errors and the like are replaced. */
  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string): Promise<void> {
    const { thread, namespace, parent: checkpoint } = placeOf(config);
    if (checkpoint === undefined)
      throw new InvalidInputError('Writes belong to a checkpoint, and the config has no checkpoint_id');
    const rows = await Promise.all(
      writes.map(async ([channel, value], at): Promise<readonly SqlValue[]> => {
        const position = WRITES_IDX_MAP[channel] ?? at;
        return [taskId, position, channel, ...(await this.serde.dumpsTyped(value))];
      }),
    );
    this.file.transaction(() => {
      for (const row of rows)
        this.file.run(
          `INSERT INTO checkpoint_write (thread, namespace, checkpoint, task, position, channel, type, value)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET channel = excluded.channel, type = excluded.type, value = excluded.value
           WHERE position < 0`,
          [thread, namespace, checkpoint, ...row],
        );
    });
  }

  /** When it resolves, the thread is erased from the file and its log. */
  async deleteThread(threadId: string): Promise<void> {
    this.file.transaction(() => {
      this.file.run('DELETE FROM checkpoint WHERE thread = ?', [threadId]);
      this.file.run('DELETE FROM checkpoint_write WHERE thread = ?', [threadId]);
    });
    this.file.erase();
  }

  async #hasMetadata(row: SqlRow, filter: Readonly<Record<string, unknown>>): Promise<boolean> {
    const wanted = Object.entries(filter);
    if (wanted.length === 0) return true;
    const metadata: Readonly<Record<string, unknown>> = await this.#load(row.metadata_type, row.metadata);
    return wanted.every(([key, value]) => isDeepStrictEqual(metadata[key], value));
  }

  async #tuple(row: SqlRow): Promise<CheckpointTuple> {
    const place = { thread_id: row.thread, checkpoint_ns: row.namespace };
    const writes = this.file.all(`SELECT * FROM checkpoint_write WHERE ${THIS_CHECKPOINT} ORDER BY id`, [
      row.thread!,
      row.namespace!,
      row.checkpoint!,
    ]);
    return {
      config: { configurable: { ...place, checkpoint_id: row.checkpoint } },
      checkpoint: await this.#load<Checkpoint>(row.type, row.value),
      metadata: await this.#load<CheckpointMetadata>(row.metadata_type, row.metadata),
      pendingWrites: await Promise.all(
        writes.map(
          async ({ task, channel, type, value }): Promise<[string, string, unknown]> => [
            String(task),
            String(channel),
            await this.#load(type, value),
          ],
        ),
      ),
      ...(row.parent === null
        ? {}
        : { parentConfig: { configurable: { ...place, checkpoint_id: row.parent } } }),
    };
  }

  async #load<T>(type: SqlValue | undefined, value: SqlValue | undefined): Promise<T> {
    return this.serde.loadsTyped(String(type), value as Uint8Array) as Promise<T>;
  }
}

function placeOf({ configurable = {} }: RunnableConfig) {
  const { thread_id: thread, checkpoint_ns: namespace = '', checkpoint_id: parent } = configurable;
  if (typeof thread !== 'string' || thread === '')
    throw new InvalidInputError(
      'The config has no thread_id: pass { configurable: { thread_id } } with the run',
    );
  return { thread, namespace: String(namespace), parent: parent as string | undefined };
}
