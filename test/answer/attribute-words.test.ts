import { afterAll, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';

const engine = await Mnemis.open({ path: ':memory:' });
afterAll(() => engine.close());

it.each([
  ['I weigh 76 kg now.', "What is Ann's weight?", /76 kg/],
  ['My weight is 76 kg.', 'How heavy is Ann?', /76 kg/],
  ['I started as a nurse at St. Lucas.', 'Where does Ann work?', /nurse/],
  ['I like jazz.', "What is Ann's weight?", /not enough/],
])('answers “%s” to “%s” in other words for the attribute', async (content, question, expected) => {
  const memory = engine.scope(question + content);
  await memory.add({ content, speaker: 'Ann', session: 's', at: '2026-04-01T12:00Z' });
  await memory.flush();
  expect((await memory.ask(question)).text).toMatch(expected);
});
