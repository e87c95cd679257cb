import type { ForgetEvent, ForgetReport } from './forget-event.ts';

/**
 * A forgetting: awaited it gives the report, iterated it tells how far it is. It begins with whichever comes first, and
 * happens once.
 */
export class ForgetRun implements AsyncIterable<ForgetEvent>, PromiseLike<ForgetReport> {
  readonly #start: () => AsyncGenerator<ForgetEvent>;
  #events: AsyncGenerator<ForgetEvent> | null = null;
  #report: Promise<ForgetReport> | null = null;

  constructor(start: () => AsyncGenerator<ForgetEvent>) {
    this.#start = start;
  }

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
