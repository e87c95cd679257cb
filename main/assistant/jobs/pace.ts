/** The weight of a new estimate against the earlier ones. */
const NEW_WEIGHT = 0.25;

/** Remaining time, smoothed: estimates of batches of different size would jump. */
export class Pace {
  #estimate: { readonly seconds: number; readonly at: number } | null = null;

  /** Takes a new estimate, and returns the smoothed one in whole seconds. */
  next(seconds: number): number {
    const now = performance.now() / 1000;
    const expected = this.#estimate === null ? seconds : this.#estimate.seconds - (now - this.#estimate.at);
    const smoothed = Math.max(0, expected + NEW_WEIGHT * (seconds - expected));
    this.#estimate = { seconds: smoothed, at: now };
    return Math.round(smoothed);
  }
}

/** Remaining seconds of work with a known size, from the speed since its begin; null until there is a speed. */
export class Rate {
  readonly #pace = new Pace();
  #first: { readonly done: number; readonly at: number } | null = null;

  secondsToGo(done: number, total: number): number | null {
    const at = performance.now() / 1000;
    this.#first ??= { done, at };
    const perSecond = (done - this.#first.done) / Math.max(0.001, at - this.#first.at);
    return perSecond > 0 && at - this.#first.at >= 1 ? this.#pace.next((total - done) / perSecond) : null;
  }
}
