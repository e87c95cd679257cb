import { describe, expect, it } from 'vitest';
import { DiskFullError, InvalidInputError } from '../../../src/errors/index.ts';
import type { SegmentReader } from '../../../src/ingest/extract/segment-reader.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { NodeKind, NodeRows } from '../../../src/model/nodes.ts';
import { ForwardingStore } from '../../../src/store/forwarding-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { collect } from '../../../src/util/collections.ts';
import { canonicalGraph, differences } from '../rederive/canonical-graph.ts';
import { embedder, ingest, localMemory, SCOPE } from '../rederive/local-memory.ts';
import { idsOf, PLAIN, SECRET, session } from './forget-lab.ts';

const MIXED = session('mixed', [
  'Ann: My brother Yusuf lives in Porto.',
  'Ann: I play the oboe in a quartet.',
  'Bob: I work at Acme as a welder.',
]);
const LATER = session('later', ['Bob: I bought a canoe in Ghent.', 'Ann: I paint it on Sunday.'], 9);

/** A reader that waits while its gate is closed, and counts what it read. */
function gated() {
  const gate = { open: () => {}, closed: Promise.resolve(), read: 0 };
  const reader: SegmentReader = {
    async read(segments, options) {
      gate.read += segments.length;
      await gate.closed;
      return ingest.stages.reader.read(segments, options);
    },
  };
  const close = () => {
    gate.closed = new Promise((open) => {
      gate.open = open;
    });
  };
  return { gate, reader, close };
}

/** A store that refuses some commits, as a full disk does, and lets something happen while its rows are read. */
class RefusingStore extends ForwardingStore {
  refuses: (changes: GraphChanges) => boolean = () => false;
  /** Runs once, after the turns of the scope were read with their text and before anything else of it is. */
  afterTurns: (() => Promise<unknown>) | null = null;

  override async *scan<K extends NodeKind, F extends keyof NodeRows[K] = keyof NodeRows[K]>(
    scope: typeof SCOPE,
    kind: K,
    fields?: readonly F[],
  ): AsyncGenerator<readonly Pick<NodeRows[K], F>[]> {
    yield* super.scan(scope, kind, fields);
    if (kind !== 'episode' || fields !== undefined) return;
    const job = this.afterTurns;
    this.afterTurns = null;
    await job?.();
  }

  override async commit(scope: typeof SCOPE, changes: GraphChanges): Promise<number> {
    if (this.refuses(changes)) throw new DiskFullError('memory.db');
    return super.commit(scope, changes);
  }
}

async function lab() {
  const rows = new InMemoryStore();
  const store = new RefusingStore(rows);
  await store.setFingerprint(embedder.fingerprint);
  const { gate, reader, close } = gated();
  let [now, ids] = [Date.UTC(2024, 0, 1), 0];
  const open = (over: RefusingStore) =>
    localMemory(over, {
      clock: () => ++now,
      newId: () => `id-${String(++ids).padStart(6, '0')}`,
      reader,
    });
  const memory = open(store);
  /** The process ends without a word, and another one opens the memory. */
  const killed = () => {
    store.refuses = () => true;
    return open(new RefusingStore(rows));
  };
  for (const turns of [SECRET, MIXED, PLAIN]) {
    await memory.add(turns);
    await memory.flush();
  }
  return { memory, store, gate, close, killed, graph: () => canonicalGraph(rows, SCOPE) };
}

/** Whether it notes that a re-derivation is done. */
const isMark = ({ nodes }: GraphChanges) => nodes?.correction?.[0]?.detail.includes('"done"') === true;

/** The graph of a memory that never held the turn about the oboe. */
async function withoutOboe(): Promise<readonly string[]> {
  const { memory, graph } = await lab();
  await memory.forget({ episodes: await idsOf(memory, 'oboe') });
  await memory.settle();
  return graph();
}

const statementsIn = async (memory: Awaited<ReturnType<typeof lab>>['memory'], words: string) =>
  (await memory.search(words, { k: 20 })).facts.map(({ statement }) => statement).join(' ');

