import type { NodeKind } from '../../model/nodes.ts';
import type { RelationshipKind } from '../../model/relationships.ts';
import type { KuzuDatabase } from './kuzu-database.ts';
import { createTables, tableNames } from './migrations.ts';

/** The table of a kind of rows. A table of relationships has the name of their kind. */
export const nodeTable = (kind: NodeKind): string => kind.charAt(0).toUpperCase() + kind.slice(1);

/** Holds the parts of long texts. */
export const PIECES = 'Piece';

/**
 * The tables of a file. A table of nodes takes 5 MB of memory even without rows, and 1 MB of the file with its first
 * row, so each table is created with its first row. A table is never dropped.
 */
export class KuzuTables {
  readonly #database: KuzuDatabase;
  readonly #names: Set<string>;

  private constructor(database: KuzuDatabase, names: readonly string[]) {
    this.#database = database;
    this.#names = new Set(names);
  }

  static async load(database: KuzuDatabase): Promise<KuzuTables> {
    return new KuzuTables(database, await tableNames({ run: (statement) => database.read(statement) }));
  }

  has(kind: NodeKind): boolean {
    return this.#names.has(nodeTable(kind));
  }

  hasEdges(kind: RelationshipKind): boolean {
    return this.#names.has(kind);
  }

  /**
   * Creates the tables that are missing, in a transaction of its own: statements that were prepared for a table would
   * fail after its creation was rolled back. Queues the transaction before it returns.
   */
  async create(names: readonly string[]): Promise<void> {
    if (names.every((name) => this.#names.has(name))) return;
    const existing = await this.#database.write((session) => createTables(session, names));
    for (const name of existing) this.#names.add(name);
  }
}
