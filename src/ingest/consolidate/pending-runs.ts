import type { EpisodeId } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { NONE } from '../../search/timeline.ts';

/** Pending turns of one session that no other turn stands between. */
export interface PendingRun {
  readonly session: string;
  /** In the order of the session. */
  readonly episodes: readonly EpisodeId[];
  /** Whether the session ends with it: only then may further turns belong to it. */
  readonly isTail: boolean;
}

export interface RunFilter {
  /** Default: all sessions that have pending turns. */
  readonly sessions?: ReadonlySet<string> | undefined;
  /** Sessions to leave out. */
  readonly settled?: ReadonlySet<string> | undefined;
  /** Default: all turns that are pending. */
  readonly among?: ReadonlySet<string> | undefined;
  /** Runs are given out until they have so many turns together; a run is never cut. */
  readonly turns: number;
}

/** The runs of pending turns, in the order in which their first turns arrived. */
export function pendingRuns(index: ScopeIndex, { sessions, settled, among, turns }: RunFilter): PendingRun[] {
  const runs: PendingRun[] = [];
  const seen = new Set<string>();
  let taken = 0;
  for (const id of index.enrichment.pending) {
    if (taken >= turns) break;
    if (seen.has(id) || among?.has(id) === false) continue;
    const session = sessionOf(index, id);
    if (sessions?.has(session) === false || settled?.has(session)) continue;
    const run = runAround(index, id, among);
    for (const member of run.episodes) seen.add(member);
    taken += run.episodes.length;
    runs.push(run);
  }
  return runs;
}

function runAround(
  { episodes: { ids, timeline }, enrichment }: ScopeIndex,
  id: string,
  among: ReadonlySet<string> = enrichment.pending,
): PendingRun {
  const isPending = (ordinal: number) => {
    const turn = ordinal === NONE ? undefined : ids.idOf(ordinal);
    return turn !== undefined && enrichment.pending.has(turn) && among.has(turn);
  };
  let first = ids.ordinalOf(id)!;
  while (isPending(timeline.previous.at(first))) first = timeline.previous.at(first);
  const run: EpisodeId[] = [];
  let next = first;
  for (; isPending(next); next = timeline.next.at(next)) run.push(ids.idOf(next) as EpisodeId);
  return { session: timeline.sessions[timeline.session.at(first)]!, episodes: run, isTail: next === NONE };
}

function sessionOf({ episodes: { ids, timeline } }: ScopeIndex, id: string): string {
  return timeline.sessions[timeline.session.at(ids.ordinalOf(id)!)]!;
}
