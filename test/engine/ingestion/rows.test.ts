import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../search/random.ts';
import { edges, graphOf } from '../memory-fixture.ts';
import { dialogue, FIRST, MINUTE, TWO_TOPICS } from './dialogues.ts';
import { upToIds } from './graph-up-to-ids.ts';
import { emptySegments, expectConsistent, problemsOf } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';
import { randomConversation, randomSentence } from './random-conversation.ts';

const later = (days: number) => ({ start: FIRST + days * 24 * 60 * MINUTE });

async function freshMemory() {
  return (await memoryOver(watchedStore().store)).memory;
}

describe('rows of consolidation', () => {
  it.each(Array.from({ length: 12 }, (_, at) => at + 1))(
    'keep their rules through adds, corrections and flushes in any order: sequence %i',
    async (seed) => {
      const random = seededRandom(seed);
      const turns = randomConversation(random, { turns: 30, sessions: 1 + (seed % 2) });
      const { memory } = await memoryOver(watchedStore().store, { automatic: seed % 3 === 0 });
      let added = 0;
      for (let step = 0; step < 16; step++) {
        const chance = random();
        if (chance < 0.4 || added === 0) {
          const piece = turns.slice(added, added + 1 + Math.floor(random() * 6));
          added += piece.length;
          await memory.add(piece);
        } else if (chance < 0.75) {
          const which = turns[Math.floor(random() * added)]!;
          await memory.add({ ...which, content: randomSentence(random) });
        } else await memory.flush();
        expectConsistent(await graphOf(memory));
      }
      await memory.flush();
      const graph = await graphOf(memory);
      expectConsistent(graph);
      const live = graph.nodes.episode.filter(({ expiredAt }) => expiredAt === null);
      expect(live).toHaveLength(Math.min(added, turns.length));
      expect(new Set(live.map(({ status }) => status))).toEqual(new Set(['extracted']));
    },
  );

  it('record the verdicts of the gate and the self-check for each turn', async () => {
    const memory = await freshMemory();
    await memory.add(dialogue(['I moved to Oslo in 2020.', 'Wow!', 'Thanks.', 'I bought a red bicycle.']));
    await memory.flush();
    const { episode } = (await graphOf(memory)).nodes;
    const verdicts = episode
      .toSorted((a, b) => a.index - b.index)
      .map(({ gate, verified }) => [gate, verified]);
    expect(verdicts).toEqual([
      ['kept', true],
      ['dropped', false],
      ['dropped', false],
      ['kept', true],
    ]);
  });

  it('link similar topics, above 0.6 and to five at most', async () => {
    const memory = await freshMemory();
    for (let day = 0; day < 9; day++) {
      const session = `day ${day}`;
      await memory.add(dialogue(TWO_TOPICS.slice(0, 4), { session, ...later(day) }));
      await memory.flush();
    }
    const graph = await graphOf(memory);
    expectConsistent(graph);
    const related = edges(graph, 'RELATED');
    const order = new Map(graph.nodes.segment.map(({ id }, at) => [id as string, at]));
    const fromEach = graph.nodes.segment.map(
      ({ id }) =>
        related.filter(({ from, to }) => Math.max(order.get(from)!, order.get(to)!) === order.get(id)).length,
    );
    expect(fromEach).toEqual([0, 1, 2, 3, 4, 5, 5, 5, 5]);
  });
});

