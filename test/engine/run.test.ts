import { describe, expect, it } from 'vitest';
import { Run } from '../../src/engine/run.ts';
import { CancelledError } from '../../src/errors/index.ts';

type Event =
  | { readonly type: 'step'; readonly at: number }
  | { readonly type: 'done'; readonly steps: number };

const tick = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

/** Counts its steps; each takes a millisecond. */
class Job {
  steps = 0;
  isEnded = false;
  readonly #length: number;
  readonly #failsAt: number;

  constructor({ length = 3, failsAt = Number.POSITIVE_INFINITY } = {}) {
    this.#length = length;
    this.#failsAt = failsAt;
  }

  run(given?: AbortSignal): Run<Event> {
    return new Run((signal) => this.#work(signal), given);
  }

  async *#work(signal: AbortSignal): AsyncGenerator<Event> {
    try {
      while (this.steps < this.#length) {
        await tick();
        if (signal.aborted) throw new CancelledError(`${this.steps} steps are kept`);
        if (this.steps === this.#failsAt) throw new RangeError('no more');
        this.steps += 1;
        yield { type: 'step', at: this.steps };
      }
      yield { type: 'done', steps: this.steps };
    } finally {
      this.isEnded = true;
    }
  }
}

describe('a run', () => {
  it('that is iterated gives every event in order, and advances as they are taken', async () => {
    const job = new Job();
    const seen: unknown[] = [];
    for await (const event of job.run()) {
      seen.push(event);
      const { steps } = job;
      await tick();
      await tick();
      expect(job.steps).toBe(steps);
    }
    expect(seen).toEqual(
      [1, 2, 3].map((at) => ({ type: 'step', at })).concat({ type: 'done', steps: 3 } as never),
    );
    expect(job.isEnded).toBe(true);
  });

  it.each([
    ['before', 0],
    ['while', 2],
    ['after', 20],
  ])('keeps its events for who iterates it later: %s it ends', async (_, ticks) => {
    const run = new Job().run();
    for (let at = 0; at < ticks; at++) await tick();
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    expect(types).toEqual(['step', 'step', 'step', 'done']);
    expect(await run).toEqual({ steps: 3 });
  });

  it('may be iterated and awaited, in any order, within its own loop too', async () => {
    const job = new Job();
    const run = job.run();
    const types: string[] = [];
    for await (const event of run) {
      types.push(event.type);
      if (types.length === 1) expect(await run).toEqual({ steps: 3 });
    }
    expect(types).toEqual(['step', 'step', 'step', 'done']);
    expect([await run, job.steps]).toEqual([{ steps: 3 }, 3]);
  });

  it('runs once for several who await it', async () => {
    const job = new Job();
    const run = job.run();
    const ended: string[] = [];
    const all = [
      run,
      run.then(({ steps }) => steps),
      run.finally(() => ended.push('finally')),
      run.catch(() => null),
    ];
    expect(await Promise.all(all)).toEqual([{ steps: 3 }, 3, { steps: 3 }, { steps: 3 }]);
    expect([job.steps, ended]).toEqual([3, ['finally']]);
  });

  it('that fails throws to who awaits it and to who iterates it, once', async () => {
    await expect(new Job({ failsAt: 1 }).run()).rejects.toThrow('no more');
    const run = new Job({ failsAt: 1 }).run();
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const { type } of run) seen.push(type);
      })(),
    ).rejects.toThrow('no more');
    expect(seen).toEqual(['step']);
    expect(await run.next()).toEqual({ done: true, value: undefined });
    await expect(run).rejects.toThrow('no more');
  });

  it('is stopped by who leaves its loop, and waits for its end', async () => {
    const job = new Job({ length: 1_000 });
    const run = job.run();
    for await (const event of run) if (event.type === 'step' && event.at === 2) break;
    expect([job.steps, job.isEnded]).toEqual([2, true]);
    expect(await run.next()).toEqual({ done: true, value: undefined });
    await expect(run).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('is stopped by return, also while it works for who awaits it', async () => {
    const job = new Job({ length: 1_000 });
    const run = job.run();
    const failure = run.then(
      () => expect.unreachable(),
      (error: unknown) => error,
    );
    await tick();
    await tick();
    expect(await run.return()).toEqual({ done: true, value: undefined });
    expect(job.isEnded).toBe(true);
    expect(await failure).toMatchObject({ code: 'cancelled', message: expect.stringContaining('are kept') });
  });

  it('that has ended ignores return', async () => {
    const run = new Job().run();
    await run;
    await run.return();
    expect(await run).toEqual({ steps: 3 });
  });
});
