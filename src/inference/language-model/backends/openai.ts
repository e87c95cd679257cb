import type { ChatOpenAICompletions } from '@langchain/openai';
import { z } from 'zod';
import { loadOptional } from '../../../errors/load-optional.ts';
import { parseJson } from '../../../util/parse-json.ts';
import {
  type ChatBackend,
  type ChatRequest,
  collectStream,
  functionsOf,
  messagesOf,
  readMessage,
  UNSTREAMED,
} from './chat-backend.ts';
import { openAiChatModel } from './openai-chat-model.ts';

const PACKAGES = '@langchain/openai @langchain/core';
/** The client requires a key, and servers without keys must not get one from the environment. */
const NO_KEY = 'no-key';

interface OpenAiBackendOptions {
  readonly model: string;
  /** Ends in `/v1` as a rule; OpenAI's own by default. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The most tokens of a reply; the server's own limit by default. */
  readonly replyTokens?: number | undefined;
  /** Prefix of the model's name; `openai` by default. */
  readonly provider?: string | undefined;
}

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** OpenAI, or any server that speaks its chat completions: LM Studio, vLLM, llama.cpp and others. */
export function openAiBackend(options: OpenAiBackendOptions): ChatBackend {
  const name = `${options.provider ?? 'openai'}:${options.model}`;
  return {
    name,
    address: options.baseUrl ?? OPENAI_BASE_URL,
    cachesSchemas: true,
    callsTools: true,
    ask: async (request) => {
      const model = await createModel(options, request);
      return readMessage(await model.invoke(messagesOf(request), callOptions(request)));
    },
    stream: async (request, onText) => {
      const model = await createModel(options, request);
      const stream = await model.stream(messagesOf(request), callOptions(request));
      return collectStream(stream, { onText, statesFinishReason: true });
    },
  };
}

/** Created per request: it is cheap, and holds the key no longer than needed. */
async function createModel(
  { model, baseUrl, apiKey, replyTokens }: OpenAiBackendOptions,
  { seed }: ChatRequest,
): Promise<ChatOpenAICompletions> {
  const OpenAiChatModel = await loadOptional(
    'A model of an OpenAI-compatible server',
    PACKAGES,
    openAiChatModel,
  );
  return new OpenAiChatModel({
    model,
    apiKey: apiKey ?? NO_KEY,
    maxRetries: 0,
    configuration: {
      baseURL: baseUrl ?? OPENAI_BASE_URL,
      organization: null,
      project: null,
      fetch: fetchWithErrors,
    },
    ...(seed === null ? {} : { temperature: 0 }),
    ...(replyTokens === undefined ? {} : { maxTokens: replyTokens }),
  });
}

function callOptions({ form, tools, seed, signal }: ChatRequest) {
  return {
    ...{ signal, ...UNSTREAMED },
    ...(seed === null ? {} : { seed }),
    ...formatOptions(form),
    ...(tools === undefined
      ? {}
      : { tools: functionsOf(tools), tool_choice: tools.mayAsk ? ('auto' as const) : ('none' as const) }),
  };
}

function formatOptions(form: ChatRequest['form']) {
  if (form === null || form.strategy === 'plain') return {};
  if (form.strategy === 'json') return { response_format: { type: 'json_object' as const } };
  const { name, schema, strict } = form.shape;
  if (form.strategy === 'schema')
    return {
      response_format: { type: 'json_schema' as const, json_schema: { name, schema, strict } },
      strict,
    };
  const description = 'Takes the reply.';
  return {
    tools: [{ type: 'function' as const, function: { name, description, parameters: schema, strict } }],
    tool_choice: { type: 'function' as const, function: { name } },
  };
}

const words = z.string().min(1);
const errorSchema = z.looseObject({
  message: words.optional().catch(undefined),
  code: z.union([z.string(), z.number()]).nullish().catch(null),
});
const bodySchema = z.looseObject({
  choices: z.unknown().optional(),
  error: z.union([errorSchema, words]).nullish().catch(null),
  message: words.optional().catch(undefined),
  detail: z.unknown().optional(),
});
const LONGEST_ERROR = 4_000;

/**
 * Servers put the words of an error in several places, some of them under status 200; the client reads one place of a
 * failed reply only.
 */
async function fetchWithErrors(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (response.ok && !response.headers.get('content-type')?.includes('json')) return response;
  const body = await response.text();
  const error = errorIn(body, response.ok);
  if (error === null) return new Response(body, response);
  const { status, statusText, headers } = response;
  const code = Number(error.code);
  const failed = code >= 400 && code < 600 ? code : 500;
  return new Response(JSON.stringify({ error }), {
    status: response.ok ? failed : status,
    statusText,
    headers,
  });
}

function errorIn(body: string, isOk: boolean): z.infer<typeof errorSchema> | null {
  const json = parseJson(body);
  const { choices, error, message, detail } = bodySchema.safeParse(json.ok ? json.value : null).data ?? {};
  if (isOk && (!error || choices !== undefined)) return null;
  const stated = typeof error === 'string' ? { message: error } : (error ?? {});
  const other = detail === undefined ? body : JSON.stringify(detail);
  return { ...stated, message: (stated.message ?? message ?? other).slice(0, LONGEST_ERROR) };
}
