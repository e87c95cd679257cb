import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { memoryContext } from '../../answer/memory-context.ts';
import type { SearchOptions } from '../../engine/memory-scope.ts';
import type { RetrievedEpisode, SearchResult } from '../../model/retrieved-item.ts';
import { DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import type { MiddlewareMemory, MiddlewareSettings } from './middleware-options.ts';
import { SOURCE, sourceIdOf } from './run-state.ts';

/** A longer question is not searched whole. */
const LONGEST_QUESTION = 4_000;

interface RecallRequest {
  readonly memory: MiddlewareMemory;
  /** What the user said in this run. */
  readonly question: string;
  /** What the model sees of the thread anyway. */
  readonly inView: readonly BaseMessage[];
  readonly thread: string;
  readonly signal?: AbortSignal | undefined;
}

/** What memory holds on a question and the thread does not say itself, fenced as data; null where there is nothing. */
export async function recall(
  { memory, question, inView, thread, signal }: RecallRequest,
  { k, recipe, routeMilliseconds, budget, countTokens }: MiddlewareSettings,
): Promise<string | null> {
  const asked = question.trim().slice(0, LONGEST_QUESTION);
  if (asked === '' || k === 0 || budget === 0) return null;
  const options: SearchOptions = {
    k,
    routeMilliseconds,
    signal,
    ...(recipe === undefined ? {} : { recipe }),
  };
  const found = withoutSeen(await memory.search(asked, options), { inView, thread });
  const { text } = await memoryContext(found, { budget, countTokens: async (each) => countTokens(each) });
  return text === '' ? null : fence(DATA, text);
}

/** Turns that stand in the thread, and facts that rest on these alone, would be there twice. */
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

/** Goes to the system message: the data itself stands among the messages, where it has no authority. */
export const RECALL_RULE = `${DATA_RULE} Before the user's message may stand, in such tags, what memory holds on it: numbered lines, whose further lines begin with "|". Take from it what helps; of lines that contradict each other the latest counts. Do not speak of memory unless you are asked.`;

const OPENING = 'From memory, on the message that follows:';

/** The messages of a call with what was recalled before the message that it was recalled for. They stay as they are. */
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
