import type { Milliseconds } from '../model/ids.ts';
import type { ScopeState } from '../store/graph-store.ts';
import type { ChangeEvent } from './feed/change-event.ts';
import { type ChangeDraft, type DescribeContext, describeChanges } from './feed/describe-changes.ts';

/** A page of a scope's changes, backwards in time. */
export interface ChangesPage {
  /** The newest first. */
  readonly changes: readonly ChangeEvent[];
  /** Pass it as `before` for the next page; null on the last one. */
  readonly next: Milliseconds | null;
}

/** The changes of a scope without text, kept until the next commit: several pages are read of one history. */
export interface KeptHistory {
  readonly state: ScopeState;
  /** The oldest first. */
  readonly drafts: readonly ChangeDraft[];
}

/** One page of a history. Changes whose rows are gone since are left out; a page may then be shorter. */
export async function recentChanges(
  context: DescribeContext,
  { drafts }: KeptHistory,
  { before = Number.POSITIVE_INFINITY, limit }: { before?: Milliseconds | undefined; limit: number },
): Promise<ChangesPage> {
  const end = firstFrom(drafts, before);
  const last = drafts[Math.max(0, end - limit)];
  const start = last === undefined ? 0 : firstFrom(drafts, last.at);
  const page = drafts.slice(start, end);
  const events = await describeChanges(context, page);
  const next = start === 0 ? null : page[0]!.at;
  return { changes: events.flatMap((event) => event ?? []).reverse(), next };
}

/** The position of the first change at the time or later. */
function firstFrom(drafts: readonly ChangeDraft[], at: Milliseconds): number {
  let [low, high] = [0, drafts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (drafts[middle]!.at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
