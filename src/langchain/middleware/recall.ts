import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { CONTEXT_FORM, memoryContext } from '../../answer/memory-context.ts';
import type { SearchOptions } from '../../engine/search-options.ts';
import type { RetrievedEpisode, SearchResult } from '../../model/retrieved-item.ts';
import { DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { MnemisRetriever, searchable } from '../mnemis-retriever.ts';
import type { MiddlewareMemory, MiddlewareSettings } from './middleware-options.ts';
import { SOURCE, sourceIdOf } from './run-state.ts';

/** Name of the recall in traces. */
const RUN_NAME = 'mnemis recall';

interface RecallRequest {
  readonly memory: MiddlewareMemory;
  /** The user's messages in this run. */
  readonly question: string;
  /** The thread's messages that the model already sees. */
  readonly inView: readonly BaseMessage[];
  readonly thread: string;
  readonly signal?: AbortSignal | undefined;
}

/** Memories relevant to a question that the thread does not contain, fenced as data; null if there are none. */
export async function recall(
  { memory, question, inView, thread, signal }: RecallRequest,
  { k, recipe, routeMilliseconds, budget, countTokens }: MiddlewareSettings,
): Promise<string | null> {
  const asked = searchable(question.trim());
  if (asked === '' || k === 0 || budget === 0) return null;
  const result = await tracedSearch(memory, asked, { k, recipe, routeMilliseconds, signal });
  const found = withoutSeen(result, { inView, thread });
  const { text } = await memoryContext(found, { budget, countTokens: async (each) => countTokens(each) });
  return text === '' ? null : fence(DATA, text);
}

/** Searches as a retriever of the run: its callbacks get the question, what was found, and the routes. */
async function tracedSearch(
  memory: MiddlewareMemory,
  question: string,
  { signal, ...options }: Pick<SearchOptions, 'k' | 'recipe' | 'routeMilliseconds' | 'signal'>,
): Promise<SearchResult> {
  const found: SearchResult[] = [];
  const search: MiddlewareMemory['search'] = async (...input) => {
    const result = await memory.search(...input);
    found.push(result);
    return result;
  };
  const retriever = new MnemisRetriever({
    memory: { search },
    kinds: ['episode', 'fact', 'entity'],
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  });
  await retriever.invoke(question, { runName: RUN_NAME, ...(signal === undefined ? {} : { signal }) });
  return found[0]!;
}

/** Removes turns of the thread and facts with evidence only in them, which the model already sees. */
function withoutSeen(
  result: SearchResult,
  { inView, thread }: Pick<RecallRequest, 'inView' | 'thread'>,
): SearchResult {
  const ids = new Set(inView.flatMap(({ id }) => (id === undefined ? [] : [sourceIdOf(thread, id)])));
  const texts = new Set(inView.map(({ text }) => text.trim()));
  const isSeen = ({ source, sourceId, content }: RetrievedEpisode) =>
    texts.has(content.trim()) || (source === SOURCE && sourceId !== null && ids.has(sourceId));
  const seen = new Set<string>(result.episodes.filter(isSeen).map(({ id }) => id));
  return {
    ...result,
    episodes: result.episodes.filter(({ id }) => !seen.has(id)),
    facts: result.facts.filter(
      ({ sources }) => sources.length === 0 || sources.some(({ episode }) => !seen.has(episode)),
    ),
  };
}

/** Part of the system message. The data itself is among the messages, where it has no authority. */
export const RECALL_RULE = `${DATA_RULE} Before the user's message may stand, in such tags, what memory holds on it. ${CONTEXT_FORM} Take from it what helps; of lines that contradict each other the latest counts. Do not speak of memory unless you are asked.`;

const OPENING = 'From memory, on the message that follows:';

/** Returns the messages with the recalled text inserted before the user's message; the input is not changed. */
export function withRecalled(
  messages: readonly BaseMessage[],
  recalled: string,
  questions: readonly BaseMessage[],
): BaseMessage[] {
  const named = questions[0] === undefined ? -1 : messages.indexOf(questions[0]);
  const place = named >= 0 ? named : messages.findLastIndex(({ type }) => type === 'human');
  if (place < 0) return [...messages];
  const message = new HumanMessage({ content: `${OPENING}\n${recalled}` });
  return [...messages.slice(0, place), message, ...messages.slice(place)];
}
