import { CancelledError, InvalidInputError, MnemisError } from '../../errors/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Milliseconds, Scope } from '../../model/ids.ts';
import { removeSnapshot } from '../../search/snapshot.ts';
import { type GraphStore, sameFingerprint } from '../../store/graph-store.ts';
import type { BackupSummary } from './backup.ts';
import { checkMemory, currentSnapshot, type OpenedMemory } from './check-memory.ts';
import { type CheckReport, type Finding, type FindingCode, finding, isSound } from './check-report.ts';
import { MENDED_ROWS, mendRows } from './mend-rows.ts';

/** Options of `Mnemis.repair`. */
export interface RepairOptions extends CallOptions {
  /** Only report what would be repaired. Default false. */
  readonly dryRun?: boolean;
  /**
   * A new folder for the backup that is made before any row is changed; false for none. Default: beside the memory,
   * named after it and the time.
   */
  readonly backup?: string | false;
  /** Whether to abandon an unfinished move to another embedder. Default false: `reembed` continues it. */
  readonly abandonMove?: boolean;
}

/** The result of `Mnemis.repair`. */
export interface RepairReport {
  /** True if nothing was changed. */
  readonly dryRun: boolean;
  /** Whether the memory is undamaged now, or would be. */
  readonly sound: boolean;
  /** What was repaired, or would be. */
  readonly mended: readonly Finding[];
  /** What was not repaired, each with advice. */
  readonly left: readonly Finding[];
  /** The backup made before rows were changed; null if none was needed or wanted. */
  readonly backup: BackupSummary | null;
}

export interface RepairedMemory extends OpenedMemory {
  readonly clock: () => Milliseconds;
  readonly newId: () => string;
  /** Completes an interrupted forgetting. */
  settle(scope: Scope): Promise<void>;
  backup(folder: string): Promise<BackupSummary>;
  /** Runs a job while nothing else reads or writes rows. */
  exclusive<T>(job: () => Promise<T>): Promise<T>;
  /** Called after rows changed, so that every index is rebuilt. */
  changed(): void;
  /** Computes the missing vectors of the current embedder and removes those of others; null without an embedder. */
  readonly embed: (() => Promise<void>) | null;
}

/** One repair may reveal another, such as a correction of a removed row; the next round handles it. */
const ROUNDS = 4;

/**
 * Repairs what `checkMemory` finds. Rows are changed only after the backup, if one is wanted.
 *
 * @throws InvalidInputError if the backup's folder exists, NotEnoughRoomError if there is no room for it: nothing is
 *   changed. CancelledError, DiskFullError, StoreWriteError: completed repairs are kept, and another call continues.
 */
export async function repair(context: RepairedMemory, options: RepairOptions = {}): Promise<RepairReport> {
  checkRepairOptions(options);
  const { signal, dryRun = false } = options;
  const before = await checkMemory(context, { signal });
  if (dryRun) return planRepair(before, context.store, options);
  const failed = await settleScopes(context, before);
  let now =
    failed.size === 0 && !has(before, 'unfinished-forgetting')
      ? before
      : await checkMemory(context, { signal });
  const backup = await backUp(context, now, options);
  try {
    for (let round = 0; round < ROUNDS && now.findings.some(isOfRows); round += 1) {
      now = await context.exclusive(async () => {
        try {
          for (const { scope } of now.scopes) await mendScope(context, scope, now);
        } finally {
          context.changed();
        }
        return checkMemory(context, { signal });
      });
    }
    await mendSnapshots(context, now);
    if (needsVectors(now, options)) await context.embed?.();
  } catch (error) {
    if (signal?.aborted) throw new CancelledError('completed repairs are kept', error);
    throw error;
  }
  const after = await checkMemory(context, { signal });
  const left = [...after.findings, ...withoutVectors(after)].map((each) => failed.get(keyOf(each)) ?? each);
  const still = new Set(left.map(keyOf));
  const mended = [...before.findings, ...withoutVectors(before)].filter((each) => !still.has(keyOf(each)));
  return { dryRun: false, sound: isSound(after.findings), mended, left, backup };
}

