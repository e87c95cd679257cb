import { CancelledError } from '../errors/cancelled-error.ts';
import { FileUnreadableError } from '../errors/file-unreadable-error.ts';
import type { ImportRecord, ReadOptions } from './importer.ts';

/**
 * Applies `tolerate`: unless bad records are tolerated, reads everything once for its rejections first, so
 * that "nothing of it was imported" is true when one is found.
 */
export async function* withTolerance(
  path: string,
  options: ReadOptions,
  records: (options: ReadOptions) => AsyncIterable<ImportRecord>,
): AsyncGenerator<ImportRecord> {
  if (options.tolerate === false) {
    const { onProgress: _, onLeftOut: __, onNote: ___, ...quiet } = options;
    for await (const record of records(quiet))
      if (record.kind === 'rejected')
        throw new FileUnreadableError(path, `${record.where}: ${record.reason}`);
  }
  yield* records(options);
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new CancelledError('what was read before it stays as it is', signal.reason);
}
