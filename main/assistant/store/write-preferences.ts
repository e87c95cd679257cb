import { type Preferences, preferencesSchema } from '../../contract/settings.ts';
import type { AppStore } from './app-store.ts';
import { readPreferences } from './read-preferences.ts';

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
