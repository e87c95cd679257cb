import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import {
  DeltaSnapshot,
  emptyCheckpoint,
  type SerializerProtocol,
  uuid6,
} from '@langchain/langgraph-checkpoint';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkpointHolder } from '../../src/langgraph/checkpoints/checkpoint-holder.ts';
import {
  SqliteCheckpointer,
  type SqliteCheckpointerOptions,
} from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { inTier } from '../tier.ts';

const folder = freshFolder();
let files = 0;
const open = (options?: SqliteCheckpointerOptions) =>
  SqliteCheckpointer.open(join(folder, `${++files}.sqlite`), options);
const metadata = { source: 'loop' as const, step: 0, parents: {} };
let clock = 0;

type Values = Record<string, unknown>;
type Versions = Record<string, number>;
interface PutOptions {
  readonly versions?: Versions;
  readonly newVersions?: Versions;
  readonly parent?: string | undefined;
}

async function put(saver: SqliteCheckpointer, values: Values, options: PutOptions = {}) {
  const { versions = {}, newVersions, parent } = options;
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(clock++) };
  const config = { configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: parent } };
  const whole = { ...checkpoint, channel_values: values, channel_versions: versions };
  return saver.put(config, whole, metadata, newVersions);
}
async function valuesAt(saver: SqliteCheckpointer, config = { configurable: { thread_id: 't' } } as object) {
  return (await saver.getTuple(config))?.checkpoint.channel_values;
}
/** Serialised values, without the nodes of lists. */
const leavesOf = (saver: SqliteCheckpointer) =>
  saver.file
    .all('SELECT value FROM checkpoint_blob WHERE type IS NOT NULL ORDER BY id')
    .map(({ value }) => Buffer.from(value as Uint8Array).toString());
const nodeBytesOf = (saver: SqliteCheckpointer) =>
  Number(saver.file.all('SELECT sum(length(value)) AS n FROM checkpoint_blob WHERE type IS NULL')[0]!.n);

/** Encrypts with a new vector each time, so that equal values have different bytes. */
function encrypting(): SerializerProtocol {
  const key = randomBytes(32);
  return {
    async dumpsTyped(data) {
      const vector = randomBytes(16);
      const cipher = createCipheriv('aes-256-ctr', key, vector);
      return ['aes', Buffer.concat([vector, cipher.update(JSON.stringify(data)), cipher.final()])];
    },
    async loadsTyped(_type, data) {
      const bytes = Buffer.from(data as Uint8Array);
      const cipher = createDecipheriv('aes-256-ctr', key, bytes.subarray(0, 16));
      return JSON.parse(Buffer.concat([cipher.update(bytes.subarray(16)), cipher.final()]).toString());
    },
  };
}

