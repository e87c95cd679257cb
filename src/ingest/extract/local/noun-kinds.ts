import type { NounSense, NounTaxonomy } from '../../../inference/taxonomy/noun-taxonomy.ts';

/**
 * Kinds of what nouns name, each with the senses that it is below or is: `plant<organism` is the sense of "plant" below
 * "organism".
 */
const ROOTS = {
  relative: 'relative<person',
  occupation:
    'worker<person, professional<adult, creator<person, entertainer<person, expert<person, athlete<contestant',
  illness: 'ill health<pathological state, symptom<evidence, injury<ill health',
  food: 'food<substance, food<solid, nutriment<food',
  building: 'structure<artifact',
  vehicle: 'conveyance<instrumentality',
  animal: 'animal<organism',
  plant: 'plant<organism',
  organization: 'organization<social group',
  location: 'location<object, region<location',
  device: 'device<instrumentality',
  clothing: 'clothing<covering',
  body: 'body part<part',
  message: 'message<communication',
  document: 'writing<written communication, document<writing, publication<work',
  cognition: 'cognition<psychological feature',
  feeling: 'feeling<state',
  attribute: 'attribute<abstraction',
  possession: 'possession<relation',
  sport: 'sport<diversion, diversion<activity',
  event: 'social event<event',
  state: 'state<attribute',
  act: 'act<event',
  group: 'group<abstraction',
  substance: 'substance<matter',
  time: 'time period<fundamental quantity',
  furniture: 'furnishing<instrumentality',
  job: 'occupation<activity, job<occupation',
  drug: 'drug<agent, medicine<drug',
  art: 'art<creation, music<auditory communication',
};

export type NounKind = keyof typeof ROOTS;
/** One bit a kind, in this order. */
export const NOUN_KINDS = Object.keys(ROOTS) as readonly NounKind[];

/** A bit for each. */
export function bitsOf(kinds: readonly NounKind[]): number {
  return kinds.reduce((bits, kind) => bits | (1 << NOUN_KINDS.indexOf(kind)), 0);
}

/** The kinds of each sense, as bits in the order of `NOUN_KINDS`. */
export function kindsBySense(taxonomy: NounTaxonomy): Uint32Array {
  const { parents, starts } = taxonomy.parentTable;
  const kinds = new Uint32Array(starts.length - 1);
  for (const [at, kind] of NOUN_KINDS.entries())
    for (const sense of sensesNamed(ROOTS[kind], taxonomy)) kinds[sense]! |= 2 ** at;
  // Parents have lower numbers than their children.
  for (let sense = 0; sense < kinds.length; sense++)
    for (let at = starts[sense]!; at < starts[sense + 1]!; at++) kinds[sense]! |= kinds[parents[at]!]!;
  return kinds;
}

/** The senses of a list such as "food<substance, plant<organism". */
export function sensesNamed(list: string, taxonomy: NounTaxonomy): NounSense[] {
  return list.split(',').flatMap((each) => {
    const [name, parent] = each.trim().split('<') as [string, string];
    const isBelow = (sense: NounSense): boolean =>
      taxonomy.parentsOf(sense).some((above) => taxonomy.namesOf(above).includes(parent));
    return taxonomy.sensesOf(name).filter(isBelow);
  });
}
