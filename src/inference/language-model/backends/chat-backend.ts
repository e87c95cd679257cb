import type { AIMessage, AIMessageChunk, BaseMessageLike } from '@langchain/core/messages';
import { z } from 'zod';
import type { PromptImage } from '../../../model/prompt.ts';
import { parseJson } from '../../../util/parse-json.ts';
import type { Strategy, ToolRequest, ToolUse } from '../../language-model.ts';
import type { ReplyShape } from '../reading/reply-shape.ts';

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Stand before the content. */
  readonly images?: readonly PromptImage[];
}

export interface ChatRequest {
  readonly turns: readonly ChatTurn[];
  /** The shape that the reply must have, and how to ask for it; null for prose. */
  readonly form: { readonly shape: ReplyShape; readonly strategy: Strategy } | null;
  /** Only for a backend that calls tools. */
  readonly tools?: ToolUse | undefined;
  /** At temperature 0; null where the model refuses to have both set. */
  readonly seed: number | null;
  readonly signal: AbortSignal;
}

interface ReportedUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedPromptTokens: number;
}

export interface ChatReply {
  readonly text: string;
  /** What the server sent as the model's reasoning, apart from the text. */
  readonly reasoning?: string | undefined;
  /** The arguments of the tool call: parsed, or as text if that failed; undefined without a call. */
  readonly toolArguments: Readonly<Record<string, unknown>> | string | undefined;
  /** Tools that the model asks for. */
  readonly requests?: readonly ToolRequest[];
  readonly declined: 'model' | 'filter' | null;
  /** The limit of tokens ended the reply. */
  readonly truncated: boolean;
  /** Null if the provider does not report it. */
  readonly usage: ReportedUsage | null;
}

/**
 * Sends requests to one provider. Each request is sent once, without retries; errors are thrown as the
 * provider's library throws them. Its functions close over the key, so that printing a backend does not show
 * it.
 */
export interface ChatBackend {
  /** Provider and model, such as `openai:gpt-5-mini`. */
  readonly name: string;
  /** The server's address, without secrets; undefined if only the library knows it. */
  readonly address?: string | undefined;
  /** Whether prompts give it instructions in fewer words, where they have them. */
  readonly isSmall?: boolean;
  readonly ask: (request: ChatRequest) => Promise<ChatReply>;
  readonly stream: (request: ChatRequest, onText: (piece: string) => void) => Promise<ChatReply>;
  /** Whether it takes the tools of a request. Default false. */
  readonly callsTools?: boolean;
  /** Whether a new schema of a reply costs its first request more. Default false. */
  readonly cachesSchemas?: boolean;
  /** The tokens of prompt and reply together, where the model itself says it. */
  readonly contextTokens?: () => number | null;
  /** Counts tokens exactly. */
  readonly countTokens?: (text: string) => Promise<number>;
}

/**
 * Options of a call whose tokens no graph around it shows as its messages: they are prompts of memory, or an answer
 * whose citations are not numbered yet. LangGraph and its server read different tags.
 */
export const UNSTREAMED = { tags: ['langsmith:nostream', 'nostream'] };

/**
 * The turns of a request, then what tools were asked for and replied. Images are in the form that LangChain's models of
 * every provider read: URLs with the data in them.
 */
export function messagesOf({ turns, tools }: ChatRequest): BaseMessageLike[] {
  const rounds = (tools?.rounds ?? []).flatMap(({ text, requests, results }) => [
    {
      role: 'assistant',
      content: text,
      tool_calls: requests.map(({ id, name, arguments: args }) => ({
        ...{ id, name, args: args ?? {} },
        type: 'tool_call' as const,
      })),
    },
    ...requests.map(({ id }, at) => ({ role: 'tool', content: results[at] ?? '', tool_call_id: id })),
  ]);
  return [...turns.map(messageOf), ...rounds];
}

function messageOf({ role, content, images = [] }: ChatTurn): BaseMessageLike {
  if (images.length === 0) return { role, content };
  const shown = images.map(({ type, data }) => ({
    type: 'image_url' as const,
    image_url: { url: `data:${type};base64,${data}` },
  }));
  return { role, content: [...shown, { type: 'text' as const, text: content }] };
}

