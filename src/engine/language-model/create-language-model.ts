import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { InvalidInputError, ModelKeyError } from '../../errors/index.ts';
import { anyChatModelBackend } from '../../inference/language-model/backends/any-chat-model.ts';
import type { ChatBackend } from '../../inference/language-model/backends/chat-backend.ts';
import { ollamaBackend } from '../../inference/language-model/backends/ollama.ts';
import { openAiBackend } from '../../inference/language-model/backends/openai.ts';
import {
  ChatLanguageModel,
  type ChatLanguageModelOptions,
} from '../../inference/language-model/chat-language-model.ts';
import type { LanguageModel } from '../../inference/language-model.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { type LanguageModelSettings, languageModelSettingsSchema } from './settings.ts';

type ParsedSettings = ReturnType<typeof languageModelSettingsSchema.parse>;

const OLLAMA_CONTEXT_TOKENS = 8192;

/**
 * A language model by its settings. Nothing is sent yet: whether the server is there, `checkLanguageModel` tells.
 *
 * @throws InvalidInputError, or ModelKeyError where OpenAI's own server is meant and there is no key.
 */
export function createLanguageModel(
  settings: LanguageModelSettings,
  options: Pick<ChatLanguageModelOptions, 'retry' | 'timing'> = {},
): LanguageModel {
  const parsed = languageModelSettingsSchema.safeParse(settings);
  if (!parsed.success)
    throw new InvalidInputError(
      `The language model's settings are not valid: ${describeIssues(parsed.error)}`,
    );
  const { timeoutSeconds, concurrency, requestsPerMinute, tokensPerMinute } = parsed.data;
  return new ChatLanguageModel(backendFor(parsed.data), {
    ...options,
    concurrency,
    requestsPerMinute,
    tokensPerMinute,
    contextTokens: contextTokensOf(parsed.data),
    timeout: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
  });
}

/** A language model on a chat model of the caller's own. Make that one with `maxRetries: 0` and `temperature: 0`. */
export function languageModelFrom(
  chatModel: BaseChatModel,
  { name, ...options }: ChatLanguageModelOptions & { readonly name?: string } = {},
): LanguageModel {
  const backend = anyChatModelBackend(chatModel, name ?? `langchain:${chatModel._llmType()}`);
  return new ChatLanguageModel(backend, options);
}

function contextTokensOf({ provider, contextTokens }: ParsedSettings): number | null {
  return contextTokens ?? (provider === 'ollama' ? OLLAMA_CONTEXT_TOKENS : null);
}

function backendFor(settings: ParsedSettings): ChatBackend {
  const { provider, model, baseUrl, apiKey, replyTokens, contextTokens = OLLAMA_CONTEXT_TOKENS } = settings;
  if (provider === 'ollama') return ollamaBackend({ model, baseUrl, apiKey, replyTokens, contextTokens });
  if (provider === 'openai-compatible' && baseUrl === undefined)
    throw new InvalidInputError('An OpenAI-compatible server needs its base URL');
  if (provider === 'openai' && apiKey === undefined) throw new ModelKeyError(`openai:${model}`, 'missing');
  return openAiBackend({ provider, model, baseUrl, apiKey, replyTokens });
}
