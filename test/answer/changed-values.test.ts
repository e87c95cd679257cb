import { afterAll, describe, expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';

const engine = await Mnemis.open({ path: ':memory:' });
afterAll(() => engine.close());

let count = 0;
/** The answer without what held before. */
async function answer(told: readonly string[], question: string): Promise<string> {
  const memory = engine.scope(`scope-${++count}`);
  for (const [at, content] of told.entries())
    await memory.add({ content, speaker: 'Ann', session: `s${at}`, at: `2026-0${at + 3}-20T09:00Z` });
  await memory.flush();
  return (await memory.ask(question)).text.replace(/ \(since .*\)/s, '');
}

const ACME = 'I work at Acme.';

describe('a new employer', () => {
  it.each([
    'I joined Quay Robotics in March.',
    'I started at Quay Robotics in March.',
    'I joined the team at Quay Robotics.',
    'I took a job at Quay Robotics.',
    'I took a role with Quay Robotics.',
    'I accepted a position at Quay Robotics.',
    'I accepted an offer from Quay Robotics.',
    'I got hired by Quay Robotics.',
    'I was hired by Quay Robotics in March.',
    "I'm now with Quay Robotics.",
    'I signed on with Quay Robotics.',
    'I have joined Quay Robotics as an engineer.',
    'I just joined Quay.',
    'I joined Quay Robotics last month.',
    'I switched jobs to Quay Robotics.',
    'I moved to a new job at Quay Robotics.',
  ])('%s', async (told) => {
    const text = await answer([ACME, told], 'Where does Ann work?');
    expect(text).toMatch(/Quay/);
    expect(text).not.toMatch(/Acme/);
  });

  it.each([
    'I joined a gym.',
    'I joined the call.',
    'I joined a choir.',
    'I joined Bob for dinner.',
    'I joined Facebook.',
    'I joined Netflix last week.',
    'I joined Planet Fitness.',
    'I started at 9.',
    'I started at the beginning.',
    'I will join Quay Robotics in June.',
    'My brother joined Quay Robotics.',
  ])('is not told: %s', async (told) => {
    expect(await answer([ACME, told], 'Where does Ann work?')).toMatch(/^Ann works at Acme\. \[1\]$/);
  });
});

describe('a new possession', () => {
  const FIAT = 'I drive a Fiat.';
  it.each([
    [FIAT, 'I sold the Fiat in March and bought a Volvo.', 'What car does Ann drive?', 'Volvo'],
    [FIAT, 'I sold the Fiat in March and bought a Volvo.', 'What car does Ann have?', 'Volvo'],
    [FIAT, 'I bought a Volvo and sold the Fiat.', 'What car does Ann drive?', 'Volvo'],
    [FIAT, 'I traded my Fiat for a Volvo.', 'What car does Ann drive?', 'Volvo'],
    [FIAT, 'I traded in my Fiat for a Volvo last week.', 'What car does Ann drive?', 'Volvo'],
    [FIAT, 'I swapped my Fiat for a Volvo.', 'What car does Ann drive?', 'Volvo'],
    [FIAT, 'I replaced my Fiat with a Volvo.', 'What car does Ann drive?', 'Volvo'],
    [FIAT, 'I got rid of the Fiat and got a Volvo.', 'What car does Ann drive?', 'Volvo'],
    [FIAT, 'I sold my Fiat. I bought a Volvo.', 'What car does Ann drive?', 'Volvo'],
    ['My bike is a Trek.', 'I sold the Trek and bought a Canyon.', 'What bike does Ann have?', 'Canyon'],
    ['I ride a Trek.', 'I sold the Trek and bought a Canyon.', 'What bike does Ann ride?', 'Canyon'],
    ['My phone is a Nokia.', 'I swapped my Nokia for a Fairphone.', 'What phone do I use?', 'Fairphone'],
    ['I have an iPhone 12.', 'I traded my iPhone 12 for a Pixel 8.', 'What phone does Ann have?', 'Pixel'],
    [
      'I use a ThinkPad.',
      'I got rid of my ThinkPad and got a MacBook.',
      'What laptop does Ann use?',
      'MacBook',
    ],
    [
      'I have a flat in Ghent.',
      'I sold the flat in Ghent and bought a flat in Bruges.',
      'Where does Ann have a flat?',
      'Bruges',
    ],
  ])('%s %s %s', async (before, told, question, newest) => {
    expect(await answer([before, told], question)).toContain(newest);
  });

  it.each([
    'My brother sold his Fiat and bought a Volvo.',
    'I bought a Volvo for my son.',
    'I rented a Volvo last week.',
    'I saw a fiat at the fair.',
  ])('is not told: %s', async (told) => {
    expect(await answer([FIAT, told], 'What car does Ann drive?')).toContain('Ann drives a Fiat');
  });
});

describe('a value with a sign', () => {
  it.each([
    ['My blood type is O-.', 'What is my blood type?', "Ann's blood type is O-."],
    ['My blood type is A+.', 'What is my blood type?', "Ann's blood type is A+."],
    ['My blood type is B−.', 'What is my blood type?', "Ann's blood type is B−."],
    ['I have blood type O-.', 'What is my blood type?', 'Ann has blood type O-.'],
    ['My favorite language is C++.', 'What is my favorite language?', 'is C++.'],
    ['My favorite language is C#.', 'What is my favorite language?', 'is C#.'],
    ['My favorite framework is .NET.', 'What is my favorite framework?', 'is .NET.'],
    ['The freezer temperature is -5 °C.', 'What is the freezer temperature?', 'is -5 °C.'],
    ['My hotel rating is 4*.', 'What is my hotel rating?', 'is 4*.'],
    ['My grade is A-.', 'What is my grade?', 'is A-.'],
    ['My grade is B+ in maths.', 'What is my grade?', 'B+ in maths.'],
  ])('%s', async (told, question, value) => {
    expect(await answer([told], question)).toContain(value);
  });

  it.each([
    ['My blood type is O-.', 'My blood type is O+.', 'What is my blood type?', 'O+', 'O-'],
    [
      'My favorite language is C.',
      'My favorite language is C++.',
      'What is my favorite language?',
      'C++',
      'C.',
    ],
    [
      'My favorite language is C++.',
      'My favorite language is C#.',
      'What is my favorite language?',
      'C#',
      'C++',
    ],
  ])('%s %s', async (before, told, question, newest, former) => {
    const text = await answer([before, told], question);
    expect(text).toContain(newest);
    expect(text).not.toContain(former);
  });
});