/** The tools of a request, in the form that OpenAI's and Ollama's protocols share. */
export function functionsOf({ offered }: ToolUse) {
  return offered.map(({ name, description, input }) => ({
    type: 'function' as const,
    function: { name, description, parameters: { ...input } },
  }));
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
  .looseObject({
    refusal: z.string().nullish(),
    raw_tool_arguments: z.string().nullish(),
    reasoning_content: z.string().nullish(),
  })
  .catch({});

const LENGTH = ['length', 'max_tokens'];
const FILTER = ['content_filter', 'refusal', 'safety'];

export function readMessage(message: AIMessage | AIMessageChunk): ChatReply {
  const finish = finishReason(message) ?? '';
  const extras = extrasSchema.parse(message.additional_kwargs);
  return {
    text: textOf(message),
    ...(extras.reasoning_content ? { reasoning: extras.reasoning_content } : {}),
    toolArguments: extras.raw_tool_arguments ?? toolArgumentsOf(message),
    requests: requestsOf(message),
    declined: extras.refusal ? 'model' : FILTER.includes(finish) ? 'filter' : null,
    truncated: LENGTH.includes(finish),
    usage: usageOf(message),
  };
}

function finishReason({ response_metadata }: AIMessage | AIMessageChunk): string | null {
  const { finish_reason, done_reason, stop_reason } = metadataSchema.parse(response_metadata);
  return (finish_reason ?? done_reason ?? stop_reason)?.toLowerCase() ?? null;
}

/** Content is one text or a list of blocks; blocks of reasoning are not part of the reply. */
export function textOf({ content }: AIMessage | AIMessageChunk): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => ('text' in block && typeof block.text === 'string' ? block.text : ''))
    .join('');
}

/** A streamed call is read from its text: LangChain's own parsing of one that was cut looks complete. */
function toolArgumentsOf(message: AIMessage | AIMessageChunk): ChatReply['toolArguments'] {
  const written = 'tool_call_chunks' in message ? message.tool_call_chunks?.[0]?.args : undefined;
  if (written) return written;
  const [call] = message.tool_calls ?? [];
  if (call !== undefined) return call.args;
  return message.invalid_tool_calls?.[0]?.args ?? undefined;
}

/** Arguments are read whole: those that were cut are null. */
function requestsOf(message: AIMessage | AIMessageChunk): ToolRequest[] {
  const written = 'tool_call_chunks' in message ? (message.tool_call_chunks ?? []) : [];
  const calls =
    written.length > 0
      ? written.map(({ args, ...call }) => ({ ...call, args: objectIn(args ?? '') }))
      : (message.tool_calls ?? []);
  return calls.map(({ id, name, args }, at) => ({
    id: id || `call-${at + 1}`,
    name: name ?? '',
    arguments: args,
  }));
}

function objectIn(text: string): ToolRequest['arguments'] {
  const read = parseJson(text.trim() === '' ? '{}' : text);
  return z.record(z.string(), z.unknown()).safeParse(read.ok ? read.value : null).data ?? null;
}

/** Zero prompt tokens mean that the provider did not count. */
function usageOf({ usage_metadata }: AIMessage | AIMessageChunk): ReportedUsage | null {
  const usage = usageSchema.safeParse(usage_metadata).data;
  if (usage === undefined || usage.input_tokens === 0) return null;
  return {
    promptTokens: usage.input_tokens,
    completionTokens: usage.output_tokens,
    cachedPromptTokens: usage.input_token_details?.cache_read ?? 0,
  };
}

/** Internal: a stream ended before the reply did. */
class ReplyBrokenOff {}

interface StreamOptions {
  readonly onText: (piece: string) => void;
  /** The last chunk states a finish reason; without one, the stream ended early. */
  readonly statesFinishReason: boolean;
}

/** Passes on a stream's text and returns the whole reply. */
export async function collectStream(
  stream: AsyncIterable<AIMessageChunk>,
  { onText, statesFinishReason }: StreamOptions,
): Promise<ChatReply> {
  const { concat } = await import('@langchain/core/utils/stream');
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) {
    whole = whole === undefined ? chunk : concat(whole, chunk);
    onText(textOf(chunk));
  }
  if (whole === undefined || (statesFinishReason && finishReason(whole) === null)) throw new ReplyBrokenOff();
  return readMessage(whole);
}

/** Internal: a library parsed the reply itself and discarded it, so that another strategy is needed. */
export class ReplyThrownAway {}
