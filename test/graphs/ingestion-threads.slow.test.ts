import { MemorySaver } from '@langchain/langgraph';
import { describe, expect, it } from 'vitest';
import { RehearsalModel } from '../../eval/rehearsal/rehearsal-model.ts';
import { ingestionGraph } from '../../graphs/ingestion/graph.ts';
import type { UnitReference } from '../../graphs/ingestion/state.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { LanguageModel, ModelCallOptions } from '../../src/inference/language-model.ts';
import { LlmRelator } from '../../src/ingest/segment/relate/llm-relator.ts';
import type { Prompt } from '../../src/model/prompt.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { upToIds } from '../engine/ingestion/graph-up-to-ids.ts';
import { expectConsistent } from '../engine/ingestion/invariants.ts';
import { memoryOver, watchedStore } from '../engine/ingestion/memory-over.ts';
import { randomConversation } from '../engine/ingestion/random-conversation.ts';
import { freshPath, graphOf, open } from '../engine/memory-fixture.ts';
import { seededRandom } from '../search/random.ts';

const NODES = ['buffer', 'plan', 'read', 'resolve', 'build', 'commit'] as const;
const TURNS = randomConversation(seededRandom(7), { turns: 480, sessions: 18 });
const INPUT = { turns: TURNS, ended: true };
const thread = { configurable: { thread_id: '1' } };

function graphOver(memory: MemoryScope, saver = new MemorySaver()) {
  const graph = ingestionGraph(async ({ tier }) => memory.ingestionSteps({ tier: tier ?? undefined }));
  graph.checkpointer = saver;
  return graph;
}

const undisturbed = (async () => {
  const { memory } = await memoryOver(watchedStore().store);
  await memory.add(TURNS);
  await memory.flush();
  return upToIds(await graphOf(memory));
})();

/** What a run left: consistent, and the same as an undisturbed flush. */
async function expectAllDone(memory: MemoryScope) {
  const graph = await graphOf(memory);
  expectConsistent(graph);
  expect(upToIds(graph)).toEqual(await undisturbed);
}

