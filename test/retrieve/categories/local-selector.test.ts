import { describe, expect, it } from 'vitest';
import { HierarchyView } from '../../../src/hierarchy/traverse/hierarchy-view.ts';
import { LOCAL_SELECTOR } from '../../../src/retrieve/categories/defaults.ts';
import { LocalSelector, NodeScores } from '../../../src/retrieve/categories/local-selector.ts';
import { readQuestion } from '../../../src/retrieve/question.ts';
import { selectorContract } from '../../contract/selector.ts';
import {
  embedder,
  hierarchyRows,
  indexOf,
  type Sketch,
  TRAVELS,
} from '../../hierarchy/traverse/hand-made-hierarchy.ts';
import { walkWith } from '../../hierarchy/traverse/walk-with.ts';

const SPEAKERS = ['Ann', 'Bob'];

async function scoring(sketch: Sketch, text: string) {
  const question = readQuestion(text, SPEAKERS);
  const index = await indexOf(hierarchyRows(sketch));
  for (const [at, speaker] of SPEAKERS.entries())
    index.apply({ nodes: { episode: [said(`t${at}`, speaker)] } } as never);
  const view = new HierarchyView(index, () => true);
  const texts = [question.embedded, question.kindWords];
  const [queryVector, kindVector] = await embedder.embed(texts, { as: 'query' });
  const scores = new NodeScores(index, view, {
    question,
    queryVector: queryVector!,
    kindVector: kindVector!,
  });
  return { view, scores, question, selector: new LocalSelector(scores, question.enumerates, LOCAL_SELECTOR) };
}

const said = (id: string, speaker: string) => ({
  ...{
    id,
    speaker,
    session: 's',
    index: 0,
    content: 'Hello.',
    metadata: {},
    attachments: [],
    validAt: 1,
    createdAt: 1,
    expiredAt: null,
  },
  status: 'extracted',
});

async function found(sketch: Sketch, text: string): Promise<string[]> {
  const { view, selector } = await scoring(sketch, text);
  const settings = { beam: 12, skipTop: 0, together: 0 };
  const { selected } = await walkWith(view, text, { selector, settings });
  return selected.filter(({ layer }) => layer === 0).map(({ id }) => id);
}

const CONTRACT = [
  '1 Cities: Oslo, Rome, Lima',
  ...['Pets', 'Instruments', 'Plants', 'Tools', 'Parks'].map((name) => `1 ${name}: ${name} a, ${name} b`),
];
selectorContract(
  'LocalSelector',
  async () => (await scoring(CONTRACT, 'Which cities has Ann visited?')).selector,
);

it('walks into the children of a category that it picked, even without a match of their own', async () => {
  const { view, question, selector } = await scoring(
    ['2 Living: Animals, Plants', '1 Animals: cat, dog, parrot', '1 Plants: fern, moss, tulip'],
    'Does Ann love animals at all?',
  );
  const settings = { beam: 30, skipTop: 0, together: 0 };
  const { selected, end } = await walkWith(view, question.text, { selector, settings });
  expect(end).toBe('complete');
  expect(selected.map(({ id }) => id)).toEqual(expect.arrayContaining(['cat', 'dog', 'parrot']));
  expect(selected.map(({ id }) => id)).not.toContain('fern');
});

describe('LocalSelector', () => {
  it.each([
    'Which cities has Ann visited?',
    'What city did Ann go to, of all the cities?',
    'List every city that Ann knows',
    'How many cities does Ann know?',
  ])('returns all of a kind that is asked for by name, singular or plural: %s', async (question) => {
    const cities = await found(TRAVELS, question);
    expect(cities.sort()).toEqual(['Bergen', 'Lima', 'Oslo', 'Rome']);
  });

  it('finds a kind below topics of other names', async () => {
    const deep = [
      '3 World: Nature, Made',
      '2 Nature: Pets, Plants',
      '2 Made: Tools, Rooms',
      '1 Pets: Rex, Luna',
      '1 Plants: fern, rose',
      '1 Tools: saw, drill',
      '1 Rooms: attic, cellar',
      '3 Other: This, That',
      '2 This: x, y',
      '2 That: z, w',
    ];
    const { scores } = await scoring(deep, 'Which tools does Ann own?');
    expect(scores.of('Tools').kind).toBe(1);
    expect(scores.of('Made').kindBelow).toBeCloseTo(0.9);
    expect(scores.of('World').kindBelow).toBeCloseTo(0.81);
    expect(scores.of('saw').above).toBe(1);
    expect(scores.of('Nature').kindBelow).toBe(0);
    expect((await found(deep, 'Which tools does Ann own?')).sort()).toEqual(['drill', 'saw']);
  });

  it('matches the head of a name, not any word of it', async () => {
    const sketch = [
      '1 Cities of Norway: Oslo, Bergen',
      '1 City council: mayor, clerk',
      '1 Books: Dune, Emma',
    ];
    const { scores } = await scoring(sketch, 'Which cities has Ann visited?');
    expect(scores.of('Cities of Norway').kind).toBe(1);
    expect(scores.of('City council').kind).toBeLessThan(0.8);
    expect(scores.of('City council').kind).toBeGreaterThanOrEqual(0.5);
    expect(scores.of('Books').kind).toBeLessThan(0.5);
  });

  it('matches a kind by its tags', async () => {
    const { scores } = await scoring(['1 Towns (cities): Oslo, Rome', '1 Food: rice, soup'], 'Which cities?');
    expect(scores.of('Towns').kind).toBe(0.6);
    const { scores: where } = await scoring(TRAVELS, 'Where has Ann been?');
    expect([where.of('Oslo').kind, where.of('Rex').kind]).toEqual([0.5, 0]);
  });

  it('walks, but selects no whole category, if one thing is asked for', async () => {
    expect(await found(TRAVELS, 'Which city did Ann prefer, was it Rome?')).toEqual(['Rome']);
    expect(await found(TRAVELS, 'When did Ann hear of Rome?')).toEqual(['Rome']);
  });

  it('does not return the people that a question names as its answer', async () => {
    const sketch = ['1 Friends: Ann/person, Bob/person, Nora/person', '1 Pets: Rex, Luna'];
    const friends = await found(sketch, 'Which friends does Ann have?');
    expect(friends).toContain('Nora');
    const { scores } = await scoring(sketch, 'What does Ann do?');
    expect(scores.of('Ann')).toMatchObject({ own: 0, kind: 0 });
    expect(scores.of('Nora').own).toBe(0);
    const { scores: who } = await scoring(sketch, 'Which person is Ann fond of?');
    expect([who.of('Ann').kind, who.of('Nora').kind]).toEqual([0, 0.5]);
    const { scores: which } = await scoring(sketch, 'Which friends does Ann have?');
    expect([which.of('Ann').above, which.of('Nora').above]).toEqual([0, 1]);
  });

  it('picks nothing if no node matches', async () => {
    const { selector } = await scoring(TRAVELS, 'xylophone zeppelin quark');
    const nodes = [{ id: 'Pets', layer: 1, name: 'Pets', tags: [], childCount: 3 }];
    expect((await selector.select({ question: 'q', layer: 1, nodes })).picks).toEqual([]);
  });

  it('respects its limits', async () => {
    const names = Array.from({ length: 200 }, (_, at) => `jazz ${at}`);
    const music = [`1 Music: ${names.join(', ')}`, '1 Food: rice, soup'];
    expect((await found(music, 'When did Ann hear jazz?')).length).toBe(LOCAL_SELECTOR.entities);
  });
});
