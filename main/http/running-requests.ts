import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { MnemisError } from '../../src/errors/index.ts';
import type { HttpMiddleware, RunningRequest } from './http-env.ts';
import { refusals } from './refusals.ts';
import type { ServerLimits } from './server-limits.ts';

interface RunningOptions {
  readonly limits: Pick<ServerLimits, 'requests' | 'graceMilliseconds'>;
  /** Receives the number of running requests whenever it changes. */
  readonly onActivity?: ((requests: number) => void) | undefined;
}

/** The requests under way: their number is limited, and a server that stops waits for them. */
export class RunningRequests {
  readonly #options: RunningOptions;
  readonly #running = new Set<Running>();
  #isStopping = false;

  constructor(options: RunningOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Rejects requests while the server stops. */
  get accepting(): HttpMiddleware {
    return async (_, next) => {
      if (this.#isStopping) throw refusals.stopping();
      await next();
    };
  }

  /**
   * Counts a request until it is answered, and rejects it if there are too many.
   *
   * @param isEndless - it ends with the client, so that a server that stops does not wait for it.
   */
  counting(isEndless = false): HttpMiddleware {
    return async (context, next) => {
      if (this.#running.size >= this.#options.limits.requests) throw refusals.busy();
      const request = new Running(context.env.outgoing, isEndless);
      this.#running.add(request);
      this.#tell();
      void request.over.then(() => {
        this.#running.delete(request);
        this.#tell();
      });
      context.set('running', request);
      const answer = next();
      request.keep(answer);
      await answer;
    };
  }

  /**
   * Accepts no more requests, ends endless ones, and gives the rest the grace period before it ends them. Resolves when
   * none runs.
   */
  async close(): Promise<void> {
    this.#isStopping = true;
    for (const request of this.#running) if (request.isEndless) request.end(refusals.stopped());
    const grace = new AbortController();
    const waited = wait(this.#options.limits.graceMilliseconds, undefined, { signal: grace.signal });
    await Promise.race([this.#settled(), waited.catch(() => undefined)]);
    grace.abort();
    for (const request of this.#running) request.end(refusals.stopped());
    await this.#settled();
  }

  #tell(): void {
    this.#options.onActivity?.(this.#running.size);
  }

  async #settled(): Promise<void> {
    await Promise.all(Array.from(this.#running, ({ over }) => over));
  }
}

class Running implements RunningRequest {
  readonly isEndless: boolean;
  readonly over: Promise<void>;
  readonly #controller = new AbortController();
  readonly #work: Promise<unknown>[] = [];

  constructor(response: ServerResponse, isEndless: boolean) {
    this.isEndless = isEndless;
    this.over = this.#ended(response);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  keep(work: Promise<unknown>): void {
    this.#work.push(work.catch(() => undefined));
  }

  end(reason: MnemisError): void {
    this.#controller.abort(reason);
  }

  async #ended(response: ServerResponse): Promise<void> {
    if (!response.closed) await once(response, 'close').catch(() => undefined);
    this.#controller.abort();
    for (let work = this.#work.pop(); work !== undefined; work = this.#work.pop()) await work;
  }
}
