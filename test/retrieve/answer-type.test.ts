import { describe, expect, it } from 'vitest';
import { readQuestion } from '../../src/retrieve/question.ts';

const asked = (text: string) => {
  const { kindWords, enumerates } = readQuestion(text, ['Ann']);
  return [kindWords, enumerates];
};

describe('the kind that a question asks for', () => {
  it.each([
    ['Which cities has Ann visited?', 'cities', true],
    ['What board games did Ann play?', 'board games', true],
    ['What kinds of old books does she read?', 'old books', true],
    ['How many times did we meet?', 'times', true],
    ['List all my allergies', 'allergies', true],
    ['What has Ann painted?', '', true],
    ['Where has Ann been?', 'place', true],
    ['Which children are there?', 'children', true],
    ['What breed is the dog?', 'breed', false],
    ['What is the news?', '', false],
    ['Where does Ann live?', 'place', false],
    ['Who taught Ann?', 'person', false],
    ['When did Ann move?', '', false],
    ['Did Ann call?', '', false],
    ['', '', false],
    ['我去过哪些城市？', '', false],
  ])('%s', (text, kind, enumerates) => expect(asked(text)).toEqual([kind, enumerates]));

  it('ignores the people it names', () =>
    expect(readQuestion('What Ann books are there?', ['Ann']).kind).toEqual(['book']));
});
