import { describe, expect, it } from 'vitest';
import {
  type CategoryTree,
  categoryTree,
  type TreeOptions,
  treePart,
} from '../../../src/engine/hierarchy/browse-hierarchy.ts';
import { Mnemis } from '../../../src/engine.ts';
import { InvalidInputError } from '../../../src/errors/index.ts';
import type { Categorizer } from '../../../src/hierarchy/categorizer.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { CategoryId } from '../../../src/model/ids.ts';
import type { Profile } from '../../../src/model/nodes.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { byKind, categorizerOf } from '../../hierarchy/fake-categorizers.ts';
import { HierarchyLab } from '../../hierarchy/hierarchy-lab.ts';

interface Row {
  readonly layer: number;
  /** Default: its id. */
  readonly name?: string | null;
  readonly aliases?: readonly string[];
  readonly of: readonly string[];
}

/** Categories by id; every other id in `of` and in `entities` is an entity of that name. */
function indexOf(categories: Readonly<Record<string, Row>>, entities: readonly string[] = []): ScopeIndex {
  const index = ScopeIndex.empty(8);
  const profile = (owner: string, name: string, aliases: readonly string[] = []) =>
    ({ id: `p-${owner}`, owner, name, aliases, tags: [], createdAt: 1, summary: '' }) as unknown as Profile;
  const rows = Object.entries(categories);
  for (const [id, { layer, name = id, aliases }] of rows) {
    const row = { id: id as CategoryId, layer, createdAt: 1, expiredAt: null, staleSince: null };
    index.hierarchy.add(row);
    if (name !== null) index.hierarchy.setProfile(profile(id, name, aliases));
  }
  for (const [id, { of }] of rows) for (const child of of) index.hierarchy.link(id, child);
  const known = new Set([...entities, ...rows.flatMap(([, { of }]) => of)]);
  for (const id of known) if (!(id in categories)) index.entities.setProfile(profile(id, id));
  return index;
}

/** "Food(3)[Fruits(2)[a b] c]", entities by name; where it is listed instead after "@". */
const told = (nodes: readonly CategoryTree[]): string => nodes.map(line).join(' ');
const line = ({ name, layer, entities, children, more, listedAt }: CategoryTree): string =>
  [
    ...[name, layer === 0 ? '' : `(${entities})`, listedAt === undefined ? '' : `@${listedAt.join('>')}`],
    children.length === 0 ? '' : `[${told(children)}${more === 0 ? '' : ` +${more}`}]`,
  ].join('');
const show = (index: ScopeIndex, options?: TreeOptions) => told(categoryTree(index, options));
const nodesIn = (nodes: readonly CategoryTree[]): CategoryTree[] =>
  nodes.flatMap((node) => [node, ...nodesIn(node.children)]);
const entitiesIn = (nodes: readonly CategoryTree[]): string[] => [
  ...new Set(
    nodesIn(nodes)
      .filter(({ layer }) => layer === 0)
      .map(({ name }) => name),
  ),
];

const KINDS = ['Apple', 'Ant', 'Avocado', 'Boat', 'Bee', 'Bun'].flatMap((kind) =>
  [1, 2, 3].map((number) => `${kind} ${number}`),
);

