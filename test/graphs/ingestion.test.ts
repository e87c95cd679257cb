import { describe, expect, it } from 'vitest';
import { ingestionGraph } from '../../graphs/ingestion/graph.ts';
import { firstUnits, type IngestionSteps } from '../../graphs/ingestion/nodes.ts';
import type { PlannedUnit, ReadUnit } from '../../src/ingest/consolidation-context.ts';
import type { BatchResolution } from '../../src/ingest/resolve/entity-resolution.ts';
import type { BuiltBatch } from '../../src/ingest/write/build-batch.ts';

const unit = (session: string, turns: number): PlannedUnit => ({
  session,
  trigger: 'end',
  episodes: Array.from({ length: turns }, (_, at) => ({ id: `${session}${at}` })) as never,
});

/** Steps that do nothing but write down what they are asked for. */
function scripted(more: Partial<IngestionSteps> = {}) {
  const log: string[] = [];
  const sizes = (units: readonly PlannedUnit[]) => units.map(({ episodes }) => episodes.length).join('+');
  const steps: IngestionSteps = {
    turnsPerBatch: 4,
    buffer: async (turns) => {
      log.push(`buffer ${turns.length}`);
      return { outcomes: turns.map(() => 'added'), sessions: ['s'] };
    },
    plan: async ({ ended, sessions }) => {
      log.push(`plan${ended ? ' ended' : ''}${sessions === null ? '' : ` of ${sessions.join()}`}`);
      return {
        units: [unit('s', 2), unit('s', 3), unit('t', 4), unit('u', 1)],
        waiting: new Map([['s', unit('s', 1).episodes]]),
        unfinished: new Set(),
      };
    },
    read: async (units) => {
      log.push(`read ${sizes(units)}`);
      return { read: units as unknown as readonly ReadUnit[], failed: [], stoppedBy: null };
    },
    resolve: async ({ read }) => {
      log.push(`resolve ${sizes(read)}`);
      return {} as BatchResolution;
    },
    build: async ({ reading }) => {
      log.push(`build ${sizes(reading.read)}`);
      const counts = { segments: reading.read.length, entities: 2, facts: 3, repeated: 1, outdated: 2 };
      return { changes: {}, ...counts } as BuiltBatch;
    },
    commit: async ({ reading }) => {
      log.push(`commit ${sizes(reading.read)}`);
      return { stoppedBy: null };
    },
    stillPending: async (reading) => {
      log.push('what still waits');
      return reading;
    },
    ...more,
  };
  const graph = ingestionGraph(async (_state, { context }) => (context as { steps: IngestionSteps }).steps);
  return {
    log,
    run: (input: Parameters<typeof graph.invoke>[0]) => graph.invoke(input, { context: { steps } }),
  };
}

describe('the ingestion graph', () => {
  it('buffers, and ends there where no unit is complete', async () => {
    const { log, run } = scripted({
      plan: async () => ({
        units: [],
        waiting: new Map([['s', unit('s', 2).episodes]]),
        unfinished: new Set(),
      }),
    });
    const state = await run({ turns: ['a', 'b'] });
    expect(log).toEqual(['buffer 2']);
    expect(state).toMatchObject({
      planned: 0,
      consolidated: 0,
      waiting: { s: 2 },
      outcomes: ['added', 'added'],
    });
  });

  it('looks at the sessions of new turns alone, unless sessions end', async () => {
    const asked = async (input: object) => {
      const { log, run } = scripted();
      await run(input);
      return log.find((line) => line.startsWith('plan'));
    };
    expect(await asked({ turns: ['a'] })).toBe('plan of s');
    expect(await asked({ turns: ['a'], ended: true })).toBe('plan ended');
    expect(await asked({ ended: true })).toBe('plan ended');
    expect(await asked({ sessions: ['t'] })).toBe('plan of t');
  });

  it('goes batch by batch, each read, resolved, built and committed once, and adds up', async () => {
    const { log, run } = scripted();
    const state = await run({ ended: true });
    expect(log).toEqual([
      'plan ended',
      ...['read', 'resolve', 'build', 'commit'].map((step) => `${step} 2+3`),
      ...['read', 'resolve', 'build', 'commit'].map((step) => `${step} 4`),
      ...['read', 'resolve', 'build', 'commit'].map((step) => `${step} 1`),
    ]);
    expect(state).toMatchObject({
      planned: 10,
      consolidated: 10,
      segments: 4,
      entities: 6,
      facts: 9,
      repeated: 3,
      outdated: 6,
    });
    expect([state.setAside, state.stopped]).toEqual([0, null]);
  });

  it('counts what was set aside apart', async () => {
    const { run } = scripted({
      read: async ([first, ...others]) => ({
        read: others as unknown as readonly ReadUnit[],
        failed: [{ ...first!, code: 'model-declined', reason: 'no', attempts: 2 }],
        stoppedBy: null,
      }),
    });
    expect(await run({ ended: true })).toMatchObject({ consolidated: 3, setAside: 7 });
  });

  it('resolves and builds a batch anew under which memory has changed, without reading it again', async () => {
    let isStale = true;
    const { log, run } = scripted({
      turnsPerBatch: 100,
      commit: async () => {
        log.push('commit');
        if (!isStale) return { stoppedBy: null };
        isStale = false;
        return null;
      },
    });
    const state = await run({ ended: true });
    const all = '2+3+4+1';
    expect(log).toEqual([
      'plan ended',
      `read ${all}`,
      `resolve ${all}`,
      `build ${all}`,
      'commit',
      'what still waits',
      `resolve ${all}`,
      `build ${all}`,
      'commit',
    ]);
    expect(state).toMatchObject({ consolidated: 10, segments: 4 });
  });

  it('stops after the batch that met what stops the work, and says why', async () => {
    const stoppedBy = new Error('The budget is used up.');
    const { log, run } = scripted({ commit: async () => ({ stoppedBy }) });
    const state = await run({ ended: true });
    expect(log.filter((line) => line.startsWith('read'))).toEqual(['read 2+3']);
    expect(state).toMatchObject({ consolidated: 5, stopped: 'The budget is used up.' });
    expect(state.stoppedBy).toBe(stoppedBy);
  });

  it('passes on what a step throws', async () => {
    const { run } = scripted({ commit: () => Promise.reject(new TypeError('disk')) });
    await expect(run({ ended: true })).rejects.toThrow('disk');
  });

  it('can be drawn', async () => {
    const graph = ingestionGraph(async () => ({}) as IngestionSteps);
    const { nodes } = await graph.getGraphAsync();
    expect(Object.keys(nodes)).toEqual([
      ...['__start__', 'buffer', 'plan', 'read', 'resolve', 'build', 'commit', '__end__'],
    ]);
  });
});

describe('the units of a batch', () => {
  it.each([
    [[2, 3, 4], 4, 2],
    [[4, 4], 4, 1],
    [[9, 1], 4, 1],
    [[1, 1, 1], 4, 3],
    [[], 4, 0],
  ])('of %j turns, in batches of %i: %i', (turns, most, taken) => {
    expect(
      firstUnits(
        turns.map((count) => unit('s', count)),
        most,
      ),
    ).toHaveLength(taken);
  });
});
