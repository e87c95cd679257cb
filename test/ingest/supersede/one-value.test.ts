import { describe, expect, it } from 'vitest';
import { LocalSuperseder } from '../../../src/ingest/supersede/local-superseder.ts';
import { judgedFact } from './judged-facts.ts';

async function isEnded(earlier: string, later: string, day = 30): Promise<boolean> {
  const old = judgedFact(earlier);
  const fact = judgedFact(later, { day, order: 1, said: later });
  return (await new LocalSuperseder().supersede([{ fact, candidates: [old] }])).length > 0;
}

describe('an attribute with one value', () => {
  it.each([
    ["Ann's name is Guoyu Li", "Ann's name is Guosong Li"],
    ["Ann's last name is Berg", "Ann's surname is Meyer"],
    ["Ann's job title is data analyst", "Ann's job title is team lead"],
    ["Ann's time zone is CET", "Ann's timezone is PST"],
    ["Ann's weight is 60 kg", "Ann's weight is 58 kg"],
    ["Ann's weight is 80 kg", 'Ann weighs 76 kg now'],
    ["Ann's favourite colour is blue", "Ann's favorite color is green"],
    ["Ann's e-mail is ann@x.org", "Ann's email address is ann@y.org"],
    ["Ann's mobile number is 555-0100", "Ann's new phone number is 555-0199"],
    ["Ann's Wi-Fi password hint is cats", "Ann's Wi-Fi password hint is dogs"],
    ["Ann's car is a Fiat", "Ann's car is a Volvo"],
    ["Ann's car is a Fiat", 'Ann drives a Volvo now'],
    ["Ann's car is red", "Ann's car is blue"],
    ["Ann's salary is $50k", "Ann's salary is $60k"],
    ["Ann's salary is $50k", 'Ann earns $60k a year now'],
    ["Ann's nickname is Bo", "Ann's nickname is Bee"],
    ["Ann's blood type is A", "Ann's blood type is 0 negative"],
    ["Ann's shoe size is 42", "Ann's shoe size is 43"],
    ["Ann's mentor is Ina", "Ann's mentor is Bob"],
    ["Ann's supervisor is Dr. Lee", "Ann's supervisor is Dr. Kim"],
    ["Ann's landlord is Mr. Smith", "Ann's landlord is Mrs. Jones"],
    ["Ann's birthday is 3 May", "Ann's date of birth is 4 May"],
    ["Ann's address is 12 Oak Street", "Ann's address is 5 Elm Road"],
    ["Ann's current project is Mnemis", "Ann's current project is Atlas"],
    ["Ann's password manager is Bitwarden", "Ann's password manager is KeePass"],
    ["Ann's Spanish level is B1", "Ann's Spanish level is B2"],
    ["Ann's editor is vim", 'Ann uses Helix as her editor'],
    ["Ann's editor is vim", "Ann switched Ann's editor to emacs"],
    ["Ann's name is Al", "Ann changed Ann's name to Rob"],
    ["Ann's rent is 900 euros", "Ann's rent went up to 950 euros"],
    ["Ann's wife's birthday is 3 May", "Ann's wife's birthday is 4 May"],
    ["Ann's pronouns are she/her", "Ann's pronouns are they/them"],
    ["Cricket is Ann's favourite sport", "Volleyball is Ann's favourite sport now"],
    ["Maria is Ann's boss", "Ann's boss is Tom"],
    ["Ann's boss is Tom", "Ann's boss is no longer Tom"],
    ["Ann's e-mail is ann@x.org", "Ann's e-mail is not ann@x.org any more"],
    ['Tom is the CEO of Acme', 'Ida is the CEO of Acme'],
    ['Ann prefers tea', 'Ann prefers coffee'],
    ['Ann prefers dark mode', 'Ann prefers light mode'],
    ['Ann prefers short answers', 'Ann prefers detailed answers'],
    ['Ann prefers window seats', 'Ann prefers aisle seats'],
  ])('%s — ended: %s', async (earlier, later) => {
    expect(await isEnded(earlier, later)).toBe(true);
  });

  it.each([
    ["Ann's friend is Tom", "Ann's friend is Ida"],
    ["Ann's sister is Eva", "Ann's sister is Ina"],
    ["Ann's child is called Max", "Ann's child is called Eva"],
    ["Ann's son is 5 years old", "Ann's son is 7 years old"],
    ["Ann's cat's name is Tom", "Ann's cat's name is Kitty"],
    ["Ann's dog is a Poodle", "Ann's dog is a Beagle"],
    ["Ann's friend's phone number is 555-0100", "Ann's friend's phone number is 555-0199"],
    ["Ann's hobby is chess", "Ann's hobby is painting"],
    ["Ann's allergy is peanuts", "Ann's allergy is cats"],
    ["Ann's goal is to run a marathon", "Ann's goal is to learn Spanish"],
    ["Ann's car is a Fiat", "Ann's car is red"],
    ["Ann's car is red", "Ann's car is fast"],
    ["Ann's car is a Fiat", "Ann's other car is a Volvo"],
    ["Ann's car is a Fiat", "Ann's car is a Fiat 500"],
    ["Ann's car is a Fiat", "Tom's car is a Volvo"],
    ["Ann's boss is Maria", "Ann's boss is strict"],
    ["Ann's boss is Maria", "Ann's boss is not Tom"],
    ["Ann's boss is Maria", "Ann's boss is Belgian"],
    ["Ann's boss is Maria", "Ann's boss is also Tom"],
    ["Ann's boss is a Belgian", "Ann's boss is a Buddhist"],
    ["Ann's email is ann@x.org", "Ann's work email is ann@y.org"],
    ["Ann's name is Ann Berg", "Ann's name is Ann"],
    ["Ann's name is Ann", "Ann's dog's name is Rex"],
    ["Ann's salary is $50k", "Ann's salary is too low"],
    ["Ann's favourite drink is tea", "Ann's favourite food is pizza"],
    ["Ann's favourite fantasy book is Dune", "Ann's favourite crime book is Emma"],
    ['Rome is the capital of Italy', 'Paris is the capital of France'],
    ['Max is the son of Ann', 'Leo is the son of Ann'],
    ['Ann prefers tea', 'Ann prefers short answers'],
    ['Ann prefers tea in the morning', 'Ann prefers coffee in the evening'],
    ['Ann prefers cheap hotels', 'Ann prefers quiet hotels'],
    ['Ann drives a Saab', 'Ann drives a tractor on the farm'],
  ])('%s — both hold: %s', async (earlier, later) => {
    expect(await isEnded(earlier, later)).toBe(false);
  });

  it('ends the older value on the same day too', async () => {
    expect(await isEnded("Ann's name is Guoyu Li", "Ann's name is Guosong Li", 0.01)).toBe(true);
  });
});

