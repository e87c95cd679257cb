import { describe, expect, it } from 'vitest';
import type { TurnToRead } from '../../../../src/ingest/extract/extractor.ts';
import { expandContractions } from '../../../../src/ingest/extract/local/contractions.ts';
import { LocalExtractor } from '../../../../src/ingest/extract/local/local-extractor.ts';

/** Thursday. */
const SAID_AT = Date.UTC(2026, 4, 14, 10);

function turn(speaker: string, content: string): TurnToRead {
  return { content, speaker, role: 'user', validAt: SAID_AT, attachments: [] };
}

async function facts(...unit: readonly TurnToRead[]) {
  return (await new LocalExtractor().extract(unit, { known: () => false })).facts;
}

async function statements(content: string): Promise<string[]> {
  return (await facts(turn('Tom', 'Hello!'), turn('Ines', content))).map(({ statement }) => statement);
}

describe('"we" and "you" of several', () => {
  it.each<[content: string, expected: string[]]>([
    ['we all owe Mirela 20', ['Ines and others all owe Mirela 20']],
    ['All of us are going to Lake Bled.', ['Ines and others are all going to Lake Bled']],
    ['us four rented a cabin', ['Ines and others all rented a cabin']],
    ["We're called the Sardines.", ['Ines and others are called the Sardines']],
    ['We are stubborn mountain people.', ['Ines and others are stubborn mountain people']],
    ["we're a family of five", ['Ines and others are a family of five']],
    ["We're both on less salt now.", ['Ines is on less salt now']],
    ['you all owe me 20 for the gas', ['Tom and others owe Ines 20 for the gas']],
    [
      'Max and I rented a boat. We hiked and swam.',
      ['Max and Ines rented a boat', 'Ines and Max hiked and swam'],
    ],
    ['I rented a van because we have a piano.', ['Ines rented a van because they have a piano']],
    ['we do all kinds of dances', ['Ines does all kinds of dances']],
    [
      'We played Catan - a game where you build cities',
      ['Ines played Catan - a game where one builds cities'],
    ],
    ['My doctor says I have asthma.', ["Ines's doctor says Ines has asthma"]],
    ['We moved to Ghent in 2020.', ['Ines moved to Ghent in 2020']],
    ['we lose money on every crossing', ['Ines and others lose money on every crossing']],
    ['We hired a cook from Lyon.', ['Ines and others hired a cook from Lyon']],
  ])('%s', async (content, expected) => {
    expect(await statements(content)).toEqual(expected);
  });

  it.each([
    'Our kids are our future.',
    'Books inspire us.',
    'Music brings us together.',
    'We should all vote.',
    'We learn from our mistakes.',
    'We grow when we push our boundaries.',
    'As humans we need sleep.',
    'One of us pays the rent.',
    'Neither of us drinks beer.',
    'Mine says it is glandular fever.',
  ])('says nothing of one person: %s', async (content) => {
    expect(await statements(content)).toEqual([]);
  });

  it('of a talk of three or more is the speaker and others', async () => {
    const talk = [
      turn('Ana', 'we have 4 beds'),
      turn('Bo', "I'll drive you all to Bled"),
      turn('Cem', 'the island bus waits for us'),
      turn('Ana', 'I packed the tent, we leave on Friday'),
    ];
    expect((await facts(...talk)).map(({ statement }) => statement)).toEqual([
      'Ana and others have 4 beds',
      'Bo will drive the others to Bled',
      'The island bus waits for Cem and others',
      'Ana packed the tent',
      'Ana and others leave on Friday (15 May 2026)',
    ]);
  });
});

it.each([
  ["How is Marcus's hair?", 'growing back in patches', ["Marcus's hair is growing back in patches"]],
  ["How's the cat?", 'sleeping on the sofa', ["Ines's cat is sleeping on the sofa"]],
  ['What are you up to?', 'researching schools in Ghent', ['Ines is researching schools in Ghent']],
  [
    'What happened to the bike?',
    'sold it to Cem on Monday',
    ["Ines sold Ines's bike to Cem on Monday (11 May 2026)"],
  ],
])('an answer without a subject is about whom is asked for: %s %s', async (asked, answer, expected) => {
  const found = await facts(turn('Tom', asked), turn('Ines', answer));
  expect(found.map(({ statement }) => statement)).toEqual(expected);
});

