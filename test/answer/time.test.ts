import { describe, expect, it } from 'vitest';
import { paperRecipeNamed } from '../../eval/papers/recipes.ts';
import { askedBefore, asksAboutEnded, asksAboutPast } from '../../src/answer/asked-past.ts';
import { isOutdatedSentence, outdatedTurns } from '../../src/answer/outdated-turns.ts';

import type { Fact } from '../../src/model/nodes.ts';
import { day, HandMade, HEARD, noraStory } from '../browse/history/hand-made.ts';
import { edge, episode, fact } from '../contract/graph-rows.ts';
import { told } from './told.ts';

const nora = await noraStory();

describe('an answer about now', () => {
  it('is what holds, never a turn whose statement a newer one has replaced', async () => {
    const { text, citations } = await nora.ask('Where does Nora live?');
    expect(text).toMatch(/^Nora lives in Ghent\. \[1\] \(since 3 May 2023; before: Antwerp \[2\]\)/);
    expect(citations[1]).toMatchObject({ quote: 'Nora lives in Antwerp.', item: { id: 'f2' } });
    expect(text).not.toMatch(/Oslo|close by/);
    for (const { item } of citations) expect(['t1', 't3']).not.toContain(item.id);
  });

  it('quotes what still stands of a turn, and not what does not', async () => {
    expect((await nora.ask('Does Nora work at the library?')).text).toContain('library');
    const { text } = await nora.ask('Who does live close by?');
    expect(text).not.toContain('close by');
  });

  it('never quotes what was corrected, not even about the past', async () => {
    for (const question of ['What is the cat of Nora called?', 'What was the cat of Nora called before?']) {
      const { text } = await nora.ask(question);
      expect(text).toContain('Mila');
      expect(text).not.toContain('Milo');
    }
  });

  it('holds for recipes that know no ends: what is over comes after what holds, with its days', async () => {
    const { text } = await nora.ask('Where does Nora live?', { recipe: paperRecipeNamed('system1-paper') });
    expect(text).toMatch(/^Nora lives in Ghent\. \[1\]/);
    expect(text).not.toMatch(/Antwerp\. \[/);
    const memory = new HandMade();
    await memory.commit({
      nodes: {
        fact: [
          fact('f1', { statement: 'Ann lives in a house', validAt: 10 }),
          fact('f2', { statement: 'Ann lives on a boat', validAt: 20, invalidAt: 30 }),
        ],
      },
    });
    const { citations } = await memory.ask('Where does Ann live?', {
      recipe: paperRecipeNamed('system1-paper'),
    });
    expect(citations[0]?.quote).toBe('Ann lives in a house.');
  });
});

describe('an answer about the past', () => {
  it('is what was over by then, with the days of its validity', async () => {
    const { text, citations } = await nora.ask('Where did Nora live before Ghent?');
    expect(text).toMatch(/^Nora lives in Antwerp\. \(2020-06-01 to 2023-05-03\) \[1\]/);
    expect(text).not.toContain('Ghent');
    expect(citations[0]).toMatchObject({
      quote: 'Nora lives in Antwerp.',
      item: { validAt: day('2020-06-01'), invalidAt: day('2023-05-03') },
    });
  });

  it('may still be what holds, when the question does not rule it out', async () => {
    expect((await nora.ask('Where did Nora live?')).text).toMatch(/^Nora lives in Ghent\. \[1\]/);
  });

  it('is first what is over, when the question is for that', async () => {
    const { text } = await nora.ask('Where did Nora use to live?');
    expect(text).toMatch(/^Nora lives in Antwerp\. \(2020-06-01 to 2023-05-03\) \[1\]/);
  });

  it('is not what the question wants to know the time before, even if that is over too', async () => {
    const memory = await chainOf(
      { statement: 'Ann lives in Rome', invalidAt: 10 },
      { statement: 'Ann lives in Ghent', invalidAt: 20 },
      { statement: 'Ann lives in Paris' },
    );
    expect((await memory.ask('Where did Ann live before Ghent?')).text).toMatch(/^Ann lives in Rome/);
    expect((await memory.ask('Where did Ann live before Paris?')).text).toMatch(/^Ann lives in Ghent/);
  });

  it('is, as of a time, what held then', async () => {
    for (const question of ['Where does Nora live?', 'Where did Nora live?']) {
      const { text } = await nora.ask(question, { asOf: '2019-06-01' });
      expect(text).toMatch(/Oslo/);
      expect(text).not.toMatch(/Antwerp|Ghent| to 20/);
    }
    const then = await nora.ask('Where did Nora live?', { asOf: '2021-06-01' });
    expect(then.text).toMatch(/^Nora lives in Antwerp\. \[1\]/);
    expect(then.text).not.toContain('Oslo');
    const { text } = await nora.ask('Where did Nora live before Antwerp?', { asOf: '2021-06-01' });
    expect(text).toMatch(/^Nora lives .*\(20\d\d-\d\d-01 to 2020-06-01\) \[1\]/);
    expect(text).not.toContain('Ghent');
  });
});

describe('questions', () => {
  it.each([
    ['Where did Nora live before Ghent?', true, true],
    ['What was her former job?', true, true],
    ['Where did she use to work?', true, true],
    ['Where she used to work', true, true],
    ['When did Ann move to Oslo?', true, false],
    ['Where does Nora live?', false, false],
    ['What has Ann bought?', false, false],
    ['Wasn’t she a nurse?', true, false],
  ])('%s: asks about the past %s, about what is over %s', (question, past, over) => {
    expect([asksAboutPast(question), asksAboutEnded(question)]).toEqual([past, over]);
  });

  it('say what they want to know the time before', () => {
    expect(askedBefore('Where did Nora live before Ghent?')).toBe('Ghent?');
    expect(askedBefore('Where did Nora live?')).toBeNull();
  });
});

/** One turn per fact; each fact of `chain` supersedes the one before it. */
async function chainOf(...chain: Partial<Fact>[]) {
  const memory = new HandMade();
  await memory.commit({
    nodes: {
      episode: chain.map((_, at) => episode(`t${at}`, { index: at })),
      fact: chain.map((more, at) => fact(`f${at}`, { validAt: 10 * at, ...more })),
    },
    relationships: chain.flatMap((_, at) => [
      edge('EVIDENCED_BY', `f${at}`, `t${at}`),
      ...(at === 0 ? [] : [edge('SUPERSEDES', `f${at}`, `f${at - 1}`)]),
    ]),
  });
  return memory;
}

async function outdated(memory: HandMade, asOf: number | null = null) {
  const episodes = ['t0', 't1', 't2'].map((id) => ({ id }));
  const turns = await outdatedTurns(await memory.view(), { episodes } as never, { asOf, now: 100 });
  return [...turns.keys()].sort();
}

describe('outdated turns', () => {
  it('are those whose statements lead, step by step, to one that holds', async () => {
    const memory = await chainOf({ invalidAt: 10 }, { invalidAt: 20 }, {});
    expect(await outdated(memory)).toEqual(['t0', 't1']);
    expect(await outdated(memory, 15)).toEqual(['t0']);
    expect(await outdated(memory, 9)).toEqual([]);
  });

  it('are none when nothing newer holds', async () => {
    expect(await outdated(await chainOf({ invalidAt: 10 }, { invalidAt: 20 }))).toEqual([]);
    expect(await outdated(await chainOf({ invalidAt: 10 }, { expiredAt: 50 }))).toEqual([]);
    expect(await outdated(await chainOf({ invalidAt: 10 }))).toEqual([]);
  });

  it('are those of corrected statements too', async () => {
    const memory = await chainOf({ invalidAt: 0, expiredAt: 50 }, {});
    expect(await outdated(memory)).toEqual(['t0']);
    expect(await outdated(memory, 5)).toEqual(['t0']);
  });

  it('are not those whose reading was given up', async () => {
    const memory = new HandMade();
    await memory.commit({
      nodes: { episode: [episode('t0')], fact: [fact('f', { expiredAt: 5 })] },
      relationships: [edge('EVIDENCED_BY', 'f', 't0')],
    });
    expect(await outdated(memory)).toEqual([]);
  });

  it('end where facts supersede each other in a ring', async () => {
    const memory = await chainOf({ invalidAt: 10 }, { invalidAt: 20 });
    await memory.commit({ relationships: [edge('SUPERSEDES', 'f0', 'f1')] });
    expect(await outdated(memory)).toEqual([]);
  });

  it('say what is outdated in the sentences that share most with it', () => {
    const turn = { outdated: ['Nora lives close by the library'], standing: ['Nora works at the library'] };
    expect(isOutdatedSentence(turn)('I live close by.')).toBe(true);
    expect(isOutdatedSentence(turn)('I work at the library.')).toBe(false);
    expect(isOutdatedSentence(turn)('It is raining.')).toBe(false);
    expect(isOutdatedSentence({ ...turn, standing: [] })('It is raining.')).toBe(true);
    expect(isOutdatedSentence(undefined)('I live close by.')).toBe(false);
  });

  it('are seen as memory knew them', async () => {
    const view = await nora.view({ knownAt: HEARD.antwerp });
    const episodes = ['t1', 't2', 't3', 't5'].map((id) => ({ id }));
    const time = { asOf: null, now: HEARD.antwerp };
    const turns = await outdatedTurns(view, { episodes } as never, time);
    expect([...turns.keys()].sort()).toEqual(['t1', 't2']);
  });
});

describe('“today” in a question', async () => {
  const memory = await told([
    ['2026-05-22', 'Obi', 'I go to Lille this week.'],
    ['2026-05-28', 'Obi', 'I sowed the beans today.'],
    ['2026-05-28', 'Runa', 'I repaired the shed today.'],
    ['2026-06-01', 'Obi', 'I sowed the leeks this morning.'],
  ]);

  it.each([
    ['What did Obi sow today?', /leeks/, /beans/],
    ['What did Obi sow last week?', /beans/, /leeks/],
    ['What did Runa repair last week?', /shed/, /beans/],
  ])('is the day of asking, in a quote that of the quote: %s', async (question, quoted, other) => {
    const { text } = await memory.ask(question);
    expect(text).toMatch(quoted);
    expect(text).not.toMatch(other);
  });

  it('is no other day for a question for yes or no', async () => {
    for (const question of ['Did Obi sow the beans today?', 'Did Runa repair the shed today?']) {
      const { verdict, text } = await memory.ask(question);
      expect(verdict).toBeUndefined();
      expect(text).not.toMatch(/28 May/);
    }
  });

  it('is told with its date where nothing is known of the day of asking', async () => {
    expect((await memory.ask('What did Runa repair today?')).text).toMatch(/shed today \(28 May 2026\)/);
  });
});
