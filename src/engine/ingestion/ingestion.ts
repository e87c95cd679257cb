import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { IngestionSteps } from '../../../graphs/ingestion/steps.ts';
import { onItsOwn } from '../../../graphs/on-its-own.ts';
import { waitingToRederive } from '../../edit/forget/records.ts';
import { CancelledError, MnemisError } from '../../errors/index.ts';
import { withOutcome } from '../../errors/mnemis-error.ts';
import { UsageMeter } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { BufferedTurns } from '../../ingest/admit/admit-turns.ts';
import type { ReaderHealth } from '../../ingest/consolidation-context.ts';
import type { ThreadReader } from '../../ingest/extract/thread/thread-reader.ts';
import { describeFailure } from '../../ingest/local-fallback.ts';
import { BUFFER_LIMITS } from '../../ingest/segment/defaults.ts';
import type { IngestStages } from '../../ingest/stages.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Episode } from '../../model/nodes.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { groupBy } from '../../util/collections.ts';
import { SerialQueue, SharedGate } from '../../util/serial-queue.ts';
import { rederiveWaiting } from '../forgetting/rederive-waiting.ts';
import type { HierarchyUpdates, OrganizeRequest } from '../hierarchy/hierarchy-updates.ts';
import type { ScopeQueue } from '../scope-queue.ts';
import {
  type EnrichmentCounts,
  type EnrichmentProgress,
  type EnrichmentReport,
  NOTHING_ENRICHED,
  plusCounts,
} from './enrichment-report.ts';
import { type BatchResults, type Consolidation, ingestWaiting } from './ingest-batch.ts';
import { IngestionRun } from './ingestion-run.ts';
import { type IngestionSetup, type SetupChoice, setupFor } from './ingestion-setup.ts';
import { SessionBuffers, waitingSessions } from './session-buffers.ts';

const LAST_PATIENCE_MS = 2_000;
/** With so many waiting turns it pays to start a thread that reads, which takes a tenth of a second. */
const TURNS_FOR_THREAD = 1_024;
const BATCHES_PLANNED = 32;
/** Forgettings that follow each other so fast are derived from once. */
const DERIVES_AFTER_MS = 200;
/** Batches whose results are kept: a run works on one, and a few runs may be at work, or stopped at a breakpoint. */
const MOST_BATCHES = 4;

export interface EnrichOptions extends ModelCallOptions {
  /** Whether sessions end here. */
  readonly ended: boolean;
  /** Default: all sessions with waiting turns. */
  readonly sessions?: ReadonlySet<string>;
  readonly onProgress?: (progress: EnrichmentProgress) => void;
  /** Ends the waiting for a process that consolidates the scope. Default: `signal`. */
  readonly patience?: AbortSignal | undefined;
}

/** Options of `MemoryScope.ingestionSteps`: for all runs of the graph, and how it reads turns. */
export interface StepsOptions extends Pick<ModelCallOptions, 'signal' | 'budget'>, SetupChoice {}

/** Consolidates the waiting turns of one scope, one run at a time, in the background or on request. */
export class Ingestion {
  readonly #scope: ScopeQueue;
  readonly #hierarchy: HierarchyUpdates;
  /** How the memory reads turns. */
  readonly #setup: IngestionSetup;
  /** One consolidation at a time: two would read the same turns. */
  readonly #runs = new SerialQueue();
  readonly #buffers = new SessionBuffers();
  readonly #results = new LRUCache<string, BatchResults>({ max: MOST_BATCHES });
  readonly #health: ReaderHealth = { hasRead: false, hasReadInRun: false };
  readonly #pause = new BackgroundPause();
  readonly #stopBackground = new AbortController();
  #wanted: Set<string> | null = null;
  #background: AbortController | null = null;
  #reported: string | null = null;
  #running = 0;
  /** Forgettings, or a re-derivation, which would hold text that they remove. */
  readonly #forgetting = new SharedGate();
  #deriving: AbortController | null = null;
  #derivesSoon: NodeJS.Timeout | undefined;
  /** Reads for a long run. It holds names and words of turns until it ends. */
  #thread: ThreadReader | null = null;

  /** @param hierarchy Updated after consolidations, if it is automatic. */
  constructor(scope: ScopeQueue, hierarchy: HierarchyUpdates) {
    this.#scope = scope;
    this.#hierarchy = hierarchy;
    const { profile, stages } = scope.engine.ingest;
    this.#setup = { profile, stages: { ...stages, reader: scope.readings ?? stages.reader } };
  }

  /** Whether running work depends on what memory contained when it began. */
  get isAtWork(): boolean {
    return this.#running > 0;
  }

