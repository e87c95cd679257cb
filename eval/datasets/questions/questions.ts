import { writtenReader } from '../written-conversations.ts';

/** What users ask and LoCoMo does not; the category of a question. */
export const QUESTION_KINDS = [
  /** "What's my sister's name?", asked by the person who talks to an assistant. */
  'first-person',
  /** What holds now, and what held before. */
  'latest-state',
  /** Understood only with earlier questions, which `earlier` holds. */
  'follow-up',
  'typing-errors',
  /** Other words than the conversation's ("dislike" for "hate"), or the kind of a thing ("what kind of tea"). */
  'synonyms',
  /** The conversation says "last Tuesday"; the answer is the day. */
  'relative-dates',
  /** All of a kind, from several turns. */
  'lists',
  /** The turn after a question holds the answer ("Where was that?" – "In Zermatt."). */
  'next-turn',
  /** "What do you know about me?" */
  'profile',
  /** About a person, a time or a thing that memory does not connect with the rest of the question. */
  'unanswerable',
] as const;

/** 200 questions in ten kinds about four made-up conversations. */
export const questionsReader = writtenReader({
  name: 'questions',
  kinds: QUESTION_KINDS,
  bundled: () =>
    Promise.all([
      import('./maren.json', { with: { type: 'json' } }),
      import('./devin.json', { with: { type: 'json' } }),
      import('./flatmates.json', { with: { type: 'json' } }),
      import('./penfriends.json', { with: { type: 'json' } }),
    ]),
});
