import {
  type Deletion,
  type RemovedCounts,
  type RemovedTexts,
  removalsOf,
} from '../../edit/forget/deletion.ts';
import type {
  ForgetEvent,
  ForgetFallback,
  ForgetProof,
  ForgetReport,
} from '../../edit/forget/forget-event.ts';
import { planDeletion, planEntityDeletion } from '../../edit/forget/plan-deletion.ts';
import {
  type ForgetDetail,
  type Forgetting,
  finalRecord,
  forgetDetail,
  forgetRecord,
  NO_DETAIL,
} from '../../edit/forget/records.ts';
import {
  planCoarseDeletion,
  removalsOfAll,
  textsOfAll,
  youngestRow,
} from '../../edit/forget/remove-everything.ts';
import type { ResolvedTarget } from '../../edit/forget/target.ts';
import { firstOf, TurnList, touchedSegments } from '../../edit/forget/turns.ts';
import { proveForgotten } from '../../edit/proof/prove.ts';
import { CancelledError, ForgettingStoppedError, StoreWriteError } from '../../errors/index.ts';
import { isHandKind } from '../../ingest/corrections/correction-detail.ts';
import { tombstonesFor } from '../../ingest/corrections/tombstones.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { embedNodes } from '../../ingest/write/embed-nodes.ts';
import type { GraphChanges } from '../../model/graph-changes.ts';
import type { CorrectionId, Milliseconds } from '../../model/ids.ts';
import type { Correction, Embedding, Profile } from '../../model/nodes.ts';
import type { HeldScope } from '../held-scope.ts';
import { fallbackFor, isFromOutside } from './fallback.ts';

/** Turns removed in one transaction. */
const TURNS_PER_STEP = 500;
const ROWS_PER_STEP = 5_000;

interface ExecuteOptions {
  readonly author: string;
  /**
   * Whether the rows that hide are removed, too; they stay hidden until it is complete. Otherwise others see rows
   * disappear step by step.
   */
  readonly isOverWhole: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly report: (event: Progress) => void;
  /** Whether a write that the store rejects also triggers the fallback. */
  readonly isLastTry?: boolean;
  readonly cause?: ForgetDetail['cause'];
}

type Progress = Extract<ForgetEvent, { type: 'progress' }>;
type Done = Omit<ForgetReport, 'seconds' | 'onDisk' | 'alsoSaid'>;

/** Forgets a resolved target. Requires exclusive write access. */
export async function executeForgetting(
  scope: HeldScope,
  context: IngestContext,
  { target, ...options }: ExecuteOptions & { readonly target: ResolvedTarget },
): Promise<Done> {
  const { signal } = options;
  if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
  return new Execution(scope, context, options).begin(target);
}

/** Completes an interrupted forgetting. Requires exclusive write access. */
export async function completeForgetting(
  scope: HeldScope,
  { correction, isLastTry }: { readonly correction: Correction; readonly isLastTry: boolean },
): Promise<Done> {
  const context = await scope.fresh({ isWhole: true });
  const detail = forgetDetail(correction);
  if (detail === null) return endUnreadable(context, correction);
  const options = { author: correction.author, isOverWhole: true, report: () => undefined, isLastTry };
  return new Execution(scope, context, options).complete({ correction, detail });
}

/** Closes a record that cannot be read: it does not say what to remove, and must not stay open forever. */
async function endUnreadable(context: IngestContext, correction: Correction): Promise<Done> {
  const { store, scope, index } = context;
  const changes = finalRecord(context, correction, NO_DETAIL);
  await store.commit(scope, changes);
  index.apply(changes);
  const reason = 'Its record cannot be read. Check what memory holds and forget it again.';
  return { ...nothing(NO_DETAIL.target), fallbacks: [{ step: 'removing', reason }] };
}