describe('a thread of ingestion over an engine', () => {
  it.each(NODES)('stops before every %s and continues there', async (node) => {
    const { memory } = await memoryOver(watchedStore().store);
    const graph = graphOver(memory);
    let stops = 0;
    await graph.invoke(INPUT, { ...thread, interruptBefore: [node] });
    for (; (await graph.getState(thread)).next.length > 0; stops++) {
      expect((await graph.getState(thread)).next).toEqual([node]);
      await graph.invoke(null, { ...thread, interruptBefore: [node] });
    }
    // Two batches, each of which is planned.
    expect(stops).toBe({ buffer: 1, plan: 3 }[node as string] ?? 2);
    await expectAllDone(memory);
  });

  it('writes nothing twice when every checkpoint is replayed', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    const graph = graphOver(memory);
    await graph.invoke(INPUT, thread);
    const checkpoints = [];
    for await (const { config, next } of graph.getStateHistory(thread)) checkpoints.push({ config, next });
    expect(new Set(checkpoints.flatMap(({ next }) => next))).toEqual(new Set(['__start__', ...NODES]));
    for (const { config } of checkpoints) await graph.invoke(null, config);
    await expectAllDone(memory);
  });

  it('replays each checkpoint in the middle of the work, which is then done once', async () => {
    const reached = async (node: string) => {
      const { memory } = await memoryOver(watchedStore().store);
      const graph = graphOver(memory);
      await graph.invoke(INPUT, { ...thread, interruptBefore: [node as (typeof NODES)[number]] });
      const history = [];
      for await (const { config } of graph.getStateHistory(thread)) history.push(config);
      for (const config of history) await graph.invoke(null, config);
      await expectAllDone(memory);
    };
    for (const node of ['resolve', 'build', 'commit']) await reached(node);
  });

  it('takes turns without an index for the same when their checkpoint is replayed', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    const graph = graphOver(memory);
    const turn = { content: 'I moved to Ghent.', speaker: 'Nora', at: '2026-03-02T09:00Z' };
    await graph.invoke({ turns: [turn, turn, { content: 'Nice!', at: 'never' }], ended: true }, thread);
    let first = {};
    for await (const { config, next } of graph.getStateHistory(thread))
      if (next.includes('buffer')) first = config;
    expect(await graph.invoke(null, first)).toMatchObject({ outcomes: { added: 0, known: 2, rejected: 1 } });
    const { values } = await graph.getState(thread);
    expect(values.outcomes.reasons).toEqual([
      { turn: 2, reason: expect.stringContaining('at is not a time') },
    ]);
    expect((await memory.stats()).episode).toBe(2);
  });

  it.each(['resolve', 'build', 'commit'] as const)(
    'works on the edited batch of a fork before %s; the removed unit is planned again',
    async (node) => {
      const watched = watchedStore();
      const { memory } = await memoryOver(watched.store);
      const graph = graphOver(memory);
      await graph.invoke(INPUT, { ...thread, interruptBefore: [node] });
      const [removed, ...batch]: UnitReference[] = (await graph.getState(thread)).values.batch;
      const before = watched.commits.length;
      const fork = await graph.updateState(thread, { batch });
      const { consolidated } = await graph.invoke(null, fork);
      expect(consolidated).toBe(TURNS.length);
      const segmented = (commit: number) =>
        (watched.commits[before + commit]?.relationships ?? [])
          .filter(({ kind }) => kind === 'IN_SEGMENT')
          .map(({ from }) => from as string);
      expect(segmented(0)).toEqual(batch.flatMap(({ episodes }) => episodes));
      expect(removed!.episodes.every((id) => segmented(0).includes(id))).toBe(false);
      const graphNow = await graphOf(memory);
      expectConsistent(graphNow);
      // The removed unit is read after the others and knows the names that they brought: its words may differ.
      const turnsOf = (segments: readonly string[]) =>
        segments.map((row) => {
          const [session, , , startAt, endAt, turns] = JSON.parse(row) as readonly unknown[];
          return JSON.stringify([session, startAt, endAt, turns]);
        });
      expect(turnsOf(upToIds(graphNow).segments).sort()).toEqual(
        turnsOf((await undisturbed).segments).sort(),
      );
    },
  );

  it('continues in another process after each node', async () => {
    const { store } = watchedStore();
    const saver = new MemorySaver();
    const process = async () => {
      const { memory } = await memoryOver(store);
      return { memory, graph: graphOver(memory, saver) };
    };
    const everywhere = { ...thread, interruptBefore: [...NODES] };
    await (await process()).graph.invoke(INPUT, everywhere);
    let steps = 0;
    for (; ; steps++) {
      const { graph, memory } = await process();
      const { next, values } = await graph.getState(thread);
      expect(JSON.parse(JSON.stringify(values))).toEqual(values);
      if (next.length === 0) {
        expect(values.consolidated).toBe(TURNS.length);
        await expectAllDone(memory);
        break;
      }
      await graph.invoke(null, everywhere);
    }
    expect(steps).toBe(12);
  });

  it('continues over a file that another engine has closed', async () => {
    const path = freshPath();
    const saver = new MemorySaver();
    const first = await open(path, { automatic: false });
    await graphOver(first.scope('a'), saver).invoke(INPUT, { ...thread, interruptBefore: ['build'] });
    await first.close();
    // An automatic engine would consolidate what waits at its first use, beside the thread.
    await using second = await open(path, { automatic: false });
    const graph = graphOver(second.scope('a'), saver);
    expect(await graph.invoke(null, thread)).toMatchObject({ consolidated: TURNS.length });
    expect((await second.scope('a').stats()).enrichment.pending).toBe(0);
  });

  it('consolidates 1,500 turns in one run of small events of plain JSON', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    const graph = graphOver(memory);
    const turns = randomConversation(seededRandom(3), { turns: 1_500, sessions: 40 });
    const sizes: number[] = [];
    const modes = ['updates', 'values', 'debug', 'custom'] as const;
    for await (const [, event] of await graph.stream({ turns }, { ...thread, streamMode: [...modes] })) {
      expect(JSON.parse(JSON.stringify(event))).toEqual(event);
      sizes.push(JSON.stringify(event).length);
    }
    expect(sizes.length).toBeGreaterThan(100);
    expect(Math.max(...sizes)).toBeLessThan(16_000);
    const { values } = await graph.getState(thread);
    expect(values).not.toHaveProperty('turns');
    expect(values).toMatchObject({ outcomes: { added: 1_500 }, stopped: null, oneByOne: false });
    expect(values.consolidated).toBeGreaterThan(500);
    expect(values.consolidated + values.waiting!.turns).toBe(1_500);
    expect((await memory.stats()).enrichment.pending).toBe(values.waiting!.turns);
    expect(await graph.invoke({}, thread)).toMatchObject({ consolidated: 0, outcomes: null });
  });

  it('stays small with 10,000 sessions that wait', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    const graph = graphOver(memory);
    const turns = Array.from({ length: 10_000 }, (_, at) => ({
      content: 'Hello.',
      speaker: 'Ann',
      session: `session ${at}`,
      at: '2026-03-02T09:00Z',
      sourceId: String(at),
    }));
    const { waiting } = await graph.invoke({ turns }, thread);
    expect(waiting).toEqual({ turns: 10_000, sessions: 10_000, examples: expect.any(Array) });
    expect(JSON.stringify((await graph.getState(thread)).values).length).toBeLessThan(2_000);
  });
});

