import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { expectConsistent } from '../../engine/ingestion/invariants.ts';
import { edges, graphOf } from '../../engine/memory-fixture.ts';
import {
  entityCalled,
  evidenceOf,
  factSaying,
  liveFacts,
  namesAbout,
  profileOf,
  readAgain,
  say,
  storyIn,
  storyMemory,
} from './corrected-memory.ts';

let engine: Mnemis;
let memory: MemoryScope;
beforeEach(async () => {
  ({ engine, memory } = await storyMemory());
});
afterEach(() => engine.close());

/** The turn about Rex says something else, so that the whole of session one is read again. */
const again = () => readAgain(memory, say('one', 1, ['Ben', 'I bought a red bicycle.']));
const statements = async () => liveFacts(await graphOf(memory)).map(({ statement }) => statement);
const live = async (statement: string) =>
  liveFacts(await graphOf(memory)).filter((fact) => fact.statement === statement);
const later = (content: string, speaker = 'Nora') =>
  storyIn(memory, [{ session: 'three', index: 0, speaker, content, at: '2023-05-01' }]);

describe('an edited fact', () => {
  const edit = async () => {
    const { id } = await factSaying(memory, 'Nora loves coffee');
    return (await memory.corrections.editFact(id, { statement: 'Nora loves decaf coffee' })).fact;
  };

  it('takes over participants and evidence; the former row is kept', async () => {
    const old = await factSaying(memory, 'Nora loves coffee');
    const fact = await edit();
    const graph = await graphOf(memory);
    expect(graph.nodes.fact.find(({ id }) => id === old.id)).toMatchObject({ expiredAt: expect.any(Number) });
    expect(graph.nodes.fact.find(({ id }) => id === fact)).toMatchObject({
      statement: 'Nora loves decaf coffee',
      origin: 'given',
      validAt: old.validAt,
      expiredAt: null,
    });
    expect([namesAbout(graph, fact), evidenceOf(graph, fact)]).toEqual([
      ['Nora', 'coffee'],
      ['I love coffee.'],
    ]);
    const nora = await profileOf(memory, await entityCalled(memory, 'Nora'));
    expect(nora!.summary).toContain('decaf');
    expect(nora!.summary).not.toContain('loves coffee');
  });

  it('survives when its turns are read again', async () => {
    const fact = await edit();
    await again();
    const graph = await graphOf(memory);
    expect(await statements()).not.toContain('Nora loves coffee');
    expect(liveFacts(graph).find(({ id }) => id === fact)).toBeDefined();
    expect(evidenceOf(graph, fact)).toEqual(['I love coffee.']);
    expectConsistent(graph);
  });

  it('gets evidence when its former statement is repeated, and when it is edited twice', async () => {
    const first = await edit();
    const { fact } = await memory.corrections.editFact(first, { statement: 'Nora loves espresso' });
    await later('I love coffee.');
    expect((await statements()).filter((each) => /coffee|espresso/.test(each))).toEqual([
      'Nora loves espresso',
    ]);
    expect(evidenceOf(await graphOf(memory), fact)).toEqual(['I love coffee.', 'I love coffee.']);
  });

  it('is restored once the edit is undone, with evidence added since', async () => {
    const { id } = await factSaying(memory, 'Nora loves coffee');
    const { correction } = await memory.corrections.editFact(id, { statement: 'Nora loves tea' });
    await later('I love coffee.');
    await memory.corrections.undo(correction);
    const graph = await graphOf(memory);
    expect(
      liveFacts(graph)
        .filter(({ statement }) => /coffee|tea/.test(statement))
        .map((fact) => fact.id),
    ).toEqual([id]);
    expect(evidenceOf(graph, id)).toEqual(['I love coffee.', 'I love coffee.']);
    expectConsistent(graph);
    await readAgain(memory, say('three', 0, ['Nora', 'I love coffee very much.']));
    expect(await live('Nora loves coffee')).toHaveLength(1);
  });

  it('whose time was changed still ends the facts that it had ended', async () => {
    const { id } = await factSaying(memory, 'Nora moved to Ghent');
    await memory.corrections.editFact(id, { validAt: '2023-02-10' });
    expect(await live('Nora lives in Oslo')).toMatchObject([{ invalidAt: Date.parse('2023-02-10') }]);
  });

  it('that ended since ends in its former version, too', async () => {
    const { id } = await factSaying(memory, 'Nora moved to Ghent');
    const { correction } = await memory.corrections.editFact(id, { confidence: 0.8 });
    await later('I moved to Rome.');
    const ended = (await live('Nora moved to Ghent'))[0]!.invalidAt;
    expect(ended).toBe(Date.parse('2023-05-01'));
    await memory.corrections.undo(correction);
    expect(await live('Nora moved to Ghent')).toMatchObject([{ id, invalidAt: ended }]);
    const by = await factSaying(memory, 'Nora moved to Rome');
    expect(
      edges(await graphOf(memory), 'SUPERSEDES')
        .filter(({ from }) => from === by.id)
        .map(({ to }) => to),
    ).toContain(id);
  });
});

