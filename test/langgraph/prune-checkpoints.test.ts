import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  Annotation,
  Command,
  DeltaChannel,
  END,
  interrupt,
  START,
  StateGraph,
  StateSchema,
} from '@langchain/langgraph';
import {
  type Checkpoint,
  type CheckpointMetadata,
  emptyCheckpoint,
  TASKS,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fileHolder } from '../../src/edit/proof/file-holder.ts';
import { checkpointHolder } from '../../src/langgraph/checkpoints/checkpoint-holder.ts';
import {
  SqliteCheckpointer,
  type SqliteCheckpointerOptions,
} from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';

const folder = freshFolder();
let files = 0;
let saver: SqliteCheckpointer;
async function open(options?: SqliteCheckpointerOptions) {
  saver = await SqliteCheckpointer.open(join(folder, `${++files}.sqlite`), options);
}
beforeEach(() => open());
afterEach(() => saver.close());

let clock = 0;
interface PutOptions {
  readonly thread?: string;
  readonly namespace?: string;
  readonly parent?: string | undefined;
  readonly about?: Partial<CheckpointMetadata>;
  readonly version?: number;
}
/** Puts a checkpoint and a write to it; returns the id. */
async function put(values: Record<string, unknown>, options: PutOptions = {}): Promise<string> {
  const { thread = 't', namespace = '', parent, about, version = 4 } = options;
  const checkpoint: Checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(clock++),
    v: version,
    channel_values: values,
  };
  const config = { configurable: { thread_id: thread, checkpoint_ns: namespace, checkpoint_id: parent } };
  const put = await saver.put(config, checkpoint, { source: 'loop', step: 0, parents: {}, ...about });
  await saver.putWrites(put, [['write', `of ${JSON.stringify(values)}`]], 'task');
  return checkpoint.id;
}
async function idsOf(thread = 't', namespace = '') {
  const ids: string[] = [];
  const config = { configurable: { thread_id: thread, checkpoint_ns: namespace } };
  for await (const { checkpoint } of saver.list(config)) ids.push(checkpoint.id);
  return ids.reverse();
}
const countOf = (table: string) => Number(saver.file.all(`SELECT count(*) AS n FROM ${table}`)[0]!.n);

describe('prune', () => {
  it('keeps the newest of each namespace and thread, with their values and writes', async () => {
    const ids = [await put({ a: 1 }), await put({ a: 2 }), await put({ a: 3 })];
    const other = [await put({ a: 1 }, { thread: 'u' }), await put({ a: 2 }, { thread: 'u' })];
    const inner = [await put({ b: 1 }, { namespace: 'in' }), await put({ b: 2 }, { namespace: 'in' })];
    expect(await saver.prune({ keep: 1, thread: 't' })).toBe(3);
    expect(await idsOf()).toEqual([ids[2]]);
    expect(await idsOf('t', 'in')).toEqual([inner[1]]);
    expect(await idsOf('u')).toEqual(other);
    expect((await saver.getTuple({ configurable: { thread_id: 't' } }))?.pendingWrites).toEqual([
      ['task', 'write', 'of {"a":3}'],
    ]);
    expect(await saver.prune({ keep: 1 })).toBe(1);
    expect(await idsOf('u')).toEqual([other[1]]);
    // In each of three checkpoints one value and one write.
    expect([countOf('checkpoint'), countOf('checkpoint_write'), countOf('checkpoint_blob')]).toEqual([
      3, 3, 6,
    ]);
  });

  it('erases what only older checkpoints had, and values that were replaced', async () => {
    const disk = fileHolder(() => saver.file.files());
    const words = (name: string) => `the ${name} words of this conversation`;
    const list = Array.from({ length: 400 }, (_, at) => words(`${at}th`));
    await put({ list: [...list, words('former')] });
    const last = await put({ list });
    const config = { configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: last } };
    await saver.putWrites(config, [['__interrupt__', words('replaced')]], 'task');
    await saver.putWrites(config, [['__interrupt__', words('replacing')]], 'task');
    expect(await disk.holds([words('former'), words('replaced')])).not.toEqual([]);
    await saver.prune({ keep: 1 });
    const gone = [words('former'), words('replaced')];
    expect(await disk.holds(gone)).toEqual([]);
    expect(await checkpointHolder(saver.file).holds(gone)).toEqual([]);
    expect(await checkpointHolder(saver.file).holds([words('replacing')])).toHaveLength(1);
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ list });
  });

  it('makes the file smaller', async () => {
    for (let number = 0; number < 50; number++) await put({ text: `${number}`.repeat(20_000) });
    saver.file.erase();
    const before = statSync(saver.file.path).size;
    await saver.prune({ keep: 5 });
    expect(statSync(saver.file.path).size).toBeLessThan(before / 5);
  });

  it('takes the checkpoints of a subgraph with the outer one, but the newest of a lasting one', async () => {
    const old = await put({});
    const parents = { parents: { '': old } };
    const inner = await put({}, { namespace: 'node:1', about: parents });
    await put({}, { namespace: 'node:1|deep:2', about: { parents: { '': old, 'node:1': inner } } });
    await put({}, { namespace: 'lasting', about: parents });
    const lasting = await put({}, { namespace: 'lasting', about: parents });
    const recent = await put({});
    const living = await put({}, { namespace: 'node:3', about: { parents: { '': recent } } });
    expect(await saver.prune({ keep: 1 })).toBe(4);
    expect(await idsOf()).toEqual([recent]);
    expect([await idsOf('t', 'node:1'), await idsOf('t', 'node:1|deep:2')]).toEqual([[], []]);
    expect([await idsOf('t', 'lasting'), await idsOf('t', 'node:3')]).toEqual([[lasting], [living]]);
  });

  it('keeps the checkpoints of a subgraph whose outer one is not stored yet', async () => {
    await put({});
    await put({});
    const inner = await put({}, { namespace: 'node:1', about: { parents: { '': uuid6(clock++) } } });
    await saver.prune({ keep: 1 });
    expect(await idsOf('t', 'node:1')).toEqual([inner]);
  });

  it('keeps the parent that a checkpoint before version 4 needs', async () => {
    await put({}, { version: 1 });
    const parent = await put({}, { version: 1 });
    const at = { configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: parent } };
    await saver.putWrites(at, [[TASKS, 'sent']], 'sender');
    const newest = await put({ a: 1 }, { version: 1, parent });
    expect(await saver.prune({ keep: 1 })).toBe(1);
    expect(await idsOf()).toEqual([parent, newest]);
    const tuple = await saver.getTuple({ configurable: { thread_id: 't' } });
    expect(tuple?.checkpoint.channel_values).toEqual({ a: 1, [TASKS]: ['sent'] });
  });

  it('removes writes that come after their checkpoint was pruned, not those that come before their checkpoint', async () => {
    const old = await put({});
    await put({});
    await saver.prune({ keep: 1 });
    const at = (id: string) => ({ configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: id } });
    const early = uuid6(clock++);
    await saver.putWrites(at(old), [['late', 1]], 'task');
    await saver.putWrites(at(early), [['early', 1]], 'task');
    expect(countOf('checkpoint_write')).toBe(3);
    await saver.prune({ keep: 1 });
    const channels = saver.file.all('SELECT channel FROM checkpoint_write').map(({ channel }) => channel);
    expect(channels.sort()).toEqual(['early', 'write']);
  });

  it('keeps at least one', async () => {
    for (const keep of [0, -1, 1.5, Number.NaN]) {
      await expect(saver.prune({ keep })).rejects.toMatchObject({ code: 'invalid-input' });
      await expect(open({ keep })).rejects.toMatchObject({ code: 'invalid-input' });
    }
  });
});

