import { CancelledError } from '../errors/index.ts';

/** The last event of a run, without its type. */
export type ReportOf<Event> = Omit<Extract<Event, { readonly type: 'done' }>, 'type'>;

/**
 * A long call that is running. Await it for its report, or iterate over its events; the last one, `done`, is the
 * report. It starts when it is called and runs once, even if nobody awaits or iterates it. While it is only iterated,
 * it advances as events are taken. All iterators share one series of events.
 *
 * `return`, which leaving a loop early calls, and the call's `signal` stop it at the next safe point; what it has done
 * is kept, and awaiting it then throws CancelledError.
 */
export class Run<Event extends { readonly type: string }, Report = ReportOf<Event>>
  implements AsyncIterableIterator<Event, undefined>, Promise<Report>
{
  readonly [Symbol.toStringTag] = 'Run';
  readonly #stop = new AbortController();
  readonly #job: AsyncGenerator<Event>;
  /** Events that nobody has taken. */
  readonly #events: Event[] = [];
  #step: Promise<void> | null = null;
  #end: { readonly report: Report } | { readonly failure: unknown } | null = null;
  #result: Promise<Report> | null = null;
  #isIterated = false;
  #isAwaited = false;
  /** Whether its iterators have ended: the run was left early, or its failure was thrown. */
  #isOver = false;

  /**
   * @param start Begins the job; `signal` fires with the caller's and when the run is stopped.
   * @param signal The caller's.
   */
  constructor(start: (signal: AbortSignal) => AsyncGenerator<Event>, signal?: AbortSignal) {
    this.#job = start(AbortSignal.any([this.#stop.signal, ...(signal ? [signal] : [])]));
    void this.#advance();
    queueMicrotask(() => {
      if (!this.#isIterated) this.#result ??= this.#toTheEnd();
    });
  }

  /** Itself: several loops share its events. */
  [Symbol.asyncIterator](): this {
    this.#isIterated = true;
    return this;
  }

  /** The next event; throws the failure of the run once, after its events. */
  async next(): Promise<IteratorResult<Event, undefined>> {
    this.#isIterated = true;
    this.#result?.catch(() => undefined); // thrown here
    while (this.#events.length === 0 && this.#end === null) await this.#advance();
    const event = this.#events.shift();
    if (event !== undefined) return { done: false, value: event };
    const isOver = this.#isOver;
    this.#isOver = true;
    if (!isOver && this.#end !== null && 'failure' in this.#end) throw this.#end.failure;
    return { done: true, value: undefined };
  }

  /** Stops the run, unless it has ended, and resolves once it has stopped. */
  async return(): Promise<IteratorResult<Event, undefined>> {
    this.#isIterated = true;
    this.#isOver = true;
    this.#stop.abort();
    await this.#job.return(undefined).catch(() => undefined);
    await this.#step;
    this.#end ??= { failure: new CancelledError('what the call had done by then is kept') };
    this.#events.length = 0;
    return { done: true, value: undefined };
  }

  // biome-ignore lint/suspicious/noThenProperty: `await engine.compact()` must run to the end, as users expect
  then<A = Report, B = never>(
    onDone?: ((report: Report) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#awaited().then(onDone, onFailed);
  }

  catch<B = never>(onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Report | B> {
    return this.#awaited().catch(onFailed);
  }

  finally(onEnd?: (() => void) | null): Promise<Report> {
    return this.#awaited().finally(onEnd);
  }

  #awaited(): Promise<Report> {
    this.#isAwaited = true;
    this.#result ??= this.#toTheEnd();
    return this.#result;
  }

  async #toTheEnd(): Promise<Report> {
    while (this.#end === null) await this.#advance();
    if ('failure' in this.#end) throw this.#end.failure;
    return this.#end.report;
  }

  /** One step of the job, shared by all who wait for it. Never rejects. */
  #advance(): Promise<void> {
    this.#step ??= this.#take().finally(() => {
      this.#step = null;
    });
    return this.#step;
  }

  async #take(): Promise<void> {
    try {
      const { done, value } = await this.#job.next();
      if (done) this.#end ??= { failure: new CancelledError('what the call had done by then is kept') };
      else {
        if (this.#isIterated || !this.#isAwaited) this.#events.push(value);
        if (value.type !== 'done') return;
        const { type: _, ...report } = value;
        await this.#job.next(); // its last clean-up
        this.#end = { report: report as Report };
      }
    } catch (failure) {
      this.#end ??= { failure };
    }
  }
}
