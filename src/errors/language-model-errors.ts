import { defineError } from './mnemis-error.ts';

/** Why a request to a language model got no reply. Each reason may be temporary, so the request is retried first. */
export type UnavailableReason = 'unreachable' | 'rate-limited' | 'server-error' | 'timeout' | 'broken-reply';

const WORDS: Readonly<Record<UnavailableReason, string>> = {
  unreachable: 'cannot be reached; start it, or check the base URL',
  'rate-limited': 'rejects further requests for now; wait, or lower the concurrency',
  'server-error': 'reports an internal error; wait, or check its log',
  timeout: 'does not answer in time; raise the timeout, or use a smaller model',
  'broken-reply':
    'sends incomplete or invalid replies; check the base URL, its log, and any proxy in between',
};

/** Describes the last of several failed attempts to reach a language model. */
export interface Unavailability {
  readonly reason: UnavailableReason;
  /** HTTP status of the last reply, if there was one. */
  readonly status: number | null;
  /** Number of requests made, from 1. */
  readonly attempts: number;
  /** The system's or runtime's code of the connection failure, such as ECONNREFUSED. */
  readonly systemCode?: string | null;
  /** The server's address without credentials. */
  readonly address?: string | undefined;
  /** The wait that the server asked for, in milliseconds, if any. */
  readonly retryAfter: number | null;
}

/** A language model gave no reply after all retries. */
export class ModelUnavailableError extends defineError(
  'model-unavailable',
  (model: string, unavailability: Unavailability) => {
    const { reason, status, attempts, retryAfter, address, systemCode = null } = unavailability;
    const detail = [
      ...(status === null ? [] : [`status ${status}`]),
      ...(systemCode === null ? [] : [systemCode]),
      attempts === 1 ? 'one attempt' : `${attempts} attempts`,
    ].join(', ');
    const place = address === undefined ? '' : ` at ${address}`;
    return {
      message: `The server of ${model}${place} ${WORDS[reason]} (${detail}). What was done before is kept.`,
      reason,
      status,
      attempts,
      retryAfter,
      systemCode,
    };
  },
) {}

/** A permanent rejection of a request: retrying does not help. */
export interface RequestRefusal {
  /** HTTP status; null if the client library rejected the request before sending it. */
  readonly status: number | null;
  /** The provider's error code, if it is a code and not prose. */
  readonly providerCode: string | null;
  /** The likely subject of the rejection. */
  readonly about: 'reply-format' | 'schema' | 'sampling' | 'other';
}

/** A language model's server rejects this request permanently. */
export class ModelRequestRefusedError extends defineError(
  'model-request-refused',
  (model: string, { status, providerCode, about }: RequestRefusal) => {
    const detail = [status, providerCode].filter((part) => part !== null).join(', ');
    return {
      message: `The server of ${model} refused a request${detail === '' ? '' : ` (${detail})`}. What was done before is kept; "mnemis llm check" checks the model and its settings.`,
      status,
      providerCode,
      about,
    };
  },
) {}

/** A language model's server requires a key that is missing, or rejected the given one. */
export class ModelKeyError extends defineError(
  'model-key',
  (model: string, problem: 'missing' | 'refused', status: number | null = null) => {
    const what =
      problem === 'missing'
        ? `${model} needs a key, and none is set`
        : `The server of ${model} refused the key, or this key may not use the model${status === null ? '' : ` (${status})`}`;
    return {
      message: `${what}. What was done before is kept; set MNEMIS_LLM_API_KEY${model.startsWith('openai:') ? ' (for OpenAI’s own server OPENAI_API_KEY works too)' : ''} in the environment, or apiKey in the settings given from code.`,
      status,
      reason: problem,
    };
  },
) {}

/** The account at a language model's provider has no quota left; waiting does not help. */
export class ModelQuotaError extends defineError('model-quota', (model: string) => ({
  message: `The account that pays for ${model} has no quota left. What was done before is kept; add credit at the provider, then run it again.`,
})) {}

