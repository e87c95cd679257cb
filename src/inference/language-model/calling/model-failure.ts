import { z } from 'zod';
import {
  ContextTooLongError,
  type MnemisError,
  ModelDeclinedError,
  ModelKeyError,
  ModelQuotaError,
  ModelRequestRefusedError,
  ModelUnavailableError,
  type RequestRefusal,
  type UnavailableReason,
  UnknownModelError,
} from '../../../errors/index.ts';
import { readRetryAfter } from '../../retry-after.ts';
import { ReplyThrownAway } from '../backends/chat-backend.ts';

/** Internal: the request's own deadline passed. */
export class DeadlinePassed {}

/** Why a request failed, without any text of the error: it may quote the user or the key. */
export type ModelFailure =
  | {
      readonly kind: 'unavailable';
      readonly reason: UnavailableReason;
      /** Why the server could not be reached, such as ECONNREFUSED. */
      readonly systemCode: string | null;
      readonly status: number | null;
      readonly retryAfter: number | null;
      /** The server accepted the request, so that it may have processed and charged it. */
      readonly taken: boolean;
    }
  | {
      readonly kind: 'key' | 'quota' | 'unknown-model' | 'context' | 'filter';
      readonly status: number | null;
    }
  | ({ readonly kind: 'refused'; readonly taken: boolean } & RequestRefusal);

type Unavailable = Extract<ModelFailure, { readonly kind: 'unavailable' }>;

const text = z.string().nullish().catch(null);
/** Fields of the provider libraries' errors. */
const errorSchema = z.looseObject({
  name: text,
  message: text,
  status: z.number().nullish().catch(null),
  statusCode: z.number().nullish().catch(null),
  status_code: z.number().nullish().catch(null),
  code: z.union([z.string(), z.number()]).nullish().catch(null),
  type: text,
  param: text,
  headers: z.unknown().optional(),
  cause: z.unknown().optional(),
});
type ErrorView = z.infer<typeof errorSchema>;

/** Whole words that the system or the runtime uses, never text of the user. */
const UNREACHABLE =
  /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|BLOCKED_PORT|[A-Z_]*(?:CERT|SSL|TLS)[A-Z_]*)\b/;
/** The message of `fetch` for a port that the standard forbids; there is no code. */
const BLOCKED_PORT = /^bad port$/;
/** Node.js waits at most 300 seconds for the head of a reply and for each next piece. */
const TIMED_OUT = /UND_ERR_(HEADERS|BODY)_TIMEOUT/;
/** What may be too long for a model, and how servers say so. */
const LENGTH_WORDS = '(?:context|prompts?|inputs?|tokens?|messages?|content|sequence|conversation)';
const EXCESS_WORDS =
  '(?:exceed\\w*|too (?:long|large|big)|(?:long|larg|great)er than|overflow\\w*|surpass\\w*)';
const LIMIT_WORDS = '(?:must be <=?|must have less than|should be \\[|cannot exceed|limit is)';
/** Prompt and reply do not fit into the context, in the words of any server. */
const CONTEXT = new RegExp(
  [
    'context[_ -]?(?:length|size|window|limit|shift)|max_model_len|n_ctx|kv[_ -]cache',
    'too many (?:input |prompt )?tokens|tokens?_limit_reached|max_prompt_tokens|string_above_max_length',
    'maximum (?:context|prompt|input|sequence)|request(?: body| entity)?(?: is)? too (?:large|long|big)',
    'reduce (?:the |your )?(?:length|size|message|prompt|input)',
    `${LENGTH_WORDS}\\b[^.\\n]{0,120}\\b${EXCESS_WORDS}`,
    `${LENGTH_WORDS}\\b[^.\\n]{0,80}\\b${LIMIT_WORDS}`,
    'exceed\\w* (?:the |this |our )?(?:\\w+ ){0,4}(?:tokens?|context|prompt|input|bytes|payload)\\b',
  ].join('|'),
  'i',
);
/** Words of other limits: of time, of requests in a while, of money, of the reply alone. */
const OTHER_LIMIT =
  /rate.?limit|per[ _-](?:minute|min|second|hour|day)|\b[rt]p[md]\b|too many requests|concurren|queue|pending requests|retries|wait before|quota|credit|billing|timed? ?out|deadline|time limit|at most \d+ completion tokens|safety|policy|moderat/i;
/** A limit per minute that is smaller than this request: waiting does not help, less input does. */
const LIMIT_AND_REQUESTED = /limit:? (\d+)\b.{0,60}\brequested:? (?:about )?(\d+)/i;
/** What a provider does not let a model read, whatever the status. */
const FILTERED =
  /content[_ ](?:filter|management|policy)|flagged|moderat(?:ion|ed)|safety (?:system|filter|polic)|violat\w+ .{0,40}polic|responsible ai|data_inspection_failed/i;
/** A refusal of tools under the status of another failure: OpenRouter's, llama.cpp's. */
const NO_TOOLS = /support tool use|tools param requires/i;
const QUOTA = /insufficient_quota|credit balance/i;
/** The subject of a refusal, by its text; the first that matches. */
const SUBJECTS: readonly (readonly [RequestRefusal['about'], RegExp])[] = [
  ['schema', /invalid[_ ](json )?schema/i],
  [
    'reply-format',
    /response_format|json_schema|structured|grammar|\btools?\b|tool_choice|function|\bformat\b/i,
  ],
  ['sampling', /\b(temperature|seed|top_p)\b/i],
];
/** The name of a problem: not a sentence, and nothing that could be a key. */
const PROBLEM_NAME = /^[a-z]{2,20}(_[a-z]{1,20}){0,6}$/i;

