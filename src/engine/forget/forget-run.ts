import type { ForgetEvent, ForgetReport } from './forget-event.ts';

/**
 * A forgetting under way: awaited it gives the report, iterated it tells how far it is. It happens once, also when
 * nobody does either.
 */
export class ForgetRun implements AsyncIterable<ForgetEvent>, Promise<ForgetReport> {
  readonly [Symbol.toStringTag] = 'ForgetRun';
  readonly #start: () => AsyncGenerator<ForgetEvent>;
  #events: AsyncGenerator<ForgetEvent> | null = null;
  #report: Promise<ForgetReport> | null = null;

  constructor(start: () => AsyncGenerator<ForgetEvent>) {
    this.#start = start;
    queueMicrotask(() => {
      if (this.#events === null) this.#report ??= this.#toTheEnd();
    });
  }

  /**
   * Starts the forgetting, unless it has begun, and tells how far it is. There is one series of events for all who
   * ask. Leaving it early is like a `signal` that fires.
   */
  [Symbol.asyncIterator](): AsyncGenerator<ForgetEvent> {
    this.#events ??= this.#start();
    return this.#events;
  }

  // biome-ignore lint/suspicious/noThenProperty: `await memory.forget(…)` that did nothing would be the worst of surprises
  then<A = ForgetReport, B = never>(
    onDone?: ((report: ForgetReport) => A | PromiseLike<A>) | null,
    onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#report ??= this.#toTheEnd();
    return this.#report.then(onDone, onFailed);
  }

  catch<B = never>(onFailed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<ForgetReport | B> {
    return this.then(null, onFailed);
  }

  finally(onEnd?: (() => void) | null): Promise<ForgetReport> {
    this.#report ??= this.#toTheEnd();
    return this.#report.finally(onEnd);
  }

  async #toTheEnd(): Promise<ForgetReport> {
    let report: ForgetReport | undefined;
    for await (const event of this)
      if (event.type === 'done') {
        const { type: _, ...rest } = event;
        report = rest;
      }
    return report!; // it comes last, or an error does
  }
}