class Execution {
  readonly #scope: HeldScope;
  #context: IngestContext;
  readonly #options: ExecuteOptions;
  readonly #counts = new Map<string, number>();
  readonly #texts = { said: new Set<string>(), derived: new Set<string>() };
  readonly #reread = new Set<string>();
  #tombstones = 0;
  readonly #fallbacks: ForgetFallback[] = [];
  /** What the next commit writes beside its removals: in the first one, the record of the forgetting. */
  #first: GraphChanges | null = null;
  /** When the turns to forget were said; null if all readings are to be dropped. */
  #times: readonly Milliseconds[] | null = null;
  #done = 0;
  #total = 0;

  constructor(scope: HeldScope, context: IngestContext, options: ExecuteOptions) {
    this.#scope = scope;
    this.#context = context;
    this.#options = options;
  }

  async begin({ kind, turns, entities, names }: ResolvedTarget): Promise<Done> {
    const isAll = kind === 'all';
    if (turns.length + entities.length === 0 && !isAll) return nothing(kind);
    const context = this.#context;
    const list = await TurnList.read(context.store, context.scope);
    const forgotten = turns.flatMap((id) => list.get(id) ?? []);
    const isOfTurns = !isAll && entities.length === 0;
    this.#times = isOfTurns ? list.withVersions(turns).map(({ validAt }) => validAt) : null;
    this.#scope.dropReadings(this.#times);
    const { cause } = this.#options;
    const buried = { turns: forgotten, names, isMove: cause === 'moved' };
    const tombstones = tombstonesFor(context, cause === 'undone' ? {} : buried);
    this.#tombstones = tombstones.rows.length;
    const detail: ForgetDetail = {
      target: kind,
      turns: isAll ? [] : [...turns],
      entities: [...entities],
      since: firstOf(forgotten),
      regroup: isAll ? [] : await this.#formerSegments(list, turns),
      counts: {},
      until: isAll ? await youngestRow(context) : null,
      corrected: context.index.corrections.all.some((each) => isHandKind(each.kind)),
      cause,
    };
    const correction = forgetRecord(context, detail, this.#options);
    this.#first = {
      nodes: { correction: [correction], tombstone: tombstones.rows },
      removals: removalsOf('tombstone', tombstones.replaced),
    };
    return this.complete({ correction, detail });
  }

  async complete(forgetting: Forgetting): Promise<Done> {
    try {
      const removed = await this.#remove(forgetting);
      if (this.#first !== null) await this.#commit({});
      return await this.#conclude(removed);
    } catch (error) {
      // Rethrow if nothing was written, or if the error already reports what was.
      if (this.#first !== null || CancelledError.isInstance(error)) throw error;
      throw new ForgettingStoppedError(this.#done, this.#total, error);
    }
  }

  /**
   * Removes turns and entities with everything that depends on them. If the plan fails twice, the second time with an
   * index that is loaded again, removes everything derived in the scope.
   */
  async #remove(forgetting: Forgetting): Promise<Forgetting> {
    const { detail, correction } = forgetting;
    if (detail.target === 'all') {
      await this.#removeAll(forgetting);
      return forgetting;
    }
    const exactly = () => this.#attempt('removing', () => this.#removeExactly(forgetting));
    if (detail.coarse !== true && ((await exactly()) || (await exactly()))) return forgetting;
    const options = { rowsPerStep: ROWS_PER_STEP, until: correction.createdAt };
    const steps = await planCoarseDeletion(this.#context, detail.turns, options);
    // Record this before removing anything: a half removed graph no longer shows what depends on the turns.
    const marked = await this.#markCoarse(forgetting);
    for (const step of steps) await this.#step(step);
    return marked;
  }

  async #markCoarse({ correction, detail }: Forgetting): Promise<Forgetting> {
    if (detail.coarse === true) return { correction, detail };
    const coarse: ForgetDetail = { ...detail, coarse: true };
    const record = { ...correction, detail: JSON.stringify(coarse) };
    if (this.#first !== null) {
      this.#first = { ...this.#first, nodes: { ...this.#first.nodes, correction: [record] } };
      return { correction: record, detail: coarse };
    }
    const renewed = { ...record, id: this.#context.newId() as CorrectionId };
    await this.#commit({
      nodes: { correction: [renewed] },
      removals: removalsOf('correction', [correction.id]),
    });
    return { correction: renewed, detail: coarse };
  }

  /**
   * Runs a job and returns whether it succeeded. Records internal errors as fallbacks; rethrows failures of the
   * storage.
   */
  async #attempt(step: ForgetFallback['step'], job: () => Promise<void>): Promise<boolean> {
    try {
      await job();
      return true;
    } catch (error) {
      const isRefused = this.#options.isLastTry === true && StoreWriteError.isInstance(error);
      if (!isRefused && isFromOutside(error)) throw error;
      this.#fallbacks.push(fallbackFor(step, error));
      this.#context = await this.#fresh(); // the failure may have left the index out of date
      return false;
    }
  }

