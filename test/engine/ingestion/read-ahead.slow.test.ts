import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { syntheticTurns } from '../../../bench/synthetic-turns.ts';
import { ingestionGraph } from '../../../graphs/ingestion/graph.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { type Graph, graphOf } from '../memory-fixture.ts';
import { upToIds } from './graph-up-to-ids.ts';
import { memoryOver, watchedStore } from './memory-over.ts';

/** Sessions of sixteen turns, so that batches of 384 end with sessions however many are planned at once. */
const TURNS = Array.from(syntheticTurns(1_152), (turn, at): TurnInput => {
  return { ...turn, session: `s${Math.floor(at / 16)}`, index: at % 16 };
});

/** Counts the threads that this process starts, and those that run, during a test. */
function watchThreads(): { started: number; running: number } {
  const threads = { started: 0, running: 0 };
  const note = (worker: Worker) => {
    threads.started++;
    threads.running++;
    worker.once('exit', () => threads.running--);
  };
  process.on('worker', note);
  onTestFinished(() => void process.off('worker', note));
  return threads;
}

async function filled() {
  const { store, commits } = watchedStore();
  const { memory } = await memoryOver(store);
  await memory.add(TURNS);
  return { memory, commits, graph: async () => upToIds(await graphOf(memory)) };
}

describe('batches that are read ahead', () => {
  it('give the graph of batches that are read one after another', async () => {
    const threads = watchThreads();
    const [ahead, inOrder] = [await filled(), await filled()];
    await ahead.memory.flush();
    expect(threads.started).toBe(1);
    const graph = ingestionGraph(async () => inOrder.memory.ingestionSteps());
    await graph.invoke({ ended: true });
    expect(threads.started).toBe(1);
    expect(ahead.commits.length).toBe(inOrder.commits.length);
    expect(await ahead.graph()).toEqual(await inOrder.graph());
  });

  it('end with their thread when something is forgotten, and the run goes on', async () => {
    const threads = watchThreads();
    const { memory } = await filled();
    let forgotten: Promise<number> | null = null;
    for await (const { type } of memory.resume())
      if (type === 'progress') forgotten ??= memory.forget({ session: 's71' }).then(() => threads.running);
    expect(await forgotten).toBe(0);
    expect(threads.started).toBe(1);
    const turns = (await graphOf(memory)).nodes.episode;
    expect([turns.length, new Set(turns.map(({ status }) => status))]).toEqual([
      1_136,
      new Set(['extracted']),
    ]);
    expect(turns.some(({ session }) => session === 's71')).toBe(false);
  });

  it('keep what was committed when the run is cancelled, and go on', async () => {
    const { memory } = await filled();
    const stop = new AbortController();
    const told: number[] = [];
    const run = async () => {
      for await (const { counts } of memory.resume({ signal: stop.signal })) {
        told.push(counts.consolidated);
        stop.abort();
      }
    };
    await expect(run()).rejects.toMatchObject({ code: 'cancelled' });
    expect(told[0]).toBe(384);
    const whole = await filled();
    await Promise.all([memory.flush(), whole.memory.flush()]);
    const turnsOf = ({ episode }: Graph['nodes']) =>
      episode.map(({ key, gate, status }) => [key, gate, status]);
    expect(turnsOf((await graphOf(memory)).nodes)).toEqual(turnsOf((await graphOf(whole.memory)).nodes));
  });
});
