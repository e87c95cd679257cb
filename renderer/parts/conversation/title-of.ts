import type { Conversation } from '../../../main/contract.ts';
import { text } from '../../strings/text.ts';

/** The title as it is shown: one that forgetting blanked, or that a conversation has not yet, has neutral words. */
export function titleOf({ title, messages }: Pick<Conversation, 'title' | 'messages'>): string {
  if (title !== '') return title;
  return messages === 0 ? text.chat.newChat : text.chat.untitled;
}