  async #removeExactly({ detail: { turns, entities }, correction: { createdAt: until } }: Forgetting) {
    const { store, scope } = this.#context;
    const existing = await store.get(scope, 'episode', turns);
    this.#total = turns.length;
    this.#done = turns.length - existing.length;
    for (let start = 0; start < existing.length; start += TURNS_PER_STEP) {
      const all = existing.slice(start).map(({ id }) => id as string);
      await this.#step(await planDeletion(this.#context, all.slice(0, TURNS_PER_STEP), { until, all }));
    }
    for (const entity of entities) await this.#step(await planEntityDeletion(this.#context, entity));
  }

  async #removeAll({ detail, correction: { id: keep } }: Forgetting): Promise<void> {
    for await (const texts of textsOfAll(this.#context)) this.#note(texts);
    this.#total = (await this.#context.store.count(this.#context.scope)).episode;
    const options = { keep, until: detail.until ?? Infinity, rows: ROWS_PER_STEP };
    for await (const step of removalsOfAll(this.#context, options)) await this.#step(step);
  }

  async #step({ changes, counts, texts, reread }: Deletion): Promise<void> {
    const { profile = [] } = changes.nodes ?? {};
    const embedding = profile.length === 0 ? [] : await this.#vectorsOf(profile);
    await this.#commit({ ...changes, nodes: { ...changes.nodes, embedding } });
    for (const [kind, count] of Object.entries(counts))
      this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count);
    this.#note(texts);
    for (const id of reread) this.#reread.add(id);
    if (counts.episode === undefined) return;
    this.#done += counts.episode;
    this.#progress('removing');
  }

  /** None if the embedder fails: a removal does not depend on it. */
  async #vectorsOf(profile: readonly Profile[]): Promise<readonly Embedding[]> {
    let vectors: readonly Embedding[] = [];
    if (this.#fallbacks.length === 0)
      await this.#attempt('removing', async () => {
        vectors = await embedNodes(this.#context, { profile }, undefined);
      });
    return vectors;
  }

  #note({ said, derived }: RemovedTexts): void {
    for (const text of said) this.#texts.said.add(text);
    for (const text of derived) this.#texts.derived.add(text);
  }

  async #commit(changes: GraphChanges): Promise<void> {
    this.#stopIfCancelled();
    const { store, scope, index } = this.#context;
    const whole = this.#first === null ? changes : together(this.#first, changes);
    await store.commit(scope, whole);
    this.#first = null;
    index.apply(whole);
  }

  async #conclude(forgetting: Forgetting): Promise<Done> {
    const { detail, correction } = forgetting;
    this.#progress('checking');
    this.#scope.dropReadings(this.#times); // the turns may have been read until they were removed
    this.#context = await this.#renewed(this.#context);
    const proof = await this.#prove(detail);
    if (this.#fallbacks.length > 0) this.#context = await this.#renewed(null);
    const { embedding: _, ...counts } = Object.fromEntries(this.#counts);
    const rest = this.#waitsFor(detail) ? ({ rederivation: 'waits' } as const) : { regroup: [] };
    const ended: ForgetDetail = { ...detail, turns: [], entities: [], counts, ...rest };
    const end = () => this.#commit(finalRecord(this.#context, correction, ended));
    await end().catch(async (error: unknown) => {
      if (isFromOutside(error)) throw error;
      this.#context = await this.#renewed(null); // a transient defect, such as a duplicate id, occurs once
      await end();
    });
    const { pending } = this.#context.index.enrichment;
    return {
      target: detail.target,
      removed: Object.fromEntries(this.#counts) as RemovedCounts,
      tombstones: this.#tombstones,
      reread: [...this.#reread].filter((id) => pending.has(id)).length,
      proof,
      fallbacks: this.#fallbacks,
    };
  }

  async #prove(detail: ForgetDetail): Promise<ForgetProof> {
    const texts = this.#texts;
    let proof: ForgetProof | null = null;
    await this.#attempt('checking', async () => {
      const holders = this.#scope.textHolders(this.#context);
      const isKeptBeside = detail.cause === 'moved' || detail.cause === 'undone';
      proof = await proveForgotten(this.#context, texts, {
        holders: isKeptBeside ? { ...holders, beside: [] } : holders,
        turnsStay: detail.target === 'entity' && detail.turns.length === 0,
        since: detail.since,
        nothingStays: detail.target === 'all',
      });
    });
    const notSearched = texts.said.size + texts.derived.size;
    return proof ?? { clean: false, searched: 0, alsoElsewhere: 0, notSearched, findings: [] };
  }

  /** Whether what the remaining turns give is derived again afterwards. */
  #waitsFor({ target }: ForgetDetail): boolean {
    const { afterRemoval, updateHierarchy } = this.#scope.engine;
    if (target === 'all') return false;
    const { hierarchy } = this.#context.index;
    return afterRemoval !== undefined || (updateHierarchy !== undefined && hierarchy.size > 0);
  }

  #fresh(): Promise<IngestContext> {
    return this.#scope.fresh({ isWhole: this.#options.isOverWhole });
  }

  /**
   * Drops everything in memory that may hold removed text, and gives an index without it.
   *
   * @param followed A context whose index holds every commit so far; null: build an index from the graph.
   */
  async #renewed(followed: IngestContext | null): Promise<IngestContext> {
    if (!this.#options.isOverWhole) return this.#scope.renewed(followed?.index ?? null);
    await this.#scope.dropCopies();
    return this.#fresh();
  }

  #progress(step: Progress['step']): void {
    this.#options.report({ type: 'progress', step, done: this.#done, total: this.#total });
  }

  #stopIfCancelled(): void {
    const { signal } = this.#options;
    if (!signal?.aborted) return;
    if (this.#first !== null) throw new CancelledError('memory is unchanged', signal.reason);
    throw new CancelledError(
      `${this.#done} of ${this.#total} turns are gone; the rest is removed before the scope is next searched or written`,
      signal.reason,
    );
  }

  async #formerSegments(list: TurnList, turns: readonly string[]): Promise<ForgetDetail['regroup']> {
    const { store, scope, index } = this.#context;
    const textless = index.corrections.turnsWithoutText;
    const sources = { store, scope, list, removed: new Set(turns), textless };
    const { former } = await touchedSegments(sources, turns);
    return former.map((segment) => ({ ...segment, episodes: [...segment.episodes] }));
  }
}

function nothing(target: ResolvedTarget['kind']): Done {
  const proof = { clean: true, searched: 0, alsoElsewhere: 0, notSearched: 0, findings: [] };
  return { target, removed: {}, tombstones: 0, reread: 0, proof, fallbacks: [] };
}

function together(first: GraphChanges, changes: GraphChanges): GraphChanges {
  return {
    ...changes,
    nodes: {
      ...changes.nodes,
      ...first.nodes,
      correction: [...(first.nodes?.correction ?? []), ...(changes.nodes?.correction ?? [])],
    },
    removals: [...(first.removals ?? []), ...(changes.removals ?? [])],
  };
}
