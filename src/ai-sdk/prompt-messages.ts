import { askedIn } from '../agent-memory/asked.ts';
import { RECALL_RULE } from '../agent-memory/recall.ts';
import { MAX_CONTENT_LENGTH, type TurnInput } from '../model/turn-input.ts';

/** A message of a prompt of the AI SDK (`LanguageModelV3Message`, `LanguageModelV4Message`), as far as it is read. */
export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

interface Part {
  readonly type: string;
  readonly text?: string;
}

/** The text of a message, or of what a model gave back. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly Part[]).map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join('');
}

/** Whether the model was not asked before: nothing follows the user's messages. */
export const isFirstStep = (prompt: readonly PromptMessage[]): boolean => prompt.at(-1)?.role === 'user';

/** The text of the user's messages that the prompt asks about. */
export const questionOf = (prompt: readonly PromptMessage[]): string =>
  askedIn(prompt)
    .map(({ content }) => textOf(content))
    .join('\n');

/** The prompt with what memory holds before the user's messages, and the rule to read it in the system message. */
export function withRecalled(prompt: readonly PromptMessage[], recalled: string): readonly PromptMessage[] {
  const place = prompt.indexOf(askedIn(prompt)[0]!);
  const [first] = prompt;
  const rest = first?.role === 'system' ? prompt.slice(1, place) : prompt.slice(0, place);
  const rule =
    first?.role === 'system'
      ? { ...first, content: `${first.content}\n\n${RECALL_RULE}` }
      : { role: 'system', content: RECALL_RULE };
  const memory = { role: 'user', content: [{ type: 'text', text: recalled }] };
  return [rule, ...rest, memory, ...prompt.slice(place)];
}

/** The turns of one call of a model: what the user said, in the first step, and the text of the reply. */
export function turnsOf(
  prompt: readonly PromptMessage[],
  reply: string,
  { session, speaker }: { readonly session: string; readonly speaker: string | undefined },
): readonly TurnInput[] {
  const turn = { session, source: SOURCE };
  const asked = isFirstStep(prompt) ? askedIn(prompt) : [];
  const said: readonly TurnInput[] = [
    ...asked.map(({ content }) => ({ ...turn, role: 'user' as const, speaker, content: textOf(content) })),
    { ...turn, role: 'assistant', trust: 'low', content: reply },
  ];
  return said
    .map((each) => ({ ...each, content: each.content.slice(0, MAX_CONTENT_LENGTH).toWellFormed() }))
    .filter(({ content }) => content.trim() !== '');
}

/** `source` of the turns that the middleware remembers, and their session if the call names none. */
export const SOURCE = 'ai-sdk';
