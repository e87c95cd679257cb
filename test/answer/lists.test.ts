import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const memory = await told([
  ['2026-01-05', 'Wanda', 'I moved to Utrecht on New Year’s Day. We have two hens here, Gerda and Trudi.'],
  ['2026-01-05', 'Emil', 'My kids, Lotte and Bo, want hens too.'],
  ['2026-01-12', 'Wanda', 'You should watch the film "Local Hero", I recommend it.'],
  ['2026-01-12', 'Emil', 'We will. Last summer I visited Trieste with my brother.'],
  ['2026-02-02', 'Wanda', 'I also recommend the film "Bagdad Cafe" for a rainy evening.'],
  ['2026-02-02', 'Emil', 'In May I visited Ljubljana, with a broken umbrella.'],
  ['2026-02-09', 'Wanda', 'We adopted a goat named Paula on Saturday.'],
  ['2026-02-09', 'Emil', 'I play the cello in an amateur orchestra.'],
  ['2026-03-02', 'Emil', 'I play the mandolin at parties, badly.'],
  ['2026-03-02', 'Wanda', 'I do not play the harp any more.'],
]);

describe('a list', () => {
  it.each([
    ['Which instruments does Emil play?', ['cello', 'mandolin']],
    ['Which cities has Emil visited?', ['Trieste', 'Ljubljana']],
    ['List all the movies that Wanda recommended.', ['Local Hero', 'Bagdad Cafe']],
    ['What are the names of Wanda’s pets?', ['Gerda', 'Trudi', 'Paula']],
    ['Which pets does Wanda have?', ['Gerda', 'Trudi', 'Paula']],
    ['What are Emil’s kids’ names?', ['Lotte', 'Bo']],
  ])('has a line for what is of the asked kind: %s', async (question, names) => {
    const { text, verdict, citations } = await memory.ask(question);
    expect(verdict).toBe(`At least ${names.length}`);
    const lines = text.split('\n').slice(1);
    expect(lines).toHaveLength(citations.length);
    const listed = lines.flatMap((line) => line.slice(2, line.indexOf(' (')).split(', '));
    expect(listed.toSorted()).toEqual(names.toSorted());
    for (const line of lines) expect(line).toMatch(/^- .+ \(.*20\d\d\) – .+ \[\d\]$/);
  });

  it('has what no dictionary counts among a kind, and verbs for what is done', async () => {
    const own = await told([
      ['2026-01-05', 'Wanda', 'I joined a climbing gym and I swim twice a week.'],
      ['2026-02-05', 'Wanda', 'I run a bakery, and on Mondays I do yoga.'],
      ['2026-02-06', 'Wanda', 'I play the cello in the evening.'],
    ]);
    const sports = await own.ask('What sports does Wanda do?');
    for (const name of ['climbing', 'swim', 'yoga']) expect(sports.text).toContain(name);
    expect(sports.text).not.toMatch(/running|cello \(/);
    expect((await own.ask('What hobbies does Wanda have?')).text).toMatch(/cello \(/);
  });

  it.each(['Which instrument does Emil play at parties?', 'How many hens does Wanda have?'])(
    'is none where one thing or a number is asked for: %s',
    async (question) => {
      expect((await memory.ask(question)).text).not.toMatch(/^At least \d:/);
    },
  );
});
