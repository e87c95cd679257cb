import { ContextTooLongError, ModelProcessError, PackageMissingError } from '../../../errors/index.ts';
import { LLAMA_RUNTIME, type ModelHost } from '../../llama/model-host.ts';
import type { ChatBackend, ChatReply, ChatRequest } from './chat-backend.ts';

/** For one call: a model on a processor may read a long prompt for minutes. */
export const LOCAL_TIMEOUT_SECONDS = 600;
/** Of a model's context, where nobody says how many. */
export const OWN_CONTEXT_TOKENS = 8_192;

/** A model that does not stop would otherwise write until its context is full. */
const REPLY_TOKENS = 2_048;

interface LocalBackendOptions {
  /** As it is shown, such as `local:qwen3-4b`. */
  readonly name: string;
  readonly host: ModelHost;
  readonly contextTokens: number;
  readonly replyTokens?: number | undefined;
}

/** A model of a file, in a process of this computer. Replies are decoded under the grammar of their schema. */
export function localBackend({ name, host, contextTokens, replyTokens }: LocalBackendOptions): ChatBackend {
  const answer = async (request: ChatRequest, onText?: (piece: string) => void): Promise<ChatReply> => {
    const generated = {
      turns: [...request.turns],
      schema: request.form === null ? null : { ...request.form.shape.schema },
      temperature: 0,
      seed: request.seed ?? 0,
      mostTokens: replyTokens ?? Math.min(REPLY_TOKENS, Math.ceil(contextTokens / 2)),
      stops: [],
    };
    const reply = await host.generate(generated, request.signal, onText).catch(rethrow(name, contextTokens));
    const { text, reasoning, end, promptTokens, cachedPromptTokens, completionTokens } = reply;
    return {
      text,
      ...(reasoning === '' ? {} : { reasoning }),
      toolArguments: undefined,
      declined: null,
      truncated: end !== 'stop',
      usage: { promptTokens, cachedPromptTokens, completionTokens },
    };
  };
  return {
    name,
    isSmall: true,
    ask: (request) => answer(request),
    stream: answer,
    contextTokens: () => host.lastLoaded?.contextTokens ?? contextTokens,
    countTokens: (text) => host.countTokens(text).catch(rethrow(name, contextTokens)),
  };
}

/** A refusal as the error that callers of any model know. */
export function rethrow(name: string, contextTokens: number): (error: unknown) => never {
  return (error) => {
    if (ModelProcessError.isInstance(error) && error.fault === 'context')
      throw new ContextTooLongError(name, contextTokens);
    if (ModelProcessError.isInstance(error) && error.fault === 'runtime')
      throw new PackageMissingError(name, LLAMA_RUNTIME, { cause: error });
    throw error;
  };
}
