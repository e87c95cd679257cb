import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Mnemis } from '../../src/engine.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import {
  CONVERSATION,
  contents,
  edges,
  freshPath,
  graphOf,
  open,
  reading,
  remember,
  turn,
} from './memory-fixture.ts';

let mnemis: Mnemis;
let count = 0;
const scope = () => mnemis.scope(`scope ${++count}`);
beforeAll(async () => {
  mnemis = await open(freshPath());
});
afterAll(() => mnemis.close());

describe('NEXT', () => {
  const numbered = (index: number): TurnInput => turn(`turn ${index}`, { index, sourceId: `t${index}` });
  it.each([
    { name: 'in order, one call', calls: [[0, 1, 2, 3]], chain: ['0-1', '1-2', '2-3'] },
    { name: 'in order, several calls', calls: [[0], [1, 2], [3]], chain: ['0-1', '1-2', '2-3'] },
    { name: 'out of order in one call', calls: [[3, 0, 2, 1]], chain: ['0-1', '1-2', '2-3'] },
    { name: 'backwards', calls: [[2], [1], [0]], chain: ['0-1', '1-2'] },
    {
      name: 'into a gap: the edge over it stays true',
      calls: [[0, 5], [3]],
      chain: ['0-3', '0-5', '3-5'],
    },
    { name: 'around both ends', calls: [[5], [0, 9]], chain: ['0-5', '5-9'] },
  ])('$name', async ({ calls, chain }) => {
    const memory = scope();
    for (const call of calls) await memory.add(call.map(numbered));
    const graph = await graphOf(memory);
    const { episodes } = reading(graph);
    const indexOf = (id: string) => episodes.find((row) => row.id === id)!.index;
    expect(
      edges(graph, 'NEXT')
        .map(({ from, to }) => `${indexOf(from)}-${indexOf(to)}`)
        .sort(),
    ).toEqual(chain);
  });

  it('never joins sessions', async () => {
    const memory = scope();
    await memory.add([turn('a', { session: 'x' }), turn('b', { session: 'y' }), turn('c', { session: 'x' })]);
    const graph = await graphOf(memory);
    const { contentOf } = reading(graph);
    expect(edges(graph, 'NEXT').map(({ from, to }) => contentOf(from) + contentOf(to))).toEqual(['ac']);
  });

  it('puts a new version between the neighbours of the old one', async () => {
    const memory = scope();
    await memory.add([numbered(0), numbered(1), numbered(2)]);
    await memory.add({ ...numbered(1), content: 'new' });
    const graph = await graphOf(memory);
    const { contentOf } = reading(graph);
    const pairs = edges(graph, 'NEXT').map(({ from, to }) => `${contentOf(from)} > ${contentOf(to)}`);
    expect(pairs).toContain('turn 0 > new');
    expect(pairs).toContain('new > turn 2');
  });

  it('follows a version to its new place, from the live turn before it', async () => {
    const memory = scope();
    await memory.add([numbered(0), numbered(1), numbered(2)]);
    await memory.add({ ...numbered(2), content: 'moved', index: 7 });
    const graph = await graphOf(memory);
    const { contentOf } = reading(graph);
    const pairs = edges(graph, 'NEXT').map(({ from, to }) => `${contentOf(from)} > ${contentOf(to)}`);
    expect(pairs).toContain('turn 1 > moved');
  });
});

describe('the graph of a conversation', () => {
  it('MENTIONS, ABOUT and EVIDENCED_BY link turns, entities and facts', async () => {
    const memory = scope();
    await remember(memory, CONVERSATION);
    const graph = await graphOf(memory);
    const { nameOf, contentOf, statementOf, facts, episodes, entities, current } = reading(graph);
    const mentions = edges(graph, 'MENTIONS').map(({ from, to }) => [contentOf(from), nameOf(to)]);
    const oslo = 'I moved to Oslo on 12 June 2023.';
    expect(mentions).toContainEqual([oslo, 'Oslo']);
    expect(mentions).toContainEqual([oslo, 'Ann']);
    expect(mentions).not.toContainEqual([oslo, 'Bob']);
    expect(mentions).toContainEqual(['My sister Carla works as a nurse in Lisbon.', 'Lisbon']);

    const moved = facts.find((fact) => /Ann moved to Oslo/.test(fact.statement))!;
    const about = edges(graph, 'ABOUT')
      .filter(({ from }) => from === moved.id)
      .map(({ to, role }) => [nameOf(to), role]);
    expect(about).toContainEqual(['Ann', 'subject']);
    expect(about).toContainEqual(['Oslo', 'object']);
    const evidence = edges(graph, 'EVIDENCED_BY').map(({ from, to }) => [statementOf(from), contentOf(to)]);
    expect(evidence).toContainEqual([moved.statement, oslo]);

    for (const { id } of facts) {
      expect(edges(graph, 'EVIDENCED_BY').some(({ from }) => from === id)).toBe(true);
      expect(edges(graph, 'ABOUT').some(({ from }) => from === id)).toBe(true);
    }
    expect(current.map((profile) => profile.owner).sort()).toEqual(entities.map(({ id }) => id).sort());
    const owners = graph.nodes.embedding.map(({ owner, field }) => `${owner} ${field}`).sort();
    expect(owners).toEqual(
      [
        ...episodes.map(({ id }) => `${id} content`),
        ...graph.nodes.segment.map(({ id }) => `${id} summary`),
        ...graph.nodes.description.map(({ id }) => `${id} text`),
        ...facts.map(({ id }) => `${id} statement`),
        ...graph.nodes.profile.flatMap(({ id }) => [`${id} name`, `${id} summary`]),
      ].sort(),
    );
  });

  it('keeps one entity per name, over calls, capitals and accents', async () => {
    const memory = scope();
    await remember(memory, turn('I moved to Málaga in 2020.', { speaker: 'Ann' }));
    await remember(memory, turn('I love Malaga.', { speaker: 'ANN' }));
    const { current } = reading(await graphOf(memory));
    expect(current.filter(({ name }) => /^ann$/i.test(name))).toHaveLength(1);
    expect(current.filter(({ name }) => /^m.laga$/i.test(name))).toHaveLength(1);
  });
});

