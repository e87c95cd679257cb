import type { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { z } from 'zod';
import type { Strategy } from '../../language-model.ts';
import type { ReplyShape } from '../reading/reply-shape.ts';

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatRequest {
  readonly turns: readonly ChatTurn[];
  /** The shape that the reply must have, and how to ask for it; null for prose. */
  readonly form: { readonly shape: ReplyShape; readonly strategy: Strategy } | null;
  /** Temperature 0 and a fixed seed, unless the model refuses to have them set. */
  readonly fixedSampling: boolean;
  readonly signal: AbortSignal;
}

interface ReportedUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedPromptTokens: number;
}

export interface ChatReply {
  readonly text: string;
  /** What a tool was called with: parsed, or as text where that failed; undefined without a call. */
  readonly toolArguments: Readonly<Record<string, unknown>> | string | undefined;
  readonly declined: 'model' | 'filter' | null;
  /** The limit of tokens ended the reply. */
  readonly truncated: boolean;
  /** Null where the provider does not tell. */
  readonly usage: ReportedUsage | null;
}

/**
 * One provider's way to be asked: a request goes out once, without retries, and what goes wrong is thrown as the
 * provider's library throws it. A fresh function per provider, so that keys stay out of what can be printed.
 */
export interface ChatBackend {
  /** Provider and model, such as `openai:gpt-5-mini`. */
  readonly name: string;
  /** Where its server is; undefined where only the library knows. Holds no secret. */
  readonly address?: string | undefined;
  readonly ask: (request: ChatRequest) => Promise<ChatReply>;
  readonly stream: (request: ChatRequest, onText: (piece: string) => void) => Promise<ChatReply>;
}

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

function finishReason({ response_metadata }: AIMessage | AIMessageChunk): string | null {
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

/** Thrown inside only: a stream ended before the reply did. */
class ReplyBrokenOff {}

/** Passes a stream's text on and gives the whole reply. */
export async function collectStream(
  stream: AsyncIterable<AIMessageChunk>,
  {
    onText,
    tellsItsEnd,
  }: { onText: (piece: string) => void /** The last chunk says why it is the last. */; tellsItsEnd: boolean },
): Promise<ChatReply> {
  const { concat } = await import('@langchain/core/utils/stream');
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) {
    whole = whole === undefined ? chunk : concat(whole, chunk);
    onText(textOf(chunk));
  }
  if (whole === undefined || (tellsItsEnd && finishReason(whole) === null)) throw new ReplyBrokenOff();
  return readMessage(whole);
}

/** Thrown inside only: a library read the reply itself and kept nothing of it, so that another way to ask is needed. */
export class ReplyThrownAway {}
