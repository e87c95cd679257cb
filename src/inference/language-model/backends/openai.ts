import type { ChatBackend, ChatRequest } from './chat-backend.ts';
import { collectStream, readMessage } from './chat-backend.ts';
import type { OpenAiChatModel } from './openai-chat-model.ts';

const SEED = 42;
/** Servers without keys want to see one all the same; a key from elsewhere must not go to them. */
const NO_KEY = 'no-key';

interface OpenAiBackendOptions {
  readonly model: string;
  /** Ends in `/v1` as a rule; OpenAI's own by default. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The most tokens of a reply; the server's own limit by default. */
  readonly replyTokens?: number | undefined;
  /** Stands before the model in its name; `openai` by default. */
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
      return collectStream(stream, { onText, tellsItsEnd: true });
    },
  };
}

/** Made per request: it is cheap, and holds the key no longer than needed. */
async function createModel(
  { model, baseUrl, apiKey, replyTokens }: OpenAiBackendOptions,
  { fixedSampling }: ChatRequest,
): Promise<OpenAiChatModel> {
  const { OpenAiChatModel } = await import('./openai-chat-model.ts');
  return new OpenAiChatModel({
    model,
    apiKey: apiKey ?? NO_KEY,
    maxRetries: 0,
    configuration: { baseURL: baseUrl ?? OPENAI_BASE_URL, organization: null, project: null },
    ...(fixedSampling ? { temperature: 0 } : {}),
    ...(replyTokens === undefined ? {} : { maxTokens: replyTokens }),
  });
}

function messagesOf({ turns }: ChatRequest): { role: string; content: string }[] {
  return turns.map(({ role, content }) => ({ role, content }));
}

function callOptions({ form, fixedSampling, signal }: ChatRequest) {
  return { signal, ...(fixedSampling ? { seed: SEED } : {}), ...formatOptions(form) };
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
