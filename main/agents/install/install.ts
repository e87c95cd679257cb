import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { dataFolder, makeStateFolder, readStateFile, writeStateFile } from '../../../src/util/files.ts';
import { type AgentFile, isOurs } from './agent-files.ts';
import {
  type EditRecord,
  editRecordSchema,
  hasEdit,
  isOwnFile,
  withEdit,
  withoutEdit,
} from './config-edit.ts';
import { ConfigBrokenError, ConfigChangedError } from './errors.ts';

/** A change of one file; null is a file that is not there. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  /** Of an installation. */
  readonly record: EditRecord | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

const recordsSchema = z.record(z.string(), editRecordSchema);
const recordsFile = (environment: Environment) => join(dataFolder(environment), 'agents.json');
const recordsIn = (environment: Environment) => readStateFile(recordsFile(environment), recordsSchema) ?? {};

/** What an installation would do; a file that has everything already is not among them. @throws ConfigBrokenError */
export function plannedInstall(files: readonly AgentFile[], environment: Environment): readonly FileChange[] {
  const records = recordsIn(environment);
  return files.flatMap(({ path, edit }): FileChange[] => {
    const before = textOf(path);
    if (edit.kind === 'own' && before !== null && !isOwnFile(before))
      throw new ConfigBrokenError(path, 'another file has its name');
    const is = before !== null && hasEdit(before, edit, isOurs);
    const base = is
      ? withoutEdit(before, edit, { file: path, record: records[path] ?? null, isOurs })
      : before;
    const { text, record } = withEdit(base, edit, path);
    return text === before ? [] : [{ path, before, after: text, record }];
  });
}

/** What taking it out would do. @throws ConfigBrokenError */
export function plannedUninstall(
  files: readonly AgentFile[],
  environment: Environment,
): readonly FileChange[] {
  const records = recordsIn(environment);
  return files.flatMap(({ path, edit }): FileChange[] => {
    const before = textOf(path);
    if (before === null || !hasEdit(before, edit, isOurs)) return [];
    const after = withoutEdit(before, edit, { file: path, record: records[path] ?? null, isOurs });
    return after === before ? [] : [{ path, before, after, record: null }];
  });
}

/** Whether each file has its part. */
export function installedIn(
  files: readonly AgentFile[],
): readonly { readonly path: string; readonly isThere: boolean }[] {
  return files.map(({ path, edit }) => {
    const text = textOf(path);
    return { path, isThere: text !== null && hasEdit(text, edit, isOurs) };
  });
}

/** Makes the changes, each file at once. @throws ConfigChangedError; files before it are changed */
export function carryOut(changes: readonly FileChange[], environment: Environment): void {
  for (const { path, before, after, record } of changes) {
    if (textOf(path) !== before) throw new ConfigChangedError(path);
    if (after === null) rmSync(path);
    else replace(path, after);
    const { [path]: _, ...others } = recordsIn(environment);
    writeStateFile(recordsFile(environment), record === null ? others : { ...others, [path]: record });
  }
}

/** A link stays one, and a file keeps its rights. */
function replace(path: string, text: string): void {
  const file = existsSync(path) ? realpathSync(path) : path;
  const { mode = 0o600 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  makeStateFolder(dirname(file));
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, { mode: mode & 0o777, flag: 'wx', flush: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** @throws ConfigBrokenError for a file that cannot be read, or is no UTF-8 */
function textOf(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new ConfigBrokenError(
      path,
      code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : `it cannot be read (${code})`,
    );
  }
}