describe('values of checkpoints', () => {
  it('come back as they were put, whatever they are', async () => {
    const saver = await open();
    const values = {
      nothing: undefined,
      null: null,
      bytes: new Uint8Array([0, 255, 10]),
      empty: [],
      list: [undefined, null, new Uint8Array([1]), [1, [2]], { a: [undefined] }, '', 0, new Map([['a', 1]])],
      messages: [new HumanMessage({ content: 'hi', id: '1' }), new AIMessage({ content: 'ho', id: '2' })],
      nested: { deep: [{ message: new HumanMessage('in') }], set: new Set([1]) },
      snapshot: new DeltaSnapshot([1, 2]),
      text: 'ü "quoted"\n',
      ['__proto__']: 'a channel',
    };
    const config = await put(saver, values);
    const found = await valuesAt(saver);
    expect(found).toStrictEqual(values);
    expect(Object.keys(found!)).toContain('nothing');
    await saver.putWrites(
      config,
      Object.entries(values).map(([name, value]) => [name, value]),
      'task',
    );
    expect((await saver.getTuple(config))?.pendingWrites).toStrictEqual(
      Object.entries(values).map(([name, value]) => ['task', name, value]),
    );
    await saver.close();
  });

  it('come back at any length of a list', async () => {
    const saver = await open();
    for (const length of [1, 15, 16, 17, 128, 129, 3000]) {
      const list = Array.from({ length }, (_, at) => `element ${at}`);
      await put(saver, { list, same: list.map(() => 'same') });
      expect(await valuesAt(saver)).toEqual({ list, same: list.map(() => 'same') });
    }
    await saver.close();
  });

  it('come back after any edits of a list', async () => {
    const saver = await open();
    const edit = fc.record({
      at: fc.nat(300),
      remove: fc.nat(40),
      add: fc.array(fc.nat(500), { maxLength: 200 }),
    });
    const histories = fc.array(edit, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(histories, async (edits) => {
        const list: number[] = [];
        const put_: [object, number[]][] = [];
        for (const { at, remove, add } of edits) {
          list.splice(at, remove, ...add);
          put_.push([await put(saver, { list }), [...list]]);
        }
        for (const [config, expected] of put_)
          expect(await valuesAt(saver, config)).toEqual({ list: expected });
      }),
      { numRuns: inTier({ fast: 10, slow: 200 }) },
    );
    await saver.close();
  });

  it('are stored once, whether in channels or in writes', async () => {
    const saver = await open();
    const messages: HumanMessage[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const message = new HumanMessage({ content: `message ${turn}`, id: `${turn}` });
      messages.push(message);
      const config = await put(saver, { messages, last: message });
      await saver.putWrites(config, [['messages', [message]]], 'task');
    }
    const leaves = leavesOf(saver);
    expect(leaves).toHaveLength(5);
    for (const [turn, leaf] of leaves.entries()) expect(leaf).toContain(`message ${turn}`);
    await saver.close();
  });

  it('take few bytes when a long list grows at its end, or loses its beginning', async () => {
    const saver = await open();
    const list = Array.from({ length: 2000 }, (_, at) => `element ${at}`);
    await put(saver, { list });
    const before = nodeBytesOf(saver);
    for (let version = 0; version < 10; version++) {
      list.push(`new ${version}`);
      await put(saver, { list });
    }
    expect(nodeBytesOf(saver) - before).toBeLessThan(10 * 1000);
    const grown = nodeBytesOf(saver);
    for (let version = 0; version < 10; version++) {
      list.shift();
      await put(saver, { list });
    }
    expect(nodeBytesOf(saver) - grown).toBeLessThan(10 * 1000);
    await saver.close();
  });

  it('of one thread are not shared with another', async () => {
    const saver = await open();
    await put(saver, { a: 'a value' });
    const config = { configurable: { thread_id: 'other', checkpoint_ns: '' } };
    await saver.put(config, { ...emptyCheckpoint(), channel_values: { a: 'a value' } }, metadata);
    await saver.deleteThread('t');
    expect(await valuesAt(saver, config)).toEqual({ a: 'a value' });
    await saver.close();
  });

  it('may be bytes of any serializer', async () => {
    const saver = await open({ serde: encrypting() });
    const values = { list: [1, undefined, 'secret word'], none: undefined, object: { a: [1] } };
    const config = await put(saver, values);
    await saver.putWrites(config, [['list', ['secret word']]], 'task');
    await put(saver, values, { parent: config.configurable?.checkpoint_id });
    expect(await valuesAt(saver, config)).toStrictEqual(values);
    expect(await valuesAt(saver)).toStrictEqual(values);
    expect((await saver.getTuple(config))?.pendingWrites).toEqual([['task', 'list', ['secret word']]]);
    expect(await checkpointHolder(saver.file).holds(['secret word'])).toEqual([]);
    await saver.close();
  });

  it('that are functions are dropped, and the rest can be read', async () => {
    const saver = await open();
    await put(saver, { call: () => 1, list: [Symbol('a'), 2] });
    expect(await valuesAt(saver)).toEqual({ call: undefined, list: [undefined, 2] });
    await saver.close();
  });
});

describe('channels without a new version', () => {
  it('have the value of the parent, and are not serialised again', async () => {
    let dumps = 0;
    const { dumpsTyped, loadsTyped } = encrypting();
    const count: SerializerProtocol['dumpsTyped'] = (data) => {
      dumps += 1;
      return dumpsTyped(data);
    };
    const saver = await open({ serde: { dumpsTyped: count, loadsTyped } });
    const list = Array.from({ length: 100 }, (_, at) => at);
    const first = await put(saver, { list, step: 1 }, { versions: { list: 1, step: 1 } });
    dumps = 0;
    const parent = first.configurable?.checkpoint_id;
    const versions = { list: 1, step: 2 };
    await put(saver, { list, step: 2 }, { versions, newVersions: { step: 2 }, parent });
    expect(dumps).toBe(3);
    expect(await valuesAt(saver)).toEqual({ list, step: 2 });
    await saver.close();
  });

  it('have their own value where the parent is another one, unknown, or has another version', async () => {
    const saver = await open();
    const first = await put(saver, { a: 'old' }, { versions: { a: 1 } });
    const parent = first.configurable?.checkpoint_id;
    await put(saver, { a: 'copied' }, { versions: { a: 2 }, newVersions: {}, parent });
    expect(await valuesAt(saver)).toEqual({ a: 'copied' });
    await put(saver, { a: 'alone' }, { versions: { a: 1 }, newVersions: {} });
    expect(await valuesAt(saver)).toEqual({ a: 'alone' });
    await put(saver, { a: 'orphan' }, { versions: { a: 1 }, newVersions: {}, parent: uuid6(0) });
    expect(await valuesAt(saver)).toEqual({ a: 'orphan' });
    await saver.close();
  });

  it('keep their value when the thread is deleted meanwhile', async () => {
    const saver = await open();
    const first = await put(saver, { a: 'kept' }, { versions: { a: 1 } });
    const parent = first.configurable?.checkpoint_id;
    const putting = put(saver, { a: 'kept' }, { versions: { a: 1 }, newVersions: {}, parent });
    await Promise.all([saver.deleteThread('t'), putting]);
    expect(await valuesAt(saver)).toEqual({ a: 'kept' });
    await saver.close();
  });
});
