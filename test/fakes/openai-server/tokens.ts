import { TokenCounter } from '../../../src/inference/language-model/tokens/count-tokens.ts';
import type { ChatAsked } from './script.ts';

/** One vocabulary for all servers of a test process: loading it takes a second. */
export const counter = new TokenCounter();

export const countTokens = (text: string): Promise<number> => counter.count(text);

/** As chat formats have it: four tokens around each message, three before the reply, and the schema beside them. */
export async function countPrompt({ messages, schema }: ChatAsked): Promise<number> {
  const texts = [
    ...messages.map(({ content }) => content),
    ...(schema === null ? [] : [JSON.stringify(schema)]),
  ];
  const counts = await Promise.all(texts.map(countTokens));
  return counts.reduce((sum, count) => sum + count, messages.length * 4 + 3);
}
