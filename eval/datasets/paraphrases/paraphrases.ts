import { writtenReader } from '../written-conversations.ts';

/** The kind of talk that a question is about; the category of a question. */
export const TALK_KINDS = [
  /** Two friends in chat. */
  'friends',
  /** Five people. */
  'group',
  /** A person with an assistant. */
  'assistant',
  /** Notes to oneself, without a speaker. */
  'notes',
  /** Meetings and mails of colleagues. */
  'work',
  /** The passages of a long document. */
  'document',
] as const;

/**
 * Questions in other words: a question shares no index term with the turns that answer it (names of speakers apart), and
 * shares some with others. The files `-later` were written when the ranking that they measure was finished.
 */
export const paraphrasesReader = writtenReader({
  name: 'paraphrases',
  kinds: TALK_KINDS,
  bundled: () =>
    Promise.all([
      import('./friends.json', { with: { type: 'json' } }),
      import('./friends-later.json', { with: { type: 'json' } }),
      import('./group.json', { with: { type: 'json' } }),
      import('./group-later.json', { with: { type: 'json' } }),
      import('./assistant.json', { with: { type: 'json' } }),
      import('./assistant-later.json', { with: { type: 'json' } }),
      import('./notes.json', { with: { type: 'json' } }),
      import('./notes-later.json', { with: { type: 'json' } }),
      import('./work.json', { with: { type: 'json' } }),
      import('./work-later.json', { with: { type: 'json' } }),
      import('./document.json', { with: { type: 'json' } }),
      import('./document-later.json', { with: { type: 'json' } }),
    ]),
});
