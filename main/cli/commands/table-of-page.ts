import { readFile, writeFile } from 'node:fs/promises';
import { withFileErrors } from '../../../eval/run-log.ts';
import { unreadable } from '../../../src/importers/unreadable.ts';
import { InvalidSettingError } from '../../errors.ts';

/**
 * A page before and after its table, which stands between comments with a mark.
 *
 * @throws FileUnreadableError; InvalidSettingError if the marks are missing.
 */
export async function aroundTable(
  file: string,
  mark: string,
): Promise<readonly [before: string, after: string]> {
  const [first, last] = [`<!-- ${mark} -->\n`, `<!-- /${mark} -->\n`];
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw unreadable(file, cause);
  });
  const [start, end] = [text.indexOf(first) + first.length, text.indexOf(last)];
  if (start < first.length || end < start)
    throw new InvalidSettingError(`${file} lacks the marks ${first.trim()} and ${last.trim()}`);
  return [text.slice(0, start), text.slice(end)];
}

/** Reads the page again: somebody may have written to it during the run. */
export async function replaceTable(file: string, mark: string, table: string): Promise<void> {
  const [before, after] = await aroundTable(file, mark);
  await withFileErrors(file, () => writeFile(file, `${before}\n${table}\n\n${after}`));
}
