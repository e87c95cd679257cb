import { SerialQueue } from '../../util/serial-queue.ts';
import type { ChangeEvent } from './change-event.ts';
import type { ChangeDraft } from './describe-changes.ts';

/** Changes that may wait for a reader; more, and it has to start again from the graph. */
const MOST_WAITING = 10_000;
/** Rows are read in batches. */
const BATCH = 64;
/** What a reader who is behind still gets when the engine closes: it waits for that. */
const MOST_AT_CLOSE = 1_000;

export type Describe = (drafts: readonly ChangeDraft[]) => Promise<(ChangeEvent | null)[]>;

/**
 * One reader of the feed. What waits for it are drafts; at most a batch of them is in words, and goes back to being
 * drafts when rows are removed, so that nothing forgotten is told.
 */
export class ChangeListener implements AsyncIterableIterator<ChangeEvent> {
  readonly #describe: Describe;
  readonly #turns = new SerialQueue();
  #past: ChangeDraft[] = [];
  #waiting: ChangeDraft[] = [];
  #ready: { readonly draft: ChangeDraft; readonly event: ChangeEvent }[] = [];
  /** Rises when rows are removed. */
  #removals = 0;
  #missedSince: number | null = null;
  /** Whether nothing more is taken in. */
  #isDeaf = false;
  /** Whether there is an end behind what waits. */
  #isEnding = false;
  #hasEnded = false;
  #describing: Promise<void> | null = null;
  #finishing: Promise<void> | null = null;
  #wake = () => {};
  #start: Promise<void> | null = null;
  readonly #whenEnded: (() => void)[] = [];

  constructor(describe: Describe) {
    this.#describe = describe;
  }

  whenEnded(job: () => void): void {
    this.#whenEnded.push(job);
  }

  /** Nothing is told before this has settled; if it fails, so does the first `next`. */
  startWith(history: Promise<readonly ChangeDraft[]>): void {
    this.#start = history.then((past) => {
      this.#past = [...past];
    });
    this.#start.catch(() => undefined); // it is thrown by `next`
  }

  /** Nothing comes after what it started with. */
  stopAfterHistory(): void {
    [this.#isDeaf, this.#isEnding] = [true, true];
  }

  /** Never waits for the reader. */
  push(drafts: readonly ChangeDraft[]): void {
    if (this.#isDeaf || drafts.length === 0) return;
    const room = MOST_WAITING - this.#waiting.length;
    for (const draft of drafts.slice(0, room)) this.#waiting.push(draft);
    const first = drafts[room];
    if (first !== undefined) this.#miss(first.at);
    this.#wake();
  }

  /** Rows were removed: what is in words already may be of them. */
  invalidate(): void {
    this.#removals++;
    this.#past = [...this.#ready.map(({ draft }) => draft), ...this.#past];
    this.#ready = [];
  }

  next(): Promise<IteratorResult<ChangeEvent>> {
    return this.#turns.run(() => this.#next());
  }

  async return(): Promise<IteratorResult<ChangeEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** At once; what waits is not told. */
  end(): void {
    if (this.#hasEnded) return;
    [this.#past, this.#waiting, this.#ready] = [[], [], []];
    [this.#isDeaf, this.#hasEnded, this.#missedSince] = [true, true, null];
    for (const job of this.#whenEnded) job();
    this.#wake();
  }

  /** For the engine's close: nothing more comes, and what waits is put into words while there is a store. */
  finish(): Promise<void> {
    this.#isDeaf = true;
    this.#finishing ??= this.#finish();
    return this.#finishing;
  }

  async #finish(): Promise<void> {
    await this.#start?.catch(() => undefined);
    await this.#describing?.catch(() => undefined);
    const waiting = [...this.#past.splice(0), ...this.#waiting.splice(0)];
    const told = waiting.slice(0, MOST_AT_CLOSE);
    this.#ready.push(...withEvents(told, await this.#describe(told)));
    const first = waiting[MOST_AT_CLOSE];
    if (first !== undefined) this.#missedSince = first.at;
    this.#isEnding = true;
    this.#wake();
  }

  async #next(): Promise<IteratorResult<ChangeEvent>> {
    await this.#start;
    for (;;) {
      const ready = this.#ready.shift();
      if (ready !== undefined) return { done: false, value: ready.event };
      if (this.#hasEnded) return { done: true, value: undefined };
      if (this.#finishing !== null && !this.#isEnding) await this.#finishing;
      else if (this.#past.length + this.#waiting.length > 0) await this.#describeNext();
      else if (this.#missedSince !== null) return { done: false, value: this.#tellMissed(this.#missedSince) };
      else if (this.#isEnding) this.end();
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  #describeNext(): Promise<void> {
    this.#describing = this.#describeSome();
    return this.#describing;
  }

  async #describeSome(): Promise<void> {
    const from = this.#past.length > 0 ? this.#past : this.#waiting;
    const drafts = from.splice(0, BATCH);
    const removals = this.#removals;
    const events = await this.#describe(drafts);
    if (this.#hasEnded) return;
    if (removals === this.#removals) this.#ready.push(...withEvents(drafts, events));
    else this.#past.unshift(...drafts);
  }

  #tellMissed(since: number): ChangeEvent {
    this.end();
    return { type: 'missed', at: since, since };
  }

  #miss(since: number): void {
    this.#missedSince = since;
    this.#isDeaf = true;
  }
}

function withEvents(drafts: readonly ChangeDraft[], events: readonly (ChangeEvent | null)[]) {
  return drafts.flatMap((draft, place) => {
    const event = events[place] ?? null;
    return event === null ? [] : [{ draft, event }];
  });
}
