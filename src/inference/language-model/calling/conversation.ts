import type { RenderedPrompt } from '../../../model/prompt.ts';
import { type Strategy, sendsSchema } from '../../language-model.ts';
import type { ChatReply, ChatTurn } from '../backends/chat-backend.ts';
import type { ReplyShape } from '../reading/reply-shape.ts';

/** Characters of a wrong reply that are quoted to the model. */
const LONGEST_QUOTE = 20_000;

/** The turns of a prompt; where no schema goes with them, the instructions contain it. */
export function openConversation(
  { system, user, images = [] }: RenderedPrompt,
  form: { readonly shape: ReplyShape; readonly strategy: Strategy } | null,
): ChatTurn[] {
  const isSaid = form !== null && !sendsSchema(form.strategy);
  const instructions = isSaid ? `${system}\n\n${describeSchema(form.shape)}` : system;
  return [
    { role: 'system', content: instructions },
    { role: 'user', content: user, ...(images.length > 0 && { images }) },
  ];
}

interface FailedReply {
  readonly reply: ChatReply;
  readonly issues: readonly string[];
  readonly fault: 'nothing' | 'syntax' | 'content';
}

/**
 * The turns that ask the model to correct a reply. Broken JSON can be repaired without the prompt's text;
 * content that does not fit the schema needs that text, which is therefore sent again.
 */
export function repairConversation(
  first: readonly ChatTurn[],
  { reply, issues, fault }: FailedReply,
  shape: ReplyShape,
): ChatTurn[] {
  const quote = quoteOf(reply);
  if (fault === 'syntax')
    return [
      {
        role: 'system',
        content: `You mend broken JSON. Change its form only, never what it says.\n\n${describeSchema(shape)}`,
      },
      { role: 'user', content: quote },
    ];
  if (fault === 'nothing')
    return [
      ...first,
      { role: 'user', content: 'Your reply was empty of JSON. Reply with the JSON object alone.' },
    ];
  const complaint = `That reply does not fit:\n${issues.map((issue) => `- ${issue}`).join('\n')}\nReply with the whole corrected JSON object alone.`;
  return [...first, { role: 'assistant', content: quote }, { role: 'user', content: complaint }];
}

function describeSchema(shape: ReplyShape): string {
  return `Reply with one JSON object and nothing else. It follows this JSON Schema:\n${JSON.stringify(shape.schema)}`;
}

function quoteOf({ toolArguments, text }: ChatReply): string {
  const said = typeof toolArguments === 'object' ? JSON.stringify(toolArguments) : (toolArguments ?? text);
  return said.slice(0, LONGEST_QUOTE);
}
