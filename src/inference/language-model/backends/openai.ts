import { loadOptional } from '../../../errors/load-optional.ts';
import {
  type ChatBackend,
  type ChatRequest,
  collectStream,
  messagesOf,
  readMessage,
  UNSTREAMED,
} from './chat-backend.ts';
import type { OpenAiChatModel } from './openai-chat-model.ts';

const PACKAGES = '@langchain/openai @langchain/core';
const SEED = 42;
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
  { fixedSampling }: ChatRequest,
): Promise<OpenAiChatModel> {
  const { OpenAiChatModel } = await loadOptional(
    'A model of an OpenAI-compatible server',
    PACKAGES,
    () => import('./openai-chat-model.ts'),
  );
  return new OpenAiChatModel({
    model,
    apiKey: apiKey ?? NO_KEY,
    maxRetries: 0,
    configuration: { baseURL: baseUrl ?? OPENAI_BASE_URL, organization: null, project: null },
    ...(fixedSampling ? { temperature: 0 } : {}),
    ...(replyTokens === undefined ? {} : { maxTokens: replyTokens }),
  });
}

function callOptions({ form, fixedSampling, signal }: ChatRequest) {
  return { signal, ...UNSTREAMED, ...(fixedSampling ? { seed: SEED } : {}), ...formatOptions(form) };
}

function formatOptions(form: ChatRequest['form']) {
  if (form === null || form.strategy === 'plain') return {};
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
