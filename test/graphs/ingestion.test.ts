import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { ingestionGraph } from '../../graphs/ingestion/graph.ts';
import { firstUnits } from '../../graphs/ingestion/nodes.ts';
import type { UnitReference } from '../../graphs/ingestion/state.ts';
import type { Committed, IngestionSteps, StepSettings } from '../../graphs/ingestion/steps.ts';
import { DiskFullError } from '../../src/errors/index.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';

const unit = (session: string, turns: number): UnitReference => ({
  session,
  trigger: 'end',
  episodes: Array.from({ length: turns }, (_, at) => `${session}${at}`),
});

const NO_COUNTS = {
  consolidated: 0,
  segments: 0,
  entities: 0,
  facts: 0,
  repeated: 0,
  outdated: 0,
  setAside: 0,
};
const usage = { calls: 1, promptTokens: 10, completionTokens: 2 };

/** Steps that do nothing but write down what they are asked for. */
function scripted(more: Partial<IngestionSteps> = {}) {
  const log: string[] = [];
  const sizes = (units: readonly UnitReference[]) => units.map(({ episodes }) => episodes.length).join('+');
  let planned: UnitReference[] = [unit('s', 2), unit('s', 3), unit('t', 4), unit('u', 2)];
  const committed = (units: readonly UnitReference[]): Committed => ({
    stale: null,
    counts: {
      ...NO_COUNTS,
      ...{ consolidated: units.flatMap(({ episodes }) => episodes).length, segments: units.length },
      ...{ entities: 2, facts: 3, repeated: 1, outdated: 2 },
    },
    pending: 1,
    stop: null,
  });
  const steps: IngestionSteps = {
    turnsPerBatch: 4,
    buffer: async (turns) => {
      log.push(`buffer ${turns.length}`);
      return {
        outcomes: { added: turns.length, known: 0, superseding: 0, rejected: 0, reasons: [] },
        sessions: ['s'],
      };
    },
    plan: async ({ ended, sessions }, { oneByOne }) => {
      const of = sessions === null ? '' : ` of ${sessions.join()}`;
      log.push(`plan${ended ? ' ended' : ''}${of}${oneByOne ? ' one by one' : ''}`);
      const units = planned;
      planned = [];
      return { units, stop: null, usage: NO_USAGE };
    },
    waiting: async () => ({ turns: 1, sessions: 1, examples: ['s'] }),
    read: async (units) => {
      log.push(`read ${sizes(units)}`);
      return { kept: 1, dropped: 0, setAside: 0, keywords: [], usage };
    },
    resolve: async (units) => {
      log.push(`resolve ${sizes(units)}`);
      return { created: 2, known: 0, createdNames: [], knownNames: [], usage };
    },
    build: async (units) => {
      log.push(`build ${sizes(units)}`);
      const counts = { segments: units.length, entities: 2, facts: 3, repeated: 1, outdated: 2 };
      return { ...counts, statements: [], usage: NO_USAGE };
    },
    commit: async (units) => {
      log.push(`commit ${sizes(units)}`);
      return { ...committed(units), usage: NO_USAGE };
    },
    ...more,
  };
  const asked: StepSettings[] = [];
  const graph = ingestionGraph(async (settings) => {
    asked.push(settings);
    return steps;
  });
  return {
    ...{ log, graph, asked, committed, steps },
    planAgain: (units: UnitReference[]) => {
      planned = units;
    },
    run: (input: Parameters<typeof graph.invoke>[0], context: object = {}) =>
      graph.invoke(input, { context: context as never }),
  };
}

const batchOf = (size: string) => ['read', 'resolve', 'build', 'commit'].map((step) => `${step} ${size}`);

