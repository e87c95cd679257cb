import { describe, expect, it } from 'vitest';
import { told } from './told.ts';

const PLANTED = 'I planted tulips on 3 April 2026 and beans on 12 April 2026.';
const SOLD = 'I bought the car on 3 May 2024, and sold it on 9 May 2026.';
const MET = 'Yesterday I met Tom, and tomorrow I meet Cleo.';

describe('the one of two times in a sentence that a question asks for', () => {
  it.each([
    [PLANTED, 'When did Ada plant the beans?', '12 April 2026'],
    [PLANTED, 'When did Ada plant the tulips?', '3 April 2026'],
    [SOLD, 'When did Ada sell the car?', '9 May 2026'],
    [SOLD, 'When did Ada buy the car?', '3 May 2024'],
    [MET, 'When does Ada meet Cleo?', '11 May 2026'],
    [MET, 'When did Ada meet Tom?', '9 May 2026'],
    ['I started the course in March and finished it in May.', 'When did Ada finish the course?', 'May 2026'],
    ['The course lasted from 3 April to 12 April 2026.', 'When was Ada’s course?', undefined],
    ['Last week I planted beans in the yard.', 'When did Ada plant the beans?', undefined],
    ['Last week I planted beans, and yesterday tulips.', 'When did Ada plant the tulips?', '9 May 2026'],
    ['I planted beans on 12 April 2026.', 'When did Ada plant the beans?', undefined],
    [PLANTED, 'What did Ada plant on 12 April 2026?', undefined],
  ])('%s %s', async (words, question, verdict) => {
    const own = await told([
      ['2026-05-10', 'Ada', words],
      ['2026-05-10', 'Bo', 'I like tea.'],
    ]);
    expect((await own.ask(question)).verdict).toBe(verdict);
  });
});
