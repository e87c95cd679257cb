import type { AgentMemory } from '../agent-memory/agent-memory.ts';
import type { MiddlewareMemory } from '../agent-memory/agent-memory-options.ts';
import { isFirstStep, type PromptMessage, questionOf, textOf, withRecalled } from './prompt-messages.ts';

/** The conversation that asks, and its memory. */
interface Asking {
  readonly memory: MiddlewareMemory;
  readonly session: string;
  readonly signal: AbortSignal | undefined;
}

/** The prompt with what memory holds on its question; the prompt itself where that is nothing. One search for all steps. */
export async function recallInto(
  prompt: readonly PromptMessage[],
  agent: AgentMemory,
  { memory, session, signal }: Asking,
): Promise<readonly PromptMessage[]> {
  const question = questionOf(prompt);
  if (question.trim() === '') return prompt;
  const run = JSON.stringify([memory.name, session, question]);
  // A question that is asked again is a run of its own: memory may have forgotten since.
  if (isFirstStep(prompt)) agent.ended(run);
  const seen = new Set(prompt.map(({ content }) => textOf(content).trim()));
  const recalled = await agent.recalled(run, {
    ...{ memory, question, signal },
    isInPrompt: ({ content }) => seen.has(content.trim()),
  });
  return recalled === null ? prompt : withRecalled(prompt, recalled);
}
