import { CONTEXT_FORM, type ContextSource } from '../answer/memory-context.ts';
import { type PromptBlock, tokensOfForm } from '../answer/prompt-block.ts';
import type { PromptBlockOptions } from '../engine/search-options.ts';
import { MOST_CONTEXT_TOKENS } from '../model/options.ts';
import { DATA, DATA_RULE, fence, numberedSources, type SourceText } from '../prompts/as-data.ts';
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

/** Memories relevant to a question that the prompt does not contain. */
export async function found(
  { memory, question, isInPrompt, signal, contextOf = fromMemory }: RecallRequest,
  { k, recipe, routeMilliseconds, budget, countTokens }: MiddlewareSettings,
): Promise<readonly ContextSource[]> {
  const asked = searchable(question.trim());
  if (asked === '' || k === 0 || budget === 0) return [];
  // The form stands in the system message.
  const tokens = Math.min(MOST_CONTEXT_TOKENS, Math.ceil(budget + (await tokensOfForm(countTokens))));
  const block = { k, recipe, routeMilliseconds, signal, tokens, countTokens, isInPrompt };
  return (await contextOf(memory, asked, block)).sources;
}

/** Memories as a message before the user's, fenced as data; null if there are none. */
export const recalledText = (sources: readonly SourceText[]): string | null =>
  sources.length === 0 ? null : `${OPENING}\n${fence(DATA, numberedSources(sources))}`;

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

/** Whether a text is what `recall` gave or its rule, which frameworks may hand back with the messages of a run. */
export const isRecalled = (text: string): boolean =>
  text === RECALL_RULE || text.startsWith(`${OPENING}\n<${DATA}-`);
