import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { graphOf } from '../../engine/memory-fixture.ts';

/** Kinds of the current profiles with a name, sorted. */
async function kindsOf(name: string, said: readonly string[]): Promise<readonly string[]> {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const memory = engine.scope('a');
  for (const [at, content] of said.entries()) {
    await memory.add({ content, speaker: 'Ann', session: `s${at}`, at: `2026-0${at + 3}-01` });
    await memory.flush();
  }
  const { nodes } = await graphOf(memory);
  await engine.close();
  const entities = new Set<string>(nodes.entity.map(({ id }) => id));
  return nodes.profile
    .filter((row) => row.name === name && row.expiredAt === null && entities.has(row.owner))
    .map(({ tags }) => tags[0]!)
    .sort();
}

describe('one name for a relative and a place', () => {
  it.each([
    ['Paris', 'Paris is my niece.', 'I flew to Paris last week.'],
    ['Paris', 'My niece Paris loves chess.', 'I flew to Paris last week.'],
    ['Jordan', 'Jordan is my older brother.', 'I travelled to Jordan in May.'],
    ['Georgia', "Georgia is Tom's aunt.", 'I lived in Georgia for a year.'],
    ['Florence', 'I moved to Florence last year.', 'Florence is our cousin.'],
  ])('%s is two entities: %s %s', async (name, ...said) => {
    expect(await kindsOf(name, said)).toEqual(['person', 'place']);
  });

  it('is one entity for one person', async () => {
    expect(await kindsOf('Paris', ['Paris is my niece.', 'My niece Paris loves chess.'])).toEqual(['person']);
  });
});

/** The names of the current entities that are this word, sorted; each text is a session, or all are one. */
async function namesOf(word: string, said: readonly string[], isOne = false): Promise<readonly string[]> {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const memory = engine.scope('a');
  for (const [at, content] of said.entries()) {
    await memory.add({ content, speaker: 'Ann', session: isOne ? 's' : `s${at}`, at: `2026-0${at + 3}-01` });
    if (!isOne) await memory.flush();
  }
  await memory.flush();
  const { nodes } = await graphOf(memory);
  await engine.close();
  const entities = new Set<string>(nodes.entity.map(({ id }) => id));
  return nodes.profile
    .filter(({ owner, expiredAt }) => expiredAt === null && entities.has(owner))
    .map(({ name }) => name)
    .filter((name) => new RegExp(`^(?:the )?${word}s?$`, 'i').test(name))
    .sort();
}

