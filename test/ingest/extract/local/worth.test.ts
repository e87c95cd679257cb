import { describe, expect, it } from 'vitest';
import { LocalExtractor } from '../../../../src/ingest/extract/local/local-extractor.ts';

const extractor = new LocalExtractor();

/** The statements of turns such as "Tom: Hello.", each by the speaker before the colon. */
async function statementsOfTalk(...turns: string[]): Promise<string[]> {
  const unit = turns.map((turn) => {
    const [speaker, content] = [turn.slice(0, turn.indexOf(':')), turn.slice(turn.indexOf(':') + 2)];
    return { content, speaker, role: 'user' as const, validAt: Date.UTC(2026, 2, 2, 9), attachments: [] };
  });
  const { facts } = await extractor.extract(unit, { known: () => false });
  return facts.map(({ statement }) => statement);
}

function statementsOf(content: string): Promise<string[]> {
  return statementsOfTalk('Tom: Hello.', `Ines: ${content}`);
}

describe('what is worth a fact', () => {
  it.each([
    'My favorite color is blue.',
    'My wife, Eva, is a nurse.',
    'My sister is pregnant.',
    'My landlord is called Piet.',
    'I owe Tom 20 euros.',
    'I promised Tom to fix his bike.',
    'I quit smoking.',
    'I take metformin every morning.',
    "I'm looking for a flat in Leipzig.",
    'Tom asked me to water his plants.',
    'Cheese gives me migraines.',
    'Pollen gives me asthma.',
  ])('is: %s', async (said) => expect(await statementsOf(said)).toHaveLength(1));

  it.each([
    'I decided.',
    'I am so inspired and motivated.',
    'I want to make sure that I understand the concept.',
    'I am trying to stay positive.',
    'Art gives me a sense of freedom.',
    'Family is everything.',
    'I hope it helps.',
    'I lent it to somebody.',
    'I tried the new phone.',
    'I saw a boy.',
    'I heard people cry.',
    'Some people miss the meeting.',
  ])('is not: %s', async (said) => expect(await statementsOf(said)).toEqual([]));
});

describe('a statement reads alone', () => {
  it.each([
    [
      'We used to rock a song by Tupac and Dr. Dre called "California Love".',
      'Ines used to rock a song by Tupac and Dr. Dre called "California Love"',
    ],
    ["Since we last chatted, I've been looking into counseling.", 'Ines has been looking into counseling'],
    ['I prefer tea to coffee, remember that.', 'Ines prefers tea to coffee'],
    ['Tom is allergic to eggs, btw', 'Tom is allergic to eggs'],
    ['I wrote a script for that.', 'Ines wrote a script'],
    ['I deployed the shop on Sunday and got this:', 'Ines deployed the shop on Sunday (1 March 2026)'],
    ['The piano arrives on 5 April.', 'The piano arrives on 5 April (2026)'],
    ['My birthday is on 3 May.', "Ines's birthday is on 3 May"],
  ])('%s', async (said, statement) => expect(await statementsOf(said)).toContain(statement));
});

describe('a pronoun', () => {
  it.each([
    [
      ['Ines: My brother has a baby.', 'Tom: Great.', 'Ines: He works nights at the post office.'],
      "Ines's brother works nights at the post office",
    ],
    [
      ['Ines: My sister lives in Graz. Tom visited her there in May.'],
      "Tom visited Ines's sister there in May (2025)",
    ],
    [['Ines: My landlord is strict. His office is in Ghent.'], "Ines's landlord's office is in Ghent"],
    [['Ines: My car broke down on Monday. I sold it to Piet.'], "Ines sold Ines's car to Piet"],
    [["Ines: I borrowed Piet's bike. I will pay him 250 euros."], 'Ines will pay Piet 250 euros'],
    [['Tom: The boss gave me a raise. He is leaving in June.'], "Tom's boss is leaving in June (2026)"],
  ])('means the only one that fits: %s', async (turns, statement) => {
    expect(await statementsOfTalk('Tom: Hello.', ...turns)).toContain(statement);
  });

  it.each([
    [['Ines: Piet met Karl at the station. I lent him 20 euros.']],
    [['Ines: In love with a dentist. She met him in a queue.']],
    [['Ines: I bought a table and a lamp. I sold it to Tom.']],
    [['Ines: Somebody left his keys with me.']],
    [['Ines: The weather was fine. It rained later.']],
  ])('stays where several or none fit: %s', async (turns) => {
    const found = await statementsOfTalk('Tom: Hello.', ...turns);
    for (const name of [
      'lent Piet',
      'lent Karl',
      'dentist met',
      'sold the table',
      'sold the lamp',
      "Ines's keys",
    ])
      expect(found.join('; ')).not.toContain(name);
  });

  it('is cited with the turn that names whom it means', async () => {
    const { facts } = await extractor.extract(
      ['My brother is a baker.', 'He lives in Odense.'].map((content) => {
        return {
          content,
          speaker: 'Ines',
          role: 'user' as const,
          validAt: Date.UTC(2026, 2, 2),
          attachments: [],
        };
      }),
      { known: () => false },
    );
    const fact = facts.find(({ statement }) => statement === "Ines's brother lives in Odense");
    expect(fact?.turns).toEqual([0, 1]);
  });
});

describe('a thing without its owner', () => {
  it.each([
    ['Dog is called Keith.', "Ines's dog is called Keith"],
    ['New neighbour is called Ottilie.', "Ines's new neighbour is called Ottilie"],
    ['The landlord wants 900 euros.', "Ines's landlord wants 900 euros"],
  ])('is the speaker’s: %s', async (said, statement) => {
    expect(await statementsOf(said)).toContain(statement);
  });

  it('is of the only one who has one', async () => {
    const found = await statementsOfTalk('Tom: My dog is ill.', 'Ines: Oh no. The dog needs a vet in Ghent.');
    expect(found).toContain("Tom's dog needs a vet in Ghent");
  });

  it.each(['The station is in Ghent.', 'Exams can be hard.', 'The course starts on Friday.'])(
    'stays as it is: %s',
    async (said) => {
      expect((await statementsOf(said)).join()).not.toContain("Ines's");
    },
  );
});
