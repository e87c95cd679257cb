import { describe, expect, it } from 'vitest';
import { CancelledError, MnemisError } from '../../../src/errors/index.ts';
import { HierarchyView } from '../../../src/hierarchy/traverse/hierarchy-view.ts';
import type { Pick, Selector, SelectRequest } from '../../../src/hierarchy/traverse/selector.ts';
import type { WalkOptions, WalkSettings } from '../../../src/hierarchy/traverse/walk.ts';
import { NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { seededRandom } from '../../search/random.ts';
import { hierarchyRows, indexOf, type Sketch, TRAVELS } from './hand-made-hierarchy.ts';
import { walkWith } from './walk-with.ts';

type Says = (request: SelectRequest) => readonly (string | Partial<Pick>)[];

/** Picks by name; "Cities*" takes everything below. */
class ScriptedSelector implements Selector {
  readonly name = 'scripted';
  readonly lists: string[][] = [];
  readonly #says: Says;

  constructor(says: Says) {
    this.#says = says;
  }

  async select(request: SelectRequest) {
    this.lists.push(
      request.nodes.flatMap(({ id, children = [] }) => [id, ...children.map((child) => `  ${child.id}`)]),
    );
    const picks = this.#says(request).map((said) =>
      typeof said === 'string'
        ? { id: said.replace('*', ''), all: said.endsWith('*'), score: 1 }
        : { id: 'nothing', all: false, score: 1, ...said },
    );
    return { picks, notes: [], usage: NO_MODEL_USAGE };
  }
}

const PLAIN: WalkSettings = { beam: 20, skipTop: 0, together: 0 };

async function walked(
  sketch: Sketch,
  says: readonly string[] | Says,
  { current, prefer, ...settings }: Partial<WalkSettings & Omit<WalkOptions, 'settings'>> = {},
) {
  const index = await indexOf(hierarchyRows(sketch));
  const wanted: Says =
    typeof says === 'function'
      ? says
      : ({ nodes }) => {
          const offered = new Set(
            nodes.flatMap((node) => [node, ...(node.children ?? [])]).map(({ id }) => id),
          );
          return says.filter((name) => offered.has(name.replace('*', '')));
        };
  const selector = new ScriptedSelector(wanted);
  const view = new HierarchyView(index, () => true);
  const result = await walkWith(view, 'Where?', {
    ...{ selector, settings: { ...PLAIN, ...settings } },
    ...(current && { current }),
    ...(prefer && { prefer }),
  });
  return { ...result, lists: selector.lists, ids: result.selected.map(({ id }) => id) };
}

