import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SchemaTooNewError } from '../../../src/errors/index.ts';
import { SqliteCheckpointer } from '../../../src/langgraph/checkpoints/sqlite-checkpointer.ts';
import { SqliteFile } from '../../../src/langgraph/checkpoints/sqlite-file.ts';
import { MIGRATIONS, SCHEMA_VERSION, TABLES } from './app-schema.ts';
import { AttachmentTable } from './attachment-table.ts';
import { ConversationTable } from './conversation-table.ts';
import { DismissalTable } from './dismissal-table.ts';
import { FolderTable } from './folder-table.ts';
import { ImageTable } from './image-table.ts';
import { MessageTable } from './message-table.ts';
import { MoveTable } from './move-table.ts';
import { RemovalTable } from './removal-table.ts';

/** Where the app keeps its file and its uploads. `memory`: as `besideMemory` gives it. */
export const appFile = (memory: string): string => `${memory}.app.sqlite`;
export const uploadsFolder = (memory: string): string => `${memory}.uploads`;

/**
 * The app's own file beside a memory: conversations, drafts, jobs, preferences, and the assistant's checkpoints. One
 * process has it open. A memory without a file has one in a temporary folder.
 */
export class AppStore {
  readonly file: SqliteFile;
  /** Files of uploads are in here; it may not exist yet. */
  readonly uploads: string;
  readonly conversations: ConversationTable;
  readonly folders: FolderTable;
  readonly messages: MessageTable;
  readonly attachments: AttachmentTable;
  readonly images: ImageTable;
  readonly removals: RemovalTable;
  readonly dismissals: DismissalTable;
  readonly moves: MoveTable;
  /** Runs of the assistant that wait for a decision, by the id of the answer. */
  readonly checkpoints: SqliteCheckpointer;
  /** Conversations that began privately, which no file has; null for themselves. */
  readonly hidden: AppStore | null;
  readonly #temporary: string | null;

  private constructor(
    file: SqliteFile,
    uploads: string,
    { temporary, hidden }: { readonly temporary: string | null; readonly hidden: AppStore | null },
  ) {
    this.hidden = hidden;
    this.file = file;
    this.uploads = uploads;
    this.#temporary = temporary;
    this.conversations = new ConversationTable(file);
    this.folders = new FolderTable(file);
    this.messages = new MessageTable(file);
    this.attachments = new AttachmentTable(file);
    this.images = new ImageTable(file);
    this.removals = new RemovalTable(file);
    this.dismissals = new DismissalTable(file);
    this.moves = new MoveTable(file);
    this.checkpoints = new SqliteCheckpointer(file, { keep: 1 });
  }

  /**
   * @param memory - as `besideMemory` gives it.
   * @throws DatabaseLockedError, SchemaTooNewError, CheckpointFileError: the file is unchanged.
   */
  static async open(memory: string): Promise<AppStore> {
    const temporary = memory === ':memory:' ? await mkdtemp(join(tmpdir(), 'mnemis-app-')) : null;
    const path = temporary === null ? memory : join(temporary, 'memory');
    const file = await SqliteFile.open(appFile(path));
    try {
      prepare(file);
      return new AppStore(file, uploadsFolder(path), { temporary, hidden: AppStore.inMemory() });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** One that no file has, for what is to leave nothing. It takes no uploads. */
  static inMemory(): AppStore {
    const file = SqliteFile.inMemory();
    prepare(file);
    return new AppStore(file, '', { temporary: null, hidden: null });
  }

  async close(): Promise<void> {
    await this.hidden?.close();
    await this.file.close();
    if (this.#temporary !== null) await rm(this.#temporary, { recursive: true, force: true });
  }
}

function prepare(file: SqliteFile): void {
  file.transaction(() => {
    const isKnown = file.all("SELECT 1 FROM sqlite_schema WHERE name = 'app_schema'").length > 0;
    const version = isKnown ? Number(file.all('SELECT version FROM app_schema')[0]?.version) : 0;
    if (version > SCHEMA_VERSION) throw new SchemaTooNewError(file.path, version, SCHEMA_VERSION);
    if (version === SCHEMA_VERSION) return;
    const statements =
      version === 0
        ? TABLES
        : Object.entries(MIGRATIONS).flatMap(([from, each]) => (Number(from) < version ? [] : each));
    for (const statement of statements) file.run(statement);
    file.run('DELETE FROM app_schema');
    file.run('INSERT INTO app_schema VALUES (?)', [SCHEMA_VERSION]);
  });
}
