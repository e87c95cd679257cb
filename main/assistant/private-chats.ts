import type { AppContext } from './app-context.ts';
import type { AppHandlers } from './app-handlers.ts';
import { chatHandlers } from './chat/chat-handlers.ts';
import { conversationHandlers } from './conversations/conversation-handlers.ts';
import { UsageLog } from './usage-log.ts';

type Handlers = AppHandlers<
  | 'conversation'
  | 'saveConversation'
  | 'deleteConversation'
  | 'exportConversation'
  | 'chat'
  | 'regenerate'
  | 'stopAnswer'
  | 'decide'
  | 'why'
>;

/** Days count what private answers used; nothing says which they were. */
class PrivateUsage extends UsageLog {
  override add(): void {}
}

/**
 * Conversations that begin privately are kept in the memory of this process alone: no list, search or file has them, and
 * they end with it. All of their messages are private. Other conversations go to the given handlers.
 */
export function withPrivateChats(context: AppContext, open: Handlers): Handlers {
  const store = context.store.hidden;
  if (store === null) return open;
  const own = { ...context, store, usage: new PrivateUsage(context.store.file, context.clock) };
  const hidden: Handlers = { ...conversationHandlers(own), ...chatHandlers(own) };
  const isOwn = (conversation: string) => store.conversations.find(conversation) !== undefined;
  const of = (conversation: string) => (isOwn(conversation) ? hidden : open);
  const ofMessage = (message: string) => (store.messages.find(message) === undefined ? open : hidden);
  return {
    conversation: (input, options) =>
      ('conversation' in input ? of(input.conversation) : open).conversation(input, options),
    saveConversation: (input, options) => of(input.conversation).saveConversation(input, options),
    deleteConversation: (input, options) => of(input.conversation).deleteConversation(input, options),
    exportConversation: (input, options) => of(input.conversation).exportConversation(input, options),
    chat: (input, options) => {
      const { conversation, isPrivate = false } = input;
      const begins = isPrivate && (context.store.conversations.find(conversation)?.messages ?? 0) === 0;
      const isImported = context.store.conversations.find(conversation)?.session != null;
      if (!isOwn(conversation) && (!begins || isImported)) return open.chat(input, options);
      return hidden.chat({ ...input, isPrivate: true }, options);
    },
    regenerate: (input, options) => {
      const { conversation } = input;
      return isOwn(conversation)
        ? hidden.regenerate({ ...input, isPrivate: true }, options)
        : open.regenerate(input, options);
    },
    stopAnswer: (input, options) => of(input.conversation).stopAnswer(input, options),
    decide: (input, options) => ofMessage(input.message).decide(input, options),
    why: (input, options) => ofMessage(input.message).why(input, options),
  };
}
