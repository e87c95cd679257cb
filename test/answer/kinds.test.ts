import { expect, it } from 'vitest';
import { memberOfKind } from '../../src/answer/kinds.ts';
import { membersOfKind } from '../../src/answer/members-of-kind.ts';
import { sharedNounTaxonomy } from '../../src/inference/taxonomy/noun-taxonomy.ts';

const taxonomy = await sharedNounTaxonomy();

it.each([
  ['colour', 'color', 'We painted the door turquoise.'],
  ['colours', 'colors', 'The shed is beige.'],
  ['armour', 'armor', 'He wore a helmet.'],
  ['theatre', 'theater', 'We sat in the amphitheatre.'],
  ['fibre', 'fiber', 'The scarf is of silk.'],
  ['centre', 'center', 'They met at the rink.'],
  ['programme', 'program', 'They talked for an hour.'],
  ['neighbour', 'neighbor', 'The house is empty.'],
])('reads the kind “%s” as “%s”', (british, american, sentence) => {
  const isMember = memberOfKind(british, taxonomy)!;
  expect(isMember(sentence)).toBe(memberOfKind(american, taxonomy)!(sentence));
  expect(isMember('Nothing of it.')).toBe(false);
});

it('knows colours by either spelling of their kind, also to list them', () => {
  for (const kind of ['colour', 'color']) {
    expect(memberOfKind(kind, taxonomy)!('A crimson one with a bell.')).toBe(true);
    expect(memberOfKind(kind, taxonomy)!('An old one with a bell.')).toBe(false);
  }
  expect(membersOfKind('colours', taxonomy)!.nounsIn('Crimson and beige, with a bell.')).toEqual([
    'crimson',
    'beige',
  ]);
});

it.each([
  ['vegetable', 'Parsnips, every day.', true],
  ['vegetable', 'I could live on leeks.', true],
  ['vegetable', 'Pork, every day.', false],
  ['vegetable', 'The cat slept in the shed.', false],
  ['drink', 'A pot of matcha at four.', true],
  ['tea', 'She poured me a kombucha.', true],
  ['tea', 'She poured me a beer.', false],
])('tells whether a sentence names a %s: “%s”', (kind, sentence, isMember) => {
  expect(memberOfKind(kind, taxonomy)!(sentence)).toBe(isMember);
});
