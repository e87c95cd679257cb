import { afterAll, describe, expect, it } from 'vitest';
import { ofAsked } from '../../src/answer/asked-subject.ts';
import { Mnemis } from '../../src/engine.ts';

const engine = await Mnemis.open({ path: ':memory:', automatic: false });
afterAll(() => engine.close());

async function ask(told: string, question: string) {
  const memory = engine.scope(`${told} ${question}`.slice(0, 80));
  await memory.add({ content: told, speaker: 'Alice', at: '2026-03-01T09:00Z' });
  await memory.flush();
  return memory.ask(question, { asker: 'Alice' });
}

describe('a question about somebody', () => {
  it.each([
    ['Tom is allergic to nuts.', 'What am I allergic to?'],
    ['Joris moved to Antwerp.', 'Where do I live?'],
    ['My neighbour Pat works at Philips.', 'Where do I work?'],
    ['Anna got married in Paris.', 'Where did I get married?'],
    ['My boss likes jazz.', 'What music do I like?'],
    ['Leo speaks Spanish.', 'Which languages do I speak?'],
    ['I bought a lamp for Mia.', 'What did Mia buy?'],
    ['My old car was a Fiat.', 'What car do I drive?'],
    ['I got promoted to head nurse last Friday.', 'When did I get married?'],
    ['I signed up for a pottery class.', 'Where did I grow up?'],
    ['I owe Tom 50 euros.', 'What does Tom do?'],
    ['My brother is a plumber.', 'What is my job?'],
    ['My daughter’s birthday is on 3 May.', 'When is my birthday?'],
    ['My father is 70 years old.', 'How old am I?'],
    ['My friend Kim speaks Dutch.', 'Do I speak Dutch?'],
    ['Nora knows Finnish and Greek.', 'Which languages do I know?'],
    ['Pelle cannot eat shellfish.', 'What can I not eat?'],
    ['I own a beagle called Waffle.', 'What does my dentist own?'],
  ])('is not answered by what is told of another: %s %s', async (told, question) => {
    expect((await ask(told, question)).answered).toBe(false);
  });

  it.each([
    ['I am allergic to nuts.', 'What am I allergic to?', 'nuts'],
    ['My neighbour Pat works at Philips.', 'Where does my neighbour work?', 'Philips'],
    ['My neighbour Pat works at Philips.', 'Where does Pat work?', 'Philips'],
    ['I bought a lamp for Mia.', 'What did Mia get?', 'lamp'],
    ['My wife and I moved to Ghent.', 'Where do I live?', 'Ghent'],
    ['My doctor told me to sleep more.', 'What did my doctor tell me?', 'sleep'],
    ['A wasp stung me in the arm.', 'Where was I stung?', 'arm'],
    ['My car is a Fiat.', 'What car do I drive?', 'Fiat'],
    ['The boiler was repaired on Monday.', 'When was my boiler repaired?', 'repaired'],
  ])('is answered by what is told of them: %s %s', async (told, question, word) => {
    expect((await ask(told, question)).text).toContain(word);
  });
});

/** A talk: speaker and words, in one session. */
type Talk = readonly (readonly [speaker: string, words: string])[];

async function askTalk(talk: Talk, question: string, asker: string | undefined) {
  const memory = engine.scope(JSON.stringify([talk, question, asker]));
  for (const [at, [speaker, content]] of talk.entries())
    await memory.add({
      ...{ content, speaker, role: speaker === 'assistant' ? 'assistant' : 'user', session: 'talk' },
      at: `2026-03-01T09:${String(at).padStart(2, '0')}Z`,
    });
  await memory.flush();
  return memory.ask(question, asker === undefined ? {} : { asker });
}

const TOM: readonly [string, string] = ['Tom', 'The weather was dreadful.'];

