import { describe, expect, it } from 'vitest';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import { edges, type Graph, graphOf } from '../memory-fixture.ts';
import { dialogue, FIRST, MINUTE, pendingOf, TWO_TOPICS, waitForPending } from './dialogues.ts';
import { expectConsistent } from './invariants.ts';
import { diskFull, memoryOver, watchedStore } from './memory-over.ts';

/** Rows of each kind that holds any, relationships by their kind among them. */
function tables({ nodes, relationships }: Graph): Readonly<Record<string, number>> {
  const counts = new Map(Object.entries(nodes).map(([kind, rows]) => [kind, rows.length]));
  for (const { kind } of relationships) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries([...counts].filter(([, count]) => count > 0));
}

const pendingContents = (graph: Graph) =>
  graph.nodes.episode.filter(({ status }) => status === 'stored').map(({ content }) => content);

const hour = { start: FIRST + 60 * MINUTE };

describe('the buffering state', () => {
  it('writes only turns, their vectors and NEXT', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    await memory.add(dialogue(TWO_TOPICS));
    expect(tables(await graphOf(memory))).toEqual({ episode: 8, embedding: 8, NEXT: 7 });
    await memory.flush();
    const before = tables(await graphOf(memory));
    expect(before).toMatchObject({ segment: 2, IN_SEGMENT: 8 });
    await memory.add(dialogue(['I sold the ferns.', 'To whom?'], { from: 8 }));
    const grown = { episode: 10, embedding: before.embedding! + 2, NEXT: 9 };
    expect(tables(await graphOf(memory))).toEqual({ ...before, ...grown });
  });

  it('is kept when the engine waits for a flush', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    await memory.add(dialogue(TWO_TOPICS));
    await memory.add(dialogue(['Hello again!'], { from: 8, ...hour }));
    await memory.close();
    expect(await pendingOf(memory)).toBe(9);
  });

  it('finds waiting turns by search at once', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    await memory.add(dialogue(TWO_TOPICS));
    expect((await memory.search('night train')).episodes[0]?.content).toContain('night train');
  });
});