describe('a proper name and a common noun of the same letters', () => {
  const both = (word: string) => [`${word[0]!.toUpperCase()}${word.slice(1)}`, word];
  it.each([
    [both('apple'), 'I work at Apple.', 'I ate an apple.'],
    [['Amazon', 'the Amazon'], 'Amazon delivered my parcel.', 'I swam in the Amazon.'],
    [['Amazon', 'the Amazon'], 'I ordered books from Amazon.', 'We travelled down the Amazon.'],
    [both('jaguar'), 'I drive a Jaguar.', 'I saw a jaguar at the zoo.'],
    [both('orange'), 'I work for Orange.', 'I peeled an orange.'],
    [both('shell'), 'I work at Shell.', 'I found a shell on the beach.'],
    [both('target'), 'I shop at Target.', 'I missed the target by an inch.'],
    [both('subway'), 'I had lunch at Subway.', 'I took the subway to Brooklyn.'],
    [both('puma'), 'I work for Puma.', 'We saw a puma in the hills.'],
    [both('turkey'), 'I flew to Turkey in May.', 'I roasted a turkey for dinner.'],
    [both('china'), 'I lived in China for a year.', 'I bought a set of china at the market.'],
    [both('mark'), 'My brother Mark is a nurse.', 'I made a mark on the wall.'],
    [both('bill'), 'My uncle Bill lives in Ghent.', 'I paid the bill yesterday.'],
    [both('rose'), 'My aunt Rose lives in Ghent.', 'I planted a rose in the garden.'],
    [both('grace'), 'My sister Grace sings.', 'We said grace before dinner.'],
    [both('polish'), 'I speak Polish.', 'I bought a polish for my shoes.'],
    [both('stripe'), 'I work at Stripe.', 'My shirt has a stripe.'],
    [both('beetle'), 'I love my Beetle.', 'I found a beetle in the kitchen.'],
    [['Windows', 'windows'], 'I use Windows at work.', 'I cleaned the windows.'],
  ])('%j are two entities: %s %s', async (names, ...said) => {
    const word = names[0]!.toLowerCase().replace(/s$/, '');
    for (const told of [said, said.toReversed()])
      for (const isOne of [false, true]) expect(await namesOf(word, told, isOne)).toEqual(names);
  });

  it.each([
    ['pizza', 'Pizza is great.', 'I ate pizza yesterday.'],
    ['yoga', 'Yoga helps me.', 'I do yoga every day.'],
    ['linkedin', 'I use LinkedIn every day.', 'i posted on linkedin again'],
    ['iphone', 'i use iphone', 'I bought an iPhone.'],
    ['paris', 'i live in paris', 'paris is nice'],
    ['paris', 'i live in paris', 'I moved to Paris last year.'],
    ['hobbit', 'I read The Hobbit.', 'I finished the hobbit yesterday.'],
    ['violin', 'I LOVE MY VIOLIN.', 'I play the violin.'],
    ['apple', 'I ATE AN APPLE.', 'I ate an apple.'],
    ['apple', 'I bought an apple.', 'Apples are cheap.'],
    ['apple', 'I work at Apple.', 'Apple hired my brother.'],
    ['jaguar', 'I saw a jaguar at the zoo.', 'The jaguar slept all day.'],
    ['amazon', 'We travelled down the Amazon.', 'I love the Amazon.'],
    ['turkey', 'I flew to Turkey in May.', 'Turkey is beautiful.'],
    ['ibm', 'I work at IBM.', 'i like ibm'],
  ])('%s stays one entity: %s %s', async (word, ...said) => {
    for (const told of [said, said.toReversed()])
      for (const isOne of [false, true]) expect(await namesOf(word, told, isOne)).toHaveLength(1);
  });

  it('answers with the one that is asked about', async () => {
    await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
    for (const said of [
      ['I work at Apple.', 'I ate an apple.'],
      ['I ate an apple.', 'I work at Apple.'],
    ]) {
      const memory = engine.scope(said[0]!);
      for (const [at, content] of said.entries())
        await memory.add({ content, speaker: 'Ann', session: `s${at}`, at: `2026-0${at + 3}-01` });
      await memory.flush();
      expect((await memory.ask('Where does Ann work?')).text).toBe('Ann works at Apple. [1]');
      expect((await memory.ask('What did Ann eat?')).text).toBe('Ann ate an apple. [1]');
    }
  });

  it.each([
    ['biscuit', 'I adopted a dog. Her name is Biscuit.', 'Biscuit is afraid of the tram.'],
    ['pepper', 'My cat is called Pepper.', 'Pepper was so happy yesterday.'],
    ['mocha', 'My cat is called Mocha.', 'Mocha is always hungry.'],
  ])('%s is the one that memory knows, at the beginning of a sentence: %s %s', async (word, ...said) => {
    for (const isOne of [false, true]) expect(await namesOf(word, said, isOne)).toHaveLength(1);
  });

  it.each([
    ['in one session', 's'],
    ['across sessions', null],
  ])('a niece and a place are two entities %s', async (_, session) => {
    await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
    const memory = engine.scope('ann');
    const said = [
      'My niece Georgia is five.',
      'We flew to Georgia in May.',
      'We stayed in Georgia for a week.',
    ];
    for (const [at, content] of said.entries())
      await memory.add({ content, speaker: 'Ann', session: session ?? `s${at}`, at: `2026-0${at + 3}-01` });
    await memory.flush();
    const { items } = await memory.knowledge.entities();
    const kinds = items.filter(({ name }) => /georgia/i.test(name)).map(({ tags }) => tags[0]);
    expect(kinds.sort()).toEqual(['person', 'place']);
  });
});
