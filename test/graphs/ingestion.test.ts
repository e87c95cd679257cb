import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { ingestionGraph } from '../../graphs/ingestion/graph.ts';
import { firstUnits } from '../../graphs/ingestion/nodes.ts';
import type { UnitReference } from '../../graphs/ingestion/state.ts';
import type { IngestionSteps, StepSettings } from '../../graphs/ingestion/steps.ts';
import { NO_USAGE } from '../../src/model/retrieved-item.ts';

const unit = (session: string, turns: number): UnitReference => ({
  session,
  trigger: 'end',
  episodes: Array.from({ length: turns }, (_, at) => `${session}${at}`),
});

const COUNTS = { segments: 1, entities: 2, facts: 3, repeated: 1, outdated: 2 };
const usage = { calls: 1, promptTokens: 10, completionTokens: 2 };

/** Steps that do nothing; `planned` says with which options units were planned. */
function scripted(more: Partial<IngestionSteps> = {}) {
  const planned: unknown[] = [];
  let units: UnitReference[] = [unit('s', 2), unit('s', 3), unit('t', 4), unit('u', 2)];
  const steps: IngestionSteps = {
    turnsPerBatch: 4,
    buffer: async (turns) => ({
      outcomes: { added: turns.length, known: 0, superseding: 0, rejected: 0, reasons: [] },
      sessions: ['s'],
    }),
    plan: async ({ ended, sessions }) => {
      planned.push({ ended, sessions });
      const plan = { units, stop: null, usage: NO_USAGE };
      units = [];
      return plan;
    },
    waiting: async () => ({ turns: 1, sessions: 1, examples: ['s'] }),
    read: async () => ({ kept: 1, dropped: 0, setAside: 0, keywords: [], usage }),
    resolve: async () => ({ created: 2, known: 0, createdNames: [], knownNames: [], usage }),
    build: async () => ({ ...COUNTS, statements: [], usage: NO_USAGE }),
    commit: async () => ({
      stale: null,
      counts: { ...COUNTS, consolidated: 1, setAside: 0 },
      pending: 1,
      stop: null,
      usage: NO_USAGE,
    }),
    ...more,
  };
  const asked: StepSettings[] = [];
  const graph = ingestionGraph(async (settings) => {
    asked.push(settings);
    return steps;
  });
  return { planned, graph, asked, steps };
}

describe('the ingestion graph', () => {
  it('resolves and builds a batch again under which memory has changed, without reading it again', async () => {
    const log: string[] = [];
    let stale = 2;
    const { graph, steps } = scripted({ turnsPerBatch: 100 });
    const { commit } = steps;
    for (const name of ['read', 'resolve', 'build'] as const) {
      const usual = steps[name] as (units: readonly UnitReference[]) => Promise<never>;
      Object.assign(steps, {
        [name]: (units: readonly UnitReference[]) => {
          log.push(`${name} ${units.length}`);
          return usual(units);
        },
      });
    }
    steps.commit = async (units, call) => {
      const done = await commit(units, call);
      return stale-- > 0 ? { ...done, stale: units.slice(1) } : done;
    };
    await graph.invoke({ ended: true });
    const again = [4, 3, 2].flatMap((size) => [`resolve ${size}`, `build ${size}`]);
    expect(log).toEqual(['read 4', ...again]);
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
    const { graph, planned } = scripted();
    graph.checkpointer = new MemorySaver();
    const thread = { configurable: { thread_id: '1' } };
    await graph.invoke({ turns: ['a'], ended: true, sessions: ['t'] }, thread);
    await graph.invoke({}, thread);
    expect(planned.at(-1)).toEqual({ ended: false, sessions: null });
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
      await expect(scripted().graph.invoke({ ended: true }, { context: context as never })).rejects.toThrow();
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
