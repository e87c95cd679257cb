import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { z } from 'zod';
import { InvalidInputError, ModelKeyError } from '../../errors/index.ts';
import type { Prompt } from '../../model/prompt.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { isServerAddress, SERVER_ADDRESS_RULE } from '../../util/server-address.ts';
import { anyChatModelBackend } from '../language-model/backends/any-chat-model.ts';
import type { ChatBackend } from '../language-model/backends/chat-backend.ts';
import { LOCAL_TIMEOUT_SECONDS, localBackend, OWN_CONTEXT_TOKENS } from '../language-model/backends/local.ts';
import { ollamaBackend } from '../language-model/backends/ollama.ts';
import { openAiBackend } from '../language-model/backends/openai.ts';
import { ChatLanguageModel, type ChatLanguageModelOptions } from '../language-model/chat-language-model.ts';
import type { ModelUsage } from '../language-model/tokens/usage-meter.ts';
import type { LanguageModel, ModelCallOptions, Strategy } from '../language-model.ts';
import { sharedModel } from '../llama/model-hosts.ts';
import { modelsFolderSchema } from './open-models.ts';

/** Providers with a ready configuration. */
export const MODEL_PROVIDERS = ['openai', 'openai-compatible', 'ollama', 'local'] as const;

/** Checked here because a key that cannot be sent in a header would fail each request with an unclear error. */
const KEY_RULE = 'it must be of ASCII characters without spaces';

const count = (most: number) => z.number().int().min(1).max(most).optional();

const languageModelSettingsSchema = z.strictObject({
  provider: z.enum(MODEL_PROVIDERS),
  /** The model's name at the provider; of `local` a name of `mnemis models list` or the path of a `.gguf` file. */
  model: z.string().trim().min(1).max(4096),
  /** Required for `openai-compatible`, such as `http://localhost:1234/v1`; the others have a default. */
  baseUrl: z.string().refine(isServerAddress, { error: SERVER_ADDRESS_RULE }).optional(),
  /** Kept in memory only. */
  apiKey: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, KEY_RULE)
    .optional(),
  /** Tokens that prompt and reply may have together; sent to Ollama, 8192 by default. */
  contextTokens: count(100_000_000),
  /** The most tokens of one reply. */
  replyTokens: count(1_000_000),
  /** Maximum of concurrent requests; 4 by default. */
  concurrency: count(256),
  requestsPerMinute: count(1_000_000),
  tokensPerMinute: count(1_000_000_000),
  /** Of the sampling, at temperature 0; 42 by default. */
  seed: z.number().int().min(0).max(2_147_483_647).optional(),
  /** For one request, its reply included; 120 by default, 600 for `local`. */
  timeoutSeconds: count(3600),
  /** Of `local`: holds a folder per model. Default: the command line's. */
  modelsFolder: modelsFolderSchema,
  /** Of `local`: import name of the package that runs the model. Default `node-llama-cpp`. */
  runtime: z.string().min(1).max(4096).optional(),
});

/**
 * Input of `createLanguageModel`: which model to use, where, and how fast. Unknown keys and values out of
 * bounds are refused (InvalidInputError, without the value). Only `provider` and `model` are always required.
 */
export type LanguageModelSettings = z.input<typeof languageModelSettingsSchema>;

type ParsedSettings = ReturnType<typeof languageModelSettingsSchema.parse>;

interface LanguageModelOptions extends Pick<ChatLanguageModelOptions, 'retry' | 'timing'> {
  /** What stands between the model and its server, such as a record of the replies. */
  readonly through?: ((backend: ChatBackend) => ChatBackend) | undefined;
}

/** Further requests would wait inside the model's process. */
const LOCAL_CONCURRENCY = 2;

/**
 * Creates a language model from settings, or from `local:` and the name or path of a model of this computer. Sends
 * and loads nothing: use `checkLanguageModel` to test the server.
 *
 * @throws InvalidInputError; ModelKeyError for OpenAI's own server without a key; of a local model UnknownNameError and
 *   ModelMissingError.
 */