describe('the tree during a run, or after an interrupted one', () => {
  /** Groups as `byKind`, until it is told to fail in layer 2. */
  const breaking = () => {
    const state = { isDown: false };
    const inner = byKind(6);
    const categorize: Categorizer['categorize'] = async (request, calls) => {
      if (state.isDown && request.layer === 2) throw new TypeError('down');
      const { categories, ...rest } = await inner.categorize(request, calls);
      const suffix = state.isDown ? ' new' : '';
      return { ...rest, categories: categories.map((each) => ({ ...each, name: each.name + suffix })) };
    };
    return { state, categorizer: { ...inner, categorize } };
  };

  it('shows every entity after an update or a rebuild that was interrupted above layer 1', async () => {
    for (const mode of ['update', 'rebuild'] as const) {
      const { state, categorizer } = breaking();
      const lab = new HierarchyLab(categorizer);
      await lab.add(KINDS);
      await lab.organize();
      expect(show(lab.index, { depth: 0 })).toBe('Words with A(9) Words with B(9)');
      state.isDown = true;
      await lab.add(['Zebra 1', 'Zebra 2', 'Zebra 3']);
      await expect(lab.organize(mode)).rejects.toThrow();
      expect(entitiesIn(categoryTree(lab.index)).sort()).toEqual([...lab.entities.values()].sort());
      expect(show(lab.index)).toContain('Zebra new(3)[Zebra 1 Zebra 2 Zebra 3]');
    }
  });

  it('is complete for a reader after every step of a run', async () => {
    const embedder = new HashingEmbedder({ analyze, dimension: 32 });
    const options = { path: ':memory:', embedder, automatic: false, categorizer: byKind(5) };
    await using engine = await Mnemis.open(options);
    const memory = engine.scope('a');
    await memory.add({ content: 'Hello.', session: 's', at: '2026-01-01' });
    const evidence = [{ session: 's', index: 0 }];
    await memory.addFacts(
      KINDS.map((name) => ({ statement: `${name} is known.`, participants: [name], evidence })),
    );
    expect(told(await memory.hierarchy.tree())).toBe([...KINDS].sort().join(' '));
    for (const run of [memory.hierarchy.update(), memory.hierarchy.rebuild()])
      for await (const _ of run)
        expect(entitiesIn(await memory.hierarchy.tree()).sort()).toEqual([...KINDS].sort());
    expect(told(await memory.hierarchy.tree({ depth: 0 }))).toBe('Words with A(9) Words with B(9)');
  });
});

describe('the top of the tree', () => {
  const index = indexOf(
    {
      Food: { layer: 2, of: ['Fruits', 'Dishes'] },
      Fruits: { layer: 1, of: ['pear', 'fig', 'plum'] },
      Dishes: { layer: 1, of: ['soup', 'stew'] },
      Pets: { layer: 1, of: ['rex', 'mia'] },
      Hollow: { layer: 2, of: ['Empty'] },
      Empty: { layer: 1, of: [] },
    },
    ['zoe', 'amy'],
  );

  it('contains every category without a parent, of any layer, then entities without one, and nothing empty', () => {
    expect(show(index)).toBe(
      'Food(5)[Fruits(3)[fig pear plum] Dishes(2)[soup stew]] Pets(2)[mia rex] amy zoe',
    );
    expect(() => categoryTree(index, { of: 'Hollow' })).toThrow(InvalidInputError);
  });

  it('is cut as the children are, the largest first, and the others are counted', () => {
    const { nodes, more } = treePart(index, { limit: 1 });
    expect([told(nodes), more]).toEqual(['Food(5)[Fruits(3)[fig +2] +1]', 3]);
    expect(treePart(index, { limit: 3, depth: 0 })).toMatchObject({ nodes: { length: 3 }, more: 1 });
    expect(treePart(index)).toMatchObject({ more: 0 });
  });

  it('gives the number of nodes below a list that ends with the depth', () => {
    const [food] = categoryTree(index, { depth: 0 });
    expect(food).toMatchObject({ name: 'Food', entities: 5, children: [], more: 2 });
  });

  it('does not show a removed entity', () => {
    const gone = indexOf({ Pets: { layer: 1, of: ['rex', 'mia'] } });
    gone.entities.removeProfileOf('rex');
    expect(show(gone)).toBe('Pets(1)[mia]');
  });
});

