import { describe, expect, it } from 'vitest';
import { readNounTaxonomy } from '../../../../src/inference/taxonomy/noun-taxonomy.ts';
import { LocalExtractor } from '../../../../src/ingest/extract/local/local-extractor.ts';
import { createNounLexicon } from '../../../../src/ingest/extract/local/noun-lexicon.ts';
import { CLUTTER, NAMED_ONCE } from './named-things.ts';

const extractor = new LocalExtractor();

/** Names of the things that Ann mentions, in lower case. */
async function entitiesOf(content: string): Promise<string[]> {
  const turn = (speaker: string, text: string) => {
    return { content: text, speaker, role: 'user' as const, validAt: Date.UTC(2024, 5, 10), attachments: [] };
  };
  const unit = [turn('Tom', 'How have you been?'), turn('Ann', content)];
  const { entities } = await extractor.extract(unit, { known: () => false });
  return entities.flatMap(({ name, turns }) => (turns.includes(1) ? [name.toLowerCase()] : []));
}

async function missed(cases: typeof NAMED_ONCE): Promise<string[]> {
  const found = await Promise.all(cases.map(([said]) => entitiesOf(said)));
  return cases.flatMap(([said, thing], at) =>
    found[at]!.some((name) => name === thing || name.endsWith(` ${thing}`)) ? [] : [said],
  );
}

describe('a thing that is named once', () => {
  /** Reading facts alone finds 62 of the 136. */
  it('is found, for every kind and every phrasing', async () => {
    const lost = await missed(NAMED_ONCE);
    expect(lost.length / NAMED_ONCE.length, lost.join('\n')).toBeLessThanOrEqual(0.05);
  });

  it.each([
    ['after a childhood', 'As a boy I hid a newt under my bed for a week.', 'newt'],
    ['all of them', 'The snails ate all my parsley.', 'parsley'],
    ['work under others', 'They took me on as a plasterer.', 'plasterer'],
    ['a word that is a verb too', 'Somebody asked for curry.', 'curry'],
    ['a gerund', 'They talked me into wrestling.', 'wrestling'],
    ['a compound with a gerund', 'She has a sewing machine.', 'sewing machine'],
    ['what was done to somebody', 'A moose chased me around the car.', 'moose'],
    ['before an old adjective', 'He wears his old moccasins.', 'moccasins'],
  ])('%s: %s', async (_, said, thing) => expect(await entitiesOf(said)).toContain(thing));

  it('does not include everyday objects', async () => {
    const noted = await Promise.all(CLUTTER.map((noun) => entitiesOf(`They had nothing but the ${noun}.`)));
    expect(CLUTTER.filter((noun, at) => noted[at]!.includes(noun))).toEqual([]);
    expect(await entitiesOf('They had nothing but the goat.')).toContain('goat');
  });

  it.each(['Did it eat the goat?', 'Ugh, wonderful, it ate the goat again. Not.'])(
    'only if it is stated: %s',
    async (said) => expect(await entitiesOf(said)).not.toContain('goat'),
  );

  it.each([
    ['Offer flexible scheduling', 'flexible scheduling'],
    ['Explore Barcelona', 'barcelona'],
    ['Add more roasted peppers', 'roasted peppers'],
    ['Many farms offer cooking classes.', 'cooking classes'],
    ['Schedule regular ocean tours', 'regular ocean tours'],
    ['Sue Miller', 'sue miller'],
  ])('an instruction or a clause is not read as a name: %s', async (said, thing) => {
    const names = (await entitiesOf(said)).filter((name) => name.endsWith(thing));
    expect(names).toEqual([thing]);
  });

  it('a verb is not read as a noun', async () => {
    expect(await entitiesOf('I like to stew apples.')).not.toContain('stew');
    expect(await entitiesOf('He got hurt.')).not.toContain('hurt');
    expect(await entitiesOf('They ended up wrestling him to the ground.')).not.toContain('wrestling');
    expect(await entitiesOf('They kept wrestling down the burglar.')).not.toContain('wrestling');
  });
});

describe('NounLexicon', async () => {
  const lexicon = createNounLexicon(await readNounTaxonomy());

  it.each([
    'goat',
    'goats',
    'carrots',
    'scarlet fever',
    'judo',
    'clarinet',
    'armchair',
    'brie',
    'kayaking',
    'checkers',
  ])('%s is a thing', (noun) => expect(lexicon.isThing(noun)).toBe(true));

  it.each([
    '',
    'ing',
    'thing',
    'bird',
    'bed',
    'door',
    'neck',
    'dinner',
    'kindness',
    'qwxyz',
    'qwxyzing',
    '__proto__',
    'constructor',
  ])('%s is not a thing', (noun) => expect(lexicon.isThing(noun)).toBe(false));

  it('recognises occupations, and skips people whose name is one', () => {
    expect(
      ['baker', 'librarian', 'nurse', 'courier', 'cashier'].filter((noun) => !lexicon.isOccupation(noun)),
    ).toEqual([]);
    expect(['goat', 'child', 'stranger', 'cousin'].filter((noun) => lexicon.isOccupation(noun))).toEqual([]);
  });
});
