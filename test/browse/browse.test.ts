import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GraphRequest } from '../../src/browse/memory-graph.ts';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../src/engine.ts';
import type { FactInput } from '../../src/model/fact-input.ts';
import { freshPath, open, turn } from '../engine/memory-fixture.ts';

const day = (date: string) => Date.parse(`${date}T10:00:00Z`);

const TURNS = [
  turn('Zoë bakes rye bread with Lena.', { session: 'a', index: 0, source: 'mail', at: '2023-01-05' }),
  turn('Zoë bakes wheat bread with Lena.', { session: 'a', index: 1, source: 'mail', at: '2023-02-05' }),
  turn('Lena rows on the Elbe.', { session: 'b', index: 0, source: 'chat', at: '2024-03-05' }),
];

const facts = (ids: readonly string[]): FactInput[] => [
  {
    statement: 'Zoë bakes rye bread with Lena',
    ...{ subject: 'Zoë', relation: 'bake with', object: 'Lena', validAt: '2023-01-05' },
    evidence: [{ id: ids[0]! }],
  },
  {
    statement: 'Zoë bakes wheat bread with Lena',
    ...{ subject: 'Zoë', relation: 'bake with', object: 'Lena', validAt: '2023-02-05' },
    invalidAt: '2023-06-01',
    evidence: [{ id: ids[1]! }],
  },
  {
    statement: 'Lena rows on the Elbe',
    ...{ subject: 'Lena', relation: 'row on', object: 'Elbe', validAt: '2024-03-05' },
    evidence: [{ id: ids[2]! }],
  },
];

async function fill(memory: MemoryScope): Promise<readonly string[]> {
  const { outcomes } = await memory.add(TURNS);
  const ids = outcomes.map((each) => ('id' in each ? each.id : ''));
  await memory.addFacts(facts(ids));
  return ids;
}

let mnemis: Mnemis;
let memory: MemoryScope;
let other: MemoryScope;
beforeAll(async () => {
  mnemis = await open(freshPath(), { automatic: false });
  memory = mnemis.scope('browsed');
  await fill(memory);
  other = mnemis.scope('other');
  const { outcomes } = await other.add(turn('Zora keeps a secret.', { session: 'z', index: 0 }));
  const id = 'id' in outcomes[0]! ? outcomes[0].id : '';
  await other.addFacts([
    {
      statement: 'Zora keeps a secret',
      subject: 'Zora',
      relation: 'keep',
      object: 'secret',
      evidence: [{ id }],
    },
  ]);
});
afterAll(() => mnemis.close());

const idOf = async (name: string, scope = memory) =>
  (await scope.knowledge.names({ typed: name, kinds: ['entity'] })).find((each) => each.name === name)!.id;

describe('names', () => {
  const typed = async (text: string) =>
    (await memory.knowledge.names({ typed: text })).map(({ name }) => name);

  it('completes the start of a name whatever its case and accents', async () => {
    expect(await typed('zOE')).toEqual(['Zoë']);
    expect(await typed('l')).toContain('Lena');
  });

  it('offers what starts so before what only contains it', async () => {
    const found = await typed('e');
    expect(found.indexOf('Elbe')).toBeLessThan(found.indexOf('Lena'));
    expect(found.indexOf('Elbe')).toBeGreaterThanOrEqual(0);
  });

  it('counts live facts, and offers the larger one first', async () => {
    const found = await memory.knowledge.names({ typed: 'le' });
    expect(found[0]).toMatchObject({ name: 'Lena', kind: 'entity', size: 3, alias: null });
  });

  it('finds by an alias, and says which', async () => {
    const id = await idOf('Elbe');
    const { correction } = await memory.corrections.editProfile(id, { aliases: ['the Labe'] });
    expect(await memory.knowledge.names({ typed: 'labe' })).toMatchObject([
      { id, name: 'Elbe', alias: 'the Labe' },
    ]);
    await memory.corrections.undo(correction);
    expect(await memory.knowledge.names({ typed: 'labe' })).toEqual([]);
  });

  it('knows no name of another scope', async () => {
    expect(await typed('zor')).toEqual([]);
    expect((await other.knowledge.names({ typed: 'z' })).map(({ name }) => name)).toEqual(['Zora']);
  });

  it('gives no more than asked for', async () => {
    expect(await memory.knowledge.names({ typed: '', limit: 2 })).toHaveLength(2);
  });
});

