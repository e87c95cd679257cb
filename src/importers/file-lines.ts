import { FileUnreadableError } from '../errors/file-unreadable-error.ts';
import { Breather } from '../util/breathe.ts';
import type { ImportFile } from './files/import-file.ts';
import { type Line, LineSplitter } from './line-splitter.ts';
import type { ReadContext } from './read-context.ts';
import { foreignStart } from './unreadable.ts';

const MAX_LINE_BYTES = 24 * 1024 * 1024;

/**
 * Streams the lines of a file on disk or in an archive, as `readLines` does those of a path.
 *
 * Throws FileUnreadableError where nothing can be had of it.
 */
export async function* fileLines(file: ImportFile, context: ReadContext): AsyncGenerator<Line> {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  const breather = new Breather();
  let isStart = true;
  try {
    for await (const chunk of file.open()) {
      context.advance(chunk.length);
      const foreign = isStart ? foreignStart(chunk) : null;
      if (foreign !== null) throw new FileUnreadableError(context.path, `${context.in(file)}${foreign}`);
      isStart = false;
      yield* splitter.push(chunk);
      await breather.breathe();
    }
  } catch (error) {
    if (splitter.nextNumber === 1 || !FileUnreadableError.isInstance(error)) throw error;
    yield { number: splitter.nextNumber, problem: 'the rest of the file could not be read: it is damaged' };
    return;
  }
  yield* splitter.end();
}
