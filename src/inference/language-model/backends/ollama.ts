import type { ChatOllama } from '@langchain/ollama';
import { loadOptional } from '../../../errors/load-optional.ts';
import {
  type ChatBackend,
  type ChatRequest,
  collectStream,
  functionsOf,
  messagesOf,
  UNSTREAMED,
} from './chat-backend.ts';

const PACKAGES = '@langchain/ollama @langchain/core';
/** A model that does not stop would otherwise generate until its deadline. */
const REPLY_TOKENS = 4096;

interface OllamaBackendOptions {
  readonly model: string;
  readonly baseUrl?: string | undefined;
  /** For a server behind a proxy that wants one. */
  readonly apiKey?: string | undefined;
  /** Ollama silently cuts longer prompts, and its own default is small. */
  readonly contextTokens: number;
  readonly replyTokens?: number | undefined;
}

export const OLLAMA_BASE_URL = 'http://127.0.0.1:11434';

/** A model of an Ollama server, by its native protocol: the OpenAI-compatible one cannot set the context. */
export function ollamaBackend(options: OllamaBackendOptions): ChatBackend {
  const answer = async (request: ChatRequest, onText: (piece: string) => void) => {
    const model = await createModel(options, request);
    const stream = await model.stream(messagesOf(request), { ...UNSTREAMED, ...formatOptions(request) });
    return collectStream(stream, { onText, statesFinishReason: true });
  };
  return {
    name: `ollama:${options.model}`,
    address: options.baseUrl ?? OLLAMA_BASE_URL,
    callsTools: true,
    ask: (request) => answer(request, () => undefined),
    stream: answer,
  };
}

/** One per request, because the class passes on no signal and, if cancelled, aborts all its requests. */
async function createModel(
  options: OllamaBackendOptions,
  { seed, signal }: ChatRequest,
): Promise<ChatOllama> {
  const { ChatOllama } = await loadOptional('A model of Ollama', PACKAGES, () => import('@langchain/ollama'));
  return new ChatOllama({
    model: options.model,
    baseUrl: options.baseUrl ?? OLLAMA_BASE_URL,
    numCtx: options.contextTokens,
    numPredict: options.replyTokens ?? Math.min(REPLY_TOKENS, Math.ceil(options.contextTokens / 2)),
    maxRetries: 0,
    fetch: ollamaFetch(signal),
    ...(options.apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${options.apiKey}` } }),
    ...(seed === null ? {} : { temperature: 0, seed }),
  });
}

function formatOptions({ form, tools }: ChatRequest) {
  // It knows no choice of tools: to end their use is to offer none.
  if (tools?.mayAsk === true) return { tools: functionsOf(tools) };
  if (form === null || form.strategy === 'plain') return {};
  if (form.strategy === 'json') return { format: 'json' as const };
  const { name, schema } = form.shape;
  if (form.strategy === 'schema') return { format: schema };
  const description = 'Takes the reply.';
  return { tools: [{ type: 'function' as const, function: { name, description, parameters: schema } }] };
}

/** A reply with an error status, in the form that `classifyFailure` reads. */
interface StatusFailure {
  readonly status: number;
  readonly message: string;
  readonly headers: Headers;
}

const LONGEST_ERROR = 4_000;

/**
 * Adds to Ollama's client what it lacks: every request ends with the signal, an error status keeps its
 * headers (`retry-after`), and a line that is not JSON fails the reply instead of being printed.
 */
function ollamaFetch(signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal });
    if (!response.ok) {
      const message = (await response.text().catch(() => '')).slice(0, LONGEST_ERROR);
      throw { status: response.status, message, headers: response.headers } satisfies StatusFailure;
    }
    if (response.body === null) return response;
    return new Response(response.body.pipeThrough(onlyJsonLines()), response);
  };
}

/** Passes bytes through, and fails at the first complete line that is not JSON. */
function onlyJsonLines(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) JSON.parse(line);
      controller.enqueue(chunk);
    },
    flush() {
      if (rest !== '') JSON.parse(rest);
    },
  });
}
