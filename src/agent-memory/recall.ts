import { CONTEXT_FORM } from '../answer/memory-context.ts';
import { type PromptBlock, tokensOfForm } from '../answer/prompt-block.ts';
import type { PromptBlockOptions } from '../engine/search-options.ts';
import { MOST_CONTEXT_TOKENS } from '../model/options.ts';
import { DATA, DATA_RULE, fence, numberedSources } from '../prompts/as-data.ts';
import type { MiddlewareMemory, MiddlewareSettings } from './agent-memory-options.ts';

/** What a run asks of memory. */
export interface RecallRequest extends Pick<PromptBlockOptions, 'isInPrompt' | 'signal'> {
  readonly memory: MiddlewareMemory;
  /** The user's messages in this run. */
  readonly question: string;
  /** How the block is asked for. Default: from the memory itself. */
  readonly contextOf?: (
    memory: MiddlewareMemory,
    question: string,
    options: PromptBlockOptions,
  ) => Promise<PromptBlock>;
}

/** Memories relevant to a question that the prompt does not contain, fenced as data; null if there are none. */
export async function recall(
  { memory, question, isInPrompt, signal, contextOf = fromMemory }: RecallRequest,
  { k, recipe, routeMilliseconds, budget, countTokens }: MiddlewareSettings,
): Promise<string | null> {
  const asked = searchable(question.trim());
  if (asked === '' || k === 0 || budget === 0) return null;
  // The form stands in the system message.
  const tokens = Math.min(MOST_CONTEXT_TOKENS, Math.ceil(budget + (await tokensOfForm(countTokens))));
  const block = { k, recipe, routeMilliseconds, signal, tokens, countTokens, isInPrompt };
  const { sources } = await contextOf(memory, asked, block);
  return sources.length === 0 ? null : `${OPENING}\n${fence(DATA, numberedSources(sources))}`;
}

const fromMemory: NonNullable<RecallRequest['contextOf']> = (memory, question, options) =>
  memory.context(question, options);

/** A longer text is searched by its beginning and its end, where the question stands as a rule. */
const LONGEST_QUESTION = 4_000;

/** The beginning and the end of a long text, which a search would refuse. */
export function searchable(question: string): string {
  if (question.length <= LONGEST_QUESTION) return question;
  const half = LONGEST_QUESTION / 2;
  return `${question.slice(0, half)} ${question.slice(-half)}`.toWellFormed();
}

/** Part of the system message. The data itself is among the messages, where it has no authority. */
export const RECALL_RULE = `${DATA_RULE} Before the user's message may stand, in such tags, what memory holds on it. ${CONTEXT_FORM} Take from it what helps; of lines that contradict each other the latest counts. Do not speak of memory unless you are asked.`;

const OPENING = 'From memory, on the message that follows:';