describe('the day of a statement', () => {
  it.each([
    ['Flights are booked, 11 to 25 july', '2026'],
    ['Booked the ferry, 3 august', '2026'],
    ['My brother has got a job, starts 1 september', '2026'],
    ["We're getting married in November.", '2026'],
    ["I've got an appointment on the 3rd of June.", '2026'],
    ["From the first of June I'm with a small office called Tarn.", '1 June 2026'],
    ["The venue flooded, it's now the twentieth of September.", '20 September 2026'],
    ['Interview went well, second round on 20 May', '2026'],
    ['I handed in my notice, last day is 31 May', '2026'],
    ['I paid the deposit for 12 september', '2026'],
    ['The concert was on 20 November.', '2025'],
    ['Dad is in hospital since Monday.', '11 May 2026'],
    ["I've been off meat since 1 April.", '2026'],
    ['Bergen offers the Havtind from 10 June, 90 cars.', '2026'],
    // What was arranged is ahead.
    ['They invited me for an interview on the second of June.', '2 June 2026'],
    ['I signed up for a course on 3 August.', '2026'],
    ['I got tickets for the concert on 14 June.', '2026'],
    ['We registered the kids for the camp in July.', '2026'],
    ['My uncle promised to come on Saturday.', '16 May 2026'],
    ['I signed the lease on Saturday.', '9 May 2026'],
  ])('%s', async (content, shown) => {
    expect((await statements(content)).join()).toContain(`(${shown})`);
  });

  it.each([
    'I have to take drops for ten days.',
    'My freezer has space for three weeks.',
    'I was born on 3 March.',
    'I want to adopt a "vegetarian Thursday".',
    'I bought a book from the 1900s.',
    'I have a map of Saxony from 1911.',
    'I am still paying off the van that broke down in 2022.',
    'Every year on 1 August I eat goulash in Ghent.',
  ])('is the one of telling: %s', async (content) => {
    const [fact] = await facts(turn('Ines', content));
    expect(fact).toMatchObject({ event: null, validAt: SAID_AT });
    expect(fact!.statement).not.toContain('(');
  });
});

describe('what nobody states', () => {
  it.each([
    "Five minutes and I'm wheezing like an accordion.",
    'One bite and I look like a balloon with hives.',
    'Two more beers and my brother sings in Dutch.',
    'Another week and we live in a boat.',
    'I was the mayonnaise at the picnic.',
    "I'm a potato on the sofa.",
    'Planned in 1871, 1898 and 1920.',
    'Built in 1790 by Karl Berg.',
    'Three months notice is normal or',
    'Three months notice is normal or what',
    'The ferry leaves at 9, correct',
    'Did I tell you I moved to Ghent',
    'which ear joint is the bad one, my wife asks',
    'Or I fly back early.',
    'Only if we steal Marcus from the other team',
    'In case I lose my job.',
    'To know whether I eat.',
    'I married a duck, just kidding',
    'I am marrying my toaster (joke)',
    'I am moving to Mars lol jk',
  ])('%s', async (content) => {
    expect(await statements(content)).toEqual([]);
  });
});

it.each<[content: string, relative: string, place: string]>([
  [
    'My niece Georgia is five. Georgia started school. We flew to Georgia in May. We stayed in Georgia.',
    'niece Georgia',
    'Georgia',
  ],
  ['I live in Charlotte. My daughter Charlotte has the flu.', 'daughter Charlotte', 'Charlotte'],
  ['Our dog Dallas ate my shoe. I flew to Dallas. Dallas is afraid of the tram.', 'dog Dallas', 'Dallas'],
])('tells a relative from a place of the same name: %s', async (content, relative, place) => {
  const { entities, facts: found } = await new LocalExtractor().extract([turn('Ines', content)], {
    known: () => false,
  });
  const kinds = Object.fromEntries(entities.map(({ name, kind }) => [name, kind]));
  expect(kinds).toMatchObject({ [relative]: 'person', [place]: 'place' });
  const both = found.filter(
    ({ participants }) => participants.includes(relative) && participants.includes(place),
  );
  expect(both).toEqual([]);
  expect(found.every(({ statement }) => !statement.includes(`Ines ${relative}`))).toBe(true);
});

