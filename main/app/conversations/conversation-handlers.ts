import { conversationMethods } from '../../contract/conversations.ts';
import type { AppContext } from '../app-context.ts';
import { type AppHandlers, notYet } from '../app-handlers.ts';

export function conversationHandlers(_context: AppContext): AppHandlers<keyof typeof conversationMethods> {
  return notYet(conversationMethods);
}
