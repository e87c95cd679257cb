import { CancelledError, MnemisError, ModelProcessError } from '../../../errors/index.ts';
import type { ChatReply } from '../backends/chat-backend.ts';
import { FAILED_CALL, type ModelUsage } from '../tokens/usage-meter.ts';
import { classifyFailure, DeadlinePassed, failureError, type ModelFailure } from './model-failure.ts';
import { AdaptiveLimiter, type RateLimits, RateWindow, type Timing } from './pacing.ts';
import { type RetryPolicy, waitBeforeRetry } from './retry-policy.ts';
import type { TokenBudget } from './token-budget.ts';

export interface CallerOptions extends RateLimits {
  readonly model: string;
  /** The server's address, for error messages. */
  readonly address?: string | undefined;
  readonly contextTokens: number | null;
  /** Maximum of concurrent requests. */
  readonly concurrency: number;
  /** Milliseconds that one request may take in total, however slowly its reply arrives. */
  readonly timeout: number;
  readonly retry: RetryPolicy;
  readonly timing: Timing;
}

/** One call of the model, which may take several requests. */
export interface ModelCall {
  readonly signal: AbortSignal;
  readonly budget: TokenBudget | undefined;
  readonly estimate: number;
  readonly send: (signal: AbortSignal) => Promise<ChatReply>;
  /** What a request cost, by its reply; null for a request that the server accepted without a reply. */
  readonly usageOf: (reply: ChatReply | null) => Promise<ModelUsage>;
  /** A synchronous estimate for a request that was cancelled while it ran. */
  readonly roughUsage: () => ModelUsage;
  readonly record: (usage: ModelUsage) => void;
  /** False once a retry would repeat text that was passed on. */
  readonly repeatable: () => boolean;
}

type Unavailable = Extract<ModelFailure, { readonly kind: 'unavailable' }>;

type Outcome =
  | { readonly reply: ChatReply }
  | { readonly failure: ModelFailure; readonly error?: undefined; readonly ended?: MnemisError | null }
  | { readonly failure?: undefined; readonly error: unknown };

/** Sends requests to one model: paced, within the budget, each with a deadline, retried where that may help. */
export class ModelCaller {
  readonly #options: CallerOptions;
  readonly #limiter: AdaptiveLimiter;
  readonly #window: RateWindow;
  /** No request is sent before this time, because a failure asked for a pause. */
  #pausedUntil = 0;
  #pausedBy: Unavailable | null = null;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#limiter = new AdaptiveLimiter(options.concurrency);
    this.#window = new RateWindow(options, options.timing);
  }

  /** Requests that may be under way at once, as of now. */
  get concurrency(): number {
    return this.#limiter.concurrency;
  }

  async run(call: ModelCall): Promise<ChatReply> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#inTurn(call);
      if ('reply' in outcome) return outcome.reply;
      if (outcome.failure === undefined) throw outcome.error;
      const wait = call.repeatable() ? this.#waitAfter(outcome.failure, attempt) : null;
      if (wait === null)
        throw outcome.ended ?? failureError(outcome.failure, { ...this.#options, attempts: attempt });
      await this.#options.timing.sleep(wait, call.signal);
    }
  }

  async #inTurn(call: ModelCall): Promise<Outcome> {
    try {
      return await this.#limiter.run((generation) => this.#attempt(call, generation), call.signal);
    } catch (error) {
      if (call.signal.aborted) throw cancelled(call.signal);
      throw error;
    }
  }

  async #attempt(call: ModelCall, generation: number): Promise<Outcome> {
    const { signal, estimate } = call;
    const failure = await this.#pause(signal);
    if (failure !== null) return { failure };
    const correct = await this.#window.enter(estimate, signal);
    if (signal.aborted) throw cancelled(signal);
    const reservation = await call.budget?.reserve(estimate, signal);
    const settle = (usage: ModelUsage) => {
      reservation?.settle(usage.promptTokens + usage.completionTokens);
      call.record(usage);
    };
    let reply: ChatReply;
    try {
      reply = await withDeadline({ milliseconds: this.#options.timeout, signal }, call.send);
    } catch (error) {
      return this.#failed(call, { error, generation, settle });
    }
    const usage = await call.usageOf(reply);
    settle(usage);
    correct(usage.promptTokens + usage.completionTokens);
    this.#limiter.succeeded();
    return { reply };
  }

  async #failed(
    call: ModelCall,
    {
      error,
      generation,
      settle,
    }: { error: unknown; generation: number; settle: (usage: ModelUsage) => void },
  ): Promise<Outcome> {
    if (call.signal.aborted) {
      settle(call.roughUsage());
      return { error: cancelled(call.signal) };
    }
    // A process that ended starts again; nothing else of what Mnemis itself reports changes by asking again.
    const ended = ModelProcessError.isInstance(error) && error.fault === 'ended' ? error : null;
    if (MnemisError.isInstance(error) && ended === null) {
      settle(FAILED_CALL);
      return { error };
    }
    const failure = classifyFailure(error, this.#options.timing.now);
    const taken = 'taken' in failure && failure.taken;
    settle(taken ? await call.usageOf(null) : FAILED_CALL);
    if (failure.kind === 'unavailable' && isOverload(failure)) this.#slowDown(failure, generation);
    return { failure, ended };
  }

  #slowDown(failure: Unavailable, generation: number): void {
    this.#limiter.throttled(generation);
    const until = this.#options.timing.now() + (failure.retryAfter ?? 0);
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#pausedBy = failure;
  }

  #waitAfter(failure: ModelFailure, attempt: number): number | null {
    if (failure.kind !== 'unavailable') return null;
    const { retry, timing } = this.#options;
    return waitBeforeRetry(retry, { attempt, retryAfter: failure.retryAfter }, timing.random);
  }

  /** Waits as long as the server asked. If that is too long, requests fail at once without being sent. */
  async #pause(signal: AbortSignal): Promise<Unavailable | null> {
    const { timing, retry } = this.#options;
    for (;;) {
      const left = this.#pausedUntil - timing.now();
      if (signal.aborted || left <= 0 || this.#pausedBy === null) return null;
      if (left > retry.longestRetryAfter) return { ...this.#pausedBy, retryAfter: left };
      await timing.sleep(left, signal);
    }
  }
}

/** Signs of too many requests. A server that works on one request at a time times out instead of reporting it. */
function isOverload({ reason, status }: Unavailable): boolean {
  return reason === 'rate-limited' || reason === 'timeout' || status === 503;
}

function cancelled(signal: AbortSignal): CancelledError {
  return new CancelledError('what was done before is kept', signal.reason);
}

/**
 * Runs the work under a signal that fires with the caller's or at the deadline; settles no later than that
 * even if the work ignores its signal. Removes its listeners, because a caller's signal may live long.
 *
 * @throws DeadlinePassed at the deadline; the caller's reason when its signal fires.
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
    // The loser of the race may still reject.
    working.catch(() => undefined);
    stopped.catch(() => undefined);
  }
}
