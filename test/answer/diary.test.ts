import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';

/** What one person writes of many others, a day each. */
const DIARY = [
  'I live in a small flat in Utrecht, above a bakery.',
  'I work as a nurse at the children’s hospital.',
  'Anna got married in Paris on Saturday.',
  'My sister Ilse lives in Bruges.',
  'My brother Ruben is a plumber.',
  'Tom is allergic to peanuts.',
  'Leo speaks Portuguese and Greek.',
  'My neighbour Pat works at Philips.',
  'Joris moved to Antwerp last month.',
  'I gave Mia a bicycle for her birthday.',
  'My boss likes jazz.',
  'Sofie adopted a greyhound called Bolt.',
  'My father was born in Rotterdam.',
  'Greet teaches chemistry at a school in Leuven.',
  'I drive a blue Volvo.',
  'Nadia plays the cello in an orchestra.',
  'My cousin Bas studied law in Groningen.',
  'Oscar broke his leg while skiing.',
  'I am learning Japanese on Thursdays.',
  'Karim and I went to Lisbon in May.',
  'My grandmother grew up in Surabaya.',
  'Petra bought a sailing boat.',
  'My daughter Noor is seven years old.',
  'Hugo hates mushrooms.',
  'I have a tabby cat named Miso.',
];

/** A question that the diary answers, a word of the answer, and the same question about somebody of whom it says nothing. */
const QUESTIONS: readonly (readonly [asked: string, answer: string, swapped: string])[] = [
  ['Where do I live?', 'Utrecht', 'Where does Tom live?'],
  ['Where do I work?', 'hospital', 'Where does Anna work?'],
  ['Where did Anna get married?', 'Paris', 'Where did I get married?'],
  ['Where does my sister live?', 'Bruges', 'Where does my brother live?'],
  ['What is my brother’s job?', 'plumber', 'What is my sister’s job?'],
  ['What is Tom allergic to?', 'peanuts', 'What am I allergic to?'],
  ['Which languages does Leo speak?', 'Portuguese', 'Which languages does Joris speak?'],
  ['Where does Pat work?', 'Philips', 'Where does Oscar work?'],
  ['Where did Joris move to?', 'Antwerp', 'Where did Nadia move to?'],
  ['What did Mia get for her birthday?', 'bicycle', 'What did Leo get for his birthday?'],
  ['What music does my boss like?', 'jazz', 'What music do I like?'],
  ['What dog did Sofie adopt?', 'greyhound', 'What dog did Petra adopt?'],
  ['Where was my father born?', 'Rotterdam', 'Where was I born?'],
  ['What does Greet teach?', 'chemistry', 'What does Hugo teach?'],
  ['What car do I drive?', 'Volvo', 'What car does Karim drive?'],
  ['Which instrument does Nadia play?', 'cello', 'Which instrument do I play?'],
  ['What did my cousin study?', 'law', 'What did I study?'],
  ['How did Oscar break his leg?', 'skiing', 'How did Sofie break her leg?'],
  ['What language am I learning?', 'Japanese', 'What language is Greet learning?'],
  ['When did I go to Lisbon?', 'May', 'When did Petra go to Lisbon?'],
  ['Where did my grandmother grow up?', 'Surabaya', 'Where did I grow up?'],
  ['What did Petra buy?', 'boat', 'What did Pat buy?'],
  ['How old is my daughter?', 'seven', 'How old is my brother?'],
  ['What food does Hugo hate?', 'mushrooms', 'What food do I hate?'],
  ['What is my cat called?', 'Miso', 'What is Nadia’s cat called?'],
];

/** They quote something else of the person who is asked about: "flat" is a word of music, and a birthday says "born". */
const OF_THE_SAME: ReadonlySet<string> = new Set(['What music do I like?', 'Where was I born?']);
/** Who and what the true answers of the diary are about. */
const OF_OTHERS = /boss|jazz|father|Rotterdam/;

describe('a diary about many people', () => {
  let engine: Mnemis;
  beforeAll(async () => {
    engine = await Mnemis.open({ path: ':memory:', automatic: false });
    const memory = engine.scope('diary');
    for (const [day, content] of DIARY.entries()) {
      const at = `2026-03-${String(day + 1).padStart(2, '0')}T20:00Z`;
      await memory.add({ content, speaker: 'Eva', session: `day ${day + 1}`, at });
    }
    await memory.flush();
  });
  afterAll(() => engine.close());

  it.each(QUESTIONS)('answers what it says: %s %s', async (asked, answer) => {
    const { text } = await engine.scope('diary').ask(asked, { asker: 'Eva' });
    expect(text).toContain(answer);
  });

  it.each(QUESTIONS.map(([, , swapped]) => swapped))('does not answer with another: %s', async (swapped) => {
    const { answered, text } = await engine.scope('diary').ask(swapped, { asker: 'Eva' });
    if (OF_THE_SAME.has(swapped)) expect(text).not.toMatch(OF_OTHERS);
    else expect({ answered, text }).toMatchObject({ answered: false });
  });
});
