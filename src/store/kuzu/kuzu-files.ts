import type { Compaction, CompactionOptions, FilesCopy, ScopeMark, StoreFiles } from '../store-files.ts';
import { databaseCopy, walCopy } from './checkpoint-copies.ts';
import { buildCompacted } from './compact-file.ts';
import { replacementPath, sealPath, shadowPath, sizeOf, walPath } from './file-set.ts';
import type { KuzuDatabase, KuzuDatabaseOptions } from './kuzu-database.ts';
import * as cypher from './statements.ts';

interface FilesContext {
  readonly options: Partial<KuzuDatabaseOptions>;
  readonly databaseId: () => string;
  /** Commit state of the scopes. */
  readonly state: () => Promise<readonly ScopeMark[]>;
  readonly renamed: (databaseId: string) => void;
}

/** Copies the files of an open database, or replaces them by compacted ones. */
export class KuzuFiles implements StoreFiles {
  readonly #database: KuzuDatabase;
  readonly #context: FilesContext;

  constructor(database: KuzuDatabase, context: FilesContext) {
    this.#database = database;
    this.#context = context;
  }

  paths(): readonly string[] {
    const { path } = this.#database;
    const replacement = replacementPath(path);
    const copies = [databaseCopy(path), walCopy(path)];
    return [path, replacement]
      .flatMap((file) => [file, walPath(file), shadowPath(file), sealPath(file)])
      .concat(copies);
  }

  async copy(to: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<FilesCopy> {
    const { databaseId, state } = this.#context;
    const inside = async () => ({ databaseId: databaseId(), scopes: await state() });
    const { result, heldMilliseconds } = await this.#database.copyFiles(to, { signal, inside });
    return { files: [to, walPath(to), sealPath(to)], ...result, heldMilliseconds };
  }

  async compact(options: CompactionOptions = {}): Promise<Compaction> {
    const { path } = this.#database;
    const bytes = () => sizeOf(path) + sizeOf(walPath(path));
    const done = await this.#database.replaceFile(replacementPath(path), async () => {
      const bytesBefore = bytes(); // the log is merged by now, which makes the file larger than both were
      const rows = await buildCompacted(this.#database, this.#context.options, options);
      return { rows, bytesBefore };
    });
    this.#context.renamed(await readDatabaseId(this.#database));
    return { ...done, bytesAfter: bytes() };
  }
}

export async function readDatabaseId(database: KuzuDatabase): Promise<string> {
  const [meta] = await database.read(cypher.readDatabaseId);
  return String(meta?.id);
}
