import { InvalidInputError } from '../../../src/errors/index.ts';
import { withoutUndefined } from '../../../src/util/collections.ts';
import type { conversationMethods } from '../../contract/conversations.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';
import { exportedConversations } from '../store/conversation-archive.ts';
import { messageOf } from '../store/message-table.ts';
import { conversationText } from './conversation-text.ts';
import { deleteConversation } from './delete-conversation.ts';
import { findEverything } from './find-everything.ts';
import { importedBy, importedListing, unchangedConversation } from './imported.ts';
import { moveConversation } from './move-conversation.ts';

export function conversationHandlers(context: AppContext): AppHandlers<keyof typeof conversationMethods> {
  const { store, events } = context;
  const changed = (conversation: string) =>
    events.emit({ type: 'conversation', conversation, isDeleted: false });
  return {
    ...folderHandlers(context),
    conversations: async (filter) => store.conversations.list(filter),

    async conversation(named) {
      const known =
        'session' in named
          ? store.conversations.ofSession(named.scope, named.session)
          : store.conversations.get(named.conversation);
      if (known === undefined && 'session' in named)
        return { ...(await unchangedConversation(context, named)), messages: [] };
      const conversation = known!;
      const messages = store.messages.of(conversation.id).map(messageOf);
      return { conversation, messages, imported: await importedBy(context, conversation) };
    },

    imported: async (request) => importedListing(context, request),

    find: async (request) => ({ hits: [...(await findEverything(context, request))] }),

    async saveConversation({ conversation: id, title, scope, session, folder, ...patch }) {
      const isNew = store.conversations.find(id) === undefined;
      if (session !== undefined && scope === undefined)
        throw new InvalidInputError('A session needs the scope that it is in');
      const named = { scope: scope ?? context.config.scope, session: session ?? '' };
      const continued = session === undefined || !isNew ? null : await unchangedConversation(context, named);
      const inFolder = folder == null ? undefined : store.folders.find(folder);
      if (folder != null && inFolder === undefined)
        throw new InvalidInputError('There is no folder with this id');
      store.file.transaction(() => {
        const known = store.conversations.find(id);
        if (known === undefined) {
          const at = context.clock();
          const own = scope ?? inFolder?.scope ?? context.config.scope;
          const { title: given, from = at } = continued?.imported ?? {};
          store.conversations.create(id, {
            scope: own,
            folder: folder ?? null,
            at: from,
            session,
            title: given,
          });
        } else if (scope !== undefined && scope !== known.scope && known.messages > 0)
          throw new InvalidInputError(
            'A conversation keeps its scope from its first message on; begin a new one',
          );
        if (patch.leaf !== undefined) store.messages.get(patch.leaf, id);
        const movedTo = known?.messages === 0 ? (scope ?? inFolder?.scope) : undefined;
        store.conversations.update(id, {
          ...withoutUndefined(patch),
          ...(folder !== undefined && { folder }),
          ...(movedTo !== undefined && { scope: movedTo }),
          ...(title !== undefined && { title, hasOwnTitle: true }),
        });
      });
      // A draft is saved at every pause while somebody types; no other list or window shows it.
      const { draft: _, ...rest } = patch;
      if (Object.keys(withoutUndefined({ title, scope, folder, ...rest })).length > 0) changed(id);
      if (folder !== undefined) events.emit({ type: 'folders' });
      return store.conversations.get(id);
    },

    async moveConversation(request) {
      // A move that fails while the old memory forgets has moved the conversation.
      return moveConversation(context, request).finally(() => {
        changed(request.conversation);
        events.emit({ type: 'folders' });
      });
    },

    async *exportConversations({ scope }) {
      yield* exportedConversations(store, scope);
    },

    async *exportConversation(request) {
      yield* conversationText(context, request);
    },

    async *deleteConversation({ conversation, memory }, { signal }) {
      yield* deleteConversation(context, { conversation, memory, signal });
    },
  };
}

type FolderMethods = Extract<keyof typeof conversationMethods, 'folders' | 'saveFolder' | 'deleteFolder'>;

/** Folders. Each has a scope that no other one has, unless its creator names one. */
function folderHandlers({ store, events, clock }: AppContext): AppHandlers<FolderMethods> {
  return {
    folders: async () => ({ items: store.folders.list() }),

    async saveFolder({ folder: id, name, scope }) {
      const known = store.folders.find(id);
      if (known !== undefined && scope !== undefined && scope !== known.scope)
        throw new InvalidInputError('A folder keeps its scope');
      if (known === undefined) store.folders.create({ id, name, scope: scope ?? `folder-${id}` }, clock());
      else store.folders.rename(id, name);
      events.emit({ type: 'folders' });
      return store.folders.find(id)!;
    },

    async deleteFolder({ folder }) {
      if (store.folders.find(folder) === undefined)
        throw new InvalidInputError('There is no folder with this id');
      store.folders.delete(folder);
      store.file.erase();
      events.emit({ type: 'folders' });
      return { folder };
    },
  };
}
