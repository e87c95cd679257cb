import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';

let engine: Mnemis;
beforeAll(async () => {
  engine = await Mnemis.open({ path: ':memory:', automatic: false });
});
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
