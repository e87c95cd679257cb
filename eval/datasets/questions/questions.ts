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
  'yes-no',
  /** Said as a number, or counted over turns. */
  'counts',
  /** Said, or the time between two days. */
  'durations',
  /** What happened on a day or in a period ("What happened on 29 April?"), often told later. */
  'periods',
  /** The right thing with a wrong person, town or detail: unanswerable. */
  'wrong-detail',
  /** The others who were there. */
  'who-else',
  /** What was planned or so before, and what came instead. */
  'changes',
  /** What was promised, and what lies ahead. */
  'plans',
  /** "What is my husband's sister called?" */
  'relations',
  /** A question with two or three parts. */
  'several-parts',
  /** What an assistant recommended. */
  'advice',
  /** The description of a picture holds the answer. */
  'captions',
  /** Why something was done, or is thought. */
  'reasons',
  /** All of a kind, and their number. */
  'counted-lists',
] as const;

/** 300 questions in 24 kinds about six made-up conversations. */
export const questionsReader = writtenReader({
  name: 'questions',
  kinds: QUESTION_KINDS,
  bundled: () =>
    Promise.all([
      import('./maren.json', { with: { type: 'json' } }),
      import('./devin.json', { with: { type: 'json' } }),
      import('./flatmates.json', { with: { type: 'json' } }),
      import('./penfriends.json', { with: { type: 'json' } }),
      import('./rhona-and-teo.json', { with: { type: 'json' } }),
      import('./ottilie.json', { with: { type: 'json' } }),
    ]),
});

/** 100 more about two other conversations, for a figure that nothing was tuned on. */
export const laterQuestionsReader = writtenReader({
  name: 'questions-later',
  kinds: QUESTION_KINDS,
  heldOut: true,
  bundled: () =>
    Promise.all([
      import('./canal-boat-later.json', { with: { type: 'json' } }),
      import('./diary-later.json', { with: { type: 'json' } }),
    ]),
});