describe('entities', () => {
  it('pages through all without repeating or missing one, in each order', async () => {
    const { total } = await memory.knowledge.entities();
    for (const order of ['facts', 'name', 'newest'] as const) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await memory.knowledge.entities({ order, limit: 2, after });
        seen.push(...page.items.map(({ id }) => id));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(new Set(seen).size).toBe(total);
      expect(seen).toHaveLength(total);
    }
  });

  it('begins with the one that has most facts', async () => {
    const { items } = await memory.knowledge.entities({ limit: 1 });
    expect(items[0]).toMatchObject({ name: 'Lena', facts: 3 });
  });

  it('searches in names, and rejects the cursor of another order', async () => {
    const { items, total } = await memory.knowledge.entities({ query: 'ZOE' });
    expect([items.map(({ name }) => name), total]).toEqual([['Zoë'], 1]);
    const { next } = await memory.knowledge.entities({ limit: 1 });
    await expect(memory.knowledge.entities({ order: 'name', after: next! })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });
});

describe('a picture', () => {
  const named = async (request: GraphRequest, scope = memory) => {
    const { nodes, links } = await scope.knowledge.graph(request);
    const nameAt = (at: number) => nodes[at]!.name;
    return {
      nodes: nodes.map(({ name }) => name),
      links: links.map(([from, to, weight]) => [...[nameAt(from), nameAt(to)].sort(), weight]),
    };
  };

  it('links entities by the facts that they have in common', async () => {
    const { links } = await named({ kinds: ['entity'] });
    expect(links).toContainEqual(['Lena', 'Zoë', 2]);
    expect(links).toContainEqual(['Elbe', 'Lena', 1]);
  });

  it('is the same each time', async () => {
    const request: GraphRequest = { kinds: ['entity', 'turn', 'topic', 'category'] };
    expect(await memory.knowledge.graph(request)).toEqual(await memory.knowledge.graph(request));
  });

  it('keeps the most connected ones where there is no room for all', async () => {
    const { nodes, total } = await memory.knowledge.graph({ kinds: ['entity'], limit: 1 });
    expect(nodes.map(({ name }) => name)).toEqual(['Lena']);
    expect(total).toBeGreaterThan(1);
  });

  it('leaves out what is not of the period', async () => {
    const early = await named({ kinds: ['entity'], to: '2023-03-01' });
    expect(early.links).toEqual([['Lena', 'Zoë', 2]]);
    // The second fact ended in June.
    const late = await named({ kinds: ['entity'], from: '2023-07-01' });
    expect(late.links).toContainEqual(['Lena', 'Zoë', 1]);
  });

  it('leaves out what another source said', async () => {
    const { nodes, links } = await named({ kinds: ['entity'], source: 'chat' });
    expect(links).toEqual([['Elbe', 'Lena', 1]]);
    expect(nodes).not.toContain('Zoë');
    expect((await memory.knowledge.graph()).sources).toEqual(['chat', 'mail']);
    expect((await named({ kinds: ['entity'], source: 'none' })).nodes).toEqual([]);
  });

  it('shows turns by their words', async () => {
    const { nodes } = await named({ kinds: ['turn'] });
    expect(nodes.sort()).toEqual(TURNS.map(({ content }) => content).sort());
  });

  it('says when the first and the last turn was said', async () => {
    const { said } = await memory.knowledge.graph();
    expect(said).toEqual([Date.parse('2023-01-05'), Date.parse('2024-03-05')]);
  });

  it('shows the neighbours of a node, and how many there are', async () => {
    const lena = await idOf('Lena');
    const all = await memory.knowledge.graph({ around: lena, kinds: ['entity'] });
    expect(all.nodes[0]).toMatchObject({ id: lena, kind: 'entity', size: 3 });
    expect(all.nodes.slice(1).map(({ name }) => name)).toEqual(['Zoë', 'Elbe']);
    expect(all.total).toBe(2);
    const one = await memory.knowledge.graph({ around: lena, kinds: ['entity'], limit: 1 });
    expect([one.nodes.length, one.total]).toEqual([2, 2]);
  });

  it('has around a topic its turns and their entities, and around a turn its topic and entities', async () => {
    const passages = mnemis.scope('passages');
    const said = ['I bought a dog.', 'My dog sleeps in the kitchen.', 'I walk my dog in the park.'];
    await passages.add(
      said.map((content, index) => turn(content, { speaker: 'Ana', session: 'pets', index })),
    );
    await passages.flush();
    const kinds = ['entity', 'topic', 'turn'] as const;
    const { nodes } = await passages.knowledge.graph({ kinds });
    const topic = nodes.find(({ kind }) => kind === 'topic')!;
    const first = nodes.find(({ name }) => name === said[0])!;
    const dog = await idOf('dog', passages);
    const ofTopic = await passages.knowledge.graph({ around: topic.id, kinds });
    expect(ofTopic.nodes[0]).toEqual(topic);
    const turns = ofTopic.nodes.filter(({ kind }) => kind === 'turn');
    expect(turns.map(({ name }) => name).sort()).toEqual(said.toSorted());
    expect(ofTopic.nodes.map(({ id }) => id)).toContain(dog);
    const ofTurn = await passages.knowledge.graph({ around: first.id, kinds });
    expect(ofTurn.nodes[0]).toEqual(first);
    expect(ofTurn.nodes.map(({ id }) => id)).toEqual(expect.arrayContaining([topic.id, dog]));
    expect(ofTurn.nodes.filter(({ kind }) => kind === 'turn')).toHaveLength(1);
    const linked = ofTurn.links.map(([from, to]) => [from, to].map((at) => ofTurn.nodes[at]!.id).sort());
    expect(linked).toContainEqual([first.id, topic.id].sort());
    expect(linked).toContainEqual([first.id, dog].sort());

    const within = await passages.knowledge.graph({ around: first.id, kinds, steps: 2 });
    const ids = within.nodes.map(({ id }) => id);
    expect(within.nodes[0]).toEqual(first);
    // Neighbours come first, then theirs: the turns of its topic.
    expect(ids.slice(0, ofTurn.nodes.length).sort()).toEqual(ofTurn.nodes.map(({ id }) => id).sort());
    const names = within.nodes.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(said));
    expect(new Set(ids).size).toBe(ids.length);
    expect(within.total).toBe(ids.length - 1);
    const few = await passages.knowledge.graph({ around: first.id, kinds, steps: 2, limit: 3 });
    expect([few.nodes.length, few.total]).toEqual([4, within.total]);
  });

  it('is not drawn around a node of another scope', async () => {
    const zora = await idOf('Zora', other);
    await expect(memory.knowledge.graph({ around: zora })).rejects.toMatchObject({ code: 'invalid-input' });
    const { nodes } = await named({ kinds: ['entity', 'turn'] });
    expect(nodes.join()).not.toContain('Zora');
  });
});