describe('a rejected fact', () => {
  it('lets facts that it had ended hold again, and stays rejected when its turns are read again', async () => {
    const { id } = await factSaying(memory, 'Nora moved to Ghent');
    await memory.corrections.rejectFact(id);
    expect(await live('Nora lives in Oslo')).toMatchObject([{ invalidAt: null }]);
    await readAgain(memory, say('two', 0, ['Ben', 'I slept well.']));
    expect(await live('Nora moved to Ghent')).toEqual([]);
    expect(await live('Nora lives in Oslo')).toMatchObject([{ invalidAt: null }]);
    expectConsistent(await graphOf(memory));
  });

  it('stays rejected when it is said later; that becomes evidence of the rejected row', async () => {
    const { id } = await factSaying(memory, 'Nora loves coffee');
    const { correction } = await memory.corrections.rejectFact(id);
    await later('I love coffee.');
    expect(await live('Nora loves coffee')).toEqual([]);
    expect(evidenceOf(await graphOf(memory), id)).toHaveLength(2);
    await memory.corrections.undo(correction);
    expect(await live('Nora loves coffee')).toMatchObject([{ id }]);
    expectConsistent(await graphOf(memory));
  });

  it('stays rejected when a program adds it', async () => {
    const { id } = await factSaying(memory, 'Nora loves coffee');
    await memory.corrections.rejectFact(id);
    const given = { statement: 'Nora loves coffee', subject: 'Nora', relation: 'love', object: 'coffee' };
    for (const evidence of [
      { session: 'one', index: 2 },
      { session: 'two', index: 1 },
    ])
      expect(await memory.addFacts([{ ...given, evidence: [evidence] }])).toMatchObject({
        outcomes: [{ status: 'known', id }],
        added: 0,
      });
    expect(await live('Nora loves coffee')).toEqual([]);
    expect(evidenceOf(await graphOf(memory), id)).toEqual(['I love coffee.', 'I moved to Ghent.']);
  });
});

describe('a pinned fact', () => {
  it('never ends, while an unpinned one does', async () => {
    const { id } = await factSaying(memory, 'Nora moved to Ghent');
    const { correction } = await memory.corrections.pinFact(id);
    await later('I moved to Rome.');
    expect(await live('Nora moved to Ghent')).toMatchObject([{ id, invalidAt: null }]);
    await memory.corrections.undo(correction);
    await readAgain(memory, { ...say('three', 0, ['Nora', 'I moved to Bari.']), at: '2023-06-01' });
    expect(await live('Nora moved to Ghent')).toMatchObject([{ invalidAt: Date.parse('2023-06-01') }]);
  });

  it('keeps its row when its turns are read again, even with another result', async () => {
    const { id } = await factSaying(memory, 'Nora loves coffee');
    await memory.corrections.pinFact(id);
    const other = await factSaying(memory, 'Nora lives in Oslo');
    await again();
    expect(await live('Nora loves coffee')).toMatchObject([{ id }]);
    // What is not pinned is a new row.
    expect((await live('Nora lives in Oslo'))[0]!.id).not.toBe(other.id);
    expectConsistent(await graphOf(memory));
  });
});

