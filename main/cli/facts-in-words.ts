import type { RetrievedFact } from '../../src/model/retrieved-item.ts';
import { refuseEmptyScope } from './empty-scope.ts';
import type { ClientCommand } from './run-command.ts';

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Turns to search for; twice as many facts are found. */
const DEPTH = 25;

export const isFactId = (text: string): boolean => ID.test(text.trim());

/** The facts that words may mean, the best first. `haveWords`: they have all of the words; else they are only near. */
export interface FactsInWords {
  readonly facts: readonly RetrievedFact[];
  readonly haveWords: boolean;
}

/** @throws ScopeEmptyError */
export async function factsInWords(command: ClientCommand, text: string): Promise<FactsInWords> {
  const { client, config, signal } = command;
  const { facts } = await client.search({ scope: config.scope, query: text, k: DEPTH }, { signal });
  if (facts.length === 0) await refuseEmptyScope(command);
  const words = wordsOf(text);
  const all = facts.filter(({ statement }) => words.every((word) => wordsOf(statement).includes(word)));
  const same = all.filter(({ statement }) => wordsOf(statement).join(' ') === words.join(' '));
  const meant = [same, all, facts].find((some) => some.length > 0) ?? [];
  return { facts: meant, haveWords: meant !== facts && meant.length > 0 };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
