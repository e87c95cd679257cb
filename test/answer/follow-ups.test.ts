import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const memory = await told([
  ['2026-01-05', 'Bo', 'Where is your sister living these days?'],
  ['2026-01-05', 'Ada', 'Ines lives in Basel. She studies law at the university there.'],
  ['2026-01-06', 'Ada', 'I moved to Bern on 3 May 2021 because of the rent.'],
  ['2026-01-07', 'Ada', 'My brother Cem works at the bakery. He started there in March 2024.'],
  ['2026-01-08', 'Ada', 'I quit the choir in October 2025, too many rehearsals.'],
  ['2026-01-09', 'Ada', 'My dog is called Otto. He is five years old.'],
  ['2026-01-10', 'Ada', 'Tom visited me in Bern in December.'],
  ['2026-01-12', 'Bo', 'I like tea. I live in Ghent.'],
]);

describe('a question that leans on the one before', () => {
  it.each([
    ['Where does Ines live?', 'And what does she study there?', /law/, /Ghent/],
    ['Where does Ada live?', 'Since when?', /3 May 2021/, /Ghent/],
    ['Where does Ada live?', 'How long has she lived there?', /^About 5 years/, /Ghent/],
    ['Where does Ada live?', 'Why did she move there?', /rent/, /law/],
    ['Where does Cem work?', 'When did he start there?', /March 2024/, /choir/],
    ['Did Ada quit the choir?', 'When was that?', /October 2025/, /May/],
    ['Did Ada quit the choir?', 'Why did she do that?', /rehearsals/, /rent/],
    ['Does Ada have a dog?', 'What is he called?', /Otto/, /Cem/],
    ['What is Ada’s dog called?', 'How old is it?', /^5 as of/, /May/],
    ['Where does Bo live?', 'And Ada?', /Bern/, /Ghent/],
    ['Who visited Ada in Bern?', 'When was that?', /December \(2025\)/, /October/],
  ])('%s %s', async (before, question, has, lacks) => {
    const { text } = await memory.ask(question, { earlier: [before], asker: 'Ada' });
    expect(text).toMatch(has);
    expect(text).not.toMatch(lacks);
  });
});