export function classifyFailure(error: unknown, now: () => number): ModelFailure {
  if (error instanceof DeadlinePassed) return unavailable('timeout', { taken: true });
  const view = errorSchema.safeParse(error).data ?? errorSchema.parse({});
  const status = view.status ?? view.statusCode ?? view.status_code ?? null;
  const words = [view.code, view.type, view.param, view.message].filter(Boolean).join(' ');
  const className = error instanceof Object ? error.constructor.name : '';
  if (className === 'APIConnectionTimeoutError') return unavailable('timeout', { taken: true });
  if (className === 'ContextOverflowError') return { kind: 'context', status };
  if (className === 'ContentFilterFinishReasonError' || isFiltered(status, words))
    return { kind: 'filter', status };
  // OpenAI's client discards a cut reply when it parses the schema itself; other strategies keep it.
  if (className === 'LengthFinishReasonError' || error instanceof ReplyThrownAway)
    return { kind: 'refused', status: null, about: 'reply-format', providerCode: null, taken: true };
  if (status === null) return withoutStatus(view, words);
  return withStatus(status, words, view, now);
}

function withStatus(status: number, words: string, view: ErrorView, now: () => number): ModelFailure {
  if (status !== 401 && status !== 402 && isTooLong(words)) return { kind: 'context', status };
  if (status === 401 || status === 403) return { kind: 'key', status };
  if (status === 402 || (status === 429 && QUOTA.test(words))) return { kind: 'quota', status };
  // A server without a strategy may answer 501.
  if (status === 501 || NO_TOOLS.test(words)) return refusal(status, words, view);
  if (status === 404) return { kind: 'unknown-model', status };
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500)
    return unavailable(status === 429 ? 'rate-limited' : 'server-error', {
      status,
      retryAfter: readRetryAfter(view.headers instanceof Headers ? view.headers : undefined, now),
    });
  return status === 413 ? { kind: 'context', status } : refusal(status, words, view);
}

function isTooLong(words: string): boolean {
  const [, limit, requested] = LIMIT_AND_REQUESTED.exec(words) ?? [];
  if (requested !== undefined && Number(requested) > Number(limit)) return true;
  return CONTEXT.test(words) && !OTHER_LIMIT.test(words);
}

/** A server that is overloaded or has no money left may name its policies, too. */
function isFiltered(status: number | null, words: string): boolean {
  return (status === null || [400, 403, 406, 422, 451].includes(status)) && FILTERED.test(words);
}

function refusal(status: number, words: string, view: ErrorView): ModelFailure {
  const about = SUBJECTS.find(([, pattern]) => pattern.test(words))?.[0] ?? 'other';
  const name = String(view.code ?? view.type ?? '');
  return {
    kind: 'refused',
    status,
    about,
    providerCode: PROBLEM_NAME.test(name) ? name : null,
    taken: false,
  };
}

/** No reply, or one that could not be parsed. */
function withoutStatus(view: ErrorView, words: string): ModelFailure {
  if (isTooLong(words)) return { kind: 'context', status: null };
  const all = causes(view);
  const systemCode = UNREACHABLE.exec(all)?.[1];
  if (systemCode !== undefined) return unavailable('unreachable', { systemCode });
  return unavailable(TIMED_OUT.test(all) ? 'timeout' : 'broken-reply', { taken: true });
}

function unavailable(
  reason: UnavailableReason,
  details: Partial<Omit<Unavailable, 'kind' | 'reason'>> = {},
): ModelFailure {
  return {
    kind: 'unavailable',
    reason,
    systemCode: null,
    status: null,
    retryAfter: null,
    taken: false,
    ...details,
  };
}

/** Network errors are nested as causes: the library's, fetch's, the system's. */
function causes(error: ErrorView, depth = 0): string {
  const blocked = BLOCKED_PORT.test(error.message ?? '') ? 'BLOCKED_PORT' : '';
  const here = `${error.code ?? ''} ${error.name ?? ''} ${blocked}`;
  const inner = errorSchema.safeParse(error.cause);
  return depth < 5 && inner.success ? `${here} ${causes(inner.data, depth + 1)}` : here;
}

interface FailureContext {
  readonly model: string;
  readonly address?: string | undefined;
  readonly contextTokens: number | null;
  readonly attempts: number;
}

/** The error for a failure that is not retried. */
export function failureError(failure: ModelFailure, context: FailureContext): MnemisError {
  const { model, address, contextTokens, attempts } = context;
  switch (failure.kind) {
    case 'unavailable':
      return new ModelUnavailableError(model, { ...failure, address, attempts });
    case 'key':
      return new ModelKeyError(model, 'refused', failure.status);
    case 'quota':
      return new ModelQuotaError(model);
    case 'unknown-model':
      return new UnknownModelError(model);
    case 'context':
      return new ContextTooLongError(model, contextTokens);
    case 'filter':
      return new ModelDeclinedError(model, 'filter');
    case 'refused':
      return new ModelRequestRefusedError(model, failure);
  }
}