export function createLanguageModel(
  settings: LanguageModelSettings | `local:${string}`,
  { through = (backend) => backend, ...options }: LanguageModelOptions = {},
): LanguageModel {
  const given =
    typeof settings === 'string' ? { provider: 'local', model: settings.replace(/^local:/, '') } : settings;
  const parsed = languageModelSettingsSchema.safeParse(given);
  if (!parsed.success)
    throw new InvalidInputError(
      `The language model's settings are not valid: ${describeIssues(parsed.error)}`,
    );
  const { provider, requestsPerMinute, tokensPerMinute, seed } = parsed.data;
  const isLocal = provider === 'local';
  const { timeoutSeconds = isLocal ? LOCAL_TIMEOUT_SECONDS : undefined } = parsed.data;
  const { concurrency = isLocal ? LOCAL_CONCURRENCY : undefined } = parsed.data;
  return new ChatLanguageModel(through(backendFor(parsed.data)), {
    ...options,
    seed,
    ...(isLocal ? { strategies: ['schema'] as const } : {}),
    concurrency,
    requestsPerMinute,
    tokensPerMinute,
    contextTokens: contextTokensOf(parsed.data),
    timeout: timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000,
  });
}

/** A language model on the caller's chat model. Create that one with `maxRetries: 0` and `temperature: 0`. */
export function languageModelFrom(
  chatModel: BaseChatModel,
  { name, ...options }: ChatLanguageModelOptions & { readonly name?: string } = {},
): LanguageModel {
  const backend = anyChatModelBackend(chatModel, name ?? `langchain:${chatModel._llmType()}`);
  return new ChatLanguageModel(backend, options);
}

function contextTokensOf({ provider, contextTokens }: ParsedSettings): number | null {
  return contextTokens ?? (provider === 'ollama' || provider === 'local' ? OWN_CONTEXT_TOKENS : null);
}

function backendFor(settings: ParsedSettings): ChatBackend {
  const { provider, model, baseUrl, apiKey, replyTokens, contextTokens = OWN_CONTEXT_TOKENS } = settings;
  if (provider === 'local') {
    const { modelsFolder, runtime } = settings;
    const { name, host } = sharedModel(model, { modelsFolder, contextTokens, runtime });
    return localBackend({ name, host, contextTokens, replyTokens });
  }
  if (provider === 'ollama') return ollamaBackend({ model, baseUrl, apiKey, replyTokens, contextTokens });
  if (provider === 'openai-compatible' && baseUrl === undefined)
    throw new InvalidInputError('An OpenAI-compatible server needs its base URL');
  if (provider === 'openai' && apiKey === undefined) throw new ModelKeyError(`openai:${model}`, 'missing');
  return openAiBackend({ provider, model, baseUrl, apiKey, replyTokens });
}

/** The result of `checkLanguageModel`. */
export interface LanguageModelReport {
  readonly model: string;
  /** The strategy whose answer fitted the schema. */
  readonly strategy: Strategy;
  /** Its first reply did not fit the schema and was repaired. */
  readonly repaired: boolean;
  /** The reply names what the prompt's text names. */
  readonly correct: boolean;
  /** Of the whole call, retries and repair included. */
  readonly milliseconds: number;
  readonly usage: ModelUsage;
}

const CITY = 'Oslo';

const PROMPT: Prompt<string, { city: string }> = {
  name: 'check-language-model',
  version: 1,
  schema: z.object({ city: z.string().describe('the city that the sentence names') }),
  render: (sentence) => ({ system: 'You read one sentence and name the city in it.', user: sentence }),
  expectedTokens: 32,
};

const QUESTION = `Last summer Nora moved to ${CITY}.`;
const names = (reply: string) => reply.toLowerCase().includes(CITY.toLowerCase());

/** As `checkLanguageModel`, of a model that gives no replies in a schema: it may still write answers. */
export async function checkProse(
  model: LanguageModel,
  options: ModelCallOptions = {},
): Promise<Pick<LanguageModelReport, 'model' | 'correct' | 'milliseconds'>> {
  const { text, milliseconds } = await model.text(PROMPT, QUESTION, options);
  return { model: model.name, correct: names(text), milliseconds };
}

/**
 * Asks one tiny question, to check whether the model answers, how, and at what cost.
 *
 * @throws what `LanguageModel.structured` throws.
 */
export async function checkLanguageModel(
  model: LanguageModel,
  options: ModelCallOptions = {},
): Promise<LanguageModelReport> {
  const reply = await model.structured(PROMPT, QUESTION, options);
  return {
    model: model.name,
    strategy: reply.strategy,
    repaired: reply.repaired,
    correct: names(reply.value.city),
    milliseconds: reply.milliseconds,
    usage: reply.usage,
  };
}
