import { OLLAMA_BASE_URL } from '../src/inference/language-model/backends/ollama.ts';
import { OPENAI_BASE_URL } from '../src/inference/language-model/backends/openai.ts';
import type { LanguageModel } from '../src/inference/language-model.ts';
import type { createLanguageModel } from '../src/inference/models/create-language-model.ts';
import type { Config } from './config.ts';
import { InvalidSettingError } from './errors.ts';
import { llamaRuntime } from './llama-runtime.ts';
import { MODEL_KEY_VARIABLE, originOf, storedKeys } from './model-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const ADDRESSES: Partial<Record<Config['llmProvider'], string>> = {
  openai: OPENAI_BASE_URL,
  ollama: OLLAMA_BASE_URL,
};

/** The address that requests to a provider go to; undefined if it has no default and none is set. */
export const endpointAddress = (provider: Config['llmProvider'], baseUrl: string | undefined) =>
  baseUrl ?? ADDRESSES[provider];

/**
 * The key of the language model's server: of the environment, else the one that was stored for its address.
 * OPENAI_API_KEY is sent only to OpenAI's own server.
 */
export function modelKeyFrom(environment: Environment, config: Config): string | undefined {
  const own = environment[MODEL_KEY_VARIABLE]?.trim();
  if (own) return own;
  const address = endpointAddress(config.llmProvider, config.llmBaseUrl);
  const stored = address === undefined ? undefined : storedKeys(environment)[originOf(address)];
  if (stored !== undefined) return stored;
  const shared = config.llmProvider === 'openai' && config.llmBaseUrl === undefined;
  return (shared && environment.OPENAI_API_KEY?.trim()) || undefined;
}

/** Opens the language model of the settings, and loads its libraries only then. */
export async function configuredLanguageModel(
  config: Config,
  environment: Environment,
  { seed, ...options }: Parameters<typeof createLanguageModel>[1] & { readonly seed?: number } = {},
): Promise<LanguageModel> {
  const { llmProvider, llmModel, llmBaseUrl } = config;
  if (llmProvider === 'none')
    throw new InvalidSettingError(
      'No language model is set: llmProvider is none. Name one with flags (--llm-provider ollama --llm-model qwen3, or --llm-model local:qwen3-4b-instruct) or with the settings llmProvider and llmModel',
    );
  if (llmModel === undefined)
    throw new InvalidSettingError(
      `llmProvider is ${llmProvider}, but llmModel is not set; name it with --llm-model`,
    );
  if (llmProvider === 'openai-compatible' && llmBaseUrl === undefined)
    throw new InvalidSettingError(
      'llmProvider is openai-compatible, but llmBaseUrl is not set; name it with --llm-base-url, such as http://localhost:1234/v1',
    );
  const apiKey = modelKeyFrom(environment, config);
  if (llmProvider === 'openai' && apiKey === undefined)
    throw new InvalidSettingError(
      llmBaseUrl === undefined
        ? `llmProvider is openai, but no key is set; store one in the settings of the app, or set ${MODEL_KEY_VARIABLE} or OPENAI_API_KEY in the environment`
        : `llmProvider is openai, but no key is set; store one in the settings of the app, or set ${MODEL_KEY_VARIABLE} in the environment (OPENAI_API_KEY is sent to OpenAI’s own server only, and llmBaseUrl names another)`,
    );
  const settings = {
    provider: llmProvider,
    model: llmModel,
    baseUrl: llmBaseUrl,
    apiKey,
    contextTokens: config.llmContextTokens,
    concurrency: config.llmConcurrency,
    requestsPerMinute: config.llmRequestsPerMinute,
    tokensPerMinute: config.llmTokensPerMinute,
    timeoutSeconds: config.llmTimeoutSeconds,
    modelsFolder: config.modelsFolder,
    runtime: llamaRuntime(environment),
    seed,
  };
  const { createLanguageModel: create } = await import('../src/inference/models/create-language-model.ts');
  return create(settings, options);
}
