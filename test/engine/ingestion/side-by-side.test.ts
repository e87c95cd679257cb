import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { seededRandom } from '../../search/random.ts';
import { asSet, freshPath, graphOf } from '../memory-fixture.ts';
import { dialogue, pendingOf, TWO_TOPICS } from './dialogues.ts';
import { upToIds } from './graph-up-to-ids.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';
import { randomConversation } from './random-conversation.ts';
import { openRehearsedLab } from './rehearsed-lab.ts';

const openAt = (path: string, more: { automatic?: boolean } = {}) =>
  Mnemis.open({ path, embedder: new HashingEmbedder({ analyze, dimension: 64 }), ...more });

describe('concurrent work', () => {
  it('of two scopes of one store never mixes', async () => {
    const { store } = watchedStore();
    const scopes = await Promise.all(
      ['users/1', 'users/10'].map((scope) => memoryOver(store, { scope, automatic: true })),
    );
    const talks = [1, 2].map((seed) => randomConversation(seededRandom(seed), { turns: 30, sessions: 2 }));
    await Promise.all(
      scopes.map(async ({ memory }, at) => {
        for (const turn of talks[at]!) await memory.add(turn);
        await memory.flush();
      }),
    );
    const graphs = await Promise.all(scopes.map(({ memory }) => graphOf(memory)));
    for (const [at, graph] of graphs.entries()) {
      expectConsistent(graph);
      const { memory } = await memoryOver(watchedStore().store);
      await memory.add(talks[at]!);
      await memory.flush();
      expect(upToIds(graph)).toEqual(upToIds(await graphOf(memory)));
    }
    const [one, ten] = graphs.map(
      (graph) =>
        new Set<string>(
          Object.values(graph.nodes)
            .flat()
            .map(({ id }) => id),
        ),
    );
    expect([...one!].filter((id) => ten!.has(id))).toEqual([]);
  });

  it.each([1, 2, 3])('of adds, flushes, corrections and searches keeps all rules: mix %i', async (seed) => {
    const random = seededRandom(seed);
    const turns = randomConversation(random, { turns: 40, sessions: 4 });
    const { memory } = await memoryOver(watchedStore().store, { automatic: true });
    const work: Promise<unknown>[] = [];
    for (const [at, turn] of turns.entries()) {
      work.push(memory.add(turn));
      if (at % 7 === 3) work.push(memory.flush());
      if (at % 5 === 4) work.push(memory.search('Who went to Oslo?'));
      if (at % 9 === 8)
        work.push(memory.add({ ...turns[at - 4]!, content: `I changed my mind, number ${at}.` }));
      if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, random() * 8));
    }
    await Promise.all(work);
    await memory.flush();
    const graph = await graphOf(memory);
    expectConsistent(graph);
    const live = graph.nodes.episode.filter(({ expiredAt }) => expiredAt === null);
    expect(live.map(({ sourceId }) => Number(sourceId)).toSorted((a, b) => a - b)).toEqual(
      turns.map((_, at) => at),
    );
    expect(live.every(({ status }) => status === 'extracted')).toBe(true);
    expect((await memory.stats()).enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
  });

  it('of two flushes reads every turn once', async () => {
    await using lab = await openRehearsedLab();
    const { memory } = await memoryOver(watchedStore().store, { model: lab.model });
    await memory.add(randomConversation(seededRandom(4), { turns: 24, sessions: 3 }));
    const reports = await Promise.all([memory.flush(), memory.flush()]);
    expect(reports.map(({ counts }) => counts.consolidated).toSorted((a, b) => a - b)).toEqual([0, 24]);
    expect(lab.asked.filter((prompt) => prompt === 'read-segments')).toHaveLength(3);
  });

  it('reads turns again that are changed while a model reads them', async () => {
    await using lab = await openRehearsedLab();
    const { memory } = await memoryOver(watchedStore().store, { model: lab.model });
    const turns = dialogue(TWO_TOPICS);
    await memory.add(turns);
    let isCorrected = false;
    lab.before = async ({ prompt }) => {
      if (prompt !== 'read-segments' || isCorrected) return;
      isCorrected = true;
      await memory.add({ ...turns[0]!, content: 'I planted roses in the greenhouse.' });
    };
    await memory.flush();
    const graph = await graphOf(memory);
    expectConsistent(graph);
    expect((await memory.stats()).enrichment.pending).toBe(0);
    const statements = graph.nodes.fact.map(({ statement }) => statement).join('\n');
    expect(statements).toContain('greenhouse');
    expect(statements).not.toContain('number 0');
  });
});

describe('closing and opening', () => {
  const turns = randomConversation(seededRandom(5), { turns: 30, sessions: 3 });

  it('completes the local tier, and opens with nothing waiting', async () => {
    const path = freshPath();
    const first = await openAt(path);
    await first.scope('a').add(turns);
    await first.close();
    await using second = await openAt(path);
    expect(await pendingOf(second.scope('a'))).toBe(0);
    expectConsistent(await graphOf(second.scope('a')));
  });

  it('leaves waiting turns to the next opening, which reads them from its snapshot as from the graph', async () => {
    const path = freshPath();
    const first = await openAt(path, { automatic: false });
    await first.scope('a').add(turns.slice(0, 12));
    await first.scope('a').flush();
    await first.scope('a').add(turns.slice(12));
    await first.scope('a').add({ ...turns[2]!, content: 'I sold the piano.' });
    await first.close();

    const withSnapshot = await openAt(path, { automatic: false });
    const { pending } = await withSnapshot.scope('a').add([]);
    expect(pending).toBeGreaterThan(18);
    await withSnapshot.close();
    rmSync(`${path}.indexes`, { recursive: true });
    await using fromGraph = await openAt(path, { automatic: false });
    const memory = fromGraph.scope('a');
    expect((await memory.add([])).pending).toBe(pending);
    expect(await pendingOf(memory)).toBe(pending);
    expect((await memory.flush()).counts.consolidated).toBe(pending);
    const graph = await graphOf(memory);
    expectConsistent(graph);
    expect(asSet(graph).length).toBeGreaterThan(60);
  });
});
