import { writtenReader } from '../written-conversations.ts';

/** How a question's period relates to the turn that answers it; the category of a question. */
export const PERIOD_KINDS = [
  /** It happened then, and was told after it with "yesterday" or "last Friday". */
  'told-later',
  /** It was said in the period, with none of the question's words. */
  'said-then',
  /** A state that began before and held then. */
  'held-then',
  /** A person and a day, and nothing else. */
  'day-and-name',
] as const;

/** 40 questions that name a day or a period about two made-up conversations; ranking and answers were tuned on the
 * first only, and the second was written afterwards. */
export const periodsReader = writtenReader({
  name: 'periods',
  kinds: PERIOD_KINDS,
  bundled: () =>
    Promise.all([
      import('./harbour.json', { with: { type: 'json' } }),
      import('./allotment.json', { with: { type: 'json' } }),
    ]),
});