describe('an edited profile', () => {
  it('keeps its edited fields in every later version, and its former name still resolves to it', async () => {
    const rex = await entityCalled(memory, 'Rex');
    await memory.corrections.editProfile(rex, {
      name: 'Rexy',
      summary: 'The best dog.',
      tags: ['pet', 'beagle'],
    });
    await storyIn(
      memory,
      ['Rex ate my shoe.', 'Rex loves the park.', 'Rex sleeps on the sofa.'].map((content, index) => ({
        ...say('three', index, ['Ben', content]),
        at: '2023-06-01',
      })),
    );
    const graph = await graphOf(memory);
    const versions = graph.nodes.profile.filter(({ owner }) => owner === rex);
    expect(versions.length).toBeGreaterThan(2);
    expect(await profileOf(memory, rex)).toMatchObject({
      name: 'Rexy',
      aliases: ['Rex'],
      summary: 'The best dog.',
      tags: ['person', 'pet', 'beagle'],
    });
    expect(graph.nodes.profile.filter(({ name, expiredAt }) => name === 'Rex' && expiredAt === null)).toEqual(
      [],
    );
    expectConsistent(graph);
  });

  it('is found by its new name in turns that have the former one', async () => {
    const found = async (query: string) =>
      (await memory.search(query, { k: 1 })).episodes.map(({ content }) => content);
    const turn = ['I adopted a dog called Rex.'];
    expect(await found('Biscuit')).not.toEqual(turn);
    await memory.corrections.editProfile(await entityCalled(memory, 'Rex'), { name: 'Biscuit' });
    expect(await found('Biscuit')).toEqual(turn);
    expect(await found('Who is Biscuit’s owner?')).toEqual(turn);
    expect(await found('Rex')).toEqual(turn);
  });

  it('loses names that it is not given', async () => {
    const nora = await entityCalled(memory, 'Nora');
    await memory.corrections.editProfile(nora, { name: 'Nora Berg', aliases: ['Norie'] });
    await again();
    expect(await profileOf(memory, nora)).toMatchObject({ name: 'Nora Berg', aliases: ['Norie'] });
    // Nobody else goes by the former name, so that it means her.
    expect(
      (await graphOf(memory)).nodes.profile.filter(
        ({ name, expiredAt }) => name === 'Nora' && expiredAt === null,
      ),
    ).toEqual([]);
  });

  it('is memory’s own again once the edit is undone, after later versions', async () => {
    const rex = await entityCalled(memory, 'Rex');
    const { correction } = await memory.corrections.editProfile(rex, {
      name: 'Rexy',
      summary: 'The best dog.',
    });
    await later('Rex ate my shoe.', 'Ben');
    await memory.corrections.undo(correction);
    expect(await profileOf(memory, rex)).toMatchObject({ name: 'Rex', aliases: [] });
    expect((await profileOf(memory, rex))!.summary).not.toContain('best');
    expectConsistent(await graphOf(memory));
  });
});