describe('a quantity', () => {
  it.each([
    ['Ann has 2 kids', 'Ann has 3 kids now'],
    ['Ann has two kids', 'Ann has three kids'],
    ['Ann has two kids', 'Ann has a third child'],
    ['Ann has two kids', "Ann had Ann's third child"],
    ['Ann owns two cats', 'Ann has four cats now'],
    ['Ann has no kids', 'Ann has one kid'],
    ['Ann runs 5 km a week', 'Ann runs 20 km a week'],
    ['Ann smokes 10 cigarettes a day', 'Ann smokes 5 cigarettes a day'],
    ['Ann speaks 2 languages', 'Ann speaks three languages now'],
    ["Ann's channel has 1,000 subscribers", "Ann's channel has 1,500 subscribers"],
    ['Ann and others are four in the team', 'Ann and others are five in the team'],
    ['The rent costs 900 euros a month', 'The rent costs 950 euros a month'],
    ['Ann works 40 hours a week', 'Ann works 32 hours a week now'],
    ['Tom is 180 cm tall', 'Tom is 181 cm tall'],
  ])('%s — ended: %s', async (earlier, later) => {
    expect(await isEnded(earlier, later)).toBe(true);
  });

  it.each([
    ['Ann has 2 kids', 'Ann has 3 cats'],
    ['Ann has 2 kids', 'Tom has 3 kids'],
    ['Ann has 2 kids', 'Ann has two kids'],
    ['Ann bought 2 books', 'Ann bought 3 books'],
    ['Ann ate 2 eggs', 'Ann ate 3 eggs'],
    ['Ann runs 5 km a week', 'Ann swims 2 km a week'],
    ['Ann takes 2 pills in the morning', 'Ann takes 3 pills in the evening'],
    ['Ann has 2 tickets for the opera', 'Ann has 3 tickets for the match'],
    ['Ann has two sisters', 'Ann has one brother'],
    ['Ann has a cat', 'Ann has 2 dogs'],
    ['Ann has 2 kids', 'Ann also has 3 kids from before'],
  ])('%s — both hold: %s', async (earlier, later) => {
    expect(await isEnded(earlier, later)).toBe(false);
  });
});

