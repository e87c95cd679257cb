import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedGate } from '../../src/util/serial-queue.ts';
import { seededRandom } from '../search/random.ts';

it('lets many in at once, or one alone, in any order of asking', async () => {
  const gate = new SharedGate();
  const random = seededRandom(5);
  let [inside, alone, most] = [0, 0, 0];
  const shared = () =>
    gate.shared(async () => {
      expect(alone).toBe(0);
      most = Math.max(most, ++inside);
      await wait(random() * 4);
      expect(alone).toBe(0);
      inside--;
    });
  const exclusive = () =>
    gate.exclusive(async () => {
      expect([inside, ++alone]).toEqual([0, 1]);
      await wait(random() * 4);
      expect([inside, alone--]).toEqual([0, 1]);
    });
  const jobs: Promise<void>[] = [];
  for (let job = 0; job < 200; job++) {
    jobs.push(random() < 0.8 ? shared() : exclusive());
    if (random() < 0.3) await wait(random() * 3);
  }
  await Promise.all(jobs);
  expect(inside + alone).toBe(0);
  expect(most).toBeGreaterThan(1);
});

it('opens again after a job that failed', async () => {
  const gate = new SharedGate();
  const fails = async () => {
    throw new Error('no');
  };
  const jobs = [gate.shared(fails), gate.exclusive(fails), gate.shared(async () => 'in')];
  expect((await Promise.allSettled(jobs)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(await gate.exclusive(async () => 'alone')).toBe('alone');
});