describe('the walk', () => {
  it('walks from the top through the children of picks down to entities', async () => {
    const { lists, ids, end, steps, selected } = await walked(TRAVELS, ['Places', 'Cities', 'Oslo', 'Rome']);
    expect(lists).toEqual([
      ['Places', 'Living things', 'Things', 'People'],
      ['Cities', 'Parks'],
      ['Oslo', 'Bergen', 'Rome', 'Lima'],
    ]);
    expect(ids).toEqual(['Places', 'Cities', 'Oslo', 'Rome']);
    expect(selected.at(-1)).toEqual({
      id: 'Rome',
      layer: 0,
      score: 1,
      member: false,
      path: ['Places', 'Cities', 'Rome'],
    });
    expect(end).toBe('complete');
    expect(steps.map(({ layer, offered, picked }) => [layer, offered, picked])).toEqual([
      [2, 4, 1],
      [1, 2, 1],
      [0, 4, 2],
    ]);
    expect(steps[2]).toMatchObject({
      names: ['Oslo', 'Bergen', 'Rome', 'Lima'],
      picks: [{ name: 'Oslo', all: false }, { name: 'Rome' }],
    });
  });

  it('selects everything below a pick with all, and does not walk it', async () => {
    const { lists, ids, selected } = await walked(TRAVELS, ['Places*', 'Things', 'Tools*']);
    expect(lists[1]).toEqual(['Instruments', 'Tools']);
    expect(lists).toHaveLength(2);
    expect(ids).toEqual([
      'Places',
      'Cities',
      'Oslo',
      'Bergen',
      'Rome',
      'Lima',
      'Parks',
      'Yosemite',
      'Tiergarten',
      'Things',
      'Tools',
      'hammer',
      'saw',
      'drill',
    ]);
    const of = (id: string) => selected.find((node) => node.id === id)!;
    expect(of('Yosemite').path).toEqual(['Places', 'Parks', 'Yosemite']);
    expect(of('Yosemite').score).toBeCloseTo(0.95 ** 2);
    expect(of('Parks').score).toBeLessThan(of('Places').score);
  });

  it('ends if nothing is picked, and reports the layer', async () => {
    const { end, steps, ids } = await walked(TRAVELS, ['Places']);
    expect([end, steps.at(-1)!.layer, steps.at(-1)!.offered, steps.at(-1)!.picked]).toEqual([
      'no-picks',
      1,
      2,
      0,
    ]);
    expect(ids).toEqual(['Places']);
    expect((await walked(TRAVELS, [])).end).toBe('no-picks');
  });

  it('selects nothing without a hierarchy, and does not call the selector', async () => {
    const { end, lists, ids } = await walked([], ['x']);
    expect([end, lists, ids]).toEqual(['no-hierarchy', [], []]);
  });

  it('works for a memory of one entity', async () => {
    const { ids, end, selected } = await walked(['2 Places: Cities', '1 Cities: Oslo'], ['Oslo']);
    expect([ids, end, selected[0]!.path]).toEqual([['Oslo'], 'complete', ['Oslo']]);
  });

  it('does not show promotions in lists or paths', async () => {
    const sketch = [
      '3 All: Kept, Things',
      '2 Kept: Kept 1',
      '1 Kept 1: Oslo',
      '2 Things: Tools, Pets',
      '1 Tools: saw, drill',
      '1 Pets: Rex, Luna',
    ];
    const { lists, selected } = await walked(sketch, ['All', 'Oslo', 'Things', 'Tools', 'saw']);
    expect(lists).toEqual([['All'], ['Oslo', 'Things'], ['Tools', 'Pets'], ['saw', 'drill']]);
    expect(selected.map(({ path }) => path.join(' → '))).toContain('All → Oslo');
  });

  it('offers a node of several parents once, under the parent that was picked first', async () => {
    const sketch = ['1 A: x, both', '1 B: both, y', '1 C: z, both'];
    const { lists, selected } = await walked(sketch, ['A', 'B', 'both']);
    expect(lists[1]).toEqual(['x', 'both', 'y']);
    expect(selected.at(-1)!.path).toEqual(['A', 'both']);
    const best = await walked(sketch, ({ nodes }) =>
      nodes.some(({ id }) => id === 'A')
        ? [
            { id: 'A', score: 0.2 },
            { id: 'B', score: 0.9 },
          ]
        : ['both'],
    );
    expect(best.selected.at(-1)!.path).toEqual(['B', 'both']);
  });

  it('follows a beam of the best picks; the others stay selected', async () => {
    const says: Says = ({ nodes }) => nodes.map(({ id }, at) => ({ id, score: at / 10 }));
    const { lists, ids, steps } = await walked(TRAVELS, says, { beam: 2 });
    expect(lists[1]).toEqual(['Friends', 'Family', 'Instruments', 'Tools']);
    expect(ids).toEqual(expect.arrayContaining(['Places', 'Living things']));
    expect(steps[0]!.notes).toEqual(['2 picks were not followed']);
    const whole = await walked(TRAVELS, ['Places*', 'Things'], { beam: 1 });
    expect(whole.lists[1]).toEqual(['Instruments', 'Tools']);
  });

  it('fills the beam by preference if scores are equal', async () => {
    const prefer = ({ id }: { readonly id: string }) => ['Things', 'Living things'].indexOf(id);
    const says: Says = ({ nodes }) => nodes.map(({ id }) => ({ id }));
    const { lists } = await walked(TRAVELS, says, { beam: 2, prefer });
    expect(lists[1]).toEqual(['Pets', 'Plants', 'Instruments', 'Tools']);
    const better: Says = ({ nodes }) => nodes.map(({ id }) => ({ id, score: id === 'People' ? 1 : 0.5 }));
    const mixed = await walked(TRAVELS, better, { beam: 2, prefer });
    expect(mixed.lists[1]).toEqual(['Friends', 'Family', 'Pets', 'Plants']);
    let asked = 0;
    await walked(TRAVELS, says, { beam: 20, prefer: () => asked++ });
    expect(asked).toBe(0);
  });

  describe('when rows are deleted while a selector runs', () => {
    const goes = async (gone: readonly string[], says: readonly string[], settings = {}) => {
      const now = new Set<string>();
      const current = (id: string) => (now.has(id) ? undefined : { name: `${id} now`, tags: [] });
      const offered: string[] = [];
      const first: Says = ({ nodes }) => {
        const all = nodes.flatMap((node) => [node, ...(node.children ?? [])]);
        offered.push(...all.map(({ name }) => name));
        for (const id of gone) now.add(id);
        return says.filter((name) => all.some(({ id }) => id === name.replace('*', '')));
      };
      return { ...(await walked(TRAVELS, first, { ...settings, current })), offered };
    };
    const isNamed = (result: Awaited<ReturnType<typeof goes>>, name: string) =>
      JSON.stringify([result.steps, result.selected]).includes(`"${name} now"`);

    it('does not offer or name them afterwards', async () => {
      const result = await goes(['Rome', 'Things'], ['Places', 'Things', 'Cities', 'Oslo', 'Tools']);
      expect(result.lists).toEqual([
        ['Places', 'Living things', 'Things', 'People'],
        ['Cities', 'Parks', 'Instruments', 'Tools'],
        ['Oslo', 'Bergen', 'Lima', 'hammer', 'saw', 'drill'],
      ]);
      expect(result.ids).toEqual(['Places', 'Cities', 'Tools', 'Oslo']);
      expect(result.steps[0]).toMatchObject({
        names: ['Places now', 'Living things now', 'People now'],
        picks: [{ name: 'Places now' }],
      });
      for (const name of ['Rome', 'Things']) expect(isNamed(result, name)).toBe(false);
      const tools = result.selected.find(({ id }) => id === 'Tools')!;
      expect(tools.path).toEqual(['Tools now']);
    });

    it('continues below a category that lost its name', async () => {
      const { lists, end } = await goes(['Cities'], ['Places', 'Lima']);
      expect(lists[1]).toEqual(['Oslo', 'Bergen', 'Rome', 'Lima', 'Parks']);
      expect(end).toBe('complete');
    });

    it('does not select them with a whole category, nor beside it', async () => {
      const result = await goes(['Rome', 'Parks'], ['Places*']);
      expect(result.ids).toEqual(['Places', 'Cities', 'Oslo', 'Bergen', 'Lima', 'Yosemite', 'Tiergarten']);
      for (const name of ['Rome', 'Parks']) expect(isNamed(result, name)).toBe(false);
      const thin = await goes(['Parks', 'Cities'], ['Places', 'Cities'], { together: 12 });
      expect(thin.offered).toContain('Parks now');
      for (const name of ['Cities', 'Parks']) expect(isNamed(thin, name)).toBe(false);
    });

    it('ends if the whole next list was deleted', async () => {
      const { end, lists } = await goes(['Rex', 'Luna', 'Milo', 'Pets'], ['Living things', 'Pets']);
      expect([end, lists[1]]).toEqual(['no-picks', ['Plants']]);
      const none = await goes(['Parks', 'Yosemite', 'Tiergarten'], ['Places', 'Parks']);
      expect(none.lists[1]).toEqual(['Cities']);
      const all = ['Cities', 'Parks', 'Oslo', 'Bergen', 'Rome', 'Lima', 'Yosemite', 'Tiergarten'];
      const ended = await goes(all, ['Places']);
      expect([ended.end, ended.lists.length, ended.ids]).toEqual(['complete', 1, ['Places']]);
    });
  });

  it('walks a list that is longer than an argument list can be', async () => {
    const top = Array.from({ length: 130_000 }, (_, at) => `e${at}`);
    const node = (id: string) => ({
      ...{ id, layer: 0, name: id, document: 0 },
      ...{ tags: [], aliases: [], children: [] },
    });
    const view = { top, node } as unknown as HierarchyView;
    const selector = new ScriptedSelector(() => ['e129999']);
    const { end, selected } = await walkWith(view, 'Where?', { selector, settings: PLAIN });
    expect([end, selected.map(({ id }) => id)]).toEqual(['complete', ['e129999']]);
  });

  it('opens a short top list without a call', async () => {
    const { lists, ids } = await walked(TRAVELS, ['Cities', 'Rome'], { skipTop: 4 });
    expect(lists[0]).toEqual([
      'Cities',
      'Parks',
      'Pets',
      'Plants',
      'Instruments',
      'Tools',
      'Friends',
      'Family',
    ]);
    expect(ids).toEqual(['Cities', 'Rome']);
    expect((await walked(TRAVELS, ['Cities', 'Rome'], { skipTop: 4 })).selected[1]!.path).toEqual([
      'Places',
      'Cities',
      'Rome',
    ]);
    expect((await walked(TRAVELS, [], { skipTop: 3 })).lists[0]).toHaveLength(4);
    expect((await walked(['1 A: x, y'], ['x'], { skipTop: 3 })).lists).toEqual([['x', 'y']]);
  });

  describe('with two short layers in one list', () => {
    const together = { together: 12 };

    it('continues below the children that are picked', async () => {
      const { lists, ids, selected } = await walked(TRAVELS, ['Cities', 'Rome'], together);
      expect(lists).toEqual([
        [
          'Places',
          '  Cities',
          '  Parks',
          'Living things',
          '  Pets',
          '  Plants',
          'Things',
          '  Instruments',
          '  Tools',
          'People',
          '  Friends',
          '  Family',
        ],
        ['Oslo', 'Bergen', 'Rome', 'Lima'],
      ]);
      expect(ids).toEqual(['Cities', 'Rome']);
      expect(selected[1]!.path).toEqual(['Places', 'Cities', 'Rome']);
    });

    it('continues below a picked parent only if none of its shown children is picked', async () => {
      const both = await walked(TRAVELS, ['Places', 'Cities', 'Things'], together);
      const things = [
        'Instruments',
        '  violin',
        '  cello',
        '  flute',
        'Tools',
        '  hammer',
        '  saw',
        '  drill',
      ];
      expect(both.lists[1]).toEqual(['Oslo', 'Bergen', 'Rome', 'Lima', ...things]);
    });

    it('respects the limit', async () => {
      expect((await walked(TRAVELS, [], { together: 11 })).lists[0]).toHaveLength(4);
    });
  });

  describe('for every reply of a selector', () => {
    it('skips nodes that were not offered, and counts them', async () => {
      const { ids, steps } = await walked(TRAVELS, () => ['Oslo', 'nobody', 'Places', 'Places', { id: '' }]);
      expect(ids).toEqual(['Places']);
      expect(steps[0]!.notes).toEqual(['3 picks were not in the list']);
    });

    it('merges duplicate picks, whole if one of them is', async () => {
      const { ids, selected } = await walked(['1 A: x, y'], () => ['A', 'A*', 'A']);
      expect(ids).toEqual(['A', 'x', 'y']);
      expect(selected.map(({ member }) => member)).toEqual([false, true, true]);
    });

    it('clamps scores', async () => {
      const { selected } = await walked(['1 A: x, y', '1 B: z, w', '1 C: v, u'], ({ nodes }) =>
        nodes.map(({ id }, at) => ({ id, all: true, score: [Number.NaN, 7, -1][at]! })),
      );
      for (const { score } of selected) expect(score >= 0 && score <= 1).toBe(true);
      expect(selected[0]!.id).toBe('B');
    });

    it('ends, offers no node twice and selects only what was offered or is below it', async () => {
      const random = seededRandom(3);
      const names = Array.from({ length: 14 }, (_, at) => `C${at}`);
      for (let round = 0; round < 80; round++) {
        const sketch = names.map((name) => {
          const children = Array.from({ length: 5 }, () =>
            random() < 0.5 ? names[Math.floor(random() * 14)]! : `e${Math.floor(random() * 20)}`,
          );
          return `${1 + Math.floor(random() * 4)} ${name}: ${children.join(', ')}`;
        });
        const says: Says = ({ nodes }) =>
          [...nodes, ...nodes]
            .filter(() => random() < 0.5)
            .map(({ id }) => ({ id: random() < 0.1 ? 'C1' : id, all: random() < 0.2, score: random() }));
        const { lists, selected } = await walked(sketch, says, {
          together: random() < 0.5 ? 15 : 0,
          skipTop: random() < 0.5 ? 3 : 0,
          beam: 4,
        });
        const heads = lists.flatMap((list) => list.filter((id) => !id.startsWith(' ')));
        expect(new Set(heads).size).toBe(heads.length);
        expect(new Set(selected.map(({ id }) => id)).size).toBe(selected.length);
        for (const { id, path } of selected) expect(path.at(-1)).toBe(id);
      }
    });
  });

  it('selects ten thousand entities of one category', async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `e${at}`);
    const { ids, steps } = await walked([`1 Many: ${names.join(', ')}`], ['Many*']);
    expect(ids).toHaveLength(10_001);
    const offered = await walked([`1 Many: ${names.join(', ')}`], ['Many', 'e7', 'e9999']);
    expect(offered.ids).toEqual(['Many', 'e7', 'e9999']);
    expect(offered.steps[1]).toMatchObject({ offered: 10_000, picked: 2 });
    // The trace stays small.
    expect(offered.steps[1]!.names).toHaveLength(50);
    expect(steps[0]!.picks).toEqual([{ name: 'Many', all: true }]);
  });

  it('selects nothing if the selector fails, and reports the error code', async () => {
    let calls = 0;
    const failing: Says = () => {
      if (++calls > 1) throw new MnemisError({ code: 'model-unavailable', message: 'x' });
      return ['Places'];
    };
    const { ids, end, failure, steps } = await walked(TRAVELS, failing);
    expect([ids, end, failure, steps.length]).toEqual([[], 'failed', 'model-unavailable', 1]);
  });

  it('rethrows cancellation and errors that are not model failures', async () => {
    const throws =
      (error: Error): Says =>
      () => {
        throw error;
      };
    await expect(walked(TRAVELS, throws(new CancelledError('kept')))).rejects.toMatchObject({
      code: 'cancelled',
    });
    await expect(walked(TRAVELS, throws(new TypeError('bug')))).rejects.toThrow('bug');
    const index = await indexOf(hierarchyRows(TRAVELS));
    const selector = new ScriptedSelector(() => []);
    const stopped = walkWith(new HierarchyView(index, () => true), 'q', {
      selector,
      settings: PLAIN,
      calls: { signal: AbortSignal.abort() },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(selector.lists).toEqual([]);
  });
});
