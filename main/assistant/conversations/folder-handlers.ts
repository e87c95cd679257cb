import { InvalidInputError } from '../../../src/errors/index.ts';
import type { conversationMethods } from '../../contract/conversations.ts';
import type { AppContext } from '../app-context.ts';
import type { AppHandlers } from '../app-handlers.ts';

type FolderMethods = Extract<keyof typeof conversationMethods, 'folders' | 'saveFolder' | 'deleteFolder'>;

/** Folders. Each has a scope that no other one has, unless its creator names one. */
export function folderHandlers({ store, events, clock }: AppContext): AppHandlers<FolderMethods> {
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
