import type { GraphStore } from '../../store/graph-store.ts';
import type { FilesCopy, ScopeMark } from '../../store/store-files.ts';
import { copyMemory } from '../copy/copy-memory.ts';
import { openFile } from '../open-store.ts';

/**
 * Copies a memory on a database server into a new SQLite file and compares every row. Writers do not wait; a scope that
 * they change meanwhile is copied again.
 *
 * @throws as `copyMemory`; CopyStoppedError if writers change a scope in each of several rounds.
 */
export async function copyToFile(
  from: GraphStore,
  path: string,
  { signal }: { readonly signal: AbortSignal | undefined },
): Promise<FilesCopy> {
  const to = await openFile('sqlite', path);
  try {
    for await (const _ of copyMemory({ from, to, signal })) signal?.throwIfAborted();
    const { databaseId } = to.describe();
    const scopes: ScopeMark[] = [];
    for (const scope of await to.scopes()) scopes.push({ scope, ...(await to.state(scope)) });
    return { files: [path], databaseId, scopes, heldMilliseconds: 0 };
  } finally {
    await to.close();
  }
}
