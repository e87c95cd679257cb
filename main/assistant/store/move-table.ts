import { z } from 'zod';
import type { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import { parseJson } from '../../../src/util/parse-json.ts';

/** Made where it is missing, so that a file of an earlier version needs no other change. `turns` is JSON: ids only. */
const TABLE = `CREATE TABLE IF NOT EXISTS move (
  conversation TEXT PRIMARY KEY,
  step TEXT NOT NULL,
  scope TEXT NOT NULL,
  turns TEXT NOT NULL
) WITHOUT ROWID`;

/** What a move has left to do, or to undo, in a scope that is not the conversation's. */
export interface UnfinishedMove {
  readonly conversation: string;
  /** `copying`: the conversation still is where it was. `forgetting`: it has moved. */
  readonly step: 'copying' | 'forgetting';
  /** That must not keep the turns: while copying the one that gets them, then the one that had them. */
  readonly scope: string;
  /** While copying, those of the conversation's turns that the scope lacked; then those that it has to forget. */
  readonly turns: readonly string[];
}

const rowSchema = z.object({
  conversation: z.string(),
  step: z.enum(['copying', 'forgetting']),
  scope: z.string(),
  turns: z.string().transform((json): string[] => {
    const read = parseJson(json);
    return z.array(z.string()).parse(read.ok ? read.value : null);
  }),
});

/** Moves of conversations between scopes that are under way, so that a crash leaves no turn in two of them. */
export class MoveTable {
  readonly #file: SqliteFile;

  constructor(file: SqliteFile) {
    this.#file = file;
    file.run(TABLE);
  }

  save({ conversation, step, scope, turns }: UnfinishedMove): void {
    this.#file.run('INSERT OR REPLACE INTO move (conversation, step, scope, turns) VALUES (?, ?, ?, ?)', [
      ...[conversation, step, scope],
      JSON.stringify(turns),
    ]);
  }

  find(conversation: string): UnfinishedMove | undefined {
    return this.list().find((move) => move.conversation === conversation);
  }

  list(): UnfinishedMove[] {
    return this.#file.all('SELECT * FROM move').map((row) => rowSchema.parse(row));
  }

  delete(conversation: string): void {
    this.#file.run('DELETE FROM move WHERE conversation = ?', [conversation]);
  }
}
