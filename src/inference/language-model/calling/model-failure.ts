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
import { ReplyThrownAway } from '../backends/chat-backend.ts';

/** What went wrong with a request, without any of the words that came with it: they may quote the user or the key. */
export type ModelFailure =
  | {
      readonly kind: 'unavailable';
      readonly reason: UnavailableReason;
      /** What kept the server from being reached, such as ECONNREFUSED. */
      readonly systemCode: string | null;
      readonly status: number | null;
      readonly retryAfter: number | null;
      /** The server took the request, so that it may have been worked on and charged. */
      readonly taken: boolean;
    }
  | {
      readonly kind: 'key' | 'quota' | 'unknown-model' | 'context' | 'filter';
      readonly status: number | null;
    }
  | ({ readonly kind: 'refused'; readonly taken: boolean } & RequestRefusal);

type Unavailable = Extract<ModelFailure, { readonly kind: 'unavailable' }>;

const text = z.string().nullish().catch(null);
/** What the provider libraries put on their errors; a body's fields may be on the error itself or under `error`. */
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

/** A whole word, as the system or the runtime names it: it tells of no text. */
const UNREACHABLE =
  /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|BLOCKED_PORT|[A-Z_]*(?:CERT|SSL|TLS)[A-Z_]*)\b/;
/** What `fetch` says of a port that the standard forbids it; there is no code. */
const BLOCKED_PORT = /^bad port$/;
/** Node.js waits for the beginning and for each next piece of a reply no longer than 300 seconds. */
const TIMED_OUT = /UND_ERR_(HEADERS|BODY)_TIMEOUT/;
const CONTEXT = /context[_ ](length|size|window)|maximum context|too many tokens|prompt is too long|n_ctx/i;
const QUOTA = /insufficient_quota|credit balance/i;
/** What a refusal is about, by its words; the first that fits. */
const SUBJECTS: readonly (readonly [RequestRefusal['about'], RegExp])[] = [
  ['schema', /invalid[_ ](json )?schema/i],
  [
    'reply-format',
    /response_format|json_schema|structured|grammar|\btools?\b|tool_choice|function|\bformat\b/i,
  ],
  ['sampling', /\b(temperature|seed|top_p)\b/i],
];
/** The name of a problem: neither a sentence about it, nor anything that could be a key. */
const PROBLEM_NAME = /^[a-z]{2,20}(_[a-z]{1,20}){0,6}$/i;

export function classifyFailure(error: unknown, now: () => number): ModelFailure {
  if (error instanceof DeadlinePassed) return unavailable('timeout', { taken: true });
  const view = errorSchema.safeParse(error).data ?? errorSchema.parse({});
  const status = view.status ?? view.statusCode ?? view.status_code ?? null;
  const words = [view.code, view.type, view.param, view.message].filter(Boolean).join(' ');
  const className = error instanceof Object ? error.constructor.name : '';
  if (className === 'APIConnectionTimeoutError') return unavailable('timeout', { taken: true });
  if (className === 'ContextOverflowError') return { kind: 'context', status };
  if (className === 'ContentFilterFinishReasonError' || view.code === 'content_filter')
    return { kind: 'filter', status };
  // OpenAI's client throws a cut reply away when it reads the schema itself; other ways to ask keep it.
  if (className === 'LengthFinishReasonError' || error instanceof ReplyThrownAway)
    return { kind: 'refused', status: null, about: 'reply-format', providerCode: null, taken: true };
  if (status === null) return withoutStatus(view, words);
  return withStatus(status, words, view, now);
}

function withStatus(status: number, words: string, view: ErrorView, now: () => number): ModelFailure {
  if (status === 401 || status === 403) return { kind: 'key', status };
  if (status === 402 || (status === 429 && QUOTA.test(words))) return { kind: 'quota', status };
  if (status === 404) return { kind: 'unknown-model', status };
  // A server that lacks a way to answer in schema may say so with 501.
  if (status === 501) return refusal(status, words, view);
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500)
    return unavailable(status === 429 ? 'rate-limited' : 'server-error', {
      status,
      retryAfter: readRetryAfter(headersOf(view), now),
    });
  return status === 413 || CONTEXT.test(words) ? { kind: 'context', status } : refusal(status, words, view);
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

/** No reply at all, or none that could be read. */
function withoutStatus(view: ErrorView, words: string): ModelFailure {
  if (CONTEXT.test(words)) return { kind: 'context', status: null };
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

/** Network errors lie some causes deep: the library's, fetch's, the system's. */
function causes(error: ErrorView, depth = 0): string {
  const blocked = BLOCKED_PORT.test(error.message ?? '') ? 'BLOCKED_PORT' : '';
  const here = `${error.code ?? ''} ${error.name ?? ''} ${blocked}`;
  const inner = errorSchema.safeParse(error.cause);
  return depth < 5 && inner.success ? `${here} ${causes(inner.data, depth + 1)}` : here;
}

function headersOf({ headers }: ErrorView): HeaderReader | undefined {
  return headers instanceof Headers ? headers : undefined;
}

/** Longer is no hint but a slip. */
const LONGEST = 24 * 3_600_000;

interface HeaderReader {
  get(name: string): string | null;
}

/** How long a reply's headers ask to wait, in milliseconds: `retry-after-ms`, or `retry-after` in seconds or as a date. */
export function readRetryAfter(headers: HeaderReader | undefined, now: () => number): number | null {
  const milliseconds = amount(headers?.get('retry-after-ms'));
  if (milliseconds !== null) return limit(milliseconds);
  const header = headers?.get('retry-after');
  const seconds = amount(header);
  if (seconds !== null) return limit(seconds * 1000);
  // `Date.parse` reads a date into almost any number.
  const date = /[a-z]{3}/i.test(header ?? '') ? Date.parse(header ?? '') : Number.NaN;
  return Number.isNaN(date) ? null : limit(date - now());
}

function amount(text: string | null | undefined): number | null {
  return text != null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}

const limit = (milliseconds: number): number => Math.min(Math.max(0, milliseconds), LONGEST);

interface FailureContext {
  readonly model: string;
  readonly address?: string | undefined;
  readonly contextTokens: number | null;
  readonly attempts: number;
}

/** The error for a failure that is not tried again. */
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

/** Thrown inside only: the request's own deadline passed. */
export class DeadlinePassed {}

/**
 * Runs the work under a signal that fires with the caller's, or when the time is up; resolves no later than that
 * even if the work ignores its signal. Listeners are taken off again, because a caller's signal may live long.
 *
 * @throws DeadlinePassed when the time is up, the caller's reason when its signal fired.
 */
export async function withDeadline<Result>(
  { milliseconds, signal }: { readonly milliseconds: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const controller = new AbortController();
  const forward = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DeadlinePassed()), milliseconds);
  signal.addEventListener('abort', forward, { once: true });
  const stopped = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  const working = work(controller.signal);
  try {
    return await Promise.race([working, stopped]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
    // Whichever of the two lost the race may still fail, unheard.
    working.catch(() => undefined);
    stopped.catch(() => undefined);
  }
}