  /** Called after turns were stored: schedules a check of their sessions, where they may complete a unit. */
  noteStored({ result, sessions }: BufferedTurns): void {
    // A corrected turn may be anywhere in its session.
    const isCorrection = result.superseding > 0 || this.#setup.profile.partition.by !== 'topic';
    const due = [...sessions].filter(
      ([session, turns]) => this.#buffers.note(session, turns) || isCorrection,
    );
    if (due.length > 0) this.scheduleCheck(due.map(([session]) => session));
  }

  /** Called with turns that another process stored, which schedules their check itself. */
  noteFollowed(turns: readonly Episode[]): void {
    for (const [session, own] of groupBy(turns, (turn) => turn.session)) this.#buffers.note(session, own);
  }

  /** Schedules a check of sessions. If it fails, their turns keep waiting, and the failure is logged once. */
  scheduleCheck(sessions: Iterable<string>): void {
    if (this.#stopBackground.signal.aborted || this.#pause.isOn) return;
    const isUnderWay = this.#wanted !== null;
    this.#wanted ??= new Set();
    for (const session of sessions) this.#wanted.add(session);
    if (!isUnderWay) void this.#inBackground(() => this.#takeWanted());
  }

  /** Schedules turns that waited when memory was opened. A session without turns for long enough has ended. */
  scheduleWaiting(index: ScopeIndex, now: Milliseconds): void {
    const waiting = waitingSessions(index);
    const ended = [...waiting].filter(([, { lastAt }]) => now - lastAt >= BUFFER_LIMITS.pause);
    const sessions = new Set(ended.map(([session]) => session));
    if (sessions.size > 0) void this.#inBackground(() => ({ ended: true, sessions }));
    if (sessions.size < waiting.size)
      this.scheduleCheck([...waiting.keys()].filter((each) => !sessions.has(each)));
  }

  /** Resets the buffer state after turns were removed and others wait again; drops texts of batches. */
  resetBuffers(): void {
    this.#buffers.clear();
    this.dropText();
  }

  /** Drops texts of batches; a run that needs them reads the batch again. */
  dropText(): void {
    this.#results.clear();
    void this.#thread?.close();
  }

  /** Resolves when all waiting turns, or all complete units, are consolidated. */
  async enrich(options: EnrichOptions): Promise<EnrichmentReport> {
    const { signal } = options;
    this.#background?.abort(); // it ends after its batch; this run does the rest
    return new Promise((resolve, reject) => {
      // A cancel rejects at once while this run waits in the queue; a started run ends on its own.
      const cancel = () =>
        reject(new CancelledError('what was consolidated is kept, the rest waits', signal?.reason));
      signal?.addEventListener('abort', cancel, { once: true });
      const job = async () => {
        signal?.removeEventListener('abort', cancel);
        if (signal?.aborted) throw new CancelledError('the turns wait', signal.reason);
        return this.#run(options);
      };
      this.#runs.run(job).then(resolve, reject);
    });
  }

  /**
   * Runs a forgetting. A re-derivation under way ends, so that it keeps no forgotten text; it begins again later, also if
   * the forgetting fails.
   */
  async forgetting<T>(job: () => Promise<T>): Promise<T> {
    clearTimeout(this.#derivesSoon);
    this.#deriving?.abort();
    try {
      return await this.#forgetting.shared(job);
    } finally {
      const { loaded } = this.#scope.index;
      if (loaded !== null && isWaiting(loaded.index)) this.scheduleRederivation();
    }
  }

  /** Derives what earlier forgettings left to derive; consolidations wait meanwhile. @throws Errors of the store. */
  rederive({ signal }: CallOptions = {}): Promise<void> {
    this.#background?.abort();
    return this.#runs.run(() => this.#asWorker(() => this.#deriveWaiting(signal), signal));
  }

  /** As `rederive`, soon and in the background; then waiting turns are consolidated, if that is automatic. */
  scheduleRederivation(): void {
    const { signal } = this.#stopBackground;
    if (signal.aborted) return;
    clearTimeout(this.#derivesSoon);
    this.#derivesSoon = setTimeout(() => {
      this.rederive({ signal })
        .then(() => this.#consolidateWaiting())
        .catch((error: unknown) => {
          if (signal.aborted) return;
          const why = describeFailure(error).reason;
          this.#scope.engine.logger.warn(
            `What was to be forgotten is gone; the remaining turns beside it wait to be read again: ${why}`,
          );
        });
    }, DERIVES_AFTER_MS);
    this.#derivesSoon.unref();
  }

  /** For graphs that a caller runs; turns that both consolidate are written once. */
  steps({ signal, budget, ...choice }: StepsOptions): IngestionSteps {
    return new IngestionRun(this.#consolidation({ signal, budget }, setupFor(this.#setup, choice)));
  }

  /** Ends background work after its batch, and starts none any more. */
  async stop(): Promise<void> {
    this.#stopBackground.abort();
    clearTimeout(this.#derivesSoon);
    await this.#runs.drain();
  }

  /** Called at the end of the scope's work; a failure is logged. What another process is at, is left to it. */
  async enrichLast(): Promise<void> {
    const patience = AbortSignal.timeout(LAST_PATIENCE_MS);
    await this.enrich({ ended: true, patience }).catch((error: unknown) => this.#report(error));
  }

  #takeWanted(): EnrichOptions {
    const sessions = this.#wanted ?? new Set();
    this.#wanted = null;
    return { ended: false, sessions };
  }

  async #inBackground(options: () => EnrichOptions): Promise<void> {
    await this.#runs.run(async () => {
      const wanted = options();
      // The run before it may have failed since it was scheduled.
      if (this.#stopBackground.signal.aborted || this.#pause.isOn) return;
      this.#background = new AbortController();
      const signal = AbortSignal.any([this.#stopBackground.signal, this.#background.signal]);
      try {
        const { counts, hierarchy } = await this.#run({ ...wanted, signal });
        this.#reported = null;
        this.#pause.end();
        if (hierarchy !== null && 'failure' in hierarchy)
          this.#scope.engine.logger.warn(`New entities have no category yet: ${hierarchy.failure}`);
        if (counts.setAside > 0)
          this.#scope.engine.logger.warn(
            `${counts.setAside} new turns could not be consolidated and are set aside; stats gives the reasons.`,
          );
      } catch (error) {
        if (signal.aborted) return;
        if (this.#setup.profile.tier === 'llm') this.#pause.lengthen();
        this.#report(error);
      } finally {
        this.#background = null;
      }
    });
  }

  /** A failed hierarchy update does not undo the consolidation; the next update continues. */
  async #organize(
    { consolidated }: EnrichmentCounts,
    request: OrganizeRequest,
  ): Promise<EnrichmentReport['hierarchy']> {
    if (!this.#hierarchy.isAutomatic || (consolidated === 0 && !request.ended)) return null;
    try {
      return await this.#hierarchy.organizeIfDue(request);
    } catch (error) {
      if (request.signal?.aborted) throw error;
      return { failure: describeFailure(error).reason };
    }
  }

  #report(error: unknown): void {
    const code = MnemisError.isInstance(error) ? error.code : 'unknown';
    if (code === this.#reported) return;
    this.#reported = code;
    const why = describeFailure(error).reason;
    this.#scope.engine.logger.warn(
      `New turns are stored and searchable, but wait to be consolidated: ${why}`,
    );
  }

  #consolidation(calls: ModelCallOptions, setup: IngestionSetup): Consolidation {
    // What was found complete under one profile says nothing about another.
    const buffers = setup.profile.name === this.#setup.profile.name ? this.#buffers : new SessionBuffers();
    return {
      scope: this.#scope,
      setup,
      calls,
      buffers,
      health: this.#health,
      results: this.#results,
      oneByOne: false,
    };
  }

  #run(options: EnrichOptions): Promise<EnrichmentReport> {
    const { signal, patience = signal } = options;
    return this.#asWorker(() => this.#runOnce(options), patience);
  }