describe('forgetting in two phases', () => {
  it('ends before the turns beside the forgotten one are read again; meanwhile memory searches and stores', async () => {
    const { memory, close, gate } = await lab();
    expect(await statementsIn(memory, 'Yusuf Porto')).toMatch(/Porto/);
    close();
    const { proof } = await memory.forget({ episodes: await idsOf(memory, 'oboe') });
    expect(proof.clean).toBe(true);
    const settled = memory.settle();
    const { episodes, facts } = await memory.search('oboe quartet Yusuf Porto', { k: 20 });
    expect(episodes.map(({ content }) => content).join(' ')).not.toContain('oboe');
    expect(facts.map(({ statement }) => statement).join(' ')).not.toMatch(/oboe|Porto/);
    await memory.add(LATER);
    expect((await memory.search('canoe', { k: 1 })).episodes[0]!.content).toContain('canoe');
    gate.open();
    await settled;
    expect(await statementsIn(memory, 'Yusuf Porto')).toMatch(/Porto/);
    expect((await memory.search('canoe', { k: 1 })).episodes[0]!.content).toContain('canoe');
  });

  it('derives from several forgettings once, and no less than from each', async () => {
    const [one, other] = [await lab(), await lab()];
    for (const word of ['oboe', 'beagle', 'clinic']) {
      await one.memory.forget({ episodes: await idsOf(one.memory, word) });
      await other.memory.forget({ episodes: await idsOf(other.memory, word) });
      await other.memory.settle();
    }
    const before = one.gate.read;
    await one.memory.settle();
    expect(one.gate.read - before).toBeLessThanOrEqual(3); // segments that remain, each at most once
    expect(differences(await one.graph(), await other.graph())).toBe('');
  });

  it('keeps turns as they are that are added while the scope is read', async () => {
    const [one, other] = [await lab(), await lab()];
    for (const { memory } of [one, other]) await memory.forget({ episodes: await idsOf(memory, 'oboe') });
    let isAdded = false;
    one.store.afterTurns = async () => {
      await one.memory.add(LATER);
      isAdded = true;
    };
    await one.memory.settle();
    expect(isAdded).toBe(true);
    await other.memory.settle();
    await other.memory.add(LATER);
    expect(differences(await one.graph(), await other.graph())).toBe('');
    const next = async ({ store }: typeof one) => (await collect(store.relationships(SCOPE, 'NEXT'))).length;
    expect(await next(one)).toBe(await next(other));
  });

  it('a forgetting interrupts a re-derivation, which begins again without what it removed', async () => {
    const { memory, close, gate, graph } = await lab();
    close();
    await memory.forget({ episodes: await idsOf(memory, 'beagle') });
    const settled = memory.settle();
    await new Promise((resolve) => setImmediate(resolve));
    const second = memory.forget({ episodes: await idsOf(memory, 'clinic') });
    gate.open();
    expect((await second).proof.clean).toBe(true);
    await settled;
    await memory.settle();
    const other = await lab();
    for (const word of ['beagle', 'clinic'])
      await other.memory.forget({ episodes: await idsOf(other.memory, word) });
    await other.memory.settle();
    expect(differences(await graph(), await other.graph())).toBe('');
  });

  it('what changes by hand waits for the re-derivation', async () => {
    const { memory, close, gate } = await lab();
    close();
    await memory.forget({ episodes: await idsOf(memory, 'oboe') });
    const [episode] = await idsOf(memory, 'Yusuf');
    const given = memory.addFacts([
      { statement: 'Yusuf is a baker.', subject: 'Yusuf', evidence: [{ id: episode! }] },
    ]);
    let isGiven = false;
    void given.then(() => {
      isGiven = true;
    });
    await memory.search('Yusuf');
    expect(isGiven).toBe(false);
    gate.open();
    await given;
    expect(await statementsIn(memory, 'Yusuf Porto baker')).toMatch(/Porto/);
  });

  it('killed between the phases, or while the second writes, the next opening completes it', async () => {
    for (const stop of ['before', 'at the change', 'at the mark'] as const) {
      const { memory, store, killed, graph } = await lab();
      await memory.forget({ episodes: await idsOf(memory, 'oboe') });
      store.refuses = (changes) =>
        stop === 'at the change' ? true : stop === 'at the mark' && isMark(changes);
      if (stop !== 'before') await expect(memory.settle()).rejects.toThrow(DiskFullError);
      const again = killed();
      expect(await statementsIn(again, 'oboe')).not.toContain('oboe');
      await again.settle();
      expect(differences(await graph(), await withoutOboe())).toBe('');
      const [record] = await again.corrections.list();
      expect(record).toMatchObject({ kind: 'forget' });
    }
  });

  it('follows by itself, also where another forgetting fails, or where the disk held up the first phase', async () => {
    for (const how of ['alone', 'before one that fails', 'after a full disk'] as const) {
      const { memory, store } = await lab();
      const episodes = await idsOf(memory, 'oboe');
      if (how === 'after a full disk') {
        store.refuses = ({ nodes }) => nodes?.correction?.some((each) => each.finishedAt !== null) === true;
        await expect(memory.forget({ episodes })).rejects.toThrow('The rest is hidden');
        store.refuses = () => false;
        await memory.search('oboe');
      } else await memory.forget({ episodes });
      if (how === 'before one that fails')
        await expect(memory.forget({ episode: 'nothing' })).rejects.toThrow(InvalidInputError);
      await expect.poll(() => statementsIn(memory, 'Yusuf Porto')).toMatch(/Porto/);
    }
  });

  it('a full disk leaves the rest to derive, and says so', async () => {
    const { memory, store, graph } = await lab();
    await memory.forget({ episodes: await idsOf(memory, 'oboe') });
    store.refuses = () => true;
    await expect(memory.flush()).rejects.toThrow(DiskFullError);
    expect((await memory.search('Acme welder', { k: 3 })).episodes[0]!.content).toContain('Acme');
    store.refuses = () => false;
    await memory.flush();
    expect(differences(await graph(), await withoutOboe())).toBe('');
  });
});
