import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { ingestionGraph } from '../../graphs/ingestion/graph.ts';
import type { IngestionSteps, StepSettings } from '../../graphs/ingestion/steps.ts';
import { DiskFullError } from '../../src/errors/index.ts';
import { firstUnits } from '../../src/ingest/write/plan-batch.ts';
import { dialogue, FIRST, MINUTE, TWO_TOPICS } from '../engine/ingestion/dialogues.ts';
import { memoryOver, watchedStore } from '../engine/ingestion/memory-over.ts';
import { graphOf } from '../engine/memory-fixture.ts';

type Overrides = (own: IngestionSteps) => Partial<IngestionSteps>;

/** The graph over a new memory, with some of its steps replaced. */
async function graphOver(overrides: Overrides = () => ({})) {
  const { memory } = await memoryOver(watchedStore().store);
  const own = memory.ingestionSteps();
  const bound: IngestionSteps = {
    turnsPerBatch: own.turnsPerBatch,
    buffer: (...input) => own.buffer(...input),
    plan: (...input) => own.plan(...input),
    waiting: (...input) => own.waiting(...input),
    read: (...input) => own.read(...input),
    resolve: (...input) => own.resolve(...input),
    build: (...input) => own.build(...input),
    commit: (...input) => own.commit(...input),
  };
  const steps: IngestionSteps = { ...bound, ...overrides(bound) };
  const asked: StepSettings[] = [];
  const graph = ingestionGraph(async (settings) => {
    asked.push(settings);
    return steps;
  });
  const run = (input: Parameters<typeof graph.invoke>[0], context: object = {}) =>
    graph.invoke(input, { context: context as never });
  return { memory, graph, asked, run };
}

const SESSIONS = ['s', 't', 'u'];
const TURNS = SESSIONS.flatMap((session, day) =>
  dialogue(TWO_TOPICS, { session, start: FIRST + day * 1_440 * MINUTE }),
);
const FEW = dialogue(['I moved to Ghent.', 'Nice!'], { session: 's' });
const thread = { configurable: { thread_id: '1' } };
const usage = { calls: 1, promptTokens: 10, completionTokens: 2 };

describe('the ingestion graph', () => {
  it('buffers, and ends there where no unit is complete', async () => {
    const { run, memory } = await graphOver();
    expect(await run({ turns: FEW })).toMatchObject({
      consolidated: 0,
      waiting: { turns: 2, sessions: 1, examples: ['s'] },
      outcomes: { added: 2 },
    });
    expect((await memory.stats()).enrichment.pending).toBe(2);
  });

  it.each([
    [{ turns: FEW, ended: true }, 10],
    [{ turns: FEW, sessions: ['t'] }, 0],
    [{ ended: true }, 8],
    [{ ended: true, sessions: ['s'] }, 0],
  ])('with the input %#, looks at the sessions that it names', async (input, consolidated) => {
    const { run, memory } = await graphOver();
    await memory.add(dialogue(TWO_TOPICS, { session: 't' }));
    expect(await run(input)).toMatchObject({ consolidated });
  });

  it('adds up its batches, with progress after each commit', async () => {
    const { graph, memory } = await graphOver(() => ({ turnsPerBatch: 8 }));
    const events: object[] = [];
    const input = { turns: TURNS, ended: true };
    for await (const event of await graph.stream(input, { streamMode: 'custom' })) events.push(event);
    expect(events).toMatchObject(
      [8, 16, 24].map((consolidated) => ({ type: 'progress', consolidated, waiting: 24 - consolidated })),
    );
    const { nodes } = await graphOf(memory);
    expect(events.at(-1)).toMatchObject({ segments: nodes.segment.length, entities: nodes.entity.length });
  });

  it('resolves a batch again under which memory has changed, without reading it again', async () => {
    let stale = 2;
    let reads = 0;
    const lasts: boolean[] = [];
    const { run } = await graphOver((own) => ({
      read: async (...input) => {
        reads++;
        return own.read(...input);
      },
      commit: async (units, call) => {
        lasts.push(call.isLast);
        if (stale-- === 0) return own.commit(units, call);
        const done = await own.commit([], call);
        return { ...done, stale: [...units] };
      },
    }));
    expect(await run({ turns: TURNS, ended: true })).toMatchObject({ consolidated: 24 });
    expect([reads, lasts]).toEqual([1, [false, true, true]]);
  });

  it.each(['read', 'resolve', 'build', 'commit'] as const)(
    'goes on unit by unit after a defect of %s',
    async (name) => {
      let fails = true;
      const { run } = await graphOver((own) => ({
        [name]: async (...input: Parameters<IngestionSteps['commit']>) => {
          if (!fails) return own[name](...input);
          fails = false;
          throw new TypeError('a defect');
        },
      }));
      const state = await run({ turns: TURNS, ended: true });
      expect(state).toMatchObject({ consolidated: 24, setAside: 0, stopped: null });
    },
  );

  it.each([
    [new DiskFullError('memory.db'), 1],
    [new TypeError('of each unit'), 2],
  ])('passes on what is no defect, and a defect of a single unit: %s', async (error, tries) => {
    let tried = 0;
    const { run } = await graphOver(() => ({
      commit: () => {
        tried++;
        return Promise.reject(error);
      },
    }));
    await expect(run({ turns: TURNS, ended: true })).rejects.toThrow(error.message);
    expect(tried).toBe(tries);
  });

  it('stops after the batch that met what stops the work, and says why', async () => {
    const stop = { code: 'budget-exhausted', reason: 'The budget is used up.' };
    const { run } = await graphOver((own) => ({
      turnsPerBatch: 8,
      commit: async (...input) => ({ ...(await own.commit(...input)), stop }),
    }));
    expect(await run({ turns: TURNS, ended: true })).toMatchObject({
      consolidated: 8,
      stopped: stop.reason,
      stoppedCode: stop.code,
      waiting: { turns: 16 },
    });
  });

  it('can be drawn, with what each branch depends on', async () => {
    const { nodes, edges } = await (await graphOver()).graph.getGraphAsync();
    expect(Object.keys(nodes)).toEqual([
      ...['__start__', 'buffer', 'plan', 'read', 'resolve', 'build', 'commit', '__end__'],
    ]);
    const labelled = edges.flatMap(({ source, target, data }) =>
      data ? [`${source} ${data} ${target}`] : [],
    );
    expect(labelled.toSorted()).toEqual([
      'commit memory has changed resolve',
      'commit no unit is left plan',
      'commit the work must stop __end__',
      'commit units are left read',
      'plan nothing is complete __end__',
      'plan units are complete read',
    ]);
  });
});