describe('what a thing is', () => {
  it.each([
    ['Hubble is a Synology NAS', 'Hubble is a fnOS NAS'],
    ['Hubble is a Synology NAS', 'Hubble is now a Raspberry Pi'],
    ['The backup server is a Dell R720', 'The backup server is a Dell R740'],
    ['The meeting is on Monday', 'The meeting is on Thursday'],
    ['The meeting is on Monday at 10', 'The meeting is on Tuesday at 10'],
    ['The meeting is on Tuesday', 'The meeting was moved to Thursday'],
    ['The meeting is in room 4', 'The meeting is in room 7'],
    ['The standup starts at 9', 'The standup starts at 10'],
    ['The deadline is 5 May', 'The deadline is 12 May'],
    ['The deadline is 5 May', 'The deadline was extended to 12 May'],
    ["Ann's deadline is 5 June", 'The deadline is now 12 June'],
    ['The server runs Debian 11', 'The server runs Debian 12'],
    ['The project is written in Go', 'The project is written in Rust now'],
    ['The build is on version 1.2', 'The build is on version 1.3'],
    ['The project status is green', 'The project status is red'],
    ['Tom is a nurse', 'Tom is a teacher now'],
  ])('%s — ended: %s', async (earlier, later) => {
    expect(await isEnded(earlier, later)).toBe(true);
  });

  it.each([
    ['Paris is a city', 'Paris is beautiful'],
    ['Paris is a city', 'Paris is a popular destination'],
    ['Tom is a nurse', 'Tom is a father now'],
    ['Tom is a German', 'Tom is a Buddhist'],
    ['Tom is a good friend', 'Tom is a nurse'],
    ['The meeting is on Monday', 'The meeting is in room 4'],
    ['The meeting is on Monday', 'The meeting is at 9:30'],
    ['The meeting with Tom is on Monday', 'The meeting with Ann is on Tuesday'],
    ['The first meeting is on Monday', 'The second meeting is on Tuesday'],
    ['The deadline for the report is 5 May', 'The deadline for the taxes is 12 May'],
    ["Ann's deadline is 5 May", "Tom's deadline is 12 May"],
    ["Ann's deadline is 5 May", 'The deadline is 12 May'],
    ['The server runs Debian 11', 'The laptop runs Windows 11'],
    ['Hubble is a Synology NAS', 'Voyager is a fnOS NAS'],
  ])('%s — both hold: %s', async (earlier, later) => {
    expect(await isEnded(earlier, later)).toBe(false);
  });
});

describe('a move', () => {
  it.each(
    (
      'Quito Kyiv Lviv Mobile Orange Champagne Jersey Georgia Chad Turkey Jordan Austria Peru Kenya Texas Bavaria ' +
      'Sunnyvale Whitby Aalst Ouagadougou Zwolle Oudenaarde Saint-Malo Marfa Stow-on-the-Wold'
    ).split(' '),
  )('to %s ends the former home, and one from there ends that', async (place) => {
    expect(await isEnded('Mara lives in Wellington', `Mara moved to ${place}`)).toBe(true);
    expect(await isEnded('Mara lives in Wellington', `Mara relocated to ${place}`)).toBe(true);
    expect(await isEnded('Mara lives in Wellington', `Mara lives in ${place} now`)).toBe(true);
    expect(await isEnded(`Mara lives in ${place}`, 'Mara moved to Wellington')).toBe(true);
  });

  it.each([
    ['Boston', 'Texas'],
    ['London', 'Scotland'],
    ['Oslo', 'a small flat in Quito'],
    ['Kenya', 'Lisbon'],
    ['Germany', 'Aalst'],
    ['Texas', 'California'],
  ])('from %s to %s ends the former home', async (from, to) => {
    expect(await isEnded(`Mara lives in ${from}`, `Mara moved to ${to}`)).toBe(true);
  });

  it.each([
    ['Ghent', 'Belgium'],
    ['Belgium', 'Ghent'],
    ['Ghent', 'Europe'],
    ['Austin', 'Texas'],
    ['Texas', 'Austin'],
    ['Boston', 'the USA'],
    ['London', 'the UK'],
    ['Munich', 'Bavaria'],
  ])('from %s to %s tells where the home is', async (from, to) => {
    expect(await isEnded(`Mara lives in ${from}`, `Mara moved to ${to}`)).toBe(false);
  });

  it.each([
    'moved to the sales team',
    'moved to tears',
    'moved to a bigger flat',
    'moved to Python',
    'moved to Linux from Windows',
    'moved to Notion from Evernote',
    'moved to AWS',
    'moved to Marketing',
    'moved to Deutsche Bank',
    'moved to the Berlin office',
    'moved to Room 12',
    'moved to Globex as a manager',
    "moved Mara's desk to the window",
    'moved to a new office in Ghent',
  ])('of another kind ends no home: %s', async (said) => {
    expect(await isEnded('Mara lives in Porto', `Mara ${said}`)).toBe(false);
  });
});
