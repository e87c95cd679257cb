import { knowledgeMethods } from '../../contract/knowledge.ts';
import type { AppContext } from '../app-context.ts';
import { type AppHandlers, notYet } from '../app-handlers.ts';

export function knowledgeHandlers(_context: AppContext): AppHandlers<keyof typeof knowledgeMethods> {
  return notYet(knowledgeMethods);
}
