import { describe, expect, it } from 'vitest';
import { namedMembers } from '../../src/answer/candidate-quotes.ts';
import type { Vote } from '../../src/model/retrieved-item.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { open, remember, turn } from '../engine/memory-fixture.ts';
import { entityItem, episodeItem, found } from './items.ts';

const vote = (list: string, ...path: string[]): Vote => ({ route: 'system2', list, rank: 1, score: 1, path });
const said = (text: string) => new Set(analyze(text));

describe('what words name of the kind that is asked for', () => {
  const membersIn = namedMembers(
    found({
      episodes: [episodeItem('t1', { why: [vote('members', 'Places', 'Cities', 'Porto')] })],
      entities: [
        entityItem('e1', 'Lisbon', { why: [vote('selection', 'Places', 'Cities', 'Lisbon')] }),
        entityItem('e2', 'New York', {
          why: [vote('selection', 'Places', 'Cities', 'New York')],
          aliases: ['NYC'],
        }),
        // Come to by a fact about Lisbon.
        entityItem('e3', 'Ann', { why: [vote('selection', 'Places', 'Cities', 'Lisbon')] }),
        entityItem('e4', 'Norway', { why: [vote('selection', 'Places', 'Countries', 'Norway')] }),
        entityItem('c1', 'Cities', { why: [vote('selection', 'Places', 'Cities')], layer: 1 }),
      ],
    }),
  );

  it('is a member of the category that was taken whole', () => {
    expect(membersIn(said('I moved from Porto to Lisbon.'))).toEqual(['Porto', 'Lisbon']);
    expect(membersIn(said('NYC is loud.'))).toEqual(['NYC']);
  });

  it.each(['Ann saw York.', 'Norway is cold.', 'Cities are loud.', ''])('is not there: %s', (text) => {
    expect(membersIn(said(text))).toEqual([]);
  });

  it('is nothing where no category was taken whole', () => {
    const why = [vote('selection', 'Cities', 'Porto')];
    const search = found({
      episodes: [episodeItem('t1', { why })],
      entities: [entityItem('e1', 'Porto', { why })],
    });
    expect(namedMembers(search)(said('Porto'))).toEqual([]);
  });
});

describe('a question for all of a kind', () => {
  it('is answered by what is of that kind, whatever it is called by, and by nothing else', async () => {
    const memory = (await open(':memory:')).scope('a');
    const texts = [
      'I bought a zither.',
      'I sold my violin. The harp stays.',
      'I bought a kettle.',
      'I like the rain.',
    ];
    await remember(
      memory,
      texts.map((content, index) => turn(content, { speaker: 'Mia', session: 's', index })),
    );
    await memory.hierarchy.update();
    const { answered, citations } = await memory.ask('Which instruments has Mia had?');
    expect(answered).toBe(true);
    const quoted = citations.map(({ quote }) => quote).join(' ');
    for (const name of ['zither', 'violin', 'harp']) expect(quoted).toContain(name);
    for (const name of ['kettle', 'rain']) expect(quoted).not.toContain(name);
    expect((await memory.ask('Which cities has Mia been to?')).answered).toBe(false);
  });

  it.each(['What are Mia’s cats called?', 'How many cats does Mia have?'])(
    'takes no Tom for a cat: %s',
    async (question) => {
      const memory = (await open(':memory:')).scope('a');
      const texts = [
        'We adopted two cats, Miso and Nori, from the shelter.',
        'I booked a cabin in Norway with Tom, Ines and Jana.',
        'My brother Tom and Ines got engaged in Porto.',
      ];
      await remember(
        memory,
        texts.map((content, index) => turn(content, { speaker: 'Mia', session: `s${index}`, index: 0 })),
      );
      const { text } = await memory.ask(question);
      expect(text).toMatch(/Miso and Nori/);
      expect(text).not.toMatch(/Ines|Jana/);
    },
  );
});
