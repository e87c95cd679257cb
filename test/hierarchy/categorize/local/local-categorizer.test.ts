import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LocalCategorizer } from '../../../../src/hierarchy/categorize/local/local-categorizer.ts';
import type {
  CategorizeRequest,
  LayerNode,
  ProposedCategory,
} from '../../../../src/hierarchy/categorizer.ts';
import { categoryKey, categoryNames, SPEAKER } from '../../../../src/hierarchy/category-name.ts';
import { readNounTaxonomy } from '../../../../src/inference/taxonomy/noun-taxonomy.ts';

const taxonomy = await readNounTaxonomy();
const categorizer = new LocalCategorizer(taxonomy);

function nodesOf(names: readonly string[], kind = 'thing'): LayerNode[] {
  return names.map((name) => ({ id: `${kind}:${name}`, name, tags: [kind], vector: null }));
}

async function group(
  nodes: readonly LayerNode[],
  options: Partial<CategorizeRequest> = {},
): Promise<readonly ProposedCategory[]> {
  const due = new Set(nodes.map(({ id }) => id));
  const request = {
    layer: 1,
    nodes,
    due,
    loose: new Set<string>(),
    known: [],
    minimumChildren: 3,
    ...options,
  };
  const { categories, notes, usage } = await categorizer.categorize(request);
  expect(notes).toEqual([]);
  expect(usage.calls).toBe(0);
  return categories;
}

function shown(categories: readonly ProposedCategory[]): Record<string, string[]> {
  const named = (id: string) => id.slice(id.indexOf(':') + 1);
  return Object.fromEntries(categories.map(({ name, nodes }) => [name, nodes.map(named)]));
}

/** Builds the next layer: a category per proposal, a promoted node for each of the others. */
function nextLayer(nodes: readonly LayerNode[], categories: readonly ProposedCategory[]): LayerNode[] {
  const placed = new Set(categories.flatMap((category) => category.nodes));
  const made = categories.map(({ name, tags }) => ({ id: `category:${name}`, name, tags, vector: null }));
  const promoted = nodes.filter(({ id }) => !placed.has(id));
  return [...made, ...promoted.map((node) => ({ ...node, id: `promoted:${node.name}` }))];
}

const EVERYDAY = [
  ...nodesOf(['golden retriever', 'kitten', 'hamster', 'eagle', 'horse', 'goldfish', 'rose', 'oak tree']),
  ...nodesOf(['Paris', 'Berlin', 'Zagreb', 'Tokyo', 'Germany', 'France', 'Slovenia'], 'place'),
  ...nodesOf(['pizza', 'ramen', 'lasagna', 'tennis', 'surfing', 'basketball', 'guitar', 'piano', 'violin']),
  ...nodesOf(['asthma', 'diabetes', 'insulin', 'ibuprofen', 'antibiotics', 'physical therapy']),
  ...nodesOf(['PostgreSQL', 'Docker', 'TypeScript', 'mortgage', 'salary', 'monthly budget']),
  ...nodesOf(['pottery class', 'pottery project', 'pottery', 'road trip', 'business trip', 'camping trip']),
  ...nodesOf(['Aunt May', 'Uncle Tom', 'grandmother', 'best friend', 'roommate', 'dentist'], 'person'),
  ...nodesOf(['12 May 2023', '15 May 2023', 'May 2023', '2 July 2023', '2023-07-09', 'July 2023'], 'date'),
  ...nodesOf(['user'], 'person'),
];

it.each([
  [
    ['cat', 'dog', 'parrot', 'rabbit', 'quark', 'gluon', 'boson'],
    { Animals: ['cat', 'dog', 'parrot', 'rabbit'], Nature: ['quark', 'gluon', 'boson'] },
  ],
  [
    ['hammer', 'drill', 'saw', 'guitar', 'piano', 'violin'],
    { Instruments: ['guitar', 'piano', 'violin'], Tools: ['hammer', 'drill', 'saw'] },
  ],
])('a small memory separates groups at the finest level: %s', async (names, categories) => {
  const places = nodesOf(['Norway', 'Sweden'], 'place');
  expect(shown(await group(nodesOf(names)))).toEqual(categories);
  // Two places do not become things, and three countries would be a category.
  expect(shown(await group([...nodesOf(names), ...places]))).toEqual(categories);
});