/** The hub provides a model only to accounts that accepted its licence, or has no such model. */
export class ModelAccessError extends defineError('model-access', (repository: string, status: number) => ({
  message: `The hub refused access to ${repository} (HTTP ${status}). Accept its licence there and set the environment variable HF_TOKEN to a token of that account (a mirror never receives it), or check that the repository exists. Completely fetched files are kept.`,
})) {}

/** A language model, or its provider's filter, declined to answer a prompt. */
export class ModelDeclinedError extends defineError(
  'model-declined',
  (model: string, by: 'model' | 'filter') => ({
    message: `${by === 'model' ? model : `The content filter of ${model}`} declined to answer. What was done before is kept; leave this text out, or use another model.`,
    by,
  }),
) {}

/** Which reply did not fit which schema, and where; never contains text of the reply. */
export interface MalformedReplyDetails {
  /** Provider and model, such as `ollama:qwen3`. */
  readonly model: string;
  /** Name of the prompt. */
  readonly prompt: string;
  /** The schema's objections: places and rules, never the reply's text. */
  readonly issues: readonly string[];
  /** The token limit cut the reply short: a smaller request may help, a repetition does not. */
  readonly truncated: boolean;
}

/** A language model's reply does not fit the prompt's schema, and the repair round did not help. */
export class MalformedReplyError extends defineError(
  'malformed-reply',
  ({ model, prompt, issues, truncated }: MalformedReplyDetails) => {
    const why = truncated ? 'was cut short' : 'does not fit its schema';
    return {
      message: `The reply of ${model} to the prompt "${prompt}" ${why} (${issues.slice(0, 3).join('; ')}). What was done before is kept; ${truncated ? 'give it less text at once' : 'run it again, or use a more capable model'}.`,
      prompt,
      issues,
      truncated,
    };
  },
) {}

/** Prompt and reply do not fit into the model's context; the caller may split its input. */
export class ContextTooLongError extends defineError(
  'context-too-long',
  (model: string, contextTokens: number | null) => ({
    message: `A prompt exceeds the context of ${model}${contextTokens === null ? '' : ` (${contextTokens} tokens)`}. What was done before is kept; give it less text, or set a larger context if the model supports one.`,
  }),
) {}

/** The token budget of a run does not cover its next model call. */
export class BudgetExhaustedError extends defineError('budget-exhausted', (limit: number, spent: number) => ({
  message: `The token budget is used up: ${spent} of ${limit} tokens are spent, and the next call does not fit. What was done before is kept; run it again with a new budget to continue.`,
  limit,

  /** Tokens spent by the run when this call was rejected; calls in flight may still add to it. */
  spent,
})) {}

/** A retrieval route exceeded its time limit; the search continues without it. */
export class RouteLateError extends defineError('route-late', (milliseconds: number) => ({
  message: `A retrieval route exceeded its limit of ${milliseconds} ms and was left out; the results of the other routes are returned. Raise routeMilliseconds to allow more.`,
})) {}

/** Why a model that runs on this computer gave no reply. */
export type ModelProcessFault = 'runtime' | 'file' | 'memory' | 'context' | 'schema' | 'ended' | 'other';

const PROCESS_WORDS: Readonly<Record<ModelProcessFault, readonly [what: string, advice: string]>> = {
  runtime: ['the runtime could not be started', 'install it again: npm install node-llama-cpp'],
  file: ['its file could not be loaded', 'check it with: mnemis models verify'],
  memory: [
    'it does not fit into memory',
    'set a smaller context, close other programs or use a smaller model',
  ],
  context: ['the prompt does not fit into its context', 'give it less text, or set a larger context'],
  schema: ['it cannot follow the schema of the reply', 'report this as a fault of Mnemis'],
  ended: ['its process ended', 'run it again, it starts by itself; if it ends again, use a smaller model'],
  other: ['it failed', 'run it again'],
};

/** A language model that runs on this computer failed. */
export class ModelProcessError extends defineError(
  'model-process',
  (model: string, fault: ModelProcessFault, reason: string) => {
    const [what, advice] = PROCESS_WORDS[fault];
    return {
      message: `The model ${model} gave no reply: ${what} (${reason.slice(0, 300)}). What was done before is kept; ${advice}.`,
      fault,
      reason,
    };
  },
) {}
