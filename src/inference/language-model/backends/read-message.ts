import type { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { z } from 'zod';
import type { ChatReply, ReportedUsage } from './chat-backend.ts';

const usageSchema = z.object({
  input_tokens: z.number().nonnegative(),
  // LangChain leaves a zero out.
  output_tokens: z.number().nonnegative().default(0),
  input_token_details: z.object({ cache_read: z.number().nullish() }).nullish(),
});

const metadataSchema = z
  .looseObject({
    finish_reason: z.string().nullish(),
    done_reason: z.string().nullish(),
    stop_reason: z.string().nullish(),
  })
  .catch({});

const extrasSchema = z
  .looseObject({ refusal: z.string().nullish(), raw_tool_arguments: z.string().nullish() })
  .catch({});

const LENGTH = ['length', 'max_tokens'];
const FILTER = ['content_filter', 'refusal', 'safety'];

/** What of a provider's message matters here. */
export function readMessage(message: AIMessage | AIMessageChunk): ChatReply {
  const finish = finishReason(message) ?? '';
  const extras = extrasSchema.parse(message.additional_kwargs);
  return {
    text: textOf(message),
    toolArguments: extras.raw_tool_arguments ?? toolArgumentsOf(message),
    declined: extras.refusal ? 'model' : FILTER.includes(finish) ? 'filter' : null,
    truncated: LENGTH.includes(finish),
    usage: usageOf(message),
  };
}

export function finishReason({ response_metadata }: AIMessage | AIMessageChunk): string | null {
  const { finish_reason, done_reason, stop_reason } = metadataSchema.parse(response_metadata);
  return (finish_reason ?? done_reason ?? stop_reason)?.toLowerCase() ?? null;
}

/** Content comes as one text or in blocks; what a block of thought says is no part of the reply. */
export function textOf({ content }: AIMessage | AIMessageChunk): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => ('text' in block && typeof block.text === 'string' ? block.text : ''))
    .join('');
}

/** A streamed call is read from its text: LangChain's own reading of one that was cut looks whole. */
function toolArgumentsOf(message: AIMessage | AIMessageChunk): ChatReply['toolArguments'] {
  const written = 'tool_call_chunks' in message ? message.tool_call_chunks?.[0]?.args : undefined;
  if (written) return written;
  const [call] = message.tool_calls ?? [];
  if (call !== undefined) return call.args;
  return message.invalid_tool_calls?.[0]?.args ?? undefined;
}

/** A prompt of no tokens is none that was counted. */
function usageOf({ usage_metadata }: AIMessage | AIMessageChunk): ReportedUsage | null {
  const usage = usageSchema.safeParse(usage_metadata).data;
  if (usage === undefined || usage.input_tokens === 0) return null;
  return {
    promptTokens: usage.input_tokens,
    completionTokens: usage.output_tokens,
    cachedPromptTokens: usage.input_token_details?.cache_read ?? 0,
  };
}