describe('a repeated fact', () => {
  it('gets evidence, no second row', async () => {
    const memory = await freshMemory();
    await memory.add(dialogue(['I adopted a beagle.', 'Lovely!']));
    await memory.flush();
    await memory.add(dialogue(['I adopted a beagle.', 'You said so.'], { session: 't', ...later(1) }));
    const { counts } = await memory.flush();
    expect([counts.facts, counts.repeated]).toEqual([0, 1]);
    const graph = await graphOf(memory);
    expect(graph.nodes.fact).toHaveLength(1);
    expect(edges(graph, 'EVIDENCED_BY').filter(({ fromKind }) => fromKind === 'fact')).toHaveLength(2);
    expectConsistent(graph);
  });

  it('is deleted when the last turn that states it is changed, not before', async () => {
    const memory = await freshMemory();
    const first = dialogue(['I adopted a beagle.', 'Lovely!']);
    const second = dialogue(['I adopted a beagle.', 'You said so.'], { session: 't', ...later(1) });
    await memory.add([...first, ...second]);
    await memory.flush();
    const statements = async () => {
      const { fact } = (await graphOf(memory)).nodes;
      return fact.filter(({ expiredAt }) => expiredAt === null).map(({ statement }) => statement);
    };
    for (const [turn, left] of [
      [first[0]!, ['Ann adopted a beagle', 'Ann adopted a cat']],
      [second[0]!, ['Ann adopted a cat']],
    ] as const) {
      await memory.add({ ...turn, content: 'I adopted a cat.' });
      await memory.flush();
      expect((await statements()).toSorted()).toEqual(left);
      expectConsistent(await graphOf(memory));
    }
  });
});

describe('a changed turn', () => {
  const said = [
    'Carla works as a nurse in Lisbon.',
    'Dmitri is allergic to peanuts.',
    'I moved to Oslo in 2020.',
    'Farid is allergic to peanuts.',
  ];

  it('leaves what memory would contain if its words had been right at once', async () => {
    const right = 'I moved to Madrid in 2021.';
    const memory = await freshMemory();
    await memory.add(dialogue(said));
    await memory.flush();
    const old = (await graphOf(memory)).nodes.segment.map(({ id }) => id);
    await memory.add({ ...dialogue(said)[2]!, content: right });
    await memory.flush();
    const graph = await graphOf(memory);
    expectConsistent(graph);
    const expired = graph.nodes.segment.filter(({ expiredAt }) => expiredAt !== null).map(({ id }) => id);
    expect(expired).toEqual(old);

    const fresh = await freshMemory();
    await fresh.add(dialogue(said.with(2, right)));
    await fresh.flush();
    // Names that memory knew by then are surer.
    const plain = (row: string) => row.replaceAll(/0\.[79]/g, 'sure').replaceAll(/,2,2,|,2,1,/g, ',2,V,');
    const { facts, entities, segments } = upToIds(graph);
    const expected = upToIds(await graphOf(fresh));
    expect(facts.map(plain)).toEqual(expected.facts.map(plain));
    expect(entities.map(plain)).toEqual(expected.entities.map(plain));
    expect(segments).toHaveLength(expected.segments.length);
  });

  it('gives the other turns of its segment their mentions once', async () => {
    const memory = await freshMemory();
    const turns = dialogue(said);
    await memory.add(turns);
    await memory.flush();
    const mentions = async () =>
      edges(await graphOf(memory), 'MENTIONS').map(({ from, to }) => `${from} ${to}`);
    for (const city of ['Madrid', 'Vienna', 'Bergen']) {
      await memory.add({ ...turns[2]!, content: `I moved to ${city} in 2020.` });
      await memory.flush();
      const all = await mentions();
      expect(new Set(all).size).toBe(all.length);
      expectConsistent(await graphOf(memory));
    }
  });

  it('deletes its segment at once if no other turn is in it', async () => {
    const memory = await freshMemory();
    const turns = dialogue(said);
    await memory.add(turns);
    await memory.flush();
    await memory.add(turns.map((turn) => ({ ...turn, content: `${turn.content} Really.` })));
    const graph = await graphOf(memory);
    expect([...problemsOf(graph), ...emptySegments(graph)]).toEqual([]);
  });

  it('is consolidated with its new words, when it is changed again before', async () => {
    const memory = await freshMemory();
    const turns = dialogue(said);
    await memory.add(turns);
    await memory.flush();
    for (const city of ['Madrid', 'Vienna'])
      await memory.add({ ...turns[2]!, content: `I moved to ${city} in 2020.` });
    expect((await memory.flush()).counts.consolidated).toBe(4);
    const graph = await graphOf(memory);
    expectConsistent(graph);
    const live = graph.nodes.fact.filter(({ expiredAt }) => expiredAt === null);
    const moved = live.map(({ statement }) => statement).filter((statement) => statement.includes('moved'));
    expect(moved).toEqual(['Ann moved to Vienna in 2020']);
  });
});