describe('a thread of the ingestion graph', () => {
  it('keeps its scope and takes the settings of each run from its context', async () => {
    const { graph, asked } = await graphOver();
    graph.checkpointer = new MemorySaver();
    const invoke = (input: object, context: object) =>
      graph.invoke(input, { ...thread, context: context as never });
    await invoke({ ended: true }, { scope: 'ann', profile: 'local', tier: 'local', tokenBudget: 100 });
    expect(asked.at(-1)).toEqual({ scope: 'ann', profile: 'local', tier: 'local' });
    await invoke({}, {});
    expect(asked.at(-1)).toEqual({ scope: 'ann', profile: null, tier: null });
    await expect(invoke({}, { scope: 'bob' })).rejects.toThrow('one scope');
  });

  it('does not keep the input of an earlier run', async () => {
    const { graph, memory } = await graphOver();
    graph.checkpointer = new MemorySaver();
    await graph.invoke({ turns: FEW, ended: true, sessions: ['t'] }, thread);
    expect(await graph.invoke({}, thread)).toMatchObject({ consolidated: 0, outcomes: null });
    await memory.add(dialogue(['I moved to Oslo.', 'Nice!'], { session: 'later' }));
    expect(await graph.invoke({ ended: true }, thread)).toMatchObject({ consolidated: 4 });
  });

  it('counts what earlier steps of the run spent against the budget', async () => {
    const budgets: unknown[] = [];
    const { run } = await graphOver((own) => ({
      turnsPerBatch: 8,
      read: async (...input) => ({ ...(await own.read(...input)), usage }),
      build: async (units, call) => {
        budgets.push(call.budget);
        return own.build(units, call);
      },
    }));
    const state = await run({ turns: TURNS, ended: true }, { tokenBudget: 100 });
    expect(budgets).toEqual([12, 24, 36].map((spent) => ({ limit: 100, spent })));
    expect(state.usage).toEqual({ calls: 3, promptTokens: 30, completionTokens: 6 });
  });

  it.each([{ profile: 'nobody' }, { tier: 'neither' }, { tokenBudget: 0 }])(
    'refuses a context that names what there is not: %j',
    async (context) => {
      await expect((await graphOver()).run({ ended: true }, context)).rejects.toThrow();
    },
  );
});

describe('the units of a batch', () => {
  it.each([
    [[2, 3, 4], 4, 2],
    [[4, 4], 4, 1],
    [[9, 1], 4, 2],
    [[9, 2], 4, 1],
    [[4, 1, 1, 1], 4, 1],
    [[1, 1, 1], 4, 3],
    [[], 4, 0],
  ])('of %j turns, in batches of %i: %i', (turns, most, taken) => {
    const units = turns.map((length) => ({ episodes: Array.from({ length }) }));
    expect(firstUnits(units, most)).toHaveLength(taken);
  });
});
