import { parseJson } from '../../../src/util/parse-json.ts';
import { type Preferences, preferencesSchema } from '../../contract/settings.ts';
import type { AppStore } from './app-store.ts';

/** The stored preferences, with the defaults of those that are missing or cannot be read. */
export function readPreferences({ file }: Pick<AppStore, 'file'>): Preferences {
  const [row] = file.all('SELECT value FROM preferences');
  const json = parseJson(typeof row?.value === 'string' ? row.value : '{}');
  const read = preferencesSchema.safeParse(json.ok ? json.value : {});
  return read.success ? read.data : preferencesSchema.parse({});
}
