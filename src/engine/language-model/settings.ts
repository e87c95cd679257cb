import { z } from 'zod';

/** Servers that there is a ready configuration for. */
export const MODEL_PROVIDERS = ['openai', 'openai-compatible', 'ollama'] as const;
export type ModelProvider = (typeof MODEL_PROVIDERS)[number];

/** An http address, without a user, a password or a query: what belongs to the key would be shown with the settings. */
export function isServerAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return false;
  return url.username + url.password + url.search + url.hash === '';
}

export const SERVER_ADDRESS_RULE =
  'it must be an http or https address without a user, a password or a query';

/** What no header can carry would fail each request, in words that say nothing of the key. */
const KEY_RULE = 'it must be of ASCII characters without spaces';

const count = (most: number) => z.number().int().min(1).max(most).optional();

export const languageModelSettingsSchema = z.strictObject({
  provider: z.enum(MODEL_PROVIDERS),
  /** The model's name at the provider. */
  model: z.string().trim().min(1).max(200),
  /** Needed for `openai-compatible`, such as `http://localhost:1234/v1`; the others have one of their own. */
  baseUrl: z.string().refine(isServerAddress, { error: SERVER_ADDRESS_RULE }).optional(),
  /** Kept in memory only. */
  apiKey: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, KEY_RULE)
    .optional(),
  /** Tokens that prompt and reply may have together; Ollama is told, and gets 8192 by default. */
  contextTokens: count(100_000_000),
  /** The most tokens of one reply. */
  replyTokens: count(1_000_000),
  /** Requests under way at once; 4 by default. */
  concurrency: count(256),
  requestsPerMinute: count(1_000_000),
  tokensPerMinute: count(1_000_000_000),
  /** For one request, its reply included; 120 by default. */
  timeoutSeconds: count(3600),
});

/**
 * Which model to ask, where, and how fast: input of `createLanguageModel`, which refuses unknown keys and values out
 * of bounds (InvalidInputError, without the value). Only `provider` and `model` are always needed.
 */
export type LanguageModelSettings = z.input<typeof languageModelSettingsSchema>;