describe('categories of entities', () => {
  it.each<[string, string, string[]]>([
    ['Cities', 'place', ['Paris', 'Berlin', 'Zagreb', 'Tokyo']],
    ['Countries', 'place', ['Germany', 'France', 'Japan']],
    ['Pets', 'thing', ['golden retriever', 'kitten', 'hamster', 'guinea pig']],
    ['Birds', 'thing', ['eagle', 'parakeet', 'robins']],
    ['Instruments', 'thing', ['acoustic guitar', 'piano', 'clarinet']],
    ['Sports', 'thing', ['tennis', 'badminton', 'rock climbing', 'basketball']],
    ['Dishes', 'thing', ['sushi', 'ramen', 'lasagna']],
    ['Desserts', 'thing', ['apple pie', 'cheesecake', 'tiramisu']],
    ['Illnesses', 'thing', ['asthma', 'diabetes', 'high blood pressure']],
    ['Medicines', 'thing', ['insulin', 'ibuprofen', 'antibiotics']],
    ['Software', 'thing', ['PostgreSQL', 'Docker', 'TypeScript', 'VS Code']],
    ['Family', 'person', ['grandmother', 'sister', 'daughter', 'brother-in-law']],
    ['Friends', 'person', ['best friend', 'friends', 'old pal']],
    ['Feelings', 'thing', ['enthusiasm', 'jealousy', 'homesickness']],
    ['Organisations', 'organisation', ['Red Cross', 'Zaneblik', 'Quexal']],
    ['Named people', 'person', ['Caroline', 'Bob Smith', 'Zaneblik']],
    ['Books', 'thing', ['novels', 'biography of a queen', 'favourite book']],
  ])('finds %s', async (name, kind, names) => {
    expect(shown(await group(nodesOf(names, kind)))).toEqual({ [name]: names });
  });

  it('also groups names that share a word, a kind or an acronym', async () => {
    const names = [
      'pottery class',
      'pottery project',
      'old pottery',
      'LGBTQ rights',
      'LGBTQ parade',
      'LGBTQ youth',
    ];
    const categories = shown(await group(nodesOf(names)));
    expect(categories.Pottery).toEqual(names.slice(0, 3));
    expect(categories.LGBTQ).toEqual(names.slice(3));
  });

  it('gives a word with a joining sign a valid name', async () => {
    const names = ['R&B concert', 'R&B singer', 'R&B cake'];
    expect(Object.keys(shown(await group(nodesOf(names))))).toContain('R B');
  });

  it('makes no theme from adjectives and empty words', async () => {
    const names = [
      'local church',
      'local politics',
      'local hospital',
      'good thing',
      'same thing',
      'real thing',
    ];
    const categories = Object.keys(shown(await group(nodesOf(names))));
    expect(categories.filter((name) => /local|thing$/i.test(name))).toEqual([]);
  });

  it('has no category for what is too abstract to browse by', async () => {
    const abstract = ['amount', 'idea', 'way', 'larger quantity', 'aspects', 'situation', 'act', 'group'];
    const vectors = ['concept', 'amount', 'measure'].map((name) => ({
      ...nodesOf([name], 'thing')[0]!,
      id: `near:${name}`,
      vector: new Float32Array([1, 0]),
    }));
    const pets = nodesOf(['dog', 'cat', 'hamster']).map((pet) => ({ ...pet, vector: vectors[0]!.vector }));
    const categories = shown(await group([...nodesOf(abstract), ...vectors, ...pets]));
    expect(Object.keys(categories)).toEqual(['Miscellaneous', 'Pets']);
    expect(categories.Pets).toEqual(['dog', 'cat', 'hamster']);
  });

  it('puts a name into a kind by its head: a view of a city is no city', async () => {
    const cities = nodesOf(['Paris', 'Berlin', 'old city'], 'place');
    const about = nodesOf(['city skyline views', 'city map', 'city tour', 'city lights']);
    const categories = shown(await group([...cities, ...about]));
    expect(categories.Cities).toEqual(['Paris', 'Berlin', 'old city']);
    const trips = nodesOf(['dream trip', 'beach trips', 'trip', 'trip budget', 'trip photo']);
    expect(shown(await group(trips)).Trips).toEqual(['dream trip', 'beach trips', 'trip']);
  });

  it('makes no theme of a capitalised word that is neither a noun nor a name in memory', async () => {
    const names = ['Add salt', 'Add butter', 'Add parsley', 'Luna', 'Luna breed', 'Luna toys', 'Luna walks'];
    const categories = shown(await group([...nodesOf(names), ...SMALL]));
    expect(categories.Luna).toEqual(['Luna breed', 'Luna toys', 'Luna walks']);
    expect(Object.keys(categories)).not.toContain('Add');
  });

  it('takes no common noun for a place, even if it was read as one', async () => {
    const places = nodesOf(['Athlone', 'Woodhaven', 'Zanebl', 'Recovery', 'Ceramics', 'Black'], 'place');
    expect(shown(await group([...places, ...SMALL])).Places).toEqual(['Athlone', 'Woodhaven', 'Zanebl']);
  });

  it('groups dates by month, and by year if months have few', async () => {
    const may = ['12 May 2023', '2023-05-15', 'May 2023'];
    const july = ['2 July 2023', '9 July 2023', 'July 2023'];
    const rest = ['1 March 2023', 'summer 2023', '2023'];
    const years = ['2019', 'June 2019', '3 January 2019'];
    expect(shown(await group(nodesOf([...may, ...july, ...rest, ...years], 'date')))).toEqual({
      'May 2023': may,
      'July 2023': july,
      'Other dates of 2023': rest,
      2019: years,
    });
  });

  it('has one category for first-person speakers, however few they are', async () => {
    const nodes = nodesOf(['user', 'I', 'Caroline', 'Melanie', 'Jon'], 'person');
    expect(shown(await group(nodes))).toEqual({
      [SPEAKER]: ['user', 'I'],
      'Named people': ['Caroline', 'Melanie', 'Jon'],
    });
  });

  it('distinguishes names from nouns by capitals if nouns are in lower case', async () => {
    const nouns = nodesOf(['pottery class', 'long walk', 'apple pie', 'new job', 'blue car']);
    const names = nodesOf(['Oscar', 'Shadow', 'Coco', 'Max']);
    expect(shown(await group([...nouns, ...names])).Names).toEqual(['Oscar', 'Shadow', 'Coco', 'Max']);
  });

  it('chooses among meanings by the kind of an entity', async () => {
    const names = ['church', 'school', 'hospital'];
    const [place, organisation] = [
      await group(nodesOf(names, 'place')),
      await group(nodesOf(names, 'organisation')),
    ];
    expect(Object.keys(shown(place))).toEqual(['Buildings']);
    expect(Object.keys(shown(organisation))).not.toContain('Buildings');
  });

  it('moves entities one category up if too few share the finer one', async () => {
    expect(shown(await group(nodesOf(['eagle', 'kitten', 'goldfish'])))).toEqual({
      Animals: ['eagle', 'kitten', 'goldfish'],
    });
    expect(shown(await group(nodesOf(['eagle', 'rose', 'thunderstorm'])))).toEqual({
      Nature: ['eagle', 'rose', 'thunderstorm'],
    });
  });

  it('places names that the taxonomy does not know by vector', async () => {
    const vectors = { near: [1, 0, 0], far: [0, 1, 0], else: [0, 0, 1] };
    const at = (name: string, place: keyof typeof vectors): LayerNode => ({
      id: `thing:${name}`,
      name,
      tags: ['thing'],
      vector: new Float32Array(vectors[place]),
    });
    const known = ['guitar', 'piano', 'violin'].map((name) => at(name, 'near'));
    const alike = ['blorp', 'grumfle', 'zanebliks'].map((name) => at(name, 'far'));
    const categories = shown(await group([...known, at('quenk', 'near'), ...alike, at('yoink', 'else')]));
    expect(categories.Instruments).toEqual(['guitar', 'piano', 'violin', 'quenk']);
    expect(categories.Blorp).toEqual(['blorp', 'grumfle', 'zanebliks']);
    expect(Object.keys(categories)).toHaveLength(2);
  });

  it('returns no categories without nodes', async () => {
    expect(await group([])).toEqual([]);
    expect(await group(nodesOf(['eagle', 'rose']))).toEqual([]);
    expect(await group(nodesOf(['', '  ', '???', '🎉']))).toEqual([
      expect.objectContaining({ name: 'Miscellaneous' }),
    ]);
  });

  it('stops when it is cancelled', async () => {
    const calls = { signal: AbortSignal.abort() };
    const none = new Set<string>();
    const request = { layer: 1, nodes: EVERYDAY, due: none, loose: none, known: [], minimumChildren: 3 };
    await expect(categorizer.categorize(request, calls)).rejects.toMatchObject({ code: 'cancelled' });
  });
});

