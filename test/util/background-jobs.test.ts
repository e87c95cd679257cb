import { describe, expect, it } from 'vitest';
import { BackgroundJobs } from '../../src/util/serial-queue.ts';

/** Jobs that end when they are told to. */
class Jobs {
  readonly begun: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();

  readonly job = (name: string) => () =>
    new Promise<void>((resolve, reject) => {
      this.begun.push(name);
      this.#ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
    });

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)!(error);
    await new Promise(setImmediate);
  }
}

describe('BackgroundJobs', () => {
  it('begins jobs in their order, as soon as there is room', async () => {
    const jobs = new Jobs();
    const background = new BackgroundJobs(2, () => undefined);
    const third = ['a', 'b', 'c', 'd'].map((name) => background.begin(jobs.job(name)))[2]!;
    await new Promise(setImmediate);
    expect(jobs.begun).toEqual(['a', 'b']);
    await jobs.end('b');
    await third;
    expect(jobs.begun).toEqual(['a', 'b', 'c']);
    await jobs.end('a');
    expect(jobs.begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('settles when every job has ended, those without room among them', async () => {
    const jobs = new Jobs();
    const background = new BackgroundJobs(1, () => undefined);
    for (const name of ['a', 'b']) void background.begin(jobs.job(name));
    let isSettled = false;
    const settled = background.settled().then(() => {
      isSettled = true;
    });
    await new Promise(setImmediate);
    await jobs.end('a');
    expect([isSettled, jobs.begun]).toEqual([false, ['a', 'b']]);
    await jobs.end('b');
    await settled;
  });

  it('reports failures, and goes on', async () => {
    const errors: unknown[] = [];
    const jobs = new Jobs();
    const background = new BackgroundJobs(1, (error) => errors.push(error));
    for (const name of ['a', 'b']) void background.begin(jobs.job(name));
    await new Promise(setImmediate);
    const failure = new Error('no room');
    await jobs.end('a', failure);
    expect([errors, jobs.begun]).toEqual([[failure], ['a', 'b']]);
  });
});
