import type { RunnableConfig } from '@langchain/core/runnables';
import { Command, END, interrupt, START, StateGraph, StateSchema } from '@langchain/langgraph';
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  emptyCheckpoint,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

export interface OpenedCheckpointer {
  readonly saver: BaseCheckpointSaver;
  close(): Promise<void>;
}

const of = (thread?: string, checkpoint?: string, namespace = ''): RunnableConfig => ({
  configurable: {
    ...(thread === undefined ? {} : { thread_id: thread, checkpoint_ns: namespace }),
    ...(checkpoint === undefined ? {} : { checkpoint_id: checkpoint }),
  },
});
const metadata = (step: number, more: object = {}): CheckpointMetadata => ({
  ...{ source: 'loop' as const, step, parents: {} },
  ...more,
});
let clock = 0;
const checkpointWith = (values: Record<string, unknown>): Checkpoint => ({
  ...{ ...emptyCheckpoint(), id: uuid6(clock++) },
  channel_values: values,
  channel_versions: Object.fromEntries(Object.keys(values).map((channel) => [channel, 1])),
});

/** What every checkpointer does beyond the cases of LangGraph's own suite (`checkpointer-validation.test.ts`). */
export function checkpointerContract(name: string, open: () => Promise<OpenedCheckpointer>): void {
  describe(`${name}: the checkpointer contract`, () => {
    let opened: OpenedCheckpointer;
    let saver: BaseCheckpointSaver;
    beforeEach(async () => {
      opened = await open();
      saver = opened.saver;
    });
    afterEach(() => opened.close());

    const put = (at: RunnableConfig, checkpoint: Checkpoint, about = metadata(0)) =>
      saver.put(at, checkpoint, about, checkpoint.channel_versions);
    /** One after another, each the parent of the next. */
    async function history(thread: string, steps: number, namespace = ''): Promise<string[]> {
      const ids: string[] = [];
      for (let step = 0; step < steps; step++) {
        const checkpoint = checkpointWith({ step });
        const source = step === 0 ? 'input' : 'loop';
        await put(of(thread, ids.at(-1), namespace), checkpoint, metadata(step, { source }));
        ids.push(checkpoint.id);
      }
      return ids;
    }
    async function listed(at: RunnableConfig, options?: CheckpointListOptions): Promise<CheckpointTuple[]> {
      const tuples: CheckpointTuple[] = [];
      for await (const tuple of saver.list(at, options)) tuples.push(tuple);
      return tuples;
    }
    const idsOf = (tuples: readonly CheckpointTuple[]) => tuples.map(({ checkpoint: { id } }) => id);

    describe('put and getTuple', () => {
      it('gives back what was put, under the config that put returned', async () => {
        const checkpoint = checkpointWith({ text: 'two\nlines “ü” 🙂', list: [1, null, { a: true }] });
        const config = await put(of('t'), checkpoint, metadata(3, { source: 'input' }));
        expect(config).toEqual(of('t', checkpoint.id));
        const tuple = await saver.getTuple(config);
        expect(tuple).toMatchObject({ config, checkpoint, metadata: { source: 'input', step: 3 } });
        expect([tuple?.pendingWrites, tuple?.parentConfig]).toEqual([[], undefined]);
        expect(await saver.get(config)).toEqual(checkpoint);
      });

      it('keeps bytes and dates as LangGraph’s serializer does', async () => {
        const values = { bytes: new Uint8Array([0, 255, 10]), none: undefined, map: new Map([['a', 1]]) };
        const config = await put(of('t'), checkpointWith(values));
        const tuple = await saver.getTuple(config);
        expect(tuple?.checkpoint.channel_values.bytes).toEqual(values.bytes);
        expect(tuple?.checkpoint.channel_values.map).toEqual(values.map);
      });

      it('knows nothing of another thread, namespace or checkpoint', async () => {
        const [id] = await history('t', 1);
        expect(await saver.getTuple(of('u'))).toBeUndefined();
        expect(await saver.getTuple(of('t', undefined, 'inner'))).toBeUndefined();
        expect(await saver.getTuple(of('t', uuid6(0)))).toBeUndefined();
        expect((await saver.getTuple(of('t', id)))?.checkpoint.id).toBe(id);
      });

      it('takes a config without a namespace for the outermost one', async () => {
        const checkpoint = checkpointWith({});
        await put({ configurable: { thread_id: 't' } }, checkpoint);
        expect((await saver.getTuple({ configurable: { thread_id: 't' } }))?.config).toEqual(
          of('t', checkpoint.id),
        );
      });

      it('replaces a checkpoint that is put again', async () => {
        const checkpoint = checkpointWith({ a: 1 });
        await put(of('t'), checkpoint);
        await put(of('t'), { ...checkpoint, channel_values: { a: 2 } });
        expect((await listed(of('t'))).map((tuple) => tuple.checkpoint.channel_values)).toEqual([{ a: 2 }]);
      });

      it('is not changed by what the caller does to a checkpoint afterwards', async () => {
        const checkpoint = checkpointWith({ list: [1] });
        const config = await put(of('t'), checkpoint);
        (checkpoint.channel_values.list as number[]).push(2);
        expect((await saver.get(config))?.channel_values).toEqual({ list: [1] });
      });
    });

    describe('putWrites', () => {
      it('keeps writes with their checkpoint, in order, by task', async () => {
        const config = of('t', (await history('t', 1))[0]);
        const [a, b] = [
          ['x', { deep: [1] }],
          ['y', 'text'],
        ] as [string, unknown][];
        await saver.putWrites(config, [a!, b!], 'task-b');
        await saver.putWrites(config, [b!], 'task-a');
        const writes = [
          ['task-b', 'x', { deep: [1] }],
          ['task-b', 'y', 'text'],
          ['task-a', 'y', 'text'],
        ];
        expect((await saver.getTuple(config))?.pendingWrites).toEqual(writes);
        expect((await listed(of('t')))[0]?.pendingWrites).toEqual(writes);
      });

      it('keeps them apart by thread, namespace and checkpoint', async () => {
        const [first, second] = await history('t', 2);
        await history('u', 1);
        await history('t', 1, 'inner');
        await saver.putWrites(of('t', first), [['x', 1]], 'task');
        expect((await saver.getTuple(of('t', second)))?.pendingWrites).toEqual([]);
        expect((await saver.getTuple(of('u')))?.pendingWrites).toEqual([]);
        expect((await saver.getTuple(of('t', undefined, 'inner')))?.pendingWrites).toEqual([]);
      });

      it('leaves a task’s write as it is when it comes again, and replaces interrupts and errors', async () => {
        const config = of('t', (await history('t', 1))[0]);
        const special = ['__interrupt__', '__error__', '__resume__', '__scheduled__'];
        for (const value of ['old', 'new'])
          for (const channel of ['x', ...special]) await saver.putWrites(config, [[channel, value]], 'task');
        const writes = (await saver.getTuple(config))?.pendingWrites ?? [];
        expect(Object.fromEntries(writes.map(([, channel, value]) => [channel, value]))).toEqual({
          x: 'old',
          ...Object.fromEntries(special.map((channel) => [channel, 'new'])),
        });
        expect(writes).toHaveLength(5);
      });
    });

    describe('list', () => {
      it('gives a thread’s checkpoints, the newest first, with their parents', async () => {
        const ids = await history('t', 3);
        await history('u', 1);
        const tuples = await listed(of('t'));
        expect(idsOf(tuples)).toEqual(ids.toReversed());
        expect(tuples.map(({ parentConfig }) => parentConfig?.configurable?.checkpoint_id)).toEqual([
          ids[1],
          ids[0],
          undefined,
        ]);
      });

      it('cuts to a limit, and before a checkpoint', async () => {
        const ids = await history('t', 4);
        expect(idsOf(await listed(of('t'), { limit: 2 }))).toEqual([ids[3], ids[2]]);
        expect(await listed(of('t'), { limit: 0 })).toEqual([]);
        expect(idsOf(await listed(of('t'), { before: of('t', ids[2]) }))).toEqual([ids[1], ids[0]]);
        expect(idsOf(await listed(of('t'), { before: of('t', ids[2]), limit: 1 }))).toEqual([ids[1]]);
      });

      it('lists one checkpoint, one namespace, all namespaces or all threads', async () => {
        const [outer] = await history('t', 2);
        const [inner] = await history('t', 1, 'inner');
        const [other] = await history('u', 1);
        expect(idsOf(await listed(of('t', outer)))).toEqual([outer]);
        expect(idsOf(await listed(of('t', undefined, 'inner')))).toEqual([inner]);
        expect(await listed({ configurable: { thread_id: 't' } })).toHaveLength(3);
        const all = idsOf(await listed({}));
        expect(all).toHaveLength(4);
        expect(all).toContain(other);
      });
    });

    describe('deleteThread', () => {
      it('removes its checkpoints and writes in all namespaces, and nothing else', async () => {
        const [id] = await history('t', 1);
        await history('t', 1, 'inner');
        await history('t2', 1);
        await saver.putWrites(of('t', id), [['x', 1]], 'task');
        await saver.deleteThread('t');
        expect(await listed({ configurable: { thread_id: 't' } })).toEqual([]);
        expect(await listed(of('t2'))).toHaveLength(1);
        await put(of('t'), { ...checkpointWith({}), id: id! });
        expect((await saver.getTuple(of('t')))?.pendingWrites).toEqual([]);
      });

      it('does not mind a thread that it does not know', async () => {
        await expect(saver.deleteThread('nobody')).resolves.toBeUndefined();
      });
    });

    describe('under a graph', () => {
      const state = new StateSchema({ word: z.string(), said: z.array(z.string()).default([]) });
      const graph = () =>
        new StateGraph(state)
          .addNode('say', ({ word, said }) => ({ said: [...said, word] }))
          .addNode('ask', ({ said }) => ({ said: [...said, `you: ${interrupt('what then?')}`] }))
          .addEdge(START, 'say')
          .addEdge('say', 'ask')
          .addEdge('ask', END)
          .compile({ checkpointer: saver });
      const thread = { configurable: { thread_id: 'talk' } };

      it('interrupts and resumes', async () => {
        await graph().invoke({ word: 'hello' }, thread);
        const asked = await graph().getState(thread);
        expect(asked.next).toEqual(['ask']);
        expect(asked.tasks[0]?.interrupts[0]?.value).toBe('what then?');
        const done = await graph().invoke(new Command({ resume: 'bye' }), thread);
        expect(done.said).toEqual(['hello', 'you: bye']);
        expect((await graph().getState(thread)).next).toEqual([]);
      });

      it('goes back to an earlier checkpoint and on from there', async () => {
        await graph().invoke({ word: 'hello' }, thread);
        await graph().invoke(new Command({ resume: 'bye' }), thread);
        const states = [];
        for await (const each of graph().getStateHistory(thread)) states.push(each);
        const before = states.find(({ next }) => next[0] === 'ask');
        await graph().invoke(null, before!.config);
        const again = await graph().invoke(new Command({ resume: 'stay' }), thread);
        expect(again.said).toEqual(['hello', 'you: stay']);
      });
    });
  });
}