describe('merged entities', () => {
  const merge = async () => {
    const [keep, merged] = [await entityCalled(memory, 'Melanie'), await entityCalled(memory, 'Mel')];
    return { keep, merged, ...(await memory.corrections.mergeEntities(keep, merged)) };
  };

  it('are one: facts, mentions, names; the merged one keeps its row without a live profile', async () => {
    const { keep, merged } = await merge();
    const graph = await graphOf(memory);
    expect(await profileOf(memory, keep)).toMatchObject({ name: 'Melanie', aliases: ['Mel'] });
    expect(await profileOf(memory, merged)).toBeUndefined();
    expect(graph.nodes.entity.map(({ id }) => id as string)).toContain(merged);
    expect(graph.relationships.filter(({ kind, to }) => kind !== 'CATEGORIZES' && to === merged)).toEqual([]);
    expect(await memory.corrections.uncertain()).toEqual([]);
  });

  it('stay one when the turns are read again, and in later sessions', async () => {
    const { keep } = await merge();
    await readAgain(memory, say('two', 1, ['Nora', 'I moved to Bruges.']));
    await later('Mel broke her leg.', 'Nora');
    const graph = await graphOf(memory);
    expect(graph.nodes.profile.filter((row) => row.expiredAt === null && row.name === 'Mel')).toEqual([]);
    const mentions = edges(graph, 'MENTIONS').filter(({ to }) => to === keep);
    const contents = mentions.map(({ from }) => graph.nodes.episode.find(({ id }) => id === from)!.content);
    expect(contents.sort()).toEqual([
      'Mel broke her leg.',
      'My friend Mel baked a cake.',
      'My friend Melanie works at the library.',
    ]);
    expectConsistent(graph);
  });

  it('separate again with their own later data', async () => {
    const { keep, merged, correction } = await merge();
    await later('Mel broke her leg. Melanie is fine otherwise.', 'Nora');
    await storyIn(memory, [{ ...say('three', 1, ['Ben', 'Mel sings well.']), at: '2023-07-01' }]);
    await memory.corrections.undo(correction);
    const graph = await graphOf(memory);
    const mentionsOf = (id: string) =>
      edges(graph, 'MENTIONS')
        .filter(({ to }) => to === id)
        .map(({ from }) => graph.nodes.episode.find((row) => row.id === from)!.content)
        .sort();
    expect(mentionsOf(merged)).toEqual([
      'Mel broke her leg. Melanie is fine otherwise.',
      'Mel sings well.',
      'My friend Mel baked a cake.',
    ]);
    expect(mentionsOf(keep)).toEqual([
      'Mel broke her leg. Melanie is fine otherwise.',
      'My friend Melanie works at the library.',
    ]);
    expect(await profileOf(memory, keep)).toMatchObject({ name: 'Melanie', aliases: [] });
    expect(await profileOf(memory, merged)).toMatchObject({ name: 'Mel' });
    expectConsistent(graph);
  });
});

describe('a split entity', () => {
  it('stays two when the turns are read again; after an undo everything belongs to the first', async () => {
    const turn = (await graphOf(memory)).nodes.episode.find(
      ({ content }) => content === 'I moved to Ghent.',
    )!;
    const nora = await entityCalled(memory, 'Nora');
    const { entity, correction } = await memory.corrections.splitEntity(nora, {
      name: 'Nora Berg',
      episodes: [turn.id],
    });
    await readAgain(memory, say('two', 0, ['Ben', 'I slept well.']));
    let graph = await graphOf(memory);
    const moved = await factSaying(memory, 'Nora moved to Ghent');
    expect(namesAbout(graph, moved.id)).toEqual(['Ghent', 'Nora Berg']);
    expect(
      edges(graph, 'MENTIONS')
        .filter(({ to }) => to === entity)
        .map(({ from }) => from),
    ).toEqual([turn.id]);
    expect(edges(graph, 'MENTIONS').filter(({ to }) => to === nora)).toHaveLength(2);
    expectConsistent(graph);
    await memory.corrections.undo(correction);
    graph = await graphOf(memory);
    expect(graph.nodes.entity.map(({ id }) => id)).not.toContain(entity);
    expect(edges(graph, 'MENTIONS').filter(({ to }) => to === nora)).toHaveLength(3);
    expect(namesAbout(graph, (await factSaying(memory, 'Nora moved to Ghent')).id)).toEqual([
      'Ghent',
      'Nora',
    ]);
    expectConsistent(graph);
  });
});

it('entities kept apart are no longer uncertain, also after the turns are read again', async () => {
  const [pair, ...others] = await memory.corrections.uncertain();
  expect(others).toEqual([]);
  expect(pair!.entities.map(({ name }) => name).sort()).toEqual(['Mel', 'Melanie']);
  expect(pair!.confidence).toBeGreaterThan(0);
  await memory.corrections.keepApart(pair!.entities[1].id, pair!.entities[0].id);
  expect(await memory.corrections.uncertain()).toEqual([]);
  // All that Mel was read from goes and comes back.
  await readAgain(memory, say('two', 1, ['Nora', 'I moved to Bruges.']));
  await readAgain(memory, say('two', 0, ['Ben', 'My friend Mel baked two cakes.']));
  await readAgain(memory, say('two', 0, ['Ben', 'My friend Mel baked three cakes.']));
  await later('Mel broke her leg.', 'Ben');
  expect(await memory.corrections.uncertain()).toEqual([]);
  expect(await entityCalled(memory, 'Mel')).not.toBe(await entityCalled(memory, 'Melanie'));
});
