import { describe, expect, it } from 'vitest';
import type { TurnToRead } from '../../../../src/ingest/extract/extractor.ts';
import { LocalSegmentReader } from '../../../../src/ingest/extract/local-segment-reader.ts';

const SAID_AT = Date.UTC(2026, 3, 6, 10);

/** Statements of the last turn; each line is "Speaker: text", the assistant is called Bot. */
async function statements(...lines: readonly string[]): Promise<string[]> {
  const turns = lines.map((line): TurnToRead => {
    const [speaker, content] = line.split(/: (.*)/s) as [string, string];
    return {
      speaker,
      content,
      role: speaker === 'Bot' ? 'assistant' : 'user',
      validAt: SAID_AT,
      attachments: [],
    };
  });
  const [reading] = await new LocalSegmentReader().read([turns], { known: () => false });
  const facts = reading!.extraction.facts.filter(({ turns: cited }) => cited.includes(lines.length - 1));
  return facts.map(({ statement }) => statement);
}

describe('an answer with the question before it', () => {
  it.each([
    ['Where do you work?', 'at a bakery, since 2019', 'Ines works at a bakery, since 2019'],
    ['Where do you live?', 'Lisbon', 'Ines lives in Lisbon'],
    ['Where did you grow up?', 'In Cork', 'Ines grew up in Cork'],
    ['When is the wedding?', 'june 2027, in Cork', "Ines's wedding is in june 2027, in Cork"],
    ['What is your sister called?', 'Nora', "Ines's sister is called Nora"],
    ['How long have you played the harp?', 'Since 2012', 'Ines has played the harp since 2012'],
    ['Who teaches you?', 'a sailor named Egon', 'A sailor named Egon teaches Ines'],
    ['Do you have any pets?', 'two cats, Dot and Ink', "Ines's pets are two cats, Dot and Ink"],
    ['Any pets?', 'A tortoise named Bo', "Ines's pet is a tortoise named Bo"],
    ['Do you have a budget?', '900 euros', "Ines's budget is 900 euros"],
    ['And the boiler?', 'Fixed, it took five weeks', "Ines's boiler is fixed, it took five weeks"],
    ['How is Luca?', 'In love with a trombonist', 'Luca is in love with a trombonist'],
    ['Are you vegetarian?', 'Yes', 'Ines is vegetarian'],
    ['Do you pay by the month?', 'yes, 900', 'Ines pays by the month, 900'],
  ])('%s %s', async (question, answer, statement) => {
    expect(await statements(`Bot: ${question}`, `Ines: ${answer}`)).toEqual([statement]);
  });

  it.each([
    ['My brother is engaged!', 'When is the wedding?', /^Ines's brother|^The wedding/],
    ['My mother is in hospital.', 'When is the operation?', /^Ines's mother|^The operation/],
  ])('gives no event of somebody else to the speaker: %s %s', async (told, question, owner) => {
    const made = await statements(`Ines: ${told}`, `Tom: ${question}`, 'Ines: In June 2027, in Cork.');
    expect(made.length).toBeGreaterThan(0);
    for (const statement of made) expect(statement).toMatch(owner);
  });

  it('adds a detail to what was said before the question', async () => {
    const said = [
      'Ines: I am opening a bakery.',
      'Tom: Where?',
      'Ines: In the old pharmacy on Tanner Street.',
    ];
    expect(await statements(...said)).toEqual([
      'Ines is opening a bakery in the old pharmacy on Tanner Street',
    ]);
  });

  it.each([
    ['Would you like a recipe?', 'Yes'],
    ['Can you send it?', 'Sure'],
    ['How was it?', 'Perfect'],
    ['What do you think?', 'Later'],
    ['How is it going?', 'Great, thanks'],
  ])('states nothing for an offer or a courtesy: %s %s', async (question, answer) => {
    expect(await statements(`Bot: ${question}`, `Ines: ${answer}`)).toEqual([]);
  });
});

describe('a note without its subject or verb', () => {
  it.each([
    ['Rent up by 40 from March.', "Ines's rent is up by 40 from March"],
    ['Iron low, tablets until May.', "Ines's iron is low, tablets until May (2026)"],
    ['Back from Porto.', 'Ines is back from Porto'],
    ['Need a suit, size 50.', 'Ines needs a suit, size 50'],
    ["Can't eat shellfish any more.", 'Ines cannot eat shellfish any more'],
    ['Landlord: Mr. Moss, 0341 55.', "Ines's landlord is Mr. Moss, 0341 55"],
    ['Car: sold to a student for 1,100.', "Ines's car was sold to a student for 1,100"],
    ['New neighbour, Mrs. Abara, from Lagos.', "Ines's new neighbour is Mrs. Abara, from Lagos"],
    ['Osteopath on Thursday, 5.15.', "Ines's osteopath appointment is on Thursday (9 April 2026), 5.15"],
    ['Passport is in the drawer.', "Ines's passport is in the drawer"],
    ['Told Ann about the flat.', 'Ines told Ann about the flat'],
  ])('%s', async (note, statement) => {
    expect(await statements(`Ines: ${note}`)).toEqual([statement]);
  });

  it.each(["Can't wait!", 'Love it.', "Don't worry.", 'Shopping: oats, oil, soap.', 'Rain all day.'])(
    'states nothing for %s',
    async (note) => {
      expect(await statements(`Ines: ${note}`)).toEqual([]);
    },
  );

  it('adds nothing to a sentence with a verb', async () => {
    const said = await statements('Ines: Our two kids, Mira and Rohan, started school.');
    expect(said.join()).not.toContain('kids are');
    expect(await statements('Ines: Callum passed on Friday.')).toEqual([
      'Callum passed on Friday (3 April 2026)',
    ]);
  });

  it('joins what a fragment adds to the sentence before', async () => {
    expect(await statements('Ines: Ann had the baby. A girl, Ida.')).toEqual([
      'Ann had the baby, a girl, Ida',
    ]);
    expect(await statements('Ines: Dele is engaged! To a customs officer.')).toEqual([
      'Dele is engaged to a customs officer',
    ]);
  });
});

describe('as people type', () => {
  it.each([
    ['i cant have gluten', 'Ines cannot have gluten'],
    ['my wifes a surgeon', "Ines's wife is a surgeon"],
    ['im at my dads in perth', "Ines is at Ines's dad's in perth"],
    ['my brother kieran got a place at uni', "Ines's brother Kieran got a place at uni"],
    ['ok btw remember that i moved to Leeds', 'Ines moved to Leeds'],
    ['dad died in 2019', "Ines's dad died in 2019"],
    ["sister's a vet", "Ines's sister is a vet"],
    ['They made me lead for the bridge.', 'Ines was made lead for the bridge'],
    ['Tilly is allergic to nuts', 'Tilly is allergic to nuts'],
  ])('%s', async (typed, statement) => {
    expect(await statements(`Ines: ${typed}`)).toEqual([statement]);
  });

  it('tells what stands in brackets and in relative clauses', async () => {
    expect(await statements('Ines: my boss Ida, who is retiring, recommended me')).toEqual([
      "Ines's boss Ida recommended Ines",
      "Ines's boss Ida is retiring",
    ]);
    expect(await statements('Ines: my mum (Deb, lives in Truro) sold her house')).toEqual([
      "Ines's mum sold her house",
      "Ines's mum is called Deb",
      "Ines's mum lives in Truro",
    ]);
  });

  it('tells what stands beside a question', async () => {
    expect(await statements("Ines: what should I cook for my sister Keisha, she's coeliac?")).toContain(
      "Ines's sister Keisha is coeliac",
    );
    expect(await statements('Ines: remind me to call my boss Petra')).toEqual(["Ines's boss is Petra"]);
  });
});

describe('"he" and "she"', () => {
  it('are the only person whom the sentence before names', async () => {
    expect(await statements('Ines: Dinner with Ottilie. She is moving to Ghent in May.')).toEqual([
      'Ottilie is moving to Ghent in May (2026)',
    ]);
    expect(await statements('Bot: Does Signe live nearby?', 'Ines: No, she moved to Ghent.')).toEqual([
      'Signe moved to Ghent',
    ]);
    expect(await statements('Ines: My brother Callum passed! Starts as a surveyor in May.')).toEqual([
      "Ines's brother Callum passed",
      'Callum starts as a surveyor in May (2026)',
    ]);
  });

  it('stay open where two persons are named', async () => {
    expect(await statements('Ines: Dinner with Ottilie and Ann. She is moving to Ghent.')).toEqual([]);
  });
});