describe('among several speakers, a question about somebody', () => {
  it.each<[Talk, string, string | undefined]>([
    [[['Ann', 'Anna got married in Paris.'], TOM], 'Where did I get married?', 'Tom'],
    [[['Ann', 'I got married in Paris.'], TOM], 'Where did I get married?', 'Tom'],
    [[['Ann', 'I live in Ghent.'], TOM], 'Where does my sister live?', 'Ann'],
    [[['Ann', 'My sister lives in Lyon.'], TOM], 'Where do I live?', 'Ann'],
    [[['Ann', 'My sister lives in Lyon.'], TOM], 'Where does my sister live?', 'Tom'],
    [[['Ann', 'I am a nurse.'], TOM], 'What is Tom’s job?', 'Ann'],
    [[['Ann', 'I work as a nurse.'], TOM], 'Where does Tom work?', undefined],
    [[['Ann', 'My brother is a plumber.'], TOM], 'What is Tom’s job?', 'Tom'],
    [[['Ann', 'He speaks Spanish.'], TOM], 'Which languages do I speak?', 'Ann'],
    [[['Ann', 'Anna Berg works at Shell.'], TOM], 'Where does Anna Lind work?', 'Tom'],
    [[['Ann', 'Kim Berg lives in Oslo.'], TOM], 'Where does Tove Berg live?', 'Tom'],
    [[['Ann', 'Anna got married in Paris, and I was there.'], TOM], 'Where did I get married?', 'Ann'],
    [[['Ann', 'Leo plays the cello and I cook.'], TOM], 'What do I play?', 'Ann'],
    [
      [
        ['Ann', 'Leo speaks Spanish.'],
        ['assistant', 'Lovely.'],
      ],
      'Which languages do I speak?',
      undefined,
    ],
  ])('is not answered by what is told of another: %j %s', async (talk, question, asker) => {
    const { answered, text } = await askTalk(talk, question, asker);
    expect({ answered, text }).toMatchObject({ answered: false });
  });

  it.each<[Talk, string, string | undefined, string]>([
    [[['Ann', 'Anna and I got married in Paris.'], TOM], 'Where did I get married?', 'Ann', 'Paris'],
    [[['Ann', 'Anna and I got married in Paris.'], TOM], 'Where did Anna get married?', 'Tom', 'Paris'],
    [[['Ann', 'We got married in Paris.'], TOM], 'Where did I get married?', 'Ann', 'Paris'],
    [[['Ann', 'Anna gave Tom a bike.'], TOM], 'What does Tom have?', 'Ann', 'bike'],
    [[['Ann', 'Leo sings and I play the cello.'], TOM], 'What do I play?', 'Ann', 'cello'],
    [[['Ann', 'Leo is seven, Mia just turned four.'], TOM], 'How old is Mia?', 'Tom', 'four'],
    [
      [TOM, ['Ann', 'My sister Mia was here. She lives in Lyon.']],
      'Where does my sister live?',
      'Ann',
      'Lyon',
    ],
    [
      [
        ['Tom', 'How is Mia?'],
        ['Ann', 'She won the school tournament!'],
      ],
      'What did Mia win?',
      'Ann',
      'tournament',
    ],
    [[['Ann', 'My cousin Nuno lives in Porto.'], TOM], 'Which relatives do I have?', 'Ann', 'Nuno'],
    [[['Ann', 'Anna Lind works at Shell.'], TOM], 'Where does Anna work?', 'Tom', 'Shell'],
    [[['Ann', 'I work as a nurse.'], TOM], 'Where does Ann work?', 'Tom', 'nurse'],
    [
      [
        ['Ann', 'Which book should I read?'],
        ['assistant', 'I recommend the novel Stoner.'],
      ],
      ...(['Which novel did you recommend?', undefined, 'Stoner'] as const),
    ],
  ])('is answered by what is told of them: %j %s', async (talk, question, asker, word) => {
    expect((await askTalk(talk, question, asker)).text).toContain(word);
  });

  it('does not quote beside it what is told of another', async () => {
    const talk: Talk = [['Ann', 'My sister visits often. I live in Ghent.'], TOM];
    const { text } = await askTalk(talk, 'Where does my sister live?', 'Ann');
    expect(text).not.toContain('Ghent');
  });
});

describe('the one who is asked about', () => {
  const people = {
    isPerson: () => true,
    isLiving: (noun: string) => /^(?:sister|dog|boss)$/.test(noun),
    isNoun: () => false,
    isThing: () => false,
  };
  const isOf = ofAsked('Where does Mia live?', people, null)!;
  it.each([
    ['Ann’s sister Mia lives in Lyon.', true],
    ['My boss, Mia Rossi, lives in Lyon.', true],
    ['Mia lives in Lyon.', true],
    ['Ann’s sister lives with Mia.', false],
    ['Ann’s sister Zoe lives in Lyon.', false],
    ['Ann’s red Mia lives in Lyon.', false],
  ])('is the subject of “%s”: %s', (text, isSubject) => {
    expect(isOf(text, 'Tom')).toBe(isSubject);
  });
  it('is the relative who is asked for, not whose relative it is', () => {
    const isOfSister = ofAsked('Where does Ann’s sister live?', people, null)!;
    expect([
      isOfSister('Ann’s sister Mia lives in Lyon.', null),
      isOf('Mia’s sister Zoe lives in Lyon.', null),
    ]).toEqual([...[true, false]]);
  });
});
