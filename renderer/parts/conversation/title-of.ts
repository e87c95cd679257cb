import type { Conversation } from '../../../main/contract.ts';
import { formatWhen, text } from '../../strings/text.ts';

/** The title as it is shown: one that forgetting blanked, or that a conversation has not yet, has neutral words. */
export function titleOf({
  title,
  messages,
  createdAt,
}: Pick<Conversation, 'title' | 'messages' | 'createdAt'>): string {
  if (title !== '') return title;
  return messages === 0 ? text.chat.newChat : text.chat.forgotten(formatWhen(createdAt));
}
