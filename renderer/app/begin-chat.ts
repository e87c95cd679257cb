import { navigate } from 'wouter/use-hash-location';
import type { MemoryClient } from '../../main/contract.ts';
import { placeOfMessage } from '../parts/conversation/conversation-place.ts';
import { mannerFor, NEW, setPrivate } from '../state/manner.ts';
import { sendMessage } from '../state/running-chats.ts';
import { useUi } from '../state/ui.ts';

/** Asks a question in a new chat, of the project that new chats begin in. */
export function askInNewChat(client: MemoryClient, question: string, isPrivate: boolean): void {
  const conversation = crypto.randomUUID();
  setPrivate(conversation, isPrivate);
  const message = { conversation, text: question, parent: null, folder: useUi.getState().folder };
  sendMessage(client, message, mannerFor(isPrivate));
  navigate(placeOfMessage(conversation));
}

/** Opens a new chat that neither recalls nor remembers. */
export function beginPrivateChat(): void {
  setPrivate(NEW, true);
  navigate('/');
}