/** Names in lower case, so that a capital marks a proper name. */
const SMALL = nodesOf(['apple pie', 'lemon cake', 'cheesecake', 'long walk', 'picnic']);

describe('meanings of names', () => {
  it('keeps a name within other names together, as written', async () => {
    const names = ['Harry Potter films', 'Harry Potter party', 'Harry Potter stuff'];
    const categories = shown(await group([...nodesOf(names), ...SMALL]));
    expect(categories['Harry Potter']).toEqual(names);
    expect(Object.keys(categories).filter((name) => /^(?:Harr|Potter)(?:y|ie)?s?$/.test(name))).toEqual([]);
  });

  it('makes one category if two words are shared by the same names', async () => {
    const names = ['LGBTQ NBA show', 'LGBTQ NBA group', 'LGBTQ NBA fan'];
    expect(shown(await group(nodesOf(names)))).toEqual({ LGBTQ: names });
  });

  it('uses the singular for a word that modifies others', async () => {
    const names = ['puppy food', 'puppy bed', 'puppy class', 'puppy video', 'puppy'];
    expect(shown(await group(nodesOf(names)))).toEqual({ Puppy: names });
  });

  it('uses the plural if the vocabulary has it', async () => {
    expect(shown(await group(nodesOf(['shoes', 'hats', 'dress'])))).toEqual({
      Clothes: ['shoes', 'hats', 'dress'],
    });
  });

  it('ignores quantifiers before a word', async () => {
    const names = ['tech stuff', 'gadget things', 'camera bits'];
    expect(shown(await group(nodesOf(names)))).toEqual({ Devices: names });
    expect(shown(await group(nodesOf(['simple things', 'bigger ones', 'other stuff'])))).toEqual({
      Miscellaneous: ['simple things', 'bigger ones', 'other stuff'],
    });
  });

  it('reads people with common names as names, not as those in the taxonomy', async () => {
    const names = ['Moore', 'Day', 'Key', 'Butler', 'Rex'];
    expect(shown(await group([...nodesOf(names), ...SMALL])).Names).toEqual(names);
    const composers = ['Mozart', 'Bach', 'Vivaldi'];
    expect(shown(await group([...nodesOf(composers), ...SMALL])).Musicians).toEqual(composers);
  });

  it('reads a capitalised word as a name unless it occurs in lower case', async () => {
    const gadgets = ['Gadgets', 'kitchen gadgets', 'old gadgets'];
    expect(shown(await group([...nodesOf(gadgets), ...SMALL])).Gadgets).toEqual(gadgets);
    const diets = ['Balanced Diet', 'diet', 'balanced meals', 'vegan diet'];
    expect(shown(await group([...nodesOf(diets), ...SMALL])).Diets).toContain('Balanced Diet');
  });

  it('groups names by the word that classifies them', async () => {
    const zoos = nodesOf(['Bronx Zoo', 'Cincinnati Zoo', 'zoo'], 'place');
    expect(shown(await group([...zoos, ...SMALL])).Zoos).toEqual(['Bronx Zoo', 'Cincinnati Zoo', 'zoo']);
  });

  it('prefers the meaning shared by its neighbours in memory', async () => {
    const near = (vector: readonly number[]) => (node: LayerNode) => ({
      ...node,
      vector: new Float32Array(vector),
    });
    const songs = nodesOf(['song', 'playlist', 'melody']);
    const genre = nodesOf(['genre']);
    const ideas = nodesOf(['concept', 'notion', 'theory']).map(near([0, 1]));
    const among = [...songs, ...genre].map(near([1, 0]));
    expect(shown(await group([...among, ...ideas]))).toEqual({
      Miscellaneous: ['concept', 'notion', 'theory'],
      Music: ['song', 'playlist', 'melody', 'genre'],
    });
    const apart = [...songs.map(near([1, 0])), ...genre.map(near([0, 1])), ...ideas];
    expect(shown(await group(apart)).Miscellaneous).toContain('genre');
  });
});