describe('a category with several parents', () => {
  const diamond = {
    Joys: { layer: 3, of: ['Sports', 'Music'] },
    Sports: { layer: 2, of: ['Dance', 'Running'] },
    Music: { layer: 2, of: ['Dance', 'Songs', 'Bands'] },
    Dance: { layer: 1, of: ['salsa', 'tango'] },
    Running: { layer: 1, of: ['sprint'] },
    Songs: { layer: 1, of: ['aria', 'hymn', 'ode'] },
    Bands: { layer: 1, of: ['duo'] },
  };

  it('lists its content once, and refers to that place elsewhere', () => {
    const index = indexOf(diamond);
    expect(show(index)).toBe(
      'Joys(7)[Music(6)[Songs(3)[aria hymn ode] Dance(2)[salsa tango] Bands(1)[duo]] ' +
        'Sports(3)[Dance(2)@Joys>Music>Dance Running(1)[sprint]]]',
    );
    const [dance] = categoryTree(index, { of: 'Sports' })[0]!.children;
    expect(dance).toMatchObject({ alsoIn: ['Music'], children: [{ name: 'salsa' }, { name: 'tango' }] });
    expect(dance).not.toHaveProperty('listedAt');
  });

  it('is listed nearest to the first level, so that a depth hides nothing', () => {
    const index = indexOf({
      ...diamond,
      Moves: { layer: 2, of: ['Dance', 'Gestures'] },
      Gestures: { layer: 1, of: ['wave'] },
    });
    expect(show(index, { depth: 2 })).toBe(
      'Joys(7)[Music(6)[Songs(3) Dance(2)@Moves>Dance Bands(1)] Sports(3)[Dance(2)@Moves>Dance Running(1)]] ' +
        'Moves(3)[Dance(2)[salsa tango] Gestures(1)[wave]]',
    );
  });

  it('takes no more work than there are edges', () => {
    const layers = 40;
    const two = (layer: number) => [`x ${layer}`, `y ${layer}`];
    const rows = Array.from({ length: layers }, (_, at) =>
      two(at + 1).map((id) => [id, { layer: at + 1, of: two(at) }] as const),
    );
    const index = indexOf(Object.fromEntries(rows.flat()));
    const tree = categoryTree(index);
    expect(nodesIn(tree).length).toBe(2 + 4 * layers);
    expect(tree.map(({ entities }) => entities)).toEqual([2, 2]);
  });
});

describe('nodes that represent others', () => {
  it('shows the children of a category without a name in its place, and does not find it by name', () => {
    const index = indexOf({
      Joys: { layer: 2, of: ['nameless', 'Songs'] },
      nameless: { layer: 1, name: null, of: ['tango', 'hymn'] },
      Songs: { layer: 1, of: ['hymn', 'aria'] },
      bare: { layer: 1, name: null, of: ['mia', 'aria'] },
      void: { layer: 1, name: null, of: [] },
    });
    expect(show(index)).toBe('Joys(3)[Songs(2)[aria hymn] hymn tango] mia');
    for (const of of ['!!!', '…', ' ', 'void'])
      expect(() => categoryTree(index, { of })).toThrow(InvalidInputError);
    expect(show(index, { of: 'nameless' })).toBe('hymn tango');
    expect(categoryTree(index, { of: 'hymn' })[0]!.alsoIn).toEqual(['Songs', 'Joys']);
  });

  it('finds a category whose name has no letters by that name only', () => {
    const index = indexOf({
      a: { layer: 1, name: '!!!', of: ['x'] },
      b: { layer: 1, name: '???', of: ['y'] },
    });
    expect(show(index, { of: '!!!' })).toBe('!!!(1)[x]');
  });

  it('names the other categories of a node that was promoted', async () => {
    const group = (name: string, nodes: readonly { readonly id: string }[]) => ({
      ...{ name, tags: [], nodes: nodes.map(({ id }) => id) },
    });
    const lab = new HierarchyLab(
      categorizerOf(({ nodes, layer }) => {
        const of = (...words: string[]) =>
          nodes.filter(({ name }) => words.some((word) => name.startsWith(word)));
        if (layer === 1) return [group('Fruits', of('Apple')), group('Leaves', of('Chard'))];
        return layer > 2 ? [] : [group('Foods', nodes), group('Odd', of('Loner', 'Hermit', 'Leaves'))];
      }),
    );
    await lab.add(['Apple 1', 'Apple 2', 'Apple 3', 'Chard 1', 'Chard 2', 'Chard 3', 'Loner', 'Hermit']);
    await lab.organize();
    const [foods, odd] = categoryTree(lab.index);
    expect(foods!.children.map(({ name, alsoIn }) => [name, ...alsoIn])).toEqual([
      ['Fruits'],
      ['Leaves', 'Odd'],
      ['Hermit', 'Odd'],
      ['Loner', 'Odd'],
    ]);
    expect(odd!.children.map(({ alsoIn }) => alsoIn)).toEqual([['Foods'], ['Foods'], ['Foods']]);
    expect(categoryTree(lab.index, { of: 'loner' })).toMatchObject([
      { name: 'Loner', layer: 0, alsoIn: ['Foods', 'Odd'], children: [], more: 0 },
    ]);
  });
});

