import type { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';

/** Made where it is missing, so that a file of an earlier version needs no other change. */
const TABLE = `CREATE TABLE IF NOT EXISTS dismissal (
  scope TEXT NOT NULL,
  item TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (scope, item)
) WITHOUT ROWID`;

/** Of one scope; beyond these, the oldest are listed again. */
const MOST = 2_000;

/** Items of the review that a person found in order, by the ids of their rows in memory. Ids only, no text. */
export class DismissalTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
    file.run(TABLE);
  }

  of(scope: string): ReadonlySet<string> {
    const rows = this.#file.all('SELECT item FROM dismissal WHERE scope = ?', [scope]);
    return new Set(rows.map(({ item }) => String(item)));
  }

  add({ scope, item, at }: { readonly scope: string; readonly item: string; readonly at: number }): void {
    this.#file.transaction(() => {
      this.#file.run('INSERT OR REPLACE INTO dismissal (scope, item, at) VALUES (?, ?, ?)', [
        scope,
        item,
        at,
      ]);
      this.#file.run(
        `DELETE FROM dismissal WHERE scope = ? AND item NOT IN
         (SELECT item FROM dismissal WHERE scope = ? ORDER BY at DESC, item LIMIT ${MOST})`,
        [scope, scope],
      );
    });
  }

  /** Items of turns that move into another scope. Those of facts and entities stay: the other scope has its own. */
  move(
    turns: ReadonlyMap<string, string>,
    { from, to }: { readonly from: string; readonly to: string },
  ): void {
    const dismissed = this.of(from);
    for (const [old, now] of turns)
      if (dismissed.has(old))
        this.#file.run('UPDATE OR REPLACE dismissal SET scope = ?, item = ? WHERE scope = ? AND item = ?', [
          ...[to, now],
          ...[from, old],
        ]);
  }

  remove(scope: string, item: string): void {
    this.#file.run('DELETE FROM dismissal WHERE scope = ? AND item = ?', [scope, item]);
  }
}
