import { describe, expect, it } from 'vitest';
import type { TurnToRead } from '../../../../src/ingest/extract/extractor.ts';
import { LocalSegmentReader } from '../../../../src/ingest/extract/local-segment-reader.ts';

const SAID_AT = Date.UTC(2026, 3, 6, 10);

interface Spoken extends Partial<TurnToRead> {
  readonly before?: string;
}

async function statements(content: string, { before, ...more }: Spoken = {}): Promise<string[]> {
  const said = { speaker: 'Ines', role: 'user', validAt: SAID_AT, attachments: [], ...more } as const;
  const asked =
    before === undefined ? [] : [{ ...said, speaker: 'Tom', role: 'user' as const, content: before }];
  const [reading] = await new LocalSegmentReader().read([[...asked, { ...said, content }]], {
    known: () => false,
  });
  return reading!.extraction.facts.map(({ statement }) => statement);
}

describe('a plain statement', () => {
  it.each([
    ['My favorite color is blue.', "Ines's favorite color is blue"],
    ['My favourite colour is green now.', "Ines's favourite colour is green now"],
    ['My eyes are blue.', "Ines's eyes are blue"],
    ['My eye color is brown.', "Ines's eye color is brown"],
    ['My email is ines@x.org.', "Ines's email is ines@x.org"],
    ['My e-mail is ines@x.org.', "Ines's e-mail is ines@x.org"],
    ['My pronouns are they/them.', "Ines's pronouns are they/them"],
    ['My last name is Berg.', "Ines's last name is Berg"],
    ['My name is Al.', "Ines's name is Al"],
    ['My diet is vegan.', "Ines's diet is vegan"],
    ['My major is physics.', "Ines's major is physics"],
    ['My wife, Eva, is a nurse.', "Ines's wife Eva is a nurse"],
    ['Eva, my wife, is a nurse.', "Ines's wife Eva is a nurse"],
    ['My boss, Maria, is strict.', "Ines's boss Maria is strict"],
    ['Our son, Tim, started school.', "Ines's son Tim started school"],
    ['Call me Al.', "Ines's nickname is Al"],
    ['Everybody calls me Al.', "Ines's nickname is Al"],
    ['Update my favorite sport to volleyball.', "Ines's favorite sport is now volleyball"],
    ['Please change my e-mail to ines@y.org.', "Ines's e-mail is now ines@y.org"],
    ['Set my timezone to PST, please.', "Ines's timezone is now PST"],
    ['FYI, my office is in room 12.', "Ines's office is in room 12"],
    ['Red is my favorite color.', "Red is Ines's favorite color"],
    ['Actually my favorite color is blue.', "Actually Ines's favorite color is blue"],
    ['My occupation is carpenter.', "Ines's occupation is carpenter"],
    ['My hair is long.', "Ines's hair is long"],
    ['My birthday is in May.', "Ines's birthday is in May"],
    ['My favorite day is Friday.', "Ines's favorite day is Friday (10 April 2026)"],
    ['We are four in the team.', 'Ines and others are four in the team'],
    ['The rent costs 900 euros a month.', "Ines's rent costs 900 euros a month"],
    // Words within quotation marks are a title's, or somebody's.
    [
      'I love the podcast "My Brother, My Brother and Me".',
      'Ines loves the podcast "My Brother, My Brother and Me"',
    ],
    ['We sang "My Way" at my wedding.', 'Ines sang "My Way" at Ines\'s wedding'],
    [
      "I read 'My Family and Other Animals' to my son.",
      "Ines read 'My Family and Other Animals' to Ines's son",
    ],
    ["I love my dogs' food and my cats' toys.", "Ines loves Ines's dogs' food and Ines's cats' toys"],
    ['Working on the pilot with Ana.', 'Ines is working on the pilot with Ana'],
    ['Working nights at the mill.', 'Ines is working nights at the mill'],
  ])('%s', async (said, statement) => {
    expect(await statements(said)).toEqual([statement]);
  });

  it.each([
    'Working title Low Tide.',
    'Waiting list for the allotment.',
    'My day was great.',
    'My point is clear.',
    'My idea is simple.',
    'Call me tomorrow.',
    'Call me when you are home.',
    'Call me crazy.',
  ])('is not: %s', async (said) => {
    expect(await statements(said)).toEqual([]);
  });
});

