import { describe, expect, it } from 'vitest';
import { readInConversation, speaksOfAsker } from '../../src/retrieve/read-in-conversation.ts';
import { growth, LINEAR } from '../fixtures/growth.ts';

const read = (question: string, ...earlier: string[]) =>
  readInConversation(question, { asker: null, earlier });

describe('“mine”', () => {
  it.each([
    ['When did the silver mine close?', 'When did the silver mine close?'],
    ['Who owns the old silver mine?', 'Who owns the old silver mine?'],
    ['Where is the mine?', 'Where is the mine?'],
    ['Which mine closed in 1911?', 'Which mine closed in 1911?'],
    ['Is the mine closed?', 'Is the mine closed?'],
    ['When did Falun’s mine close?', 'When did Falun’s mine close?'],
    ['Where is Wheal Mine?', 'Where is Wheal Mine?'],
    ['What did my mine yield?', 'What did Ann’s mine yield?'],
    ['Is the red car mine?', 'Is the red car Ann’s?'],
    ['Which car is mine?', 'Which car is Ann’s?'],
    ['Who is the friend of mine in Bern?', 'Who is the friend of Ann’s in Bern?'],
    ['When did mine close?', 'When did Ann’s close?'],
  ])('%s %s', (question, expected) => {
    expect(readInConversation(question, { asker: 'Ann', earlier: [] })).toBe(expected);
  });

  it('takes time linear in a long question', () => {
    const long = (size: number) => `${'the a '.repeat(size)}${'mine '.repeat(size)}`;
    const read = (size: number) => readInConversation(long(size), { asker: 'Ann', earlier: [] });
    expect(growth(read, 2_500)).toBeLessThan(LINEAR);
  });
});

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
    ['Since when?', 'Where does Ann live?', 'Since when does Ann live there? (Where does Ann live)'],
    ['Since when?', 'Who does Ann work for?', 'Since when does Ann work for?'],
    ['And for how long?', 'Who did Ann work for?', 'for how long did Ann work for?'],
    ['When did he come?', 'Who visited Ann in Bern?', 'When did Ann come?'],
    ['Was he there in May?', 'Who visited Ann in Bern?', 'Was he there in May? (Who visited Ann in Bern)'],
    ['And before?', 'Who is Ann’s flatmate now?', 'Who was Ann’s flatmate before?'],
    ['And before her?', 'Who is Ann’s flatmate?', 'Who was Ann’s flatmate before?'],
    ['And now?', 'Where did Ann live before?', 'Where does Ann live now?'],
    ['And today?', 'Where did Ann live in 2019?', 'Where does Ann live now?'],
    ['Why did she leave?', 'Where did Ann work?', 'Why did Ann leave? (Where did Ann work)'],
    ['And what does she study there?', 'Where is Ann?', 'And what does Ann study there? (Where is Ann)'],
    ['And where is it?', 'How much does Ann’s flat cost?', 'And where is Ann’s flat?'],
    ['When does it open?', 'What is Ann’s bakery called?', 'When does Ann’s bakery open?'],
    ['How old is it?', 'What is Ann’s dog called?', 'How old is Ann’s dog?'],
    ['What is he called?', 'Does Ann have a dog?', 'What is Ann’s dog called?'],
    ['When was it?', 'What did Tom give Ann’s sister?', 'When did Tom give Ann’s sister?'],
    [
      'What colour was it?',
      'What did Tom give Ann’s sister?',
      'What colour was it? (What did Tom give Ann’s sister)',
    ],
    ['Where does she live?', 'Does Ann have a sister?', 'Where does Ann’s sister live?'],
    ['Where does she live?', 'Does Ann have a car?', 'Where does Ann live?'],
    ['When was that?', 'How was Ann’s wedding?', 'When was Ann’s wedding?'],
    [
      'Why did she do it?',
      'When did Ann sell Tom’s car?',
      'Why did Ann do it? (When did Ann sell Tom’s car)',
    ],
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
