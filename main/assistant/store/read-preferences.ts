import { parseJson } from '../../../src/util/parse-json.ts';
import { type Preferences, preferencesSchema } from '../../contract/settings.ts';
import type { AppStore } from './app-store.ts';

/**
 * The preferences in the app's file. A value that is missing or no longer valid, as in a row of another version, has
 * its default; the others are kept.
 */
export function readPreferences({ file }: Pick<AppStore, 'file'>): Preferences {
  const text = file.all('SELECT value FROM preferences LIMIT 1')[0]?.value;
  const read = parseJson(typeof text === 'string' ? text : '{}');
  const stored = read.ok && typeof read.value === 'object' && read.value !== null ? read.value : {};
  const values = Object.entries(preferencesSchema.shape).flatMap(([name, schema]) => {
    const parsed = schema.safeParse((stored as Record<string, unknown>)[name]);
    return parsed.success ? [[name, parsed.data]] : [];
  });
  return preferencesSchema.parse(Object.fromEntries(values));
}

/** Replaces the given preferences; the others stay. */
export function writePreferences(store: Pick<AppStore, 'file'>, changed: Partial<Preferences>): Preferences {
  const { file } = store;
  return file.transaction(() => {
    const preferences = preferencesSchema.parse({ ...readPreferences(store), ...changed });
    file.run('DELETE FROM preferences');
    file.run('INSERT INTO preferences VALUES (?)', [JSON.stringify(preferences)]);
    return preferences;
  });
}