const BY_AGENT = { speaker: 'assistant', role: 'assistant' } as const;
const BY_USER = { speaker: 'user', role: 'user' } as const;

describe('"the user"', () => {
  it.each([
    ['The user lives in New York.', 'lives in New York'],
    ['The user moved to Los Angeles.', 'moved to Los Angeles'],
    ['User prefers dark mode.', 'prefers dark mode'],
    ['User is allergic to nuts', 'is allergic to nuts'],
    ['User had steak for dinner', 'had steak for dinner'],
    ['The user wants to visit Japan.', 'wants to visit Japan'],
    ['The user recently adopted a dog named Rex.', 'recently adopted a dog named Rex'],
    ['The user has two kids and lives in Bern.', 'has two kids and lives in Bern'],
  ])('is the person: %s', async (said, predicate) => {
    expect(await statements(said, BY_AGENT)).toEqual([`User ${predicate}`]);
    expect(await statements(said, BY_USER)).toEqual([`User ${predicate}`]);
    expect(await statements(said)).toEqual([`Ines ${predicate}`]);
  });

  it.each([
    ["User's name is Sam.", "Ines's name is Sam"],
    ["The user's manager is Tim.", "Ines's manager is Tim"],
    ["The user's wife, Eva, is a nurse.", "Ines's wife Eva is a nurse"],
  ])('owns: %s', async (said, statement) => {
    expect(await statements(said)).toEqual([statement]);
  });

  it.each([
    'The user clicks on Save.',
    'The user is redirected to the login page.',
    'The user has access to the dashboard.',
    'The user enters a password and presses OK.',
    'Users like dark mode.',
    'The user interface is blue.',
  ])('is nobody: %s', async (said) => {
    expect((await statements(said)).filter((each) => each.includes('Ines'))).toEqual([]);
  });

  it('is the one who speaks as user, where an assistant writes', async () => {
    const said = await statements('The user lives in Bern.', { ...BY_AGENT, before: 'I bought a red bike.' });
    expect(said).toContain('Tom lives in Bern');
  });
});

describe('a note without a subject', () => {
  it.each([
    ['Lives in Bern', 'User lives in Bern'],
    ['Lives in Bern.', 'User lives in Bern'],
    ['Works at Initech as a data analyst', 'User works at Initech as a data analyst'],
    ['Prefers tea over coffee', 'User prefers tea over coffee'],
    ['Is vegetarian', 'User is vegetarian'],
    ['Is no longer vegetarian', 'User is no longer vegetarian'],
    ['Is allergic to peanuts', 'User is allergic to peanuts'],
    ['Is 34 years old', 'User is 34 years old'],
    ['Has two kids', 'User has two kids'],
    ['Likes hiking', 'User likes hiking'],
    ['Speaks Dutch and French', 'User speaks Dutch and French'],
    ['Plans to move to Rome', 'User plans to move to Rome'],
    ['Name is Guoyu Li', "User's name is Guoyu Li"],
    ['Favorite color is blue', "User's favorite color is blue"],
    ['Email is ines@x.org', "User's email is ines@x.org"],
    ['Moved to Los Angeles', 'User moved to Los Angeles'],
  ])('%s', async (said, statement) => {
    expect(await statements(said, BY_AGENT)).toEqual([statement]);
    expect(await statements(said, BY_USER)).toEqual([statement]);
  });

  it('may have several sentences', async () => {
    expect(await statements('Lives in Bern. Works at Acme. Likes jazz.', BY_AGENT)).toEqual([
      'User lives in Bern',
      'User works at Acme',
      'User likes jazz',
    ]);
  });

  it.each([
    'Works great!',
    'Works for me.',
    'Sounds great!',
    'Makes sense.',
    'Has been a long day.',
    'Loves it!',
    'Is it raining?',
    'Has anyone seen Tim?',
  ])('is not: %s', async (said) => {
    expect(await statements(said)).toEqual([]);
  });

  it('is not the reply to a question about somebody else', async () => {
    expect(await statements('Lives in Bern.', { before: 'Where does your sister live?' })).toEqual([
      "Ines's sister lives in Bern",
    ]);
  });
});
