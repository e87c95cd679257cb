import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import type { MiddlewareMemory } from '../agent-memory/agent-memory-options.ts';
import type { PromptBlock } from '../answer/prompt-block.ts';
import type { PromptBlockOptions } from '../engine/search-options.ts';
import type { RetrievedEpisode } from '../model/retrieved-item.ts';
import { MnemisRetriever, type MnemisRetrieverOptions } from './mnemis-retriever.ts';
import { SOURCE, sourceIdOf } from './run-state.ts';

/** Name of the recall in traces. */
const RUN_NAME = 'mnemis recall';

/** Searches as a retriever of the run: its callbacks get the question, what was found, and the routes. */
export async function tracedContext(
  memory: MiddlewareMemory,
  question: string,
  { signal, tokens, countTokens, isInPrompt, ...options }: PromptBlockOptions,
): Promise<PromptBlock> {
  const blocks: PromptBlock[] = [];
  const search: MnemisRetrieverOptions['memory']['search'] = async (query, given) => {
    const block = await memory.context(query, { ...given, tokens, countTokens, isInPrompt });
    blocks.push(block);
    return block.search;
  };
  const retriever = new MnemisRetriever({
    memory: { search },
    kinds: ['episode', 'fact', 'entity'],
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  });
  await retriever.invoke(question, { runName: RUN_NAME, ...(signal === undefined ? {} : { signal }) });
  return blocks[0]!;
}

/** Whether a turn is of the thread, and the model sees its message already. */
export function isAmong(inView: readonly BaseMessage[], thread: string): (turn: RetrievedEpisode) => boolean {
  const ids = new Set(inView.flatMap(({ id }) => (id === undefined ? [] : [sourceIdOf(thread, id)])));
  const texts = new Set(inView.map(({ text }) => text.trim()));
  return ({ source, sourceId, content }) =>
    texts.has(content.trim()) || (source === SOURCE && sourceId !== null && ids.has(sourceId));
}

/** Returns the messages with the recalled text inserted before the user's message; the input is not changed. */
export function withRecalled(
  messages: readonly BaseMessage[],
  recalled: string,
  questions: readonly BaseMessage[],
): BaseMessage[] {
  const named = questions[0] === undefined ? -1 : messages.indexOf(questions[0]);
  const place = named >= 0 ? named : messages.findLastIndex(({ type }) => type === 'human');
  if (place < 0) return [...messages];
  const message = new HumanMessage({ content: recalled });
  return [...messages.slice(0, place), message, ...messages.slice(place)];
}
