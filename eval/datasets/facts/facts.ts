import { writtenReader } from '../written-conversations.ts';

/** Chats without questions, to judge what memory keeps of them: with an assistant, notes, a group of five. */
export const factsReader = writtenReader({
  name: 'facts',
  kinds: [],
  bundled: () =>
    Promise.all([
      import('./assistant.json', { with: { type: 'json' } }),
      import('./notes.json', { with: { type: 'json' } }),
      import('./group.json', { with: { type: 'json' } }),
    ]),
});
