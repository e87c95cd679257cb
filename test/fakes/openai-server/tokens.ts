import { TokenCounter } from '../../../src/inference/language-model/tokens/count-tokens.ts';
import type { ChatAsked } from './script.ts';

/** One vocabulary for all servers of a test process: loading it takes a second. */
export const counter = new TokenCounter();

export const countTokens = (text: string): Promise<number> => counter.count(text);

/** Where only the sums matter, not the figures. */
export const guessTokens = async (text: string): Promise<number> => Math.ceil(text.length / 4);

/** As chat formats have it: four tokens around each message, three before the reply, and the schema beside them. */
export async function countPrompt({ messages, schema }: ChatAsked, count = countTokens): Promise<number> {
  const texts = [
    ...messages.map(({ content }) => content),
    ...(schema === null ? [] : [JSON.stringify(schema)]),
  ];
  const counts = await Promise.all(texts.map((text) => count(text)));
  return counts.reduce((sum, count) => sum + count, messages.length * 4 + 3);
}
