import { describe, expect, it } from 'vitest';
import type { ImportCounts, ImportEvent } from '../../src/engine/import-turns.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { ImportRecord } from '../../src/importers/importer.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { fullAt, scopeOver } from './failing-store.ts';
import { contents, turn } from './memory-fixture.ts';

/** Turns in sessions of 50: batches of 256 go on to 300, the end of a session. */
function* records(count: number): Generator<ImportRecord> {
  for (let number = 0; number < count; number++)
    yield {
      kind: 'turn',
      where: `line ${number + 1}`,
      turn: turn(`word${number} is here`, {
        session: `s${Math.floor(number / 50)}`,
        sourceId: String(number),
      }),
    };
}

async function collect(events: AsyncIterable<ImportEvent>) {
  const seen: ImportEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const done = (events: readonly ImportEvent[]): ImportCounts => {
  const last = events.at(-1)!;
  if (last.type !== 'done') throw new Error('the import did not end');
  return last.counts;
};

/** Each of the first turns once, in its place, and found. */
async function expectWhole(memory: MemoryScope, count: number) {
  expect((await memory.stats()).episode).toBe(count);
  for (const number of [0, 49, 50, 299, 300, count - 1]) {
    const [found] = (await memory.search(`word${number}`, { k: 1 })).episodes;
    expect(found).toMatchObject({ content: `word${number} is here`, index: number % 50 });
  }
}

describe('import', () => {
  it('takes what `add` takes, and names by its place what it cannot read', async () => {
    const memory = await scopeOver(new InMemoryStore());
    const turns = ['I ski.', { role: 'user' as const, content: 'In Norway.', session: 's' }, { content: '' }];
    const events = await collect(memory.import(turns, { enrich: false }));
    expect(done(events)).toMatchObject({ read: 3, added: 2, rejected: 1 });
    expect(events.find(({ type }) => type === 'rejected')).toMatchObject({ where: 'turn 3' });
    expect((await memory.turns('s')).map(({ content }) => content)).toEqual(['In Norway.']);
  });

  it('reports its progress by whole sessions, each batch searchable when its event arrives', async () => {
    const memory = await scopeOver(new InMemoryStore());
    const reads: number[] = [];
    const phases: string[] = [];
    for await (const event of memory.import(records(720))) {
      if (event.type !== 'progress') continue;
      phases.push(event.phase);
      if (event.phase === 'enriching') continue;
      reads.push(event.counts.read);
      expect((await memory.stats()).episode).toBe(event.counts.added);
      expect(event.counts).toMatchObject({ pending: event.counts.added, consolidated: 0 });
      const last = `word${event.counts.read - 1} is here`;
      expect(contents(await memory.search(last, { k: 1 }))).toEqual([last]);
    }
    expect(reads).toEqual([300, 600, 720]);
    expect(phases.slice(0, 3)).toEqual(['storing', 'storing', 'storing']);
    expect(new Set(phases.slice(3))).toEqual(new Set(['enriching']));
    await expectWhole(memory, 720);
  });

  it('then consolidates all of them, by whole sessions, and reports how many remain', async () => {
    const memory = await scopeOver(new InMemoryStore());
    const events = await collect(memory.import(records(720)));
    const enriching = events.flatMap((event) =>
      event.type === 'progress' && event.phase === 'enriching' ? [event] : [],
    );
    expect(enriching.length).toBeGreaterThan(1);
    let before = 0;
    for (const { counts, toGo } of enriching) {
      expect(counts).toMatchObject({ read: 720, added: 720, pending: 720 - counts.consolidated });
      expect(counts.consolidated).toBeGreaterThan(before);
      expect([toGo!.tokens, toGo!.seconds > 0]).toEqual([0, counts.pending > 0]);
      before = counts.consolidated;
    }
    expect(done(events)).toMatchObject({ consolidated: 720, pending: 0, setAside: 0, added: 720 });
    expect(done(events).segments).toBeGreaterThanOrEqual(15);
    const { segment, enrichment } = await memory.stats();
    expect([segment, enrichment.pending]).toEqual([done(events).segments, 0]);
  });

  it('leaves the turns waiting on request, for resume', async () => {
    const memory = await scopeOver(new InMemoryStore());
    const events = await collect(memory.import(records(60), { enrich: false }));
    expect(events.map((event) => (event.type === 'progress' ? event.phase : event.type))).toEqual([
      'storing',
      'done',
    ]);
    expect(done(events)).toMatchObject({ added: 60, pending: 60, consolidated: 0, segments: 0 });
    const resumed = [];
    for await (const event of memory.resume()) resumed.push(event);
    expect(resumed.at(-1)).toMatchObject({ type: 'done', pending: 0, counts: { consolidated: 60 } });
    expect((await memory.stats()).enrichment.pending).toBe(0);
  });

  it('counts added, known, superseding and rejected turns, and gives their places', async () => {
    const memory = await scopeOver(new InMemoryStore());
    await memory.add([turn('one', { sourceId: '1' }), turn('two', { sourceId: '2' })]);
    const source: ImportRecord[] = [
      { kind: 'rejected', where: 'line 1', reason: 'is not JSON' },
      { kind: 'turn', where: 'line 2', turn: turn('one', { sourceId: '1' }) },
      { kind: 'turn', where: 'line 3', turn: turn('two again', { sourceId: '2' }) },
      { kind: 'turn', where: 'line 4', turn: turn('', { sourceId: '3' }) },
      { kind: 'turn', where: 'line 5', turn: turn('four', { sourceId: '4' }) },
    ];
    const events = await collect(memory.import(source));
    expect(done(events)).toMatchObject({ read: 5, added: 1, known: 1, superseding: 1, rejected: 2 });
    expect(events.filter(({ type }) => type === 'rejected')).toEqual([
      { type: 'rejected', where: 'line 1', reason: 'is not JSON' },
      { type: 'rejected', where: 'line 4', reason: 'content is empty' },
    ]);
    expect(events.map((event) => (event.type === 'progress' ? event.phase : event.type))).toEqual([
      'rejected',
      'rejected',
      'storing',
      'enriching',
      'done',
    ]);
    // The first turn of the earlier call, the correction and the new one; what waited before the import is read too.
    expect(done(events)).toMatchObject({ consolidated: 3, pending: 0 });
  });

  it('ends an empty import with zeros', async () => {
    const events = await collect((await scopeOver(new InMemoryStore())).import([]));
    expect(events.map(({ type }) => type)).toEqual(['done']);
    expect(done(events).read).toBe(0);
  });

  it('resumes after an abort', async () => {
    const memory = await scopeOver(new InMemoryStore());
    const abort = new AbortController();
    const stopped = (async () => {
      for await (const event of memory.import(records(720), { signal: abort.signal }))
        if (event.type === 'progress') abort.abort();
    })();
    await expect(stopped).rejects.toMatchObject({
      code: 'cancelled',
      message: expect.stringMatching(/\b300 turns were stored/),
    });
    expect((await memory.stats()).episode).toBe(300);
    expect(done(await collect(memory.import(records(720))))).toMatchObject({ added: 420, known: 300 });
    await expectWhole(memory, 720);
  });

  it.each([1, 2, 3])('loses nothing acknowledged when the disk is full at commit %i', async (commit) => {
    const memory = await scopeOver(fullAt(commit));
    let acknowledged = 0;
    const broken = (async () => {
      for await (const event of memory.import(records(720)))
        if (event.type === 'progress' && event.phase === 'storing') acknowledged = event.counts.added;
    })();
    await expect(broken).rejects.toMatchObject({ code: 'disk-full' });
    expect(acknowledged).toBe(300 * (commit - 1));
    expect((await memory.stats()).episode).toBe(acknowledged);
    const found = await memory.search('word719 here', { k: 100 });
    expect(found.episodes.length).toBe(Math.min(100, acknowledged));
    expect(done(await collect(memory.import(records(720))))).toMatchObject({
      added: 720 - acknowledged,
      known: acknowledged,
      rejected: 0,
    });
    await expectWhole(memory, 720);
  });

  it('does not change memory when an add finds the disk full, and succeeds the next time', async () => {
    const memory = await scopeOver(fullAt(2));
    await memory.add(turn('kiwi one', { index: 0 }));
    await expect(memory.add(turn('kiwi two', { index: 0 }))).rejects.toMatchObject({ code: 'disk-full' });
    expect(contents(await memory.search('kiwi'))).toEqual(['kiwi one']);
    expect(await memory.add(turn('kiwi two', { index: 0 }))).toMatchObject({ superseding: 1 });
    expect(contents(await memory.search('kiwi'))).toEqual(['kiwi two']);
  });

  it('recognises a turn whose acknowledgement was lost', async () => {
    const memory = await scopeOver(fullAt(2, { late: true }));
    await memory.add(turn('kiwi one', { index: 0 }));
    const two = turn('kiwi two', { index: 1 });
    await expect(memory.add(two)).rejects.toMatchObject({ code: 'disk-full' });
    expect(await memory.add(two)).toMatchObject({ known: 1 });
    expect(contents(await memory.search('kiwi two', { k: 1 }))).toEqual(['kiwi two']);
  });
});