  #asWorker<T>(job: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.#running += 1;
    return this.#scope.asNewestWorker(job, { signal }).finally(() => {
      this.#running -= 1;
    });
  }

  /** Begins again after each forgetting that interrupts it. */
  async #deriveWaiting(signal: AbortSignal | undefined): Promise<void> {
    for (let isDone = false; !isDone; ) {
      isDone = await this.#forgetting.exclusive(async () => {
        this.#deriving = new AbortController();
        const { signal: forgetting } = this.#deriving;
        const signals = signal === undefined ? forgetting : AbortSignal.any([signal, forgetting]);
        try {
          await rederiveWaiting(this.#scope, { signal: signals });
          return true;
        } catch (error) {
          if (!forgetting.aborted || signal?.aborted) throw error;
          return false;
        } finally {
          this.#deriving = null;
        }
      });
    }
  }

  async #consolidateWaiting(): Promise<void> {
    const { isAutomatic, profile } = this.#scope.engine.ingest;
    if (!isAutomatic || profile.tier !== 'local') return;
    this.scheduleWaiting((await this.#scope.read()).index, this.#scope.clock());
  }

  async #runOnce({
    ended,
    sessions,
    onProgress,
    patience: _,
    ...given
  }: EnrichOptions): Promise<EnrichmentReport> {
    const started = performance.now();
    this.#health.hasReadInRun = false;
    const calls = { ...given, meter: given.meter ?? new UsageMeter() };
    let counts: EnrichmentCounts = NOTHING_ENRICHED;
    const { index } = await this.#scope.read();
    let { size: pending } = index.enrichment.pending;
    const progress = () => {
      const seconds = (performance.now() - started) / 1000;
      return { counts, pending, usage: calls.meter.total, seconds };
    };
    const onCommit = (brought: EnrichmentCounts, left: number) => {
      counts = plusCounts(counts, brought);
      pending = left;
      onProgress?.({ ...progress(), toGo: toGo(progress()) });
    };
    if (this.#scope.isHiding) return { ...progress(), byStage: {}, dropped: [], hierarchy: null };
    const isLong = pending >= TURNS_FOR_THREAD && this.#setup.profile.tier === 'local';
    const reader = isLong ? await startReader(this.#setup.stages, index) : null;
    this.#thread = reader;
    const { profile, stages } = this.#setup;
    const run = this.#consolidation(calls, { profile, stages: reader ? { ...stages, reader } : stages });
    const batchesPlanned = isLong ? BATCHES_PLANNED : 1;
    const request = { ended, sessions: sessions === undefined ? null : [...sessions] };
    try {
      do {
        await this.#deriveWaiting(given.signal);
        if (sessions?.size !== 0)
          await onItsOwn(() => ingestWaiting({ ...run, batchesPlanned, onCommit }, request));
      } while (!this.#scope.isHiding && isWaiting((await this.#scope.read()).index)); // a forgetting ends a consolidation
    } catch (error) {
      // A requested boundary may be missing, and an unacknowledged commit may have been written: check again.
      const isCancelled = CancelledError.isInstance(error);
      this.#buffers.requestCheck(isCancelled ? (await this.#scope.read()).index.enrichment.pending : null);
      this.#scope.recalled.forget();
      throw withOutcome(error, describeOutcome(counts, pending));
    } finally {
      this.#thread = null;
      await reader?.close();
    }
    const hierarchy = await this.#organize(counts, {
      ended,
      ...calls,
      onProgress: (grouping) => onProgress?.({ ...progress(), toGo: null, grouping }),
    });
    const byStage = Object.fromEntries(calls.meter.byPrompt());
    return { ...progress(), byStage, dropped: calls.meter.dropped, hierarchy };
  }
}