/** Replies as the rules do, after what a test wants to happen before each call. */
class SlowModel implements LanguageModel {
  readonly name = 'slow';
  readonly contextTokens = null;
  readonly asked: string[] = [];
  before: (prompt: string, options: ModelCallOptions) => Promise<void> | void = () => undefined;
  readonly #model = new RehearsalModel();

  async structured<Input, Output>(
    prompt: Prompt<Input, Output>,
    input: Input,
    options: ModelCallOptions = {},
  ) {
    this.asked.push(prompt.name);
    await this.before(prompt.name, options);
    return this.#model.structured(prompt, input, options);
  }

  text: LanguageModel['text'] = (...input) => this.#model.text(...input);
  countTokens: LanguageModel['countTokens'] = (text) => this.#model.countTokens(text);
}

async function withModel(store: GraphStore = watchedStore().store) {
  const model = new SlowModel();
  // The default profile relates topics by rules; here a model relates them, so that it can be cancelled.
  const { memory } = await memoryOver(store, { model, stages: () => ({ relator: new LlmRelator(model) }) });
  return { model, memory, graph: graphOver(memory) };
}

describe('a run with a language model', () => {
  it.each([
    'segment-boundaries',
    'read-segments',
    'resolve-entities',
    'describe-entities',
    'relate-segments',
  ])(
    'that is cancelled during %s ends at once; the call ends, none begins, and the thread goes on',
    async (prompt) => {
      const { model, memory, graph } = await withModel();
      const cancel = new AbortController();
      const ended: boolean[] = [];
      let at = 0;
      model.before = async (asked, { signal }) => {
        if (asked !== prompt) return;
        setTimeout(() => {
          at = performance.now();
          cancel.abort();
        }, 5);
        await new Promise<void>((_, reject) => {
          signal?.addEventListener('abort', () => {
            ended.push(true);
            reject(signal.reason);
          });
        });
      };
      const run = graph.invoke(INPUT, { ...thread, signal: cancel.signal });
      await expect(run).rejects.toThrow(/abort/i);
      expect(performance.now() - at).toBeLessThan(2_000);
      expect(ended.length).toBeGreaterThan(0);
      const calls = model.asked.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(model.asked).toHaveLength(calls);
      expectConsistent(await graphOf(memory));
      model.before = () => undefined;
      const { consolidated } = await graph.invoke(null, thread);
      expect(consolidated).toBe(TURNS.length);
      expectConsistent(await graphOf(memory));
    },
  );

  it('asks nothing again when steps of a batch are replayed in the same process', async () => {
    const { model, graph } = await withModel();
    await graph.invoke(INPUT, { ...thread, interruptBefore: ['commit'] });
    const calls = model.asked.length;
    const checkpoints = [];
    for await (const { config, next } of graph.getStateHistory(thread))
      if (['read', 'resolve', 'build'].includes(next[0] ?? '')) checkpoints.push(config);
    expect(checkpoints).toHaveLength(3);
    for (const config of checkpoints) await graph.invoke(null, { ...config, interruptBefore: ['commit'] });
    expect(model.asked).toHaveLength(calls);
  });

  it('ends with a reason when its token budget is spent, and further runs continue', async () => {
    const { memory, graph } = await withModel();
    const run = (input: object) =>
      graph.invoke(input, { ...thread, context: { tokenBudget: 12_000 } as never });
    let state = await run(INPUT);
    expect(state).toMatchObject({ stoppedCode: 'budget-exhausted' });
    expect(state.stopped).toContain('12000');
    expect(state.waiting!.turns).toBeGreaterThan(0);
    for (let runs = 0; state.waiting!.turns > 0 && runs < 30; runs++) {
      const { turns } = state.waiting!;
      state = await run({ ended: true });
      expect(state.waiting!.turns).toBeLessThan(turns);
      expect(state.usage.promptTokens + state.usage.completionTokens).toBeLessThan(20_000);
    }
    expect((await memory.stats()).enrichment.pending).toBe(0);
    expectConsistent(await graphOf(memory));
  });

  it('calls no model in tier local', async () => {
    const { model, memory, graph } = await withModel();
    await graph.invoke(INPUT, { ...thread, context: { tier: 'local' } as never });
    expect(model.asked).toEqual([]);
    await expectAllDone(memory);
  });
});
