import { chatMethods } from '../../contract/chat.ts';
import type { AppContext } from '../app-context.ts';
import { type AppHandlers, notYet } from '../app-handlers.ts';

export function chatHandlers(_context: AppContext): AppHandlers<keyof typeof chatMethods> {
  return notYet(chatMethods);
}
