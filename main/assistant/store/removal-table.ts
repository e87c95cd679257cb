import type { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';

/**
 * Made where they are missing, so that a file of an earlier version needs no other change. Messages, images and conversations
 * that were forgotten: a copy of them that was made before brings nothing of them back.
 */
const FORGOTTEN = [
  'CREATE TABLE IF NOT EXISTS forgotten (id TEXT PRIMARY KEY) WITHOUT ROWID',
  `CREATE TRIGGER IF NOT EXISTS message_forgotten AFTER UPDATE OF state ON message WHEN new.state = 'forgotten' BEGIN
    INSERT OR IGNORE INTO forgotten (id) VALUES (new.id);
  END`,
] as const;

interface NotedRemoval {
  readonly id: string;
  readonly scope: string;
  /** Turns that memory had before, of those that conversations hold something of. */
  readonly episodes: readonly string[];
}

/** Removals of turns that are under way, so that a crash leaves no message of a turn that is gone; and what they took. Ids only, no text. */
export class RemovalTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
    for (const statement of FORGOTTEN) file.run(statement);
  }

  /** Ids of messages, images and conversations. */
  forgotten(): ReadonlySet<string> {
    return new Set(this.#file.all('SELECT id FROM forgotten').map(({ id }) => String(id)));
  }

  /** Notes an image, or a conversation that was forgotten as a whole. */
  bury(id: string): void {
    this.#file.run('INSERT OR IGNORE INTO forgotten (id) VALUES (?)', [id]);
  }

  /** For what comes back because somebody wants it. */
  unbury(ids: readonly string[]): void {
    for (const id of ids) this.#file.run('DELETE FROM forgotten WHERE id = ?', [id]);
  }

  add({ id, scope, episodes }: NotedRemoval): void {
    this.#file.transaction(() => {
      for (const episode of episodes)
        this.#file.run('INSERT INTO removal (id, scope, episode) VALUES (?, ?, ?)', [id, scope, episode]);
    });
  }

  list(): Pick<NotedRemoval, 'id' | 'scope'>[] {
    return this.#file
      .all('SELECT DISTINCT id, scope FROM removal')
      .map(({ id, scope }) => ({ id: String(id), scope: String(scope) }));
  }

  episodes(id: string): string[] {
    return this.#file
      .all('SELECT episode FROM removal WHERE id = ?', [id])
      .map(({ episode }) => String(episode));
  }

  delete(id: string): void {
    this.#file.run('DELETE FROM removal WHERE id = ?', [id]);
  }
}
