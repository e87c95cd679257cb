import type { SqliteFile, SqlRow } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import type { Folder } from '../../contract.ts';

const ROWS = `SELECT *, (SELECT count(*) FROM conversation WHERE conversation.folder = folder.id) AS conversations
  FROM folder`;

export class FolderTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  /** The oldest first. */
  list(): Folder[] {
    return this.#file.all(`${ROWS} ORDER BY created_at, id`).map(folderOf);
  }

  find(id: string): Folder | undefined {
    const [row] = this.#file.all(`${ROWS} WHERE id = ?`, [id]);
    return row && folderOf(row);
  }

  create({ id, name, scope }: Pick<Folder, 'id' | 'name' | 'scope'>, at: number): void {
    this.#file.run('INSERT INTO folder (id, name, scope, created_at) VALUES (?, ?, ?, ?)', [
      ...[id, name, scope],
      at,
    ]);
  }

  rename(id: string, name: string): void {
    this.#file.run('UPDATE folder SET name = ? WHERE id = ?', [name, id]);
  }

  /** Its conversations stay, in no folder. */
  delete(id: string): void {
    this.#file.transaction(() => {
      this.#file.run('UPDATE conversation SET folder = NULL WHERE folder = ?', [id]);
      this.#file.run('DELETE FROM folder WHERE id = ?', [id]);
    });
  }
}

function folderOf(row: SqlRow): Folder {
  return {
    id: String(row.id),
    name: String(row.name),
    scope: String(row.scope),
    conversations: Number(row.conversations),
  };
}
