import type { TextPrompt } from '../../model/prompt.ts';

/** Asks for as little as possible, to learn whether a server that failed for some turns answers at all. */
export const checkServer: TextPrompt<null> = {
  name: 'check-server',
  version: 1,
  expectedTokens: 5,
  render: () => ({ system: 'You confirm that you can be reached.', user: 'Reply with the word "yes".' }),
};
