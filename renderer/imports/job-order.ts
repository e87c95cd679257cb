import type { Job } from '../../main/contract.ts';

const PLACES: Readonly<Record<Job['state'], number>> = {
  running: 0,
  waiting: 1,
  paused: 2,
  failed: 3,
  done: 3,
  cancelled: 3,
};

/** What runs stands first, then the queue in its order, then what is paused; what has ended is last, the newest first. */
export function jobsInOrder<Shown extends Pick<Job, 'state' | 'startedAt'>>(
  jobs: readonly Shown[],
): readonly Shown[] {
  const isQueued = ({ state }: Shown) => PLACES[state] < 3;
  return jobs.toSorted(
    (a, b) =>
      PLACES[a.state] - PLACES[b.state] ||
      (isQueued(a) ? a.startedAt - b.startedAt : b.startedAt - a.startedAt),
  );
}
