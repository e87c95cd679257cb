/** The text of every abstention; a model's may say after it what is true instead, with citations. */
export const NOT_ENOUGH = 'There is not enough in memory to answer this.';

/** The assistant's answer where it neither recalls nor has a model. */
export const NOTHING_TO_ANSWER_FROM =
  'Without a language model I can only quote memory, and this message leaves memory out.';

/** The assistant's answer to an order where it has no model: nothing is looked up or remembered. */
export const NEEDS_MODEL =
  'This needs a language model, and none is set: I only remember and quote. Nothing of this message was kept.';

/** Whether an answer without a model ends with what only a model could have said. */
export const asksForModel = (answer: string): boolean =>
  [NEEDS_MODEL, NOTHING_TO_ANSWER_FROM, NOT_ENOUGH].some((words) => answer.startsWith(words));
