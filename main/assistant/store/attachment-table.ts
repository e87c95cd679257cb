import type { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';

/** Which turns of memory the attachments of messages became. Their sessions are the documents', not the conversation's. */
export class AttachmentTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
  }

  add(message: string, episodes: readonly string[]): void {
    this.#file.transaction(() => {
      for (const episode of episodes)
        this.#file.run('INSERT OR IGNORE INTO attachment_turn (message, episode) VALUES (?, ?)', [
          message,
          episode,
        ]);
    });
  }

  /** Turns of the conversation's attachments that no other conversation of the same scope attached. */
  onlyOf(conversation: string): string[] {
    return this.#file
      .all(
        `SELECT DISTINCT episode FROM attachment_turn JOIN message ON message.id = attachment_turn.message
         WHERE conversation = ?1 AND NOT EXISTS (
           SELECT 1 FROM attachment_turn other JOIN message holder ON holder.id = other.message
           JOIN conversation ON conversation.id = holder.conversation
           WHERE other.episode = attachment_turn.episode AND holder.conversation <> ?1
             AND scope = (SELECT scope FROM conversation WHERE id = ?1))`,
        [conversation],
      )
      .map(({ episode }) => String(episode));
  }

  forget(episodes: readonly string[]): void {
    this.#file.transaction(() => {
      for (const episode of episodes)
        this.#file.run('DELETE FROM attachment_turn WHERE episode = ?', [episode]);
    });
  }

  deleteOf(conversation: string): void {
    this.#file.run(
      'DELETE FROM attachment_turn WHERE message IN (SELECT id FROM message WHERE conversation = ?)',
      [conversation],
    );
  }
}