describe('entities too few for a category of their kind', () => {
  it('are put under a mixed category rather than a wrong one', async () => {
    expect(shown(await group(nodesOf(['knee', 'surgery', 'marathon'])))).toEqual({
      Miscellaneous: ['knee', 'surgery', 'marathon'],
    });
  });

  it('leave single dates to the next layer, beside seasons and days', async () => {
    const times = nodesOf(['summer', 'winter', 'autumn', 'morning', 'evening', 'night']);
    const dates = nodesOf(['2018', '2022'], 'date');
    const nodes = [...times, ...dates, ...nodesOf(['hade', 'yup', 'gonna'])];
    const first = await group(nodes);
    expect(shown(first).Miscellaneous).toEqual(['hade', 'yup', 'gonna']);
    const second = await group(nextLayer(nodes, first), { layer: 2 });
    expect(shown(second).Time).toEqual(expect.arrayContaining(['2018', '2022', 'Days', 'Seasons']));
  });

  it('move to another shared meaning rather than the broader category', async () => {
    const classes = ['pottery workshop', 'class', 'lesson'];
    const places = ['castle', 'tower', 'building'];
    const categories = shown(await group(nodesOf([...classes, ...places])));
    expect(categories.Learning).toEqual(classes);
    expect(categories.Buildings).toEqual(places);
  });
});

