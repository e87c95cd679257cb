import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DiskFullError } from '../../../src/errors/index.ts';
import { defineError, MnemisError } from '../../../src/errors/mnemis-error.ts';
import { makeFolder } from '../../../src/util/files.ts';
import { type ConfigKey, checkedSettings, settingsIn } from '../../config.ts';

/** Changed settings by key; null restores the default. */
export type SettingChanges = Readonly<Partial<Record<ConfigKey, unknown>>>;

/** The content of the settings file after a change. It is valid if the file was. @throws InvalidSettingError */
export function changedContent(file: string, changes: SettingChanges): Readonly<Record<string, unknown>> {
  const before = settingsIn(file);
  checkedSettings(file, before);
  const content: Record<string, unknown> = { ...(before as object) };
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete content[key];
    else content[key] = value;
  }
  checkedSettings(file, content);
  return content;
}

/**
 * Changes settings in the file, which is replaced at once: a crash leaves the old file or the new one. The file is read
 * and written without a pause, so that two changes in this process do not lose each other.
 *
 * @throws InvalidSettingError, SettingsNotWrittenError, DiskFullError: the file is unchanged.
 */
export async function writeSettings(file: string, changes: SettingChanges): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await makeFolder(dirname(file));
    const content = `${JSON.stringify(changedContent(file, changes), null, 2)}\n`;
    writeFileSync(part, content, { mode: 0o600 });
    chmodSync(part, 0o600); // a part that a crash left may have another mode
    renameSync(part, file);
  } catch (error) {
    if (existsSync(part)) rmSync(part, { force: true });
    if (MnemisError.isInstance(error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new DiskFullError(file, error);
    throw new SettingsNotWrittenError(file, error);
  }
}

export class SettingsNotWrittenError extends defineError(
  'settings-not-written',
  (file: string, cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException;
    return {
      message: `The settings file ${file} cannot be written${code === undefined ? '' : ` (${code})`}; it is unchanged, and the settings are as before. Check the permissions of the file and its folder.`,
      cause,
    };
  },
) {}
