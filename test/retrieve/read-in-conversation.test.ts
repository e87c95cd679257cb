import { describe, expect, it } from 'vitest';
import { readInConversation, speaksOfAsker } from '../../src/retrieve/read-in-conversation.ts';

const read = (question: string, ...earlier: string[]) =>
  readInConversation(question, { asker: null, earlier });

describe('a follow-up', () => {
  it.each([
    [
      'What does she do for a living?',
      'My sister Clara moved to Porto in March.',
      'What does Clara do for a living?',
    ],
    ['When did he move?', 'Where does Jon live?', 'When did Jon move?'],
    ['Who is her teacher?', 'When did Nora adopt a dog?', "Who is Nora's teacher?"],
    ['Did I call her?', 'In Lyon I met Nora Weiss.', 'Did I call Nora Weiss?'],
    ['And what about Lena?', 'Where does Tom live?', 'Where does Lena live?'],
    ['And Lena?', 'Where does Tom live?', 'Where does Lena live?'],
    ['What about Lena?', 'Where do I live?', 'Where do Lena live?'],
    ['And when?', 'Who did Ann marry?', 'when did Ann marry?'],
    ['When was that?', 'Where did Ann marry?', 'When did Ann marry?'],
    ['How much did it cost?', 'Which car did Ann buy?', 'How much did it cost? (Which car did Ann buy)'],
    ['What colour was it?', 'Which car did Ann buy?', 'What colour was it? (Which car did Ann buy)'],
  ])('reads “%s” after “%s” as “%s”', (question, earlier, expected) =>
    expect(read(question, earlier)).toBe(expected),
  );

  it('takes the person who was named last', () =>
    expect(read('Where does she live?', 'Who is Ida?', 'Who is Gina?', 'thanks')).toBe(
      'Where does Gina live?',
    ));

  it('reads each earlier question in those before it', () =>
    expect(read('What does she do?', 'Where does Tom live?', 'And Lena?')).toBe('What does Lena do?'));

  it.each([
    ['Where does Clara think she lives?', 'Who is Ida?'],
    ['Where does she live?', 'where did we go in March?'],
    ['Where does she live?', 'We flew to Porto.'],
    ['Where does Ann live?', 'Where does Tom live?'],
  ])('leaves “%s” after “%s” as it is', (question, earlier) =>
    expect(read(question, earlier)).toBe(question),
  );
});

describe('the one who asks', () => {
  it.each([
    ['What is my sister’s name?', 'What is Nora’s sister’s name?'],
    ['Where do I live?', 'Where do Nora live?'],
    ['What did Tom give me?', 'What did Tom give Nora?'],
    ['When did our kids start school?', 'When did Nora’s kids start school?'],
    ['Was I in the US with Tom?', 'Was Nora in the US with Tom?'],
  ])('reads “%s” as “%s”', (question, expected) =>
    expect(readInConversation(question, { asker: 'Nora', earlier: [] })).toBe(expected),
  );

  it('is nobody where nobody knows', () => {
    expect(read('What is my name?')).toBe('What is my name?');
    expect(['Where do I live?', 'Where does Ida live?'].map(speaksOfAsker)).toEqual([true, false]);
  });
});
