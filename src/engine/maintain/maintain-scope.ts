import { unfinishedForgettings } from '../../edit/forget/records.ts';
import { isRemoving } from '../../edit/proof/prove.ts';
import { CancelledError } from '../../errors/index.ts';
import type { IndexedScope } from '../../ingest/ingest-context.ts';
import { describeFailure } from '../../ingest/local-fallback.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { EpisodeId, Milliseconds } from '../../model/ids.ts';
import { imageId, imageUri } from '../../model/image-uri.ts';
import { Breather } from '../../util/breathe.ts';
import { forget } from '../forgetting/forget.ts';
import type { ScopeSession } from '../scope-session.ts';
import { RETENTION_AUTHOR, type RemovedTexts, removeTexts, type VectorsOf } from './remove-texts.ts';
import { type Retention, readRetention, type TurnRule } from './retention.ts';

interface OldTurns {
  /** Includes older versions of turns. */
  readonly ids: readonly EpisodeId[];
  /** Turns that are as old but not consolidated yet: removing them would lose their facts. */
  readonly waiting: number;
}

/** Turns said before a time that still have their text. */
async function oldTurns(
  { store, scope, index }: IndexedScope,
  before: Milliseconds,
  signal?: AbortSignal,
): Promise<OldTurns> {
  const done = index.corrections.turnsWithoutText;
  const ids: EpisodeId[] = [];
  const breather = new Breather();
  let waiting = 0;
  for await (const rows of store.scan(scope, 'episode', ['id', 'validAt', 'expiredAt', 'status']))
    for (const { id, validAt, expiredAt, status } of rows) {
      if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
      await breather.breathe();
      if (validAt >= before || done.has(id)) continue;
      if (expiredAt === null && status !== 'extracted') waiting++;
      else ids.push(id);
    }
  return { ids: ids.sort(), waiting };
}

/** Options of `MemoryScope.maintain`. It may be stopped by `signal` and run again: each step is complete in itself. */
export interface MaintainOptions extends CallOptions {
  /** Default: the rule of `Mnemis.open`; without either, no rule is applied. */
  readonly retention?: Retention | undefined;
  /** Whether to only report what would be done. Default false. */
  readonly dryRun?: boolean;
}

/** The result of a retention rule: which turns were too old, and how they were handled. */
export interface RetentionReport {
  /** Turns that were forgotten or lost their text; in a dry run, those that would. */
  readonly turns: number;
  /** Bytes of removed texts and their vectors; null if not counted. The file contains them until it is compacted. */
  readonly bytes: number | null;
  /** Turns said before this time were too old. */
  readonly before: Milliseconds;
  readonly keepFacts: boolean;
  /** Turns that are too old but kept until they are consolidated, which `resume` does. */
  readonly waiting: number;
}

/** What `MemoryScope.maintain` did, or in a dry run would do. */
export interface MaintenanceReport {
  readonly dryRun: boolean;
  /** Number of interrupted forgettings that were completed; 0 in a dry run. */
  readonly finishedForgetting: number;
  /** Forgettings that cannot be completed yet, and why; their remaining rows stay hidden. Null if there are none. */
  readonly unfinishedForgetting: { readonly count: number; readonly reason: string } | null;
  /** Null without a retention rule. */
  readonly retention: RetentionReport | null;
}

/** Turns per transaction. */
const CHUNK = 500;

/**
 * Completes interrupted forgetting, then applies the retention rules. May be cancelled and run again at any time:
 * each step is complete in itself.
 *
 * @throws CancelledError, InvalidInputError for an invalid rule, DiskFullError, StoreWriteError.
 */
export async function maintainScope(
  session: ScopeSession,
  { retention, dryRun = false, signal }: MaintainOptions,
): Promise<MaintenanceReport> {
  const rule = retention === undefined ? null : readRetention(retention, session.clock());
  if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
  const forgetting = dryRun ? NOTHING_FINISHED : await finishForgetting(session);
  if (rule === null) return { dryRun, ...forgetting, retention: null };
  const run = rule.keepsFacts ? removeOldTexts : forgetOldTurns;
  const report = await run(session, rule, { dryRun, signal });
  return { dryRun, ...forgetting, retention: report };
}

