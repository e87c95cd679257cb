import type { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';

interface NotedRemoval {
  readonly id: string;
  readonly scope: string;
  /** Turns that memory had before, of those that conversations hold something of. */
  readonly episodes: readonly string[];
}

/** Removals of turns that are under way, so that a crash leaves no message of a turn that is gone. Ids only, no text. */
export class RemovalTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
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
