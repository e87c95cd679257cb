import type { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';

export interface StoredImage {
  readonly id: string;
  /** Whose memory it belongs to. */
  readonly scope: string;
  /** The message that brought it. */
  readonly message: string;
  /** Its media type. */
  readonly type: string;
  readonly data: Uint8Array;
}

interface MovedImages {
  readonly conversation: string;
  /** Ids. */
  readonly named: readonly string[];
  readonly from: string;
  readonly to: string;
}

/**
 * Bytes of the images of messages. An image lasts as long as its message or, once memory remembers that, as long as
 * memory has its turn: whoever forgets the turn removes its URI, and the image with it. A message that becomes a forgotten
 * one loses its images at once.
 */
export class ImageTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  add({ id, scope, message, type, data }: StoredImage): void {
    this.#file.run('INSERT INTO image (id, scope, message, type, data) VALUES (?, ?, ?, ?, ?)', [
      ...[id, scope, message, type],
      data,
    ]);
  }

  /** Null if it was forgotten, or is another scope's. */
  find(id: string, scope: string): Pick<StoredImage, 'type' | 'data'> | null {
    const [row] = this.#file.all('SELECT type, data FROM image WHERE id = ? AND scope = ?', [id, scope]);
    return row === undefined ? null : { type: String(row.type), data: row.data as Uint8Array };
  }

  /** Whichever scope has it; null if it was forgotten. */
  bytes(id: string): Uint8Array | null {
    const [row] = this.#file.all('SELECT data FROM image WHERE id = ?', [id]);
    return row === undefined ? null : (row.data as Uint8Array);
  }

  /** Ids of the images of a scope, or of all. */
  ids(scope?: string): string[] {
    const [where, values] = scope === undefined ? ['', []] : ['WHERE scope = ?', [scope]];
    return this.#file.all(`SELECT id FROM image ${where}`, values).map(({ id }) => String(id));
  }

  /** Moves the images of a conversation's messages, and those that its turns name, between scopes. */
  move({ conversation, named, from, to }: MovedImages): void {
    this.#file.run(
      'UPDATE image SET scope = ? WHERE message IN (SELECT id FROM message WHERE conversation = ?)',
      [to, conversation],
    );
    for (const id of named)
      this.#file.run('UPDATE image SET scope = ? WHERE id = ? AND scope = ?', [to, id, from]);
  }

  /** Copies the image of a message for an edit of that message. */
  copy(id: string, { as, message }: { readonly as: string; readonly message: string }): void {
    this.#file.run(
      'INSERT INTO image (id, scope, message, type, data) SELECT ?, scope, ?, type, data FROM image WHERE id = ?',
      [as, message, id],
    );
  }

  delete(id: string): void {
    this.#file.run('DELETE FROM image WHERE id = ?', [id]);
  }

  deleteOf(message: string): void {
    this.#file.run('DELETE FROM image WHERE message = ?', [message]);
  }

  /** Leaves the images of a message that is deleted to memory, which keeps its turn. */
  release(message: string): void {
    this.#file.run('UPDATE image SET message = NULL WHERE message = ?', [message]);
  }
}