describe('categories of categories', () => {
  it('end in broad ones above the finer ones', async () => {
    const first = await group(EVERYDAY);
    const nodes = nextLayer(EVERYDAY, first);
    const second = shown(await group(nodes, { layer: 2 }));
    expect(second.People).toEqual(expect.arrayContaining([SPEAKER, 'Family']));
    expect(second.Activities).toEqual(expect.arrayContaining(['Sports', 'Pottery', 'Travel']));
    expect(Object.keys(second).length).toBeGreaterThanOrEqual(3);
    const third = await group(nextLayer(nodes, await group(nodes, { layer: 2 })), { layer: 3 });
    expect(third).toEqual([]);
  });

  it('have the remainder of a category beside its finer ones', async () => {
    const categories = ['Pets', 'Birds', 'Other animals', 'Plants', 'Sky'].map((name) => ({
      id: `category:${name}`,
      name,
      tags: [],
      vector: null,
    }));
    expect(shown(await group(categories, { layer: 2 }))).toEqual({
      Nature: ['Pets', 'Birds', 'Other animals', 'Plants', 'Sky'],
    });
  });

  it('add years between months and dates if there are many', async () => {
    const names = Array.from(
      { length: 60 },
      (_, at) => `${at % 2 === 0 ? 'May' : 'July'} ${1990 + Math.floor(at / 4)}`,
    );
    const unique = [
      ...new Set(names),
      ...Array.from({ length: 15 }, (_, at) => `Other dates of ${1990 + at}`),
    ];
    const nodes = unique.map((name) => ({
      id: `category:${name}`,
      name,
      tags: ['Dates', 'Time'],
      vector: null,
    }));
    const second = await group(nodes, { layer: 2 });
    expect(shown(second)['1995']).toEqual(['May 1995', 'July 1995', 'Other dates of 1995']);
    expect(Object.keys(shown(await group(nextLayer(nodes, second), { layer: 3 })))).toEqual(['Time']);
  });
});

describe('a category that is too large', () => {
  const within = (name: string, children: number) => ({
    id: 'large',
    name,
    tags: [],
    vector: null,
    children,
  });

  it('is split into finer ones', async () => {
    const birds = ['eagle', 'hawk', 'falcon', 'osprey', 'kestrel', 'buzzard'];
    const dogs = ['poodle', 'collie', 'golden retriever', 'beagle', 'dachshund', 'terrier'];
    const nodes = nodesOf([...birds, ...dogs]);
    const finer = shown(await group(nodes, { within: within('Animals', 12) }));
    expect(Object.values(finer)).toEqual(expect.arrayContaining([dogs]));
    expect(Object.keys(finer)).not.toContain('Animals');
  });

  it('is not split if its children are all alike', async () => {
    const people = Array.from({ length: 60 }, (_, at) => `Zanebl${'aeiou'[at % 5]}k${at}`);
    expect(await group(nodesOf(people, 'person'), { within: within('Named people', 60) })).toEqual([]);
  });

  it('is split into categories of the vocabulary on upper layers', async () => {
    const names = ['Games', 'Outdoors', 'Sports', 'Work', 'Trips'];
    const nodes = names.map((name) => ({ id: `category:${name}`, name, tags: ['Activities'], vector: null }));
    const finer = shown(await group(nodes, { layer: 2, within: within('Activities', 5) }));
    expect(finer).toEqual({ Hobbies: ['Games', 'Outdoors', 'Sports'] });
  });
});

