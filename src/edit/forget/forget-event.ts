import type { CallOptions } from '../../model/call-options.ts';
import type { RemovedCounts } from './deletion-set.ts';

/** Every kind of target. */
export const FORGET_TARGETS = ['episode', 'session', 'time', 'entity', 'query', 'all', 'episodes'] as const;
/** The kind of target that was forgotten; the words of the request are not kept. */
export type ForgetTargetKind = (typeof FORGET_TARGETS)[number];

/**
 * For `forget`. A `signal` that fires before the first step leaves memory as it was; after it, the rest follows at
 * the latest before the scope is next searched or written.
 */
export interface ForgetOptions extends CallOptions {
  /** Who wants it, for the record. Default: `user`. */
  readonly author?: string;
  /** Whether turns that quote those that go, go along: the `alsoSaid` of the preview. Default: false. */
  readonly quotations?: boolean;
}

/** For `previewForget`. */
export type ForgetPreviewOptions = Pick<ForgetOptions, 'quotations'>;

/** A turn that would go. */
export interface ForgetExample {
  readonly id: string;
  readonly session: string;
  /** ISO 8601. */
  readonly at: string;
  /** At most 120 characters of what was said. */
  readonly text: string;
}

/** A turn that stays and says again what a turn that goes says. `text` begins a little before the quotation. */
export interface ForgetQuotation extends ForgetExample {
  readonly speaker: string;
}

/**
 * What `forget` of a target would take, for whoever has to confirm it. Looking changes nothing. `examples`,
 * `alsoSaid` and `vanishing` are in the user's words.
 */
export interface ForgetPreview {
  readonly target: ForgetTargetKind;
  /** Rows that would go, by kind; profiles that would be written anew count as well. */
  readonly counts: RemovedCounts;
  /** Every turn that would go, in all its versions: `forget({ episodes })` takes exactly these. */
  readonly episodes: readonly string[];
  /** At most 5. */
  readonly examples: readonly ForgetExample[];
  /** Turns that stay though they quote some that go, whoever said them: how many, and the first 20. */
  readonly alsoSaid: { readonly total: number; readonly turns: readonly ForgetQuotation[] };
  /** Entities that nothing that stays would speak of. */
  readonly vanishing: readonly { readonly id: string; readonly name: string }[];
  /** Turns that stay and would be read again, since they were read together with some that go. */
  readonly reread: number;
}

/** Where a forgotten text still is; never the text. */
export interface ForgetFinding {
  readonly holder: string;
  readonly where: string;
  /** How many of the texts. */
  readonly texts: number;
}

/** Whether memory still holds what was forgotten, looked for in everything that holds text. */
export interface ForgetProof {
  readonly clean: boolean;
  /** Texts that were looked for. */
  readonly searched: number;
  /** Texts left out, because what stays says the same. */
  readonly alsoElsewhere: number;
  /** Texts left out because there were too many. */
  readonly notSearched: number;
  readonly findings: readonly ForgetFinding[];
}

/**
 * A step of a forgetting that failed for a defect and was replaced by a simpler one; nothing forgotten stays because of
 * it. `removing`: the rewritten profiles have no vectors, or everything derived in the scope went, corrections by hand
 * and given facts included, and all turns are read again. `checking`: the proof is missing. `rederiving`: turns that
 * were read beside forgotten ones wait to be read again. `hierarchy`: categories keep no name until the next update.
 */
export interface ForgetFallback {
  readonly step: 'removing' | 'checking' | 'rederiving' | 'hierarchy';
  /** Never the user's text. */
  readonly reason: string;
}

/** What a forgetting came to. `proof` is of what memory holds; of the files `onDisk` tells. */
export interface ForgetReport {
  readonly target: ForgetTargetKind;
  /** Rows that are gone, by kind. */
  readonly removed: RemovedCounts;
  /** New tombstones, which keep what was forgotten from coming back. */
  readonly tombstones: number;
  /** Turns that stay and wait to be read again. */
  readonly reread: number;
  /** Turns that stay though they quote some that went. */
  readonly alsoSaid: number;
  readonly proof: ForgetProof;
  /** Empty unless something failed. */
  readonly fallbacks: readonly ForgetFallback[];
  /** The files of a memory keep removed rows until `compact`. */
  readonly onDisk: 'needs compact' | 'nothing on disk';
  readonly seconds: number;
}

/**
 * How far a forgetting is: turns that are gone (`removing`), the search for what may be left (`checking`), the
 * reading of turns that stay (`rederiving`). In each step `done` and `total` count turns to remove. The event `done`
 * comes last.
 */
export type ForgetEvent =
  | {
      readonly type: 'progress';
      readonly step: 'removing' | 'checking' | 'rederiving';
      readonly done: number;
      readonly total: number;
    }
  | ({ readonly type: 'done' } & ForgetReport);

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
