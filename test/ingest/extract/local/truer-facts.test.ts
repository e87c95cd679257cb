import { describe, expect, it } from 'vitest';
import type { TurnToRead } from '../../../../src/ingest/extract/extractor.ts';
import { toSentences } from '../../../../src/ingest/extract/local/clean-text.ts';
import { LocalExtractor } from '../../../../src/ingest/extract/local/local-extractor.ts';
import { LocalGate } from '../../../../src/ingest/extract/local-gate.ts';

/** Monday. */
const SAID_AT = Date.UTC(2026, 3, 6, 10);

function turn(speaker: string, content: string): TurnToRead {
  return { content, speaker, role: 'user', validAt: SAID_AT, attachments: [] };
}

/** Ines speaks to Tom. */
async function read(content: string) {
  const unit = [turn('Tom', 'Hello!'), turn('Ines', content)];
  return new LocalExtractor().extract(unit, { known: () => false });
}

async function statements(content: string): Promise<string[]> {
  return (await read(content)).facts.map(({ statement }) => statement);
}

async function names(content: string): Promise<string[]> {
  return (await read(content)).entities.map(({ name }) => name).filter((name) => name !== 'Tom');
}

describe('who is meant', () => {
  it.each([
    // "We" is the speaker and whoever was there, not the listener.
    ['I went to Peru with my partner. We loved exploring the markets.', 'Ines loved exploring the markets'],
    [
      'I went to Peru with my partner. We explored caves together.',
      'Ines and others explored caves together',
    ],
    ['We were teammates for four years.', 'Ines and others were teammates for four years'],
    ['We trust each other and repair our boat.', 'Ines and others trust each other and repair their boat'],
    // A second mention of a person is "they", unless somebody else was named in between.
    ['I wish I had a car.', 'Ines wishes they had a car'],
    ['I wish I was taller than Paul.', 'Ines wishes they were taller than Paul'],
    ['I packed what I need for my trip.', 'Ines packed what they need for their trip'],
    ['I told Ana I sold the car.', 'Ines told Ana Ines sold the car'],
    // What the listener did or has.
    ['You sold your car.', "Tom sold Tom's car"],
    ['You live in Oslo.', 'Tom lives in Oslo'],
    ['You have a dog called Rex.', 'Tom has a dog called Rex'],
    ['You are moving to Oslo.', 'Tom is moving to Oslo'],
    ['You play the harp every Sunday.', 'Tom plays the harp every Sunday'],
    ['Your sister sells cars.', "Tom's sister sells cars"],
    // With the speaker in it, it is no instruction.
    ['You know that poppy seeds bring me out in a rash.', 'Poppy seeds bring Ines out in a rash'],
    ['You paint our boat.', "Tom paints Ines's boat"],
    ['You cook for my mother.', "Tom cooks for Ines's mother"],
    ['You teach me the harp.', 'Tom teaches Ines the harp'],
  ])('%s', async (content, expected) => {
    expect(await statements(content)).toContain(expected);
  });

  it.each([
    "You can't control your partner's shopping.",
    'You can never trust your partner with the dishes and the washing machine.',
    'You never sleep with a baby in the house.',
    'You need a good teacher to learn the harp.',
    'Reading helps you relax after work.',
    'You should visit the castle in Ghent.',
    "You're so talented at baking bread.",
    'You have to boil the eggs for 6 minutes.',
    'You boil the eggs for six minutes and add salt.',
    'You pay ten euros at the Louvre.',
    'You get a free coffee at Starbucks on Mondays.',
    'In Japan you drive on the left.',
    'When you live in Rome, you eat a lot of pizza.',
    'If you live in Rome, you have free tickets for the museum.',
    'Every time you visit Rome you find a new cafe.',
    'You never know what happens in Rome.',
    'One has to book the Louvre early.',
    'People say that Rome is lovely.',
    'They say Rome is lovely in May.',
    'You have such a caring heart for dogs.',
    "You really like sad films, don't you.",
    'Learning something new is always a great adventure.',
    'Exams can be challenging.',
    'We both helped with the painting.',
  ])('says nothing of anybody: %s', async (content) => {
    expect(await statements(content)).toEqual([]);
  });

  it('keeps truths that name a person, a day or a number', async () => {
    expect(await statements('Climbing strengthens my weak shoulders.')).toEqual([
      "Climbing strengthens Ines's weak shoulders",
    ]);
    expect(await statements('Rent is due on Friday.')).toEqual([
      "Ines's rent is due on Friday (10 April 2026)",
    ]);
  });
});

