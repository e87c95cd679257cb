import { MemorySaver } from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hierarchyGraph } from '../../graphs/hierarchy/graph.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { Mnemis, type OpenOptions } from '../../src/engine.ts';
import type { CategorizeRequest, Categorizer } from '../../src/hierarchy/categorizer.ts';
import type { ModelCallOptions } from '../../src/inference/language-model.ts';
import { asSet, freshPath, graphOf } from '../engine/memory-fixture.ts';
import { byKind } from '../hierarchy/fake-categorizers.ts';

let engine: Mnemis;
afterEach(() => engine.close());

const open = async (options: Partial<OpenOptions> = {}) => {
  const quiet = { warn: () => undefined };
  engine = await Mnemis.open({
    ...{ path: ':memory:', automatic: false, categorizer: byKind(), logger: quiet, ...options },
  });
  return engine.scope('default');
};

async function learn(memory: MemoryScope, names: readonly string[]): Promise<void> {
  await memory.add({ content: 'Hello there.', speaker: 'Ann', session: 's', at: '2026-01-01T10:00:00Z' });
  const evidence = [{ session: 's', index: 0 }];
  for (let start = 0; start < names.length; start += 500)
    await memory.addFacts(
      names.slice(start, start + 500).map((name) => ({
        ...{ statement: `${name} is known.`, participants: [name], evidence },
      })),
    );
}

async function memoryOf(names: readonly string[], options: Partial<OpenOptions> = {}): Promise<MemoryScope> {
  const memory = await open(options);
  await learn(memory, names);
  return memory;
}

/** As Studio does: compiled once, with a checkpointer set from outside; the memory is found for each node. */
function studioGraph() {
  const graph = hierarchyGraph(async ({ scope }) => engine.scope(scope).hierarchy.steps());
  graph.checkpointer = new MemorySaver();
  return graph;
}

let graph: ReturnType<typeof studioGraph>;
let threads = 0;
let thread: { readonly configurable: { readonly thread_id: string } };
beforeEach(() => {
  graph = studioGraph();
  thread = { configurable: { thread_id: `thread ${threads++}` } };
});

