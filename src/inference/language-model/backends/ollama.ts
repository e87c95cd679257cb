import type { ChatOllama } from '@langchain/ollama';
import type { ChatBackend, ChatRequest } from './chat-backend.ts';
import { collectStream } from './collect-stream.ts';
import { ollamaFetch } from './ollama-fetch.ts';

const SEED = 42;
/** A model that does not stop would otherwise write until its deadline. */
const REPLY_TOKENS = 4096;

export interface OllamaBackendOptions {
  readonly model: string;
  readonly baseUrl?: string | undefined;
  /** For a server behind a proxy that wants one. */
  readonly apiKey?: string | undefined;
  /** Ollama cuts what is longer, without a word, and its own default is small. */
  readonly contextTokens: number;
  readonly replyTokens?: number | undefined;
}

export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434';

/** A model of an Ollama server, by its native protocol: the OpenAI-compatible one cannot set the context. */
export function ollamaBackend(options: OllamaBackendOptions): ChatBackend {
  const answer = async (request: ChatRequest, onText: (piece: string) => void) => {
    const model = await createModel(options, request);
    const stream = await model.stream(messagesOf(request), formatOptions(request));
    return collectStream(stream, { onText, tellsItsEnd: true });
  };
  return {
    name: `ollama:${options.model}`,
    address: options.baseUrl ?? OLLAMA_BASE_URL,
    ask: (request) => answer(request, () => undefined),
    stream: answer,
  };
}

/** One per request, because the class passes no signal on and, cancelled, would break off every request it has. */
async function createModel(
  options: OllamaBackendOptions,
  { fixedSampling, signal }: ChatRequest,
): Promise<ChatOllama> {
  const { ChatOllama } = await import('@langchain/ollama');
  return new ChatOllama({
    model: options.model,
    baseUrl: options.baseUrl ?? OLLAMA_BASE_URL,
    numCtx: options.contextTokens,
    numPredict: options.replyTokens ?? Math.min(REPLY_TOKENS, Math.ceil(options.contextTokens / 2)),
    maxRetries: 0,
    fetch: ollamaFetch(signal),
    ...(options.apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${options.apiKey}` } }),
    ...(fixedSampling ? { temperature: 0, seed: SEED } : {}),
  });
}

function messagesOf({ turns }: ChatRequest): { role: string; content: string }[] {
  return turns.map(({ role, content }) => ({ role, content }));
}

function formatOptions({ form }: ChatRequest) {
  if (form === null || form.strategy === 'plain') return {};
  const { name, schema } = form.shape;
  if (form.strategy === 'schema') return { format: schema };
  const description = 'Takes the reply.';
  return { tools: [{ type: 'function' as const, function: { name, description, parameters: schema } }] };
}
