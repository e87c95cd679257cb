import { expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';

async function answer(said: string, question: string): Promise<string> {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const memory = engine.scope('a');
  await memory.add({ speaker: 'Alice', content: said, at: '2026-03-02T09:00Z' });
  await memory.flush();
  const { text } = await memory.ask(question, { asker: 'Alice' });
  await engine.close();
  return text;
}

it.each([
  ['I hate olives.', 'Does Alice like olives?', /hates? olives/],
  ['I hate olives.', 'Do I like olives?', /hates? olives/],
  ["I can't stand olives.", 'Does Alice like olives?', /stand olives/],
  ['I dislike jazz.', 'Does Alice enjoy jazz?', /dislikes? jazz/],
  ['I detest running.', 'Does Alice love running?', /detests? running/],
  ['I am allergic to shrimp.', 'Does Alice like shrimp?', /allergic to shrimp/],
  ['I love olives.', 'Do I hate olives?', /loves? olives/],
  ['I adore rainy days.', 'Does Alice dislike rainy days?', /adores? rainy/],
  ['I stopped drinking coffee.', 'Does Alice drink coffee?', /stopped/],
  ['I gave up meat in May.', 'Does Alice eat meat?', /gave up meat/],
  ['I am a vegetarian.', 'Does Alice eat meat?', /vegetarian/],
  ['I sold my car.', 'Do I still have a car?', /sold/],
  ['I lost my passport.', 'Does Alice have a passport?', /lost/],
  ['Tom divorced Eva.', 'Is Tom still married to Eva?', /divorced/],
  ['Tom and Eva split up.', 'Are Tom and Eva married?', /split up/],
  ['I quit my job at Philips.', 'Does Alice still work at Philips?', /quit/],
  ['I retired from Philips.', 'Does Alice work at Philips?', /retired/],
  ['I failed the driving exam.', 'Did I pass the driving exam?', /failed/],
  ['I passed the driving exam.', 'Did I fail the driving exam?', /passed/],
  ['I quit smoking.', 'Do I still smoke?', /quit/],
  ['The bakery on Main Street closed.', 'Is the bakery on Main Street open?', /closed/],
  ['My grandfather died.', 'Is my grandfather still alive?', /died/],
  ['I declined the offer from Siemens.', 'Did Alice accept the offer from Siemens?', /declined/],
  ['I refused the promotion.', 'Did Alice agree to the promotion?', /refused/],
  ['We lost the chess final.', 'Did we win the chess final?', /lost/],
])('a question for yes or no is answered by the opposite %s %s', async (said, question, words) => {
  expect(await answer(said, question)).toMatch(words);
});

it.each([
  ['I hate Mondays.', 'Does Alice like olives?'],
  ['I sold my bike.', 'Does Alice have a car?'],
  ['Tom divorced Eva.', 'Is Alice married?'],
  ['I failed the chemistry exam.', 'Did Alice pass the driving test?'],
  ['I quit the choir.', 'Does Alice work at Philips?'],
  ['My grandfather died.', 'Is my grandmother still alive?'],
  ['The bakery closed.', 'Is the library open?'],
  ['I hate olives.', 'What does Alice like?'],
  ['I hate olives.', 'What food do I love?'],
  ['We lost the chess final.', 'Did we win the football final?'],
])('nothing else is %s %s', async (said, question) => {
  expect(await answer(said, question)).toMatch(/not enough/);
});