/** Predicts what `repair` would do about a report. */
export function planRepair(
  report: CheckReport,
  store: Pick<GraphStore, 'describe'>,
  options: RepairOptions,
): RepairReport {
  const { fingerprint, nextFingerprint } = store.describe();
  const isMoving =
    nextFingerprint !== null && !(fingerprint !== null && sameFingerprint(fingerprint, nextFingerprint));
  const needsEmbedder: readonly FindingCode[] = ['unfinished-move', 'missing-vectors'];
  const mends = ({ code }: Finding) =>
    needsEmbedder.includes(code) ? !isMoving || options.abandonMove === true : isMended(code);
  const all = [...report.findings, ...withoutVectors(report)];
  const left = all.filter((each) => !mends(each));
  return { dryRun: true, sound: isSound(left), mended: all.filter(mends), left, backup: null };
}

export function checkRepairOptions({ backup }: RepairOptions): void {
  if (backup !== undefined && backup !== false && (typeof backup !== 'string' || backup.trim() === ''))
    throw new InvalidInputError('The option backup must be a new folder, or false');
}

const isOfRows = ({ code }: Finding): boolean => MENDED_ROWS.has(code);
const isMended = (code: FindingCode): boolean =>
  MENDED_ROWS.has(code) || code === 'index-differs' || code === 'unfinished-forgetting';
const keyOf = ({ scope, code }: Finding): string => JSON.stringify([scope, code]);
const has = ({ findings }: CheckReport, code: FindingCode): boolean =>
  findings.some((each) => each.code === code);

function withoutVectors({ scopes }: CheckReport): Finding[] {
  return scopes.flatMap(({ scope, withoutVector, embeddings }) =>
    withoutVector === 0 || Object.keys(embeddings).length === 0
      ? []
      : [finding(scope, { code: 'missing-vectors', what: `${withoutVector} texts have no vector` })],
  );
}

/** @returns the findings that could not be repaired, with the reason. */
async function settleScopes(
  { settle }: RepairedMemory,
  { findings }: CheckReport,
): Promise<ReadonlyMap<string, Finding>> {
  const failed = new Map<string, Finding>();
  for (const each of findings) {
    if (each.code !== 'unfinished-forgetting' || each.scope === null) continue;
    try {
      await settle(each.scope);
    } catch (error) {
      const reason = MnemisError.isInstance(error) ? error.message : 'it failed';
      failed.set(keyOf(each), { ...each, what: `${each.what}, and completing them failed: ${reason}` });
    }
  }
  return failed;
}

async function backUp(
  { store, clock, backup }: RepairedMemory,
  { findings }: CheckReport,
  options: RepairOptions,
): Promise<BackupSummary | null> {
  if (options.backup === false || store.files() === null || !findings.some(isOfRows)) return null;
  const time = new Date(clock()).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  return backup(options.backup ?? `${store.describe().path}.before-repair-${time}`);
}

async function mendScope(context: RepairedMemory, scope: Scope, { findings }: CheckReport): Promise<void> {
  const codes = new Set(findings.filter((each) => each.scope === scope).map(({ code }) => code));
  const { store, clock, newId } = context;
  for await (const changes of mendRows({ store, scope, clock, newId }, codes))
    await store.commit(scope, changes);
}

/** Deletes snapshots; the next open builds the index from the graph. */
async function mendSnapshots(
  { store, snapshotFolder }: RepairedMemory,
  { findings }: CheckReport,
): Promise<void> {
  if (snapshotFolder === null) return;
  for (const { scope, code } of findings) {
    if (code !== 'index-differs' || scope === null) continue;
    const found = await currentSnapshot(store, scope, snapshotFolder);
    if (found !== null) await removeSnapshot(found.path);
  }
}

/** False if a move continues, because the move computes the missing vectors itself. */
function needsVectors(report: CheckReport, { abandonMove = false }: RepairOptions): boolean {
  if (has(report, 'unfinished-move')) return abandonMove || report.findings.some(isLeftover);
  return withoutVectors(report).length > 0;
}

const isLeftover = ({ code, what }: Finding): boolean =>
  code === 'unfinished-move' && what.startsWith('vectors of a former');
