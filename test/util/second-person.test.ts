import { expect, it } from 'vitest';
import { inSecondPerson } from '../../src/util/second-person.ts';

it.each([
  ["John lost John's job at the company", 'You lost your job at the company'],
  ['John likes cats and dogs', 'You like cats and dogs'],
  ['John works at Acme and lives in Oslo', 'You work at Acme and live in Oslo'],
  ['John studies law and has two kids', 'You study law and have two kids'],
  ['John is ill, and Maria knows that John was', 'You are ill, and Maria knows that you were'],
  ["John's wife works with John", 'Your wife works with you'],
  ['John and Maria are friends', 'You and Maria are friends'],
  ['Last week (week of 2 May) John passed', 'Last week (week of 2 May) you passed'],
  ['It reminds John that kids can dream', 'It reminds you that kids can dream'],
  ['John does not eat meat', 'You do not eat meat'],
  ['John expresses themselves', 'You express yourself'],
  ['Johnny met John', 'Johnny met you'],
  ['Maria likes Johnny', 'Maria likes Johnny'],
])('says %s to John', (statement, said) => {
  expect(inSecondPerson(statement, ['John'])).toBe(said);
});

it('knows all names of the person, and none', () => {
  expect(inSecondPerson('Jo Reed and Jo are one', ['Jo', 'Jo Reed'])).toBe('You and you are one');
  expect(inSecondPerson('Jo sings', [])).toBe('Jo sings');
});