function isWaiting({ corrections }: ScopeIndex): boolean {
  return waitingToRederive(corrections.all).length > 0;
}

/** What an error of a consolidation says of the turns that it was given. */
function describeOutcome({ consolidated, setAside }: EnrichmentCounts, pending: number): string {
  const all = consolidated + setAside + pending;
  const aside = setAside > 0 ? `, ${setAside} are set aside` : '';
  const waiting = pending === 0 ? 'none waits' : `${pending} wait and are searchable`;
  return `${consolidated} of ${all} turns are consolidated${aside}; ${waiting}.`;
}

/** Null where reading is not by Mnemis's own rules, or there is no second core. */
async function startReader({ reader, rules }: IngestStages, { entities }: ScopeIndex) {
  if (rules === null || availableParallelism() < 2) return null;
  const { ThreadReader } = await import('../../ingest/extract/thread/thread-reader.ts');
  const names = Array.from(entities.namesByKey(), ([key]) => key);
  return ThreadReader.start(reader, { ...rules, names });
}

function toGo({
  counts,
  pending,
  usage,
  seconds,
}: Omit<EnrichmentProgress, 'toGo'>): EnrichmentProgress['toGo'] {
  const done = counts.consolidated + counts.setAside;
  if (done === 0) return null;
  const tokens = usage.promptTokens + usage.completionTokens;
  return { seconds: (seconds / done) * pending, tokens: Math.round((tokens / done) * pending) };
}

const FIRST_MS = 15_000;
const LONGEST_MS = 30 * 60_000;

/**
 * After a failure, background work pauses, twice as long each time. Otherwise a model that does not answer would be
 * called, and paid for, again with every turn.
 */
class BackgroundPause {
  #length = 0;
  #until = 0;

  get isOn(): boolean {
    return performance.now() < this.#until;
  }

  lengthen(): void {
    this.#length = Math.min(LONGEST_MS, Math.max(FIRST_MS, 2 * this.#length));
    this.#until = performance.now() + this.#length;
  }

  end(): void {
    this.#length = 0;
    this.#until = 0;
  }
}