describe('a query by name', () => {
  const index = indexOf(
    {
      Health: { layer: 2, aliases: ['Wellbeing'], of: ['Sleep', 'Habits'] },
      Sleep: { layer: 1, of: ['nap', 'dream'] },
      Habits: { layer: 1, of: ['yoga', 'mercury'] },
      health: { layer: 1, name: 'Health', of: ['mia', 'mercury', 'Sleep walk'] },
    },
    ['Dr. Moss', 'zinc'],
  );

  it('returns every category of that name, the largest first', () => {
    const tree = categoryTree(index, { of: 'healths', depth: 1 });
    expect(told(tree)).toBe('Health(4)[Habits(2) Sleep(2)] Health(3)[Sleep walk mercury mia]');
    expect(show(index, { of: 'wellbeing', depth: 0 })).toBe('Health(4)');
    expect(show(index, { of: 'health', depth: 0 })).toBe('Health(3)');
  });

  it('returns an entity, with its categories', () => {
    expect(categoryTree(index, { of: 'Mercury' })).toMatchObject([
      { id: 'mercury', layer: 0, alsoIn: ['Habits', 'Health'], children: [], more: 0 },
    ]);
    expect(categoryTree(index, { of: 'dr moss' })).toMatchObject([{ name: 'Dr. Moss', alsoIn: [] }]);
  });

  it('fails for any other name, and suggests existing ones', () => {
    const failure = (of: string) => {
      try {
        return show(index, { of });
      } catch (error) {
        return InvalidInputError.isInstance(error) ? error.message : error;
      }
    };
    expect(failure('sleep well')).toMatch(
      /^There is no category or entity named "sleep well"; similar names: Sleep, Sleep walk\b/,
    );
    expect(failure('!!!')).toMatch(/^There is no category or entity named "!!!"\. /);
    for (const options of [{ of: '' }, { depth: -1 }, { limit: 0 }, { most: 1 }])
      expect(() => categoryTree(index, options as TreeOptions)).toThrow(InvalidInputError);
  });
});

describe('damaged data', () => {
  it('causes no endless loop, and loses nothing', () => {
    const index = indexOf({
      a: { layer: 1, of: ['b', 'a', 'x'] },
      b: { layer: 1, of: ['a', 'c', 'y'] },
      c: { layer: 2, of: ['b', 'd', 'z'] },
      d: { layer: 3, of: ['c', 'w'] },
    });
    expect(show(index)).toBe('d(3)[c(2)[b(1)[y] z] w] a(1)[x]');
  });

  it('shows each edge of any graph once and each entity at least once', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return (seed >>> 8) % below;
    };
    for (let round = 0; round < 60; round++) {
      const ids = Array.from({ length: 1 + random(14) }, (_, at) => `c${at}`);
      const some = (from: readonly string[]) => from.filter(() => random(4) === 0);
      const entities = Array.from({ length: 12 }, (_, at) => `e${at}`);
      const rows = ids.map((id) => {
        const name = random(5) === 0 ? null : random(6) === 0 ? 'e1' : id;
        return [id, { layer: 1 + random(4), name, of: [...some(ids), ...some(entities)] }] as const;
      });
      const tree = categoryTree(indexOf(Object.fromEntries(rows), entities));
      expect(entitiesIn(tree).sort()).toEqual([...entities].sort());
      const open = new Map<string, CategoryTree>();
      for (const node of nodesIn(tree)) {
        expect(node.listedAt === undefined || node.children.length === 0).toBe(true);
        if (node.children.length === 0) continue;
        expect(open.has(node.id)).toBe(false);
        open.set(node.id, node);
      }
      const below = (node: CategoryTree): string[] =>
        node.layer === 0 ? [node.id] : open.get(node.id)!.children.flatMap(below);
      for (const node of open.values()) expect(node.entities).toBe(new Set(below(node)).size);
    }
  });
});
