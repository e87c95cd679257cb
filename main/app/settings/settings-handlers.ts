import { settingsMethods } from '../../contract/settings.ts';
import type { AppContext } from '../app-context.ts';
import { type AppHandlers, notYet } from '../app-handlers.ts';

export function settingsHandlers(_context: AppContext): AppHandlers<keyof typeof settingsMethods> {
  return notYet(settingsMethods);
}
