import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { matmulModel } from '../../../src/inference/onnx/devices.ts';
import { OnnxEmbedder } from '../../../src/inference/onnx/onnx-embedder.ts';
import type { Feeds, OnnxSession } from '../../../src/inference/onnx/onnx-runtime.ts';
import { ThreadSession } from '../../../src/inference/onnx/thread/thread-session.ts';
import { tinyEmbedderProfile, tinyEncoder } from '../../fakes/onnx/tiny-models.ts';

/** Threads that were started, in order. */
const threads: Worker[] = [];
const note = (worker: Worker) => threads.push(worker);
beforeEach(() => {
  threads.length = 0;
  process.on('worker', note);
});
afterEach(() => void process.off('worker', note));

const hasEnded = ({ threadId }: Worker) => threadId === -1;

/** The product of all ones and averages is all ones. */
function matrices(size: number): Feeds {
  const square = (value: number) => ({
    type: 'float32' as const,
    data: new Float32Array(size * size).fill(value),
    dimensions: [size, size],
  });
  return { x: square(1), w: square(1 / size) };
}

async function withSession(use: (session: OnnxSession) => Promise<void>): Promise<void> {
  const session = await ThreadSession.open(matmulModel(), 'cpu');
  try {
    await use(session);
  } finally {
    await session.close();
  }
}

describe('ThreadSession', () => {
  it('leaves this thread free during a run', async () => {
    await withSession(async (session) => {
      let turns = 0;
      let isRunning = true;
      const running = session.run(matrices(768), 'y').finally(() => {
        isRunning = false;
      });
      const started = performance.now();
      while (isRunning) {
        turns++;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const { data } = await running;
      expect(data[0]).toBeCloseTo(1, 3);
      expect(turns).toBeGreaterThan(Math.min(5, (performance.now() - started) / 50));
    });
  });

  it('runs urgent calls before those that wait', async () => {
    await withSession(async (session) => {
      const order: string[] = [];
      const run = (name: string, isUrgent: boolean) =>
        session.run(matrices(128), 'y', { isUrgent }).then(() => order.push(name));
      await Promise.all([
        ...[1, 2, 3, 4, 5].map((at) => run(`waits ${at}`, false)),
        ...[1, 2].map((at) => run(`urgent ${at}`, true)),
      ]);
      expect(order.slice(-3)).toEqual(['waits 3', 'waits 4', 'waits 5']);
      expect(order.indexOf('urgent 1')).toBeLessThan(order.indexOf('urgent 2'));
    });
  });

  it('rejects with the runtime’s error, and goes on', async () => {
    await withSession(async (session) => {
      await expect(session.run({}, 'y')).rejects.toThrow('input');
      expect((await session.run(matrices(4), 'y')).dimensions).toEqual([4, 4]);
      expect(threads).toHaveLength(1);
    });
    await expect(ThreadSession.open(Uint8Array.of(1, 2, 3), 'cpu')).rejects.toThrow(/model|protobuf/i);
    await expect.poll(() => threads.every(hasEnded)).toBe(true);
  });

  it('ends its thread on closing, after the runs that wait', async () => {
    const session = await ThreadSession.open(matmulModel(), 'cpu');
    const runs = [session.run(matrices(128), 'y'), session.run(matrices(128), 'y')];
    await Promise.all([session.close(), session.close()]);
    for (const { dimensions } of await Promise.all(runs)) expect(dimensions).toEqual([128, 128]);
    expect(threads.map(hasEnded)).toEqual([true]);
    await expect(session.run(matrices(4), 'y')).rejects.toThrow('its thread ended');
    expect(threads).toHaveLength(1);
  });

  it('runs again on a new thread what was under way when its thread ended', async () => {
    await withSession(async (session) => {
      const runs = [1, 2, 3].map(() => session.run(matrices(256), 'y'));
      void threads[0]!.terminate();
      for (const { dimensions } of await Promise.all(runs)) expect(dimensions).toEqual([256, 256]);
      expect(threads).toHaveLength(2);
      await threads[1]!.terminate(); // while nothing waits
      expect((await session.run(matrices(4), 'y')).dimensions).toEqual([4, 4]);
      expect(threads).toHaveLength(3);
    });
    expect(threads.every(hasEnded)).toBe(true);
  });
});

describe('OnnxEmbedder: a thread that ends', () => {
  it('gives a typed error if it ends for the same texts again, and works at the next call', async () => {
    const folder = tinyEncoder().write();
    const options = { profile: tinyEmbedderProfile, folder: folder.path, device: 'cpu' } as const;
    await using embedder = await OnnxEmbedder.load({ ...options, selfCheck: 'skip' });
    const [before] = await embedder.embed(['paris'], { as: 'query' });
    const end = (worker: Worker) => void worker.on('message', () => void worker.terminate());
    process.on('worker', end); // the next thread ends as soon as it has opened its session
    void threads[0]!.terminate();
    await expect(embedder.embed(['one'], { as: 'passage' })).rejects.toMatchObject({
      code: 'model-fault',
      message: expect.stringContaining('its thread ended'),
    });
    process.off('worker', end);
    const [after] = await embedder.embed(['paris'], { as: 'passage' });
    expect(after).toEqual(before);
    folder.remove();
  });
});