/** Words of several kinds, proper names, dates, unknown words and nonsense. */
const anyName = fc.oneof(
  fc.constantFrom(...EVERYDAY.map(({ name }) => name)),
  fc
    .tuple(
      fc.constantFrom(
        'dance',
        'local',
        'family',
        'R&R',
        'LGBTQ',
        'blue',
        'mental',
        'Zanebl',
        'salt and pepper',
      ),
      fc.constantFrom(
        'class',
        'support',
        'trip',
        'pain',
        'people',
        'bank',
        'kids',
        'rights',
        'Zork',
        'C++',
        'music',
      ),
    )
    .map((words) => words.join(' ')),
  fc.string({ maxLength: 12 }),
);
const anyNodes = fc
  .array(
    fc.record({
      name: anyName,
      kind: fc.constantFrom('thing', 'person', 'place', 'organisation', 'date'),
      vector: fc.option(fc.constantFrom([1, 0, 0], [0, 1, 0], [0, 0, 1], [0.6, 0.8, 0]), { nil: null }),
    }),
    { maxLength: 60 },
  )
  .map((list) =>
    list.map(
      ({ name, kind, vector }, at): LayerNode => ({
        id: `e${String(at).padStart(3, '0')}`,
        name,
        tags: [kind],
        vector: vector === null ? null : new Float32Array(vector),
      }),
    ),
  );
const JARGON =
  /\b(?:entity|whole|instrumentality|abstraction|psychological feature|artifact|matter|causal|organism|unit|attribute|phenomenon|placental|vertebrate)s?\b/i;

describe('for random names', () => {
  it('proposes usable categories of at least n known nodes, one per name', async () => {
    await fc.assert(
      fc.asyncProperty(anyNodes, fc.integer({ min: 2, max: 5 }), async (nodes, minimumChildren) => {
        const ids = new Set(nodes.map(({ id }) => id));
        const categories = await group(nodes, { minimumChildren });
        for (const { name, nodes: children, tags } of categories) {
          expect(categoryNames(name)).toEqual([name]);
          expect(name).not.toMatch(JARGON);
          expect(children.every((id) => ids.has(id))).toBe(true);
          expect(new Set(children).size).toBe(children.length);
          if (name !== SPEAKER) expect(children.length).toBeGreaterThanOrEqual(minimumChildren);
          expect(tags.length).toBeLessThanOrEqual(5);
          expect(tags.every((tag) => tag.split(' ').length <= 3)).toBe(true);
        }
        const keys = categories.map(({ name }) => categoryKey(name));
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { numRuns: 60 },
    );
  });

  it('does not depend on the order of the nodes, on every layer', async () => {
    const sorted = (categories: readonly ProposedCategory[]) =>
      categories.map(({ name, nodes }) => [name, [...nodes].sort()]);
    await fc.assert(
      fc.asyncProperty(
        anyNodes.chain((nodes) =>
          fc.tuple(
            fc.constant(nodes),
            fc.shuffledSubarray(nodes, { minLength: nodes.length, maxLength: nodes.length }),
          ),
        ),
        async ([nodes, shuffled]) => {
          const [first, again] = [await group(nodes), await group(shuffled)];
          expect(sorted(again)).toEqual(sorted(first));
          const above = nextLayer(nodes, first);
          const upper = await group(above, { layer: 2 });
          expect(sorted(await group([...above].reverse(), { layer: 2 }))).toEqual(sorted(upper));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('never puts a category above only itself, and adds no redundant layer', async () => {
    await fc.assert(
      fc.asyncProperty(anyNodes, async (nodes) => {
        let below: readonly LayerNode[] = nextLayer(nodes, await group(nodes));
        for (let layer = 2; layer <= 5; layer++) {
          const categories = await group(below, { layer });
          for (const { nodes: children } of categories) expect(children.length).toBeGreaterThanOrEqual(3);
          const next = nextLayer(below, categories);
          if (categories.length > 0) expect(next.length).toBeLessThan(below.length);
          below = next;
        }
      }),
      { numRuns: 40 },
    );
  });

  it('places a new entity without moving the others', async () => {
    const before = shown(await group(EVERYDAY));
    const after = shown(
      await group([...EVERYDAY, ...nodesOf(['Ljubljana'], 'place'), ...nodesOf(['cello'])]),
    );
    const grown = { Cities: ['Ljubljana'], Instruments: ['cello'] } as Record<string, string[]>;
    for (const [name, nodes] of Object.entries(before))
      expect(after[name]).toEqual([...nodes, ...(grown[name] ?? [])]);
    expect(Object.keys(after)).toEqual(Object.keys(before));
  });
});
