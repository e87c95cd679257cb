import { z } from 'zod';
import type { RequestRefusal, UnavailableReason } from '../../../errors/index.ts';
import { ReplyThrownAway } from '../backends/reply-thrown-away.ts';
import { DeadlinePassed } from './deadline.ts';
import { type HeaderReader, readRetryAfter } from './retry-after.ts';

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