interface RunOptions {
  readonly dryRun: boolean;
  readonly signal: AbortSignal | undefined;
}

const NOTHING_FINISHED = { finishedForgetting: 0, unfinishedForgetting: null };

async function finishForgetting(
  session: ScopeSession,
): Promise<Pick<MaintenanceReport, 'finishedForgetting' | 'unfinishedForgetting'>> {
  const { store, scope } = session;
  const before = await unfinishedForgettings(store, scope);
  if (before === 0) return NOTHING_FINISHED;
  const failure = await session.settle().then(
    () => null,
    (error: unknown) => describeFailure(error),
  );
  const count = await unfinishedForgettings(store, scope);
  return {
    finishedForgetting: before - count,
    unfinishedForgetting:
      count === 0 ? null : { count, reason: failure?.reason ?? 'It was started in the meantime.' },
  };
}

/** Includes turns without text: their facts are removed too. */
async function forgetOldTurns(
  session: ScopeSession,
  { before }: TurnRule,
  { dryRun, signal }: RunOptions,
): Promise<RetentionReport> {
  const { store, scope } = session;
  let turns = 0;
  for await (const rows of store.scan(scope, 'episode', ['validAt']))
    turns += rows.filter(({ validAt }) => validAt < before).length;
  const report = { before, keepFacts: false, waiting: 0, turns, bytes: null };
  if (!dryRun && turns > 0)
    await forget(session, { before }, { author: RETENTION_AUTHOR, ...(signal ? { signal } : {}) });
  return report;
}

async function removeOldTexts(
  session: ScopeSession,
  { before }: TurnRule,
  { dryRun, signal }: RunOptions,
): Promise<RetentionReport> {
  const { ids, waiting } = await session.write((ingest) => oldTurns(ingest, before, signal));
  const base = { before, keepFacts: true, waiting };
  if (dryRun || ids.length === 0) return { ...base, turns: ids.length, bytes: 0 };
  const vectors = await vectorsOf(session, ids);
  let removed: RemovedTexts = { turns: 0, bytes: 0 };
  try {
    for (let start = 0; start < ids.length; start += CHUNK) {
      if (signal?.aborted)
        throw new CancelledError(
          `${removed.turns} turns have lost their text; the rest keeps it`,
          signal.reason,
        );
      const chunk = ids.slice(start, start + CHUNK);
      await forgetImages(session, chunk);
      const { turns, bytes } = await session.write((ingest) =>
        removeTexts(ingest, chunk, { before, vectors }),
      );
      removed = { turns: removed.turns + turns, bytes: removed.bytes + bytes };
    }
  } finally {
    if (removed.turns > 0) await dropTexts(session);
  }
  return { ...base, ...removed };
}

/** Before their turns lose them: what a crash leaves then has a turn that names it. */
async function forgetImages(session: ScopeSession, ids: readonly EpisodeId[]): Promise<void> {
  const turns = await session.rows('episode', ids);
  const images = turns.flatMap(({ attachments }) => attachments.flatMap((each) => imageId(each) ?? []));
  if (images.length === 0) return;
  for (const holder of session.engine.textHolders ?? [])
    if (isRemoving(holder)) await holder.remove(images.map(imageUri), { scope: session.scope });
}

/** After texts were removed: drops or rebuilds everything that contains them, on disk too. */
function dropTexts(session: ScopeSession): Promise<void> {
  return session.inTurn(async () => {
    session.readings?.clear();
    await session.renewed(null);
    await session.index.save();
  });
}

/** Includes all embedders: during a move to another embedder, a turn has two vectors. */
async function vectorsOf({ store, scope }: ScopeSession, ids: readonly EpisodeId[]): Promise<VectorsOf> {
  const wanted = new Map<string, string[]>(ids.map((id) => [id, []]));
  for await (const rows of store.scan(scope, 'embedding', ['id', 'owner']))
    for (const { id, owner } of rows) wanted.get(owner)?.push(id);
  return wanted;
}