const numbered = (kind: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${kind} ${at + 1}`);
/** In the order of their numbers, so that a batch of a few nodes has several kinds. */
const KINDS = ['Apple', 'Art', 'Axe', 'Boat', 'Ball', 'Bike', 'City'];
const NAMES = [1, 2, 3, 4].flatMap((at) => KINDS.map((kind) => `${kind} ${at}`));
const NODES = ['begin', 'plan', 'categorize', 'commit'] as const;
const MODES = ['update', 'rebuild'] as const;

/** Counts the requests, and may look at each before it is answered. */
function counting(
  categorizer: Categorizer,
  onRequest: (request: CategorizeRequest, calls: ModelCallOptions) => unknown = () => undefined,
) {
  const counted = {
    ...categorizer,
    calls: 0,
    categorize: async (request: CategorizeRequest, calls: ModelCallOptions = {}) => {
      counted.calls++;
      await onRequest(request, calls);
      return categorizer.categorize(request, calls);
    },
  };
  return counted;
}

const shown = async (memory: MemoryScope) =>
  (await memory.hierarchy.tree()).map(({ name, entities }) => `${name} ${entities}`);

/** The graph of record, without the record of the hierarchy: its times are those of the last run. */
async function rows(memory: MemoryScope): Promise<string[]> {
  return asSet(await graphOf(memory)).filter((row) => !row.startsWith('["hierarchy"'));
}

/** The checkpoints before a node, the oldest first. */
async function checkpointsBefore(node: string) {
  const found = [];
  for await (const { next, config, values } of graph.getStateHistory(thread))
    if (next.includes(node)) found.unshift({ config, values });
  return found;
}

describe('hierarchy graph', () => {
  it('builds layers, tells what it did and why it stopped', async () => {
    const memory = await memoryOf([...numbered('Apple', 3), ...numbered('Boat', 3), 'City 1']);
    const told = await graph.invoke({}, thread);
    expect(told).toMatchObject({ created: 3, placed: 7, layers: 1, stoppedBy: 'nothing-merged' });
    expect(await shown(memory)).toEqual(['Apple 3', 'Boat 3', 'City 1 0']);
  });

  it('goes on where the last run ended', async () => {
    const memory = await memoryOf(numbered('Apple', 3), { categorizer: byKind(2) });
    await graph.invoke({}, thread);
    const [apples] = await memory.hierarchy.tree();
    await memory.addFacts([
      { statement: 'Apple 4 is known.', participants: ['Apple 4'], evidence: [{ session: 's', index: 0 }] },
    ]);
    const told = await graph.invoke({}, thread);
    expect(told).toMatchObject({ created: 0, placed: 1 });
    expect((await memory.hierarchy.tree())[0]).toMatchObject({ id: apples!.id, entities: 4 });
  });

  it('is drawn with the reason of each edge', async () => {
    await open();
    const drawn = await graph.getGraphAsync();
    expect(drawn.edges.map(({ source, target, data }) => [source, target, data])).toEqual([
      ['__start__', 'begin', undefined],
      ['begin', 'plan', undefined],
      ['categorize', 'commit', undefined],
      ['plan', 'categorize', 'ask the categorizer'],
      ['plan', 'commit', 'close the layer'],
      ['plan', '__end__', 'too little has changed for another layer'],
      ['commit', 'plan', 'next step'],
      ['commit', '__end__', 'a rule stops further layers'],
    ]);
  });

  it('works on the scope of the context, which the thread keeps', async () => {
    await memoryOf(numbered('Apple', 3));
    await learn(engine.scope('other'), numbered('Boat', 3));
    await graph.invoke({}, { ...thread, context: { scope: 'other' } as never, interruptBefore: ['plan'] });
    await graph.invoke(null, thread);
    expect(await shown(engine.scope('other'))).toEqual(['Boat 3']);
    expect(await engine.scope('default').hierarchy.tree({ depth: 0 })).toHaveLength(3);
    await expect(graph.invoke({}, { ...thread, context: { scope: 'default' } as never })).rejects.toThrow(
      'A thread belongs to one scope',
    );
  });

  it('passes what is left of the token budget to each call', async () => {
    const limits: (number | undefined)[] = [];
    const categorizer = counting(byKind(10), (_, { budget }) => limits.push(budget?.limit));
    const paid: Categorizer = {
      ...categorizer,
      categorize: async (request, calls) => {
        const reply = await categorizer.categorize(request, calls);
        return { ...reply, usage: { ...reply.usage, calls: 1, promptTokens: 30, completionTokens: 10 } };
      },
    };
    await memoryOf(NAMES, { categorizer: paid });
    const told = await graph.invoke({}, { ...thread, context: { tokenBudget: 100 } as never });
    expect(limits).toEqual([100, 60, 20, 1, 1]);
    expect(told.usage).toEqual({ calls: 5, promptTokens: 150, completionTokens: 50 });
    limits.length = 0;
    await graph.invoke({ mode: 'rebuild' }, thread);
    expect(limits[0]).toBeUndefined();
  });
});

describe('debugging the hierarchy graph', () => {
  it.each(MODES)('stops before any node of a run (%s), and resumes to the same result', async (mode) => {
    const categorizer = counting(byKind(10));
    const memory = await memoryOf(NAMES, { categorizer });
    if (mode === 'rebuild') await graph.invoke({}, { configurable: { thread_id: 'first' } });
    categorizer.calls = 0;
    const stops: string[] = [];
    await graph.invoke({ mode }, { ...thread, interruptBefore: [...NODES] });
    for (let { next } = await graph.getState(thread); next.length > 0; ) {
      stops.push(next[0]!);
      await graph.invoke(null, { ...thread, interruptBefore: [...NODES] });
      next = (await graph.getState(thread)).next;
    }
    expect(new Set(stops)).toEqual(new Set(NODES));
    // Three batches of layer 1, and one of each of two more layers.
    expect(categorizer.calls).toBe(5);
    expect((await graph.getState(thread)).values).toMatchObject({ layers: 2, stoppedBy: 'nothing-merged' });
    expect(await shown(memory)).toEqual(['Words with A 12', 'Words with B 12', 'City 4']);
  });

  it.each(MODES)('resumes before each node in another process (%s)', async (mode) => {
    const path = freshPath();
    let memory = await memoryOf(NAMES, { path, categorizer: byKind(10) });
    if (mode === 'rebuild') await graph.invoke({}, { configurable: { thread_id: 'first' } });
    let restarts = 0;
    await graph.invoke({ mode }, { ...thread, interruptBefore: ['plan'] });
    // A rebuild gathers a layer in one process: with a restart at each node it would begin again and again.
    const stopsAt = mode === 'update' ? [...NODES] : (['categorize', 'commit'] as const);
    const most = mode === 'update' ? 40 : 6;
    for (let { next } = await graph.getState(thread); next.length > 0; restarts++) {
      if (restarts < most) {
        await engine.close();
        memory = await open({ path, categorizer: byKind(10) });
      }
      await graph.invoke(null, { ...thread, interruptBefore: restarts < most ? [...stopsAt] : [] });
      next = (await graph.getState(thread)).next;
    }
    expect(restarts).toBeGreaterThan(5);
    expect(await shown(memory)).toEqual(['Words with A 12', 'Words with B 12', 'City 4']);
    expect((await memory.hierarchy.status()).waiting).toBe(0);
  });

  it.each(MODES)('replays from each checkpoint and writes nothing twice (%s)', async (mode) => {
    const categorizer = counting(byKind(10));
    const memory = await memoryOf(NAMES, { categorizer });
    const told = await graph.invoke({ mode }, thread);
    expect(told.stoppedBy).toBe('nothing-merged');
    const written = await rows(memory);
    const checkpoints = [];
    for (const node of NODES)
      for (const { config } of await checkpointsBefore(node)) checkpoints.push({ node, config });
    for (const { node, config } of checkpoints) {
      categorizer.calls = 0;
      await graph.invoke(null, { ...config, interruptAfter: ['commit'] });
      if (node === 'commit') expect(categorizer.calls).toBe(0);
      await graph.invoke(null, thread);
      expect((await graph.getState(thread)).next).toEqual([]);
      expect(await rows(memory)).toEqual(written);
    }
  });

  it('runs a fork with another mode', async () => {
    const asked: string[][] = [];
    const categorizer = counting(byKind(10), ({ due, layer, nodes }) => {
      if (layer === 1) asked.push(nodes.filter(({ id }) => due.has(id)).map(({ name }) => name));
    });
    const memory = await memoryOf(NAMES, { categorizer });
    await graph.invoke({}, thread);
    const written = await rows(memory);
    asked.length = 0;
    const [, second] = await checkpointsBefore('plan');
    await graph.invoke(null, await graph.updateState(second!.config, { mode: 'rebuild' }));
    expect(asked.flat()).toEqual(NAMES);
    expect(await rows(memory)).toEqual(written);
  });

  it('commits the known reply of a fork, unless something was forgotten since', async () => {
    const categorizer = counting(byKind(10));
    const memory = await memoryOf(NAMES, { categorizer });
    await graph.invoke({}, { ...thread, interruptBefore: ['commit'] });
    const [fork] = await checkpointsBefore('commit');
    expect(fork!.values.proposed).toMatchObject({
      categories: 7,
      largest: [{ name: 'Apple', nodes: 2 }, {}, {}, {}, {}, {}, {}],
    });
    await graph.invoke(null, { ...fork!.config, interruptAfter: ['commit'] });
    expect(categorizer.calls).toBe(1);
    expect((await memory.hierarchy.tree({ depth: 0 })).map(({ name }) => name)).toContain('Apple');
    await memory.forget({ entity: 'Art 1' });
    await graph.invoke(null, { ...fork!.config, interruptAfter: ['commit'] });
    expect(categorizer.calls).toBe(1);
    const { values, next } = await graph.getState(thread);
    expect([values.cursor, next]).toEqual([null, ['plan']]);
    await graph.invoke(null, thread);
    expect(await shown(memory)).toEqual(['Words with B 12', 'Words with A 11', 'City 4']);
  });
});

describe('a large hierarchy in Studio', () => {
  it('needs no recursion limit of the caller', async () => {
    const apples = 930;
    const memory = await memoryOf(numbered('Apple', apples), { categorizer: byKind(10) });
    // As LangGraph's server calls it.
    const limit = { recursionLimit: undefined as never };
    const events = graph.streamEvents({}, { ...thread, ...limit, version: 'v2', streamMode: ['updates'] });
    let commits = 0;
    for await (const { event, name } of events) if (event === 'on_chain_end' && name === 'commit') commits++;
    expect(commits).toBeGreaterThan(apples / 10);
    expect(await shown(memory)).toEqual([`Apple ${apples}`]);
  });

  it('has small events and plain state, whatever the number of nodes', async () => {
    const kinds = Array.from({ length: 30 }, (_, at) => `Kind${String.fromCharCode(65 + (at % 26))}${at}`);
    await memoryOf(
      kinds.flatMap((kind) => numbered(kind, 104)),
      { categorizer: byKind(120) },
    );
    for (const mode of MODES) {
      const largest: Record<string, number> = {};
      const stream = await graph.stream(
        { mode },
        { ...thread, streamMode: ['updates', 'values', 'debug', 'custom'] },
      );
      for await (const [kind, event] of stream) {
        const text = JSON.stringify(event);
        largest[kind] = Math.max(largest[kind] ?? 0, text.length);
        if (kind !== 'debug') expect(JSON.parse(text)).toEqual(event);
      }
      expect(Object.keys(largest).sort()).toEqual(['custom', 'debug', 'updates', 'values']);
      expect(Math.max(...Object.values(largest))).toBeLessThan(16_000);
    }
    const { values } = await graph.getState(thread);
    expect(JSON.parse(JSON.stringify(values))).toStrictEqual(values);
    // Each category of layer 1 was offered for splitting.
    expect(Object.keys(values.sizes)).toHaveLength(30);
  });
});

describe('cancelling the hierarchy graph', () => {
  it('reaches the call at once, and no other call starts', async () => {
    const stop = new AbortController();
    let aborted = Number.POSITIVE_INFINITY;
    const slow = counting(byKind(3), (_, { signal }) => {
      if (slow.calls < 2) return undefined;
      let at = 0;
      setTimeout(() => {
        at = performance.now();
        stop.abort();
      }, 20);
      return new Promise((_, reject) => {
        signal!.addEventListener('abort', () => {
          aborted = performance.now() - at;
          reject(signal!.reason);
        });
      });
    });
    await memoryOf(NAMES, { categorizer: slow });
    await expect(graph.invoke({}, { ...thread, signal: stop.signal })).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(aborted).toBeLessThan(2_000);
    expect(slow.calls).toBe(2);
  });

  it('between two calls ends the run before the next', async () => {
    const stop = new AbortController();
    const categorizer = counting(byKind(3), () => stop.abort());
    await memoryOf(NAMES, { categorizer });
    await expect(graph.invoke({}, { ...thread, signal: stop.signal })).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(categorizer.calls).toBe(1);
  });
});