describe('the page of an entity', () => {
  it('has its numbers, its neighbours and its dates', async () => {
    const page = await memory.knowledge.entityPage('Lena');
    expect(page).toMatchObject({
      ...{ name: 'Lena', facts: { holds: 2, ended: 1 } },
      corrections: [],
      merged: [],
      uncertain: [],
    });
    expect(page.neighbours.map(({ name, facts }) => [name, facts])).toEqual([
      ['Zoë', 2],
      ['Elbe', 1],
    ]);
  });

  it('has when memory met it, and how often and when turns mention it', async () => {
    const owner = mnemis.scope('owner');
    const before = Date.now();
    await owner.add(
      ['2024-01-05', '2024-02-05', '2024-03-05'].map((at, index) =>
        turn('I walk my dog in the park.', { speaker: 'Ana', session: `s${index}`, index: 0, at }),
      ),
    );
    await owner.flush();
    const met = Date.now();
    const dog = await idOf('dog', owner);
    // A new profile does not change when memory met it.
    await owner.corrections.editProfile(dog, { summary: 'A small dog.' });
    const page = await owner.knowledge.entityPage(dog);
    expect(page).toMatchObject({
      ...{ summary: 'A small dog.', turns: 3 },
      said: [Date.parse('2024-01-05'), Date.parse('2024-03-05')],
    });
    expect(page.createdAt).toBeGreaterThanOrEqual(before);
    expect(page.createdAt).toBeLessThanOrEqual(met);
  });

  it('has those that may be the same, seen from either side', async () => {
    const alike = mnemis.scope('alike');
    await alike.add([
      turn('My friend Melanie works at the library.', { speaker: 'Ana', session: 'a', index: 0 }),
      turn('My friend Mel baked a cake.', { speaker: 'Ana', session: 'b', index: 0 }),
    ]);
    await alike.flush();
    const [mel, melanie] = [await idOf('Mel', alike), await idOf('Melanie', alike)];
    const [pair] = await alike.corrections.uncertain();
    const { confidence } = pair!;
    expect(confidence).toBeGreaterThan(0);
    const uncertain = async (id: string) => (await alike.knowledge.entityPage(id)).uncertain;
    expect(await uncertain(mel)).toEqual([{ id: melanie, name: 'Melanie', aliases: [], confidence }]);
    expect(await uncertain(melanie)).toEqual([{ id: mel, name: 'Mel', aliases: [], confidence }]);
    expect(await uncertain(await idOf('Ana', alike))).toEqual([]);
  });

  it('leaves dates out of the neighbours, as pictures do', async () => {
    const dated = mnemis.scope('dated');
    const { outcomes } = await dated.add(
      turn('Zoë met Lena in May.', { speaker: 'Zoë', session: 'a', index: 0 }),
    );
    const id = 'id' in outcomes[0]! ? outcomes[0].id : '';
    const evidence = [{ id }];
    await dated.addFacts([
      { statement: 'Zoë met Lena', subject: 'Zoë', relation: 'meet', object: 'Lena', evidence },
      { statement: 'Zoë left in May', subject: 'Zoë', relation: 'leave in', object: 'May', evidence },
    ]);
    const about = async () => [
      (await dated.knowledge.entityPage('Zoë')).neighbours.map(({ name }) => name).sort(),
      (await dated.knowledge.graph({ kinds: ['entity'] })).nodes.map(({ name }) => name).sort(),
    ];
    expect(await about()).toEqual([
      ['Lena', 'May'],
      ['Lena', 'May', 'Zoë'],
    ]);
    await dated.corrections.editProfile(await idOf('May', dated), { tags: ['date'] });
    expect(await about()).toEqual([['Lena'], ['Lena', 'Zoë']]);
  });

  it('is of the entity that it was merged into, and its own again after the undo', async () => {
    const [zoe, lena] = [await idOf('Zoë'), await idOf('Lena')];
    const { correction } = await memory.corrections.mergeEntities(lena, zoe);
    const page = await memory.knowledge.entityPage(zoe);
    expect(page).toMatchObject({ id: lena, merged: [{ id: zoe, name: 'Zoë' }] });
    expect(page.corrections.map(({ id }) => id)).toEqual([correction]);
    await memory.corrections.undo(correction);
    expect(await memory.knowledge.entityPage(zoe)).toMatchObject({ id: zoe, name: 'Zoë', corrections: [] });
    expect((await memory.knowledge.entityPage(lena)).merged).toEqual([]);
  });

  it('is unknown in another scope', async () => {
    const zora = await idOf('Zora', other);
    await expect(memory.knowledge.entityPage(zora)).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

it('the page of a category has its way up and its members, and tree and names know it', async () => {
  const told = mnemis.scope('told');
  const animals = ['dog', 'cat', 'parrot', 'rabbit', 'horse'];
  await told.add(
    animals.map((animal, index) => turn(`I bought a ${animal}.`, { speaker: 'Ana', session: 'pets', index })),
  );
  await told.flush();
  await told.hierarchy.rebuild();
  const [top] = await told.hierarchy
    .tree({ depth: 1 })
    .then((nodes) => nodes.filter(({ layer }) => layer > 0));
  const page = await told.knowledge.categoryPage({ category: top!.id });
  expect(page).toMatchObject({ id: top!.id, name: top!.name, layer: top!.layer, entities: top!.entities });
  expect(page.children.map(({ id }) => id).sort()).toEqual(top!.children.map(({ id }) => id).sort());
  const [first] = page.children;
  const below =
    first!.layer === 0
      ? (await told.knowledge.entityPage(first!.id)).categories
      : (await told.knowledge.categoryPage({ category: first!.id })).paths;
  expect(below.flat().map(({ id }) => id)).toContain(page.id);
  expect(await told.knowledge.names({ typed: page.name, kinds: ['category'] })).toMatchObject([
    { id: page.id, kind: 'category' },
  ]);
  const drawn = await told.knowledge.graph({});
  const at = drawn.nodes.findIndex(({ id }) => id === page.id);
  expect(drawn.links.some(([from]) => from === at)).toBe(true);
  const around = await told.knowledge.graph({ around: page.id });
  expect(around.nodes[0]).toMatchObject({ id: page.id, kind: 'category' });
  expect(around.nodes.slice(1).map(({ id }) => id)).toEqual(
    expect.arrayContaining(page.children.map(({ id }) => id)),
  );
  const layer = drawn.layers + 1;
  expect((await told.knowledge.graph({ kinds: ['category'], layers: [layer] })).nodes).toEqual([]);
  await expect(memory.knowledge.categoryPage({ category: top!.id })).rejects.toMatchObject({
    code: 'invalid-input',
  });
});

it('what was forgotten or rejected is in no list, picture or page', async () => {
  const scope = mnemis.scope('forgetful');
  const ids = await fill(scope);
  const [wheat] = (await scope.knowledge.facts({ entity: 'Zoë' })).items.filter(({ statement }) =>
    statement.includes('wheat'),
  );
  await scope.corrections.rejectFact(wheat!.id);
  expect((await scope.knowledge.entityPage('Lena')).facts).toEqual({ holds: 2, ended: 0 });
  const links = async () =>
    (await scope.knowledge.graph({ kinds: ['entity'] })).links.map(([, , weight]) => weight);
  expect(await links()).toEqual([1, 1]);
  for await (const _ of scope.forget({ episode: ids[2]! })) void _;
  expect(await links()).toEqual([1]);
  expect(await scope.knowledge.names({ typed: 'Elbe' })).toEqual([]);
  expect((await scope.knowledge.entities({ query: 'Elbe' })).total).toBe(0);
  const { nodes, said } = await scope.knowledge.graph({ kinds: ['entity', 'turn', 'topic'] });
  expect(JSON.stringify(nodes)).not.toContain('Elbe');
  expect(said).toEqual([day('2023-01-05') - 10 * 3_600_000, day('2023-02-05') - 10 * 3_600_000]);
});