describe('the ingestion graph', () => {
  it('buffers, and ends there where no unit is complete', async () => {
    const { log, run, planAgain } = scripted();
    planAgain([]);
    const state = await run({ turns: ['a', 'b'] });
    expect(log).toEqual(['buffer 2', 'plan of s']);
    expect(state).toMatchObject({
      consolidated: 0,
      waiting: { turns: 1, sessions: 1, examples: ['s'] },
      outcomes: { added: 2 },
    });
  });

  it('looks at the sessions of new turns alone, unless sessions end or others are named', async () => {
    const asked = async (input: object) => {
      const { log, run } = scripted();
      await run(input);
      return log.find((line) => line.startsWith('plan'));
    };
    expect(await asked({ turns: ['a'] })).toBe('plan of s');
    expect(await asked({ turns: ['a'], ended: true })).toBe('plan ended');
    expect(await asked({ turns: ['a'], sessions: ['t'] })).toBe('plan of t');
    expect(await asked({ ended: true })).toBe('plan ended');
    expect(await asked({ sessions: ['t'] })).toBe('plan of t');
  });

  it('goes batch by batch, each read, resolved, built and committed once, adds up, and plans again', async () => {
    const { log, run } = scripted();
    const state = await run({ ended: true });
    expect(log).toEqual(['plan ended', ...batchOf('2+3'), ...batchOf('4'), ...batchOf('2'), 'plan ended']);
    expect(state).toMatchObject({ consolidated: 11, segments: 4, entities: 6, facts: 9, repeated: 3 });
    expect(state).toMatchObject({ outdated: 6, setAside: 0, stopped: null });
    expect(state.usage).toEqual({ calls: 6, promptTokens: 60, completionTokens: 12 });
  });

  it('reports progress after each commit', async () => {
    const { graph } = scripted();
    const events: unknown[] = [];
    for await (const event of await graph.stream({ ended: true }, { streamMode: 'custom' }))
      events.push(event);
    expect(events).toMatchObject(
      [5, 9, 11].map((consolidated) => ({ type: 'progress', consolidated, waiting: 1 })),
    );
  });

  it('resolves and builds a batch again under which memory has changed, without reading it again', async () => {
    let stale = 2;
    const lasts: boolean[] = [];
    const { log, run, committed } = scripted({
      turnsPerBatch: 100,
      commit: async (units, { isLast }) => {
        lasts.push(isLast);
        if (stale-- > 0) return { ...committed([]), stale: units.slice(1), usage: NO_USAGE };
        return { ...committed(units), usage: NO_USAGE };
      },
    });
    const state = await run({ ended: true });
    const again = ['2+3+4+2', '3+4+2', '4+2'].flatMap((size) => [`resolve ${size}`, `build ${size}`]);
    expect(log).toEqual(['plan ended', 'read 2+3+4+2', ...again, 'plan ended']);
    expect(lasts).toEqual([false, true, true]);
    expect(state).toMatchObject({ consolidated: 6 });
  });

  it.each(['read', 'resolve', 'build', 'commit'] as const)(
    'plans again after a defect of %s, and goes on unit by unit',
    async (name) => {
      const script = scripted();
      const { log, steps, run, planAgain } = script;
      const usual = steps[name] as () => Promise<never>;
      Object.assign(steps, {
        [name]: async () => {
          log.push('defect');
          Object.assign(steps, { [name]: usual });
          planAgain([unit('s', 2), unit('s', 3)]);
          throw new TypeError('a defect');
        },
      });
      const state = await run({ ended: true });
      const again = log.slice(log.indexOf('defect') + 1);
      const plan = 'plan ended one by one';
      expect(again).toEqual([plan, ...batchOf('2'), ...batchOf('3'), plan]);
      expect(state).toMatchObject({ consolidated: 5, stopped: null });
    },
  );

  it('passes on what a step throws that is no defect, and a defect of a single unit', async () => {
    const { run } = scripted({ commit: () => Promise.reject(new DiskFullError('memory.db')) });
    await expect(run({ ended: true })).rejects.toMatchObject({ code: 'disk-full' });
    const script = scripted({ commit: () => Promise.reject(new TypeError('again')) });
    const { plan } = script.steps;
    Object.assign(script.steps, {
      plan: (...input: Parameters<typeof plan>) => {
        script.planAgain([unit('s', 2)]);
        return plan(...input);
      },
    });
    await expect(script.run({ ended: true })).rejects.toThrow('again');
  });

  it('stops after the batch that met what stops the work, and says why', async () => {
    const stop = { code: 'budget-exhausted', reason: 'The budget is used up.' };
    const { log, run, committed } = scripted({
      commit: async (units) => ({ ...committed(units), stop, usage: NO_USAGE }),
    });
    const state = await run({ ended: true });
    expect(log.filter((line) => line.startsWith('read'))).toEqual(['read 2+3']);
    expect(state).toMatchObject({ consolidated: 5, stopped: stop.reason, stoppedCode: stop.code });
    expect(state.waiting).toMatchObject({ turns: 1 });
  });

  it('stops if planning meets it', async () => {
    const stop = { code: 'model-unavailable', reason: 'No server.' };
    const { run } = scripted({ plan: async () => ({ units: [], stop, usage: NO_USAGE }) });
    expect(await run({ ended: true })).toMatchObject({ consolidated: 0, stopped: 'No server.' });
  });

  it('can be drawn, with what each branch depends on', async () => {
    const { nodes, edges } = await scripted().graph.getGraphAsync();
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
    const { graph, asked } = scripted();
    graph.checkpointer = new MemorySaver();
    const invoke = (input: object, context: object) =>
      graph.invoke(input, { configurable: { thread_id: '1' }, context: context as never });
    await invoke({ ended: true }, { scope: 'ann', profile: 'local', tier: 'local', tokenBudget: 100 });
    expect(asked.at(-1)).toEqual({ scope: 'ann', profile: 'local', tier: 'local' });
    await invoke({}, {});
    expect(asked.at(-1)).toEqual({ scope: 'ann', profile: null, tier: null });
    await expect(invoke({}, { scope: 'bob' })).rejects.toThrow('one scope');
  });

  it('does not keep the input of an earlier run', async () => {
    const { graph, log } = scripted();
    graph.checkpointer = new MemorySaver();
    const thread = { configurable: { thread_id: '1' } };
    await graph.invoke({ turns: ['a'], ended: true, sessions: ['t'] }, thread);
    log.length = 0;
    await graph.invoke({}, thread);
    expect(log).toEqual(['plan']);
  });

  it('counts what earlier steps of the run spent against the budget', async () => {
    const budgets: unknown[] = [];
    const { graph, steps } = scripted();
    const { build } = steps;
    Object.assign(steps, {
      build: (...[units, call]: Parameters<typeof build>) => {
        budgets.push(call.budget);
        return build(units, call);
      },
    });
    await graph.invoke({ ended: true }, { context: { tokenBudget: 100 } as never });
    expect(budgets).toEqual([24, 48, 72].map((spent) => ({ limit: 100, spent })));
  });

  it.each([{ profile: 'nobody' }, { tier: 'neither' }, { tokenBudget: 0 }])(
    'refuses a context that names what there is not: %j',
    async (context) => {
      await expect(scripted().run({ ended: true }, context)).rejects.toThrow();
    },
  );

  it('stays small, however many sessions the new turns have', async () => {
    const sessions = Array.from({ length: 10_000 }, (_, at) => `session ${at}`);
    const { graph } = scripted({
      buffer: async () => ({
        outcomes: { added: 1, known: 0, superseding: 0, rejected: 0, reasons: [] },
        sessions,
      }),
    });
    graph.checkpointer = new MemorySaver();
    const thread = { configurable: { thread_id: '1' } };
    await graph.invoke({ turns: ['a'] }, thread);
    expect(JSON.stringify((await graph.getState(thread)).values).length).toBeLessThan(2_000);
  });
});

it.each([
  [[2, 3, 4], 4, 2],
  [[4, 4], 4, 1],
  [[9, 1], 4, 2],
  [[9, 2], 4, 1],
  [[4, 1, 1, 1], 4, 1],
  [[1, 1, 1], 4, 3],
  [[], 4, 0],
])('the units of a batch of %j turns, in batches of %i: %i', (turns, most, taken) => {
  expect(
    firstUnits(
      turns.map((count) => unit('s', count)),
      most,
    ),
  ).toHaveLength(taken);
});