describe('profiles', () => {
  it('are rewritten when the mentions have doubled, and one is current', async () => {
    const memory = scope();
    const versions: number[] = [];
    for (let mention = 1; mention <= 17; mention++) {
      await remember(memory, turn(`I like tea number ${mention}.`, { speaker: 'Zoe' }));
      const { current, versionsOf } = reading(await graphOf(memory));
      expect(current.filter(({ name }) => name === 'Zoe')).toHaveLength(1);
      versions.push(versionsOf('Zoe').length);
    }
    // New versions at 1, 2, 4, 8 and 16 mentions.
    expect(versions).toEqual([1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5]);
    const found = (await memory.search('Zoe')).entities.filter(({ name }) => name === 'Zoe');
    expect(found).toHaveLength(1);
  });

  it('do not count a turn twice when a new version takes its place', async () => {
    const memory = scope();
    for (const content of ['I like tea.', 'I like rum.', 'I like gin.', 'I like port.'])
      await remember(memory, turn(content, { speaker: 'Zoe', index: 0 }));
    const { versionsOf } = reading(await graphOf(memory));
    // One live mention before, one new: it looks like two, but never like four.
    expect(versionsOf('Zoe').at(-1)?.summary).not.toMatch(/4 times/);
    expect(versionsOf('Zoe').filter(({ expiredAt }) => expiredAt === null)).toHaveLength(1);
  });
});

describe('superseding', () => {
  const old = 'I moved to Oslo in 2020.';
  const corrected = 'I moved to Turin in 2020.';

  it('removes the old turn and its facts from search, not from the graph', async () => {
    const memory = scope();
    await remember(memory, [turn(old, { speaker: 'Ann', index: 0 }), turn('Good for you.', { index: 1 })]);
    expect((await memory.search('Oslo')).facts.map(({ statement }) => statement)).toHaveLength(1);
    await remember(memory, turn(corrected, { speaker: 'Ann', index: 0 }));
    const after = await memory.search('Oslo moved 2020');
    expect(contents(after)).not.toContain(old);
    expect(after.facts.filter(({ statement }) => statement.includes('Oslo'))).toEqual([]);
    expect(contents(after)).toContain(corrected);
    const { nodes } = await graphOf(memory);
    expect(nodes.episode.find(({ content }) => content === old)?.expiredAt).not.toBeNull();
    const fact = nodes.fact.find(({ statement }) => statement.includes('Oslo'));
    expect(fact?.expiredAt).not.toBeNull();
    expect(fact?.invalidAt).toBeNull();
  });

  it('keeps a fact until the last turn that supports it is superseded', async () => {
    const memory = scope();
    await remember(memory, [turn('aaa one', { index: 0 }), turn('bbb two', { index: 1 })]);
    const evidence = [0, 1].map((index) => ({ session: 'main', index }));
    await memory.addFacts([{ statement: 'Gina owns a xylophone', evidence }]);
    const sources = async () =>
      (await memory.search('xylophone')).facts.map((fact) => fact.sources.map(({ index }) => index));
    expect(await sources()).toEqual([[0, 1]]);
    await remember(memory, turn('ccc three', { index: 0 }));
    expect(await sources()).toEqual([[1]]);
    await remember(memory, turn('ddd four', { index: 1 }));
    expect(await sources()).toEqual([]);
    expect((await graphOf(memory)).nodes.fact.filter(({ expiredAt }) => expiredAt !== null)).toHaveLength(1);
  });
});
