import { describe, expect, it } from 'vitest';
import { candidateQuotes } from '../../src/answer/candidate-quotes.ts';
import { atOnce } from '../../src/util/breathe.ts';
import { episodeItem, found } from './items.ts';
import { told } from './told.ts';

const TALK = [
  'We have rented a cottage for August.',
  'Lovely! Where is it?',
  'On an island with one shop.',
  'And how do you get there?',
  'With the mail boat.',
  'when does it go',
  'At noon.',
  'Does Rolf row?',
  'Every morning.',
  'how come',
  'His heart needs it.',
];

describe('what a reply is about', () => {
  const turns = TALK.map((content, index) => episodeItem(`turn-${index}`, { content, index }));
  const contextOf = (at: number) => {
    const talk = turns.slice(0, at).reverse();
    const neighbours = new Map([[turns[at]!.id as string, { before: talk[0], earlier: talk.slice(1) }]]);
    const quotes = atOnce(candidateQuotes(found({ episodes: [turns[at]!] }), neighbours));
    return quotes.map(({ context }) => context).join(' ');
  };

  it.each([2, 4, 6])('is further up as long as the questions do not say it (turn %i)', (at) => {
    expect(contextOf(at)).toContain('cottage');
  });

  it('is not further up than a question that says it', () => {
    expect(contextOf(8)).toContain('At noon.');
    expect(contextOf(8)).not.toContain('cottage');
    expect(contextOf(10)).toContain('Does Rolf row?');
    expect(contextOf(10)).not.toContain('mail boat');
  });

  it('is nothing else for a turn that replies to no question', () => {
    expect(contextOf(1)).toContain('cottage');
    expect(contextOf(3)).not.toContain('cottage');
  });
});

it('answers by a reply three exchanges below the thing that is asked about', async () => {
  const memory = await told([
    ...TALK.slice(0, 5).map((words, at) => ['2026-05-01', at % 2 === 0 ? 'Bea' : 'Ola', words] as const),
    ['2026-05-02', 'Bea', 'The mail was late again.'],
    ['2026-05-03', 'Ola', 'My neighbour painted the fence of his cottage.'],
  ]);
  expect((await memory.ask('How does Bea get to the cottage?')).text).toMatch(/mail boat/);
});

it('takes a question without its mark for no answer, and its reply for a reply', () => {
  const [told, asked, reply] = ['the houseboat is sold', 'oh no! when did u sell it', 'in april'].map(
    (content, index) => episodeItem(`turn-${index}`, { content, index }),
  );
  const neighbours = new Map([[asked!.id as string, { before: told, after: reply }]]);
  const quotes = atOnce(candidateQuotes(found({ episodes: [asked!] }), neighbours));
  expect(quotes.map(({ text }) => text)).toEqual(['oh no!', 'in april']);
  expect(quotes[1]!.context).toContain('houseboat');
});
