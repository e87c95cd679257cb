import { expect, it } from 'vitest';
import { jobsInOrder } from '../../../renderer/imports/job-order.ts';

it('shows what runs first, then the queue, then what is paused, and last what has ended, the newest first', () => {
  const job = (startedAt: number, state: Parameters<typeof jobsInOrder>[0][number]['state']) => ({
    startedAt,
    state,
  });
  const jobs = [
    ...[job(9, 'waiting'), job(8, 'done'), job(7, 'paused'), job(6, 'waiting'), job(5, 'running')],
    ...[job(4, 'failed'), job(3, 'cancelled')],
  ];
  expect(jobsInOrder(jobs).map(({ startedAt }) => startedAt)).toEqual([5, 6, 9, 7, 8, 4, 3]);
});