describe('what belongs to a statement', () => {
  it.each([
    // An omitted subject is the speaker.
    ['Got married last week!', 'Ines got married last week (week of 30 March 2026)'],
    [
      'Finally getting married next week!',
      'Ines is finally getting married next week (week of 13 April 2026)',
    ],
    ['Last week got engaged to Paul.', 'Last week (week of 30 March 2026) Ines got engaged to Paul'],
    ['Was in Rome last month.', 'Ines was in Rome last month (March 2026)'],
    ['Will visit my aunt tomorrow.', "Ines will visit Ines's aunt tomorrow (7 April 2026)"],
    // What it turned out to be.
    [
      'I had a stomachache; turned out to be gastritis.',
      'Ines had a stomachache; turned out to be gastritis',
    ],
    [
      'I had a stomachache. Turned out to be gastritis.',
      'Ines had a stomachache; it turned out to be gastritis',
    ],
    ['Turns out I have gastritis.', 'Ines has gastritis'],
    // How long something has gone on.
    [
      'I have been learning the harp for two years now.',
      'Ines has been learning the harp for two years (since 2024) now',
    ],
    [
      'I moved to Bergen a few years back.',
      'Ines moved to Bergen a few years back (around April 2021–April 2024)',
    ],
  ])('%s', async (content, expected) => {
    expect(await statements(content)).toEqual([expected]);
  });

  it.each([
    ['Been a busy week since we talked.', []],
    ["We're rival teams lol Paul is a huge rugby fan.", []],
    ["We're rival teams paul is a huge rugby fan.", []],
    ['I baked bread, my wife painted the kitchen.', ['Ines baked bread', "Ines's wife painted the kitchen"]],
    ['I baked bread, Paul won a prize.', ['Ines baked bread', 'Paul won a prize']],
    ['I saw how tea and long walks helped my back.', ["Ines saw how tea and long walks helped Ines's back"]],
    ['Check out this lake I painted.', []],
    ['I usually play CS:GO.', ['Ines usually plays CS:GO']],
  ])('%s', async (content, expected) => {
    expect(await statements(content)).toEqual(expected);
  });

  it('dates what goes on by its beginning', async () => {
    const [fact] = (await read('I have been learning the harp for two years now.')).facts;
    expect(fact).toMatchObject({
      validAt: Date.UTC(2024, 0),
      event: { start: Date.UTC(2024, 0), end: Date.UTC(2025, 0), precision: 'year' },
    });
  });
});

it.each([
  ["We visited St. Peter's. It was old.", ["We visited St. Peter's", 'It was old']],
  ['Prof. Huber came. He left.', ['Prof. Huber came', 'He left']],
  ['It is approx. 20 km. Far.', ['It is approx. 20 km', 'Far']],
  ['We met on Jan. 3. It was cold.', ['We met on Jan. 3', 'It was cold']],
  ['I live in No. 7. No. I do not.', ['I live in No. 7', 'No', 'I do not']],
  ['Plan: 1. Buy a tent. 2. Hike the ridge.', ['Plan:', 'Buy a tent', 'Hike the ridge']],
  ['2. Chess with my dad', ['Chess with my dad']],
  ['I have 2. He has 3. We share.', ['I have 2', 'He has 3', 'We share']],
  ['It was called Half-Life: Alyx Begins, I think.', ['It was called Half-Life: Alyx Begins, I think']],
])('ends sentences in: %s', (text, expected) => {
  expect(toSentences(text).map((sentence) => sentence.text)).toEqual(expected);
});

it.each([
  ['Alright Tom, I saw my dad way too late.', ['Ines', 'dad']],
  ['Wait, I won a medal in tennis.', ['Ines', 'medal', 'tennis']],
  ['Peter b was there in the garden.', ['Ines', 'peter', 'garden']],
  ['Taking was easy, but giving up chess hurt.', ['Ines', 'chess']],
])('names that are none %s', async (content, expected) => {
  const found = await names(content);
  expect(found.filter((name) => !expected.includes(name))).toEqual([]);
});

it.each([
  ['That was so kind of you, and I am really so very happy for you and for all of the people there.', 'kept'],
  ['That was so kind of you!', 'dropped'],
])('rarely drops a long turn: %s', async (content, expected) => {
  expect(await new LocalGate().judge([turn('Ines', content)])).toEqual([expected]);
});