it('has one name for a relative whom no place shares', async () => {
  const { entities } = await new LocalExtractor().extract([turn('Ines', 'My niece Georgia is five.')], {
    known: () => false,
  });
  expect(entities.map(({ name }) => name)).toContain('Georgia');
});

describe('what is omitted', () => {
  it.each<[content: string, expected: string[]]>([
    ['Seen Wicked twice in London.', ['Ines has seen Wicked twice in London']],
    ['Broken wrist, left one', ['Ines has a broken wrist, left one']],
    ['Been ill since Monday.', ['Ines has been ill since Monday (11 May 2026)']],
    ['Stolen from the station.', []],
    ['Been quite a ride.', []],
    ['Talking of planes, no Lisbon after all', []],
    ['Here ya go, a picture of my desk.', []],
    ['Been hectic at work.', []],
    ["We use Let's Encrypt for the site.", ["Ines uses Let's Encrypt for the site"]],
  ])('%s', async (content, expected) => {
    expect(await statements(content)).toEqual(expected);
  });
});

it.each([
  ["I'd forgotten it", 'I had forgotten it'],
  ["I'd never seen snow", 'I had never seen snow'],
  ["they'd moved out", 'they had moved out'],
  ["He'd left", 'He had left'],
  ["I'd better go", 'I had better go'],
  ["I'd like a dog", 'I would like a dog'],
  ["I'd come back for the leeks", 'I would come back for the leeks'],
  ["we'd need a van", 'we would need a van'],
  ["it's been fun", 'it has been fun'],
  ["she's left him", 'she has left him'],
  ["he's gone", 'he has gone'],
  ["she's lost her job", 'she has lost her job'],
  ["it's called The Wall", 'it is called The Wall'],
  ["he's called me twice", 'he has called me twice'],
  ["it's made of wood", 'it is made of wood'],
  ["she's better now", 'she is better now'],
  ["he's retired", 'he is retired'],
  ["my sister's started a bakery", 'my sister has started a bakery'],
  ["dad's been ill", 'dad has been ill'],
  ["the wife's finally persuaded me", 'the wife has finally persuaded me'],
  ["Anna's lost keys are here", "Anna's lost keys are here"],
  ["mum's used Volvo", "mum's used Volvo"],
  ["let's go", 'let us go'],
  ["Let's Encrypt", "Let's Encrypt"],
])('expands %s', (text, expected) => {
  expect(expandContractions(text)).toBe(expected);
});

describe('the words of another', () => {
  it.each([
    ['Anna said: "I moved to Ghent."', 'Anna says Anna moved to Ghent'],
    ['"I am allergic to nuts," said Anna.', 'Anna says Anna is allergic to nuts'],
    ['Anna wrote: I have a new job at the bank.', 'Anna says Anna has a new job at the bank'],
    ['My mom always says: "I hate beer."', "Ines's mom says Ines's mom hates beer"],
    ['Anna told me: "You paint like a master."', 'Anna says Ines paints like a master'],
    ['Anna says Piet sold his boat.', 'Anna says Piet sold his boat'],
    ['According to Anna, Piet lives in Ghent.', 'According to Anna, Piet lives in Ghent'],
    ['Anna thinks I am moving to Oslo.', 'Anna thinks Ines is moving to Oslo'],
    ['I heard Anna got married.', 'Ines heard Anna got married'],
    ['The doctor said I have asthma.', "Ines's doctor said Ines has asthma"],
  ])('say whose they are: %s', async (content, expected) => {
    expect(await statements(content)).toEqual([expected]);
  });

  it.each([
    'You moved to Ghent last year and have two cats.',
    'Congratulations on your new job at the bakery!',
    'Your sister Ida lives in Graz.',
    'As a nurse, you work nights.',
    'Ines has a dog called Rex.',
    'Ines told me that she sold her car.',
    'So your appointment is on 3 June with Dr. Alder.',
    'I see that Ines prefers tea.',
    'I am a vegetarian and I live in Paris.',
    'My grandmother had asthma.',
  ])('are no facts if an assistant says: %s', async (content) => {
    const answer: TurnToRead = { ...turn('Assistant', content), role: 'assistant' };
    expect(await facts(turn('Ines', 'Can you help me?'), answer)).toEqual([]);
  });
});