describe('what ends buffering', () => {
  it('is a pause: turns before the last boundary are taken, the tail stays', async () => {
    const { memory } = await memoryOver(watchedStore().store, { automatic: true });
    for (const turn of dialogue(TWO_TOPICS)) await memory.add(turn);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await pendingOf(memory)).toBe(8);
    const [late] = dialogue(['Hello again!'], { from: 8, ...hour });
    await memory.add(late!);
    expect(await waitForPending(memory, 5)).toBe(true);
    const graph = await graphOf(memory);
    expect(pendingContents(graph)).toEqual([...TWO_TOPICS.slice(4), late!.content]);
    expect(graph.nodes.segment).toHaveLength(1);
    expectConsistent(graph);
  });

  it('is an overflow of 2,048 tokens', async () => {
    const { memory } = await memoryOver(watchedStore().store, { automatic: true });
    // 400 words a turn: four are below, a fifth or sixth is above.
    const words = Array.from({ length: 400 }, (_, at) => `fern${at % 7}`).join(' ');
    for (const turn of dialogue(
      Array<string>(4)
        .fill(words)
        .map((text, at) => `${text} ${at}`),
    ))
      await memory.add(turn);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const before = (await memory.stats()).segment;
    const more = dialogue([`${words} five`, `${words} six`, `${words} seven`, `${words} eight`], { from: 4 });
    await memory.add(more);
    await expect.poll(async () => (await memory.stats()).segment).toBeGreaterThan(before);
    expect(await pendingOf(memory)).toBeLessThan(8);
    expectConsistent(await graphOf(memory));
  });

  it('is a flush, after which the buffer holds later turns only', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    await memory.add(dialogue(TWO_TOPICS));
    expect((await memory.flush()).pending).toBe(0);
    expect((await memory.add(dialogue(['Good morning!'], { from: 8 }))).pending).toBe(1);
    const { counts } = await memory.flush();
    expect(counts).toMatchObject({ consolidated: 1, segments: 1 });
    expect((await memory.flush()).counts).toMatchObject({ consolidated: 0, segments: 0 });
    expectConsistent(await graphOf(memory));
  });

  it('is not the end of another session', async () => {
    const { memory } = await memoryOver(watchedStore().store, { automatic: true });
    await memory.add(dialogue(TWO_TOPICS));
    await memory.add([
      ...dialogue(TWO_TOPICS, { session: 't' }),
      ...dialogue(['Hello again!'], { session: 't', from: 8, ...hour }),
    ]);
    expect(await waitForPending(memory, 8 + 5)).toBe(true);
    const graph = await graphOf(memory);
    expect(graph.nodes.segment.map(({ session }) => session)).toEqual(['t']);
  });

  it('is a changed turn in the middle of a session, for the turns that were read with it', async () => {
    const { memory } = await memoryOver(watchedStore().store, { automatic: true });
    const turns = dialogue(TWO_TOPICS);
    await memory.add(turns);
    await memory.flush();
    const [second] = turns.slice(1);
    expect((await memory.add({ ...second!, content: 'I planted roses in the garden.' })).pending).toBe(4);
    expect(await waitForPending(memory, 0)).toBe(true);
    const graph = await graphOf(memory);
    expectConsistent(graph);
    const live = graph.nodes.segment.filter(({ expiredAt }) => expiredAt === null);
    expect([graph.nodes.segment.length, live.length]).toEqual([3, 2]);
  });

  it('is remembered after failed work', async () => {
    const watched = watchedStore();
    const { memory, warnings } = await memoryOver(watched.store, { automatic: true });
    // So many that the place of the pause is among those that were looked at when the work failed.
    const after = dialogue(
      Array.from({ length: 10 }, (_, at) => `The night train left platform ${at}.`),
      { from: 8, ...hour },
    );
    await memory.add(dialogue(TWO_TOPICS));
    // The second add goes through, its consolidation does not, however often it is asked for.
    watched.before = (commit) => void (commit > 2 && diskFull());
    await memory.add(after);
    await expect.poll(() => warnings.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await pendingOf(memory)).toBe(18);
    watched.before = () => undefined;
    await memory.add(dialogue(['Fine, thanks.'], { from: 18, ...hour }));
    expect(await waitForPending(memory, 15)).toBe(true);
  });
});

describe('one run over many turns', () => {
  const sessions = Array.from({ length: 70 }, (_, number) =>
    dialogue(TWO_TOPICS, { session: `s${number}`, start: FIRST + number * 24 * 60 * MINUTE }),
  );

  it('commits batch by batch, each with all of its units, and leaves nothing', async () => {
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store);
    await memory.add(sessions.flat());
    const { counts, pending } = await memory.flush();
    expect([counts.consolidated, counts.segments, pending]).toEqual([560, 140, 0]);
    // 384 turns and then 176, whole sessions as they are.
    const batches = watched.commits.slice(1);
    expect(batches.map((changes) => extractedIn(changes).length)).toEqual([384, 176]);
    for (const changes of batches) {
      const joined = (changes.relationships ?? []).filter(({ kind }) => kind === 'IN_SEGMENT');
      expect(joined.map(({ from }) => from).sort()).toEqual(extractedIn(changes).sort());
      const fresh = new Set<string>(changes.nodes?.segment?.map(({ id }) => id));
      expect(joined.every(({ to }) => fresh.has(to))).toBe(true);
    }
    expectConsistent(await graphOf(memory));
  });

  it('reports each batch once it is committed', async () => {
    const watched = watchedStore();
    const { memory } = await memoryOver(watched.store);
    await memory.add(sessions.flat());
    const told: number[][] = [];
    for await (const { type, counts, pending } of memory.resume())
      if (type === 'progress') told.push([counts.consolidated, pending, watched.commits.length - 1]);
    expect(told).toEqual([
      [384, 176, 1],
      [560, 0, 2],
    ]);
    expect(edges(await graphOf(memory), 'IN_SEGMENT')).toHaveLength(560);
  });
});

function extractedIn({ updates = [] }: GraphChanges): string[] {
  return updates.flatMap((update) =>
    update.kind === 'episode' && update.set.status === 'extracted' ? [update.id] : [],
  );
}
