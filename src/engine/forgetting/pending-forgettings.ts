import type { ForgetFallback } from '../../edit/forget/forget-event.ts';
import { rowsToHide } from '../../edit/forget/hidden-rows.ts';
import { ForgettingStoppedError } from '../../errors/index.ts';
import { describeFailure } from '../../ingest/local-fallback.ts';
import type { Correction } from '../../model/nodes.ts';
import type { HeldScope } from '../held-scope.ts';
import { completeForgetting } from './execute.ts';

/** How often a forgetting that fails is retried automatically. */
const MOST_TRIES = 3;
const UNFINISHED =
  'A forgetting could not be completed. Its remaining rows are hidden from searches, answers and exports; flush, resume, maintain and the next open retry it:';

/** The forgettings of a scope that have begun and not ended: completes them, or hides their rows. */
export class PendingForgettings {
  readonly #scope: HeldScope;
  /** Whether every forgetting is complete. */
  #isSettled = false;
  /** How often completing the rest has failed. */
  #failures = 0;
  /** Whether all remaining rows are hidden. */
  #isHidden = false;

  constructor(scope: HeldScope) {
    this.#scope = scope;
  }

  /** Whether rows of the graph are hidden because they could not be removed yet. */
  get isHiding(): boolean {
    return !this.#scope.hidden.isEmpty;
  }

  /** Whether all rows to be forgotten are removed or hidden. */
  get isSafe(): boolean {
    return this.#isSettled || this.#isHidden;
  }

  /** Whether a failing forgetting is no longer retried automatically. */
  get isSetAside(): boolean {
    return !this.#isSettled && this.#isHidden && this.#failures >= MOST_TRIES;
  }

  /** Called before a forgetting is recorded: should it be interrupted, `settle` completes it. */
  noteBegin(): void {
    this.#isSettled = false;
  }

  /** Gives the remaining rows of a new forgetting their own retries. */
  noteFailure(): void {
    this.#failures = 0;
  }

  /** Called after a forgetting has ended. */
  async noteEnd(): Promise<void> {
    this.#isSettled = (await this.#unfinished()).length === 0;
    if (this.#isSettled) await this.#showAll();
  }

  /**
   * Completes forgettings that were interrupted by the end of the engine or of the work. One that still fails after a
   * few tries is set aside, until a caller insists or the memory is opened again: its rows stay hidden, and
   * everything else works.
   *
   * @throws ForgettingStoppedError, DiskFullError and other errors of the store if `insists`; StoreReadError always.
   */
  async settle({ insists = false } = {}): Promise<void> {
    if (this.#isSettled || (this.isSetAside && !insists)) return;
    try {
      if ((await this.#unfinished()).length > 0) {
        await this.#scope.sharing.alone(() => this.#completeAll(insists));
        this.#scope.derivesSoon();
      }
      this.#isSettled = true;
      await this.#showAll();
    } catch (error) {
      this.#failures++;
      await this.#hide();
      if (insists) throw error;
      if (this.#failures === 1) this.#scope.engine.logger.warn(`${UNFINISHED} ${reasonOf(error)}`);
    }
  }

  /**
   * After another process removed rows, or changed more than can be followed: drops everything in memory that may contain
   * them, and completes what that process began and did not end.
   */
  async readAgain(): Promise<void> {
    this.#isSettled = false;
    this.#scope.forgetAll();
    await this.settle();
  }

  report(fallbacks: readonly ForgetFallback[]): void {
    for (const { step, reason } of fallbacks)
      this.#scope.engine.logger.warn(`A step of a forgetting (${step}) failed and was replaced: ${reason}`);
  }

  /** Reads what is left to remove only now: another process may have completed it meanwhile. */
  async #completeAll(insists: boolean): Promise<void> {
    this.#scope.readings?.clear();
    for (const correction of await this.#unfinished()) {
      const isLastTry = insists || this.#failures + 1 >= MOST_TRIES;
      this.report((await completeForgetting(this.#scope, { correction, isLastTry })).fallbacks);
    }
  }

  async #unfinished(): Promise<Correction[]> {
    const { scope, whole } = this.#scope;
    const open: string[] = [];
    for await (const rows of whole.scan(scope, 'correction', ['id', 'kind', 'finishedAt']))
      for (const { id, kind, finishedAt } of rows)
        if (kind === 'forget' && finishedAt === null) open.push(id);
    return whole.get(scope, 'correction', open);
  }

  /** Hides the rows that remain to be removed. */
  async #hide(): Promise<void> {
    const context = await this.#scope.fresh({ isWhole: true });
    const open = await this.#unfinished();
    const records = new Set<string>(open.map(({ id }) => id));
    const rows = [];
    for (const correction of open) rows.push(...(await rowsToHide(context, correction)));
    this.#scope.hidden.hide(rows.filter(({ id }) => !records.has(id)));
    this.#isHidden = true;
    await this.#scope.dropCopies();
  }

  async #showAll(): Promise<void> {
    this.#failures = 0;
    this.#isHidden = false;
    if (!this.isHiding) return;
    this.#scope.hidden.clear();
    await this.#scope.dropCopies();
  }
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return describeFailure(ForgettingStoppedError.isInstance(error) ? (cause ?? error) : error).reason;
}