describe('keep', () => {
  const state = new StateSchema({ word: z.string(), said: z.array(z.string()).default([]) });
  const graph = () => {
    const inner = new StateGraph(state)
      .addNode('ask', ({ said }) => ({ said: [...said, `you: ${interrupt('what then?')}`] }))
      .addEdge(START, 'ask')
      .addEdge('ask', END)
      .compile();
    return new StateGraph(state)
      .addNode('say', ({ word, said }) => ({ said: [...said, word] }))
      .addNode('inner', inner)
      .addEdge(START, 'say')
      .addEdge('say', 'inner')
      .addEdge('inner', END)
      .compile({ checkpointer: saver });
  };
  const thread = { configurable: { thread_id: 't' } };

  it('is enforced by each put, and a graph with a subgraph interrupts and resumes', async () => {
    await saver.close();
    await open({ keep: 2 });
    const expected: string[] = [];
    for (let turn = 0; turn < 6; turn++) {
      await graph().invoke({ word: `word ${turn}` }, thread);
      expect((await graph().getState(thread)).next).toEqual(['inner']);
      const done = await graph().invoke(new Command({ resume: `bye ${turn}` }), thread);
      expected.push(`word ${turn}`, `you: bye ${turn}`);
      expect(done.said).toEqual(expected);
      expect(await idsOf()).toHaveLength(2);
    }
    const namespaces = saver.file.all('SELECT DISTINCT namespace FROM checkpoint');
    expect(namespaces.length).toBeLessThanOrEqual(2);
    const blobs = countOf('checkpoint_blob');
    await saver.prune({ keep: 2 });
    expect(countOf('checkpoint_blob')).toBe(blobs);
  });

  it('keeps the ancestors from which a delta channel is read', async () => {
    await saver.close();
    await open({ keep: 1 });
    const concat = (state: string[], writes: string[][]) => [...state, ...writes.flat()];
    const said = () => new DeltaChannel<string[], string[]>(concat, { snapshotFrequency: 4 });
    const delta = new StateGraph(Annotation.Root({ said }) as never)
      .addNode('say', (({ said }: { said: string[] }) => ({ said: [`reply ${said.length}`] })) as never)
      .addEdge(START, 'say')
      .addEdge('say', END)
      .compile({ checkpointer: saver });
    const expected: string[] = [];
    const kept: number[] = [];
    for (let turn = 0; turn < 12; turn++) {
      await delta.invoke({ said: [`word ${turn}`] } as never, thread);
      expected.push(`word ${turn}`, `reply ${2 * turn + 1}`);
      expect((await delta.getState(thread)).values).toEqual({ said: expected });
      kept.push((await idsOf()).length);
    }
    expect([Math.min(...kept), Math.max(...kept)]).toEqual([1, 4]);
  });
});
