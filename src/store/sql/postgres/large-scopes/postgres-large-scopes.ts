import { StoreWriteError } from '../../../../errors/index.ts';
import type { GraphChanges } from '../../../../model/graph-changes.ts';
import type { EmbeddingFingerprint } from '../../../../model/nodes.ts';
import { HELD_IN_MEMORY, type OpenedSearch, type ReadTurnWords } from '../../../scope-search.ts';
import { type SqlDatabase, type SqlSession, tableIn } from '../../sql-database.ts';
import type { LargeScopes } from '../../sql-store.ts';
import { buildSearchTable } from './build-search-table.ts';
import { PostgresScopeSearch } from './postgres-scope-search.ts';
import { SearchRows } from './search-rows.ts';
import { dropTable, prepareList, tableFor, tablesOf } from './search-tables.ts';
import { findVectorExtension, LONGEST_INDEXED, type VectorExtension } from './vector-extension.ts';

export interface LargeScopeOptions {
  /** Scopes with more live turns and facts than this are searched in the database; undefined for none. */
  readonly above?: number | undefined;
  /** Without it, nothing is written to a scope that another process searches in the database. */
  readonly readWords?: ReadTurnWords | undefined;
}

/** Scopes that are searched in the database (docs/decisions/2026-11-28-scopes-too-large-to-hold.md). */
export class PostgresLargeScopes implements LargeScopes {
  readonly #database: SqlDatabase;
  readonly #options: LargeScopeOptions;
  readonly #isView: boolean;
  #extension: VectorExtension | null = null;

  private constructor(database: SqlDatabase, options: LargeScopeOptions, isView = false) {
    this.#database = database;
    this.#options = options;
    this.#isView = isView;
  }

  static async prepare(database: SqlDatabase, options: LargeScopeOptions): Promise<PostgresLargeScopes> {
    await prepareList(database);
    return new PostgresLargeScopes(database, options);
  }

  async open(scope: string, fingerprint: EmbeddingFingerprint): Promise<OpenedSearch> {
    const { above, readWords } = this.#options;
    if (above === undefined || readWords === undefined) return HELD_IN_MEMORY;
    if (!(await this.#isLarge(scope, above))) return HELD_IN_MEMORY;
    const extension = this.#extension ?? (await findVectorExtension(this.#database));
    if (typeof extension !== 'string') this.#extension = extension;
    const missing = typeof extension === 'string' ? extension : tooLong(fingerprint);
    if (typeof extension === 'string' || missing !== null) return { search: null, missing };
    const table = tableFor(scope, fingerprint, extension);
    try {
      if (!this.#isView)
        await this.#database.write(scope, (session) =>
          buildSearchTable(session, { scope, table, readWords }),
        );
    } catch (error) {
      if (!StoreWriteError.isInstance(error)) throw error;
      return { search: null, missing: `its table could not be built. ${error.message}` };
    }
    const { scansOn } = extension;
    return {
      search: new PostgresScopeSearch({ database: this.#database, scope, table, scansOn }),
      missing: null,
    };
  }

  inView(database: SqlDatabase): PostgresLargeScopes {
    const view = new PostgresLargeScopes(database, this.#options, true);
    view.#extension = this.#extension;
    return view;
  }

  async isLarge(session: SqlSession, scope: string): Promise<boolean> {
    return (await tablesOf(session, scope)).length > 0;
  }

  async follow(session: SqlSession, scope: string, changes: GraphChanges): Promise<void> {
    const { readWords } = this.#options;
    for (const table of await tablesOf(session, scope)) {
      if (readWords === undefined)
        throw new StoreWriteError('the scope is searched in the database, and this program cannot keep that');
      await new SearchRows(session, scope, table).apply(changes, readWords);
    }
  }

  async removeModel(session: SqlSession, scope: string, model: string): Promise<void> {
    await dropTable(session, scope, model);
  }

  async removeScope(session: SqlSession, scope: string): Promise<void> {
    for (const { model } of await tablesOf(session, scope)) await dropTable(session, scope, model);
  }

  /** A scope that was large stays so: it may be one in another process. */
  async #isLarge(scope: string, above: number): Promise<boolean> {
    const { dialect } = this.#database;
    const live = (kind: 'episode' | 'fact') =>
      `(SELECT COUNT(*) FROM ${tableIn(dialect, kind)} WHERE scope = ? AND expired_at IS NULL)`;
    return this.#database.read(scope, async (session) => {
      if ((await tablesOf(session, scope)).length > 0) return true;
      const [row] = await session.all(`SELECT ${live('episode')} + ${live('fact')} AS number`, [
        scope,
        scope,
      ]);
      return Number(row?.number) > above;
    });
  }
}

function tooLong({ dimension }: EmbeddingFingerprint): string | null {
  return dimension <= LONGEST_INDEXED
    ? null
    : `its vectors have ${dimension} numbers, and the database indexes at most ${LONGEST_INDEXED}.`;
}
