import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import type { SearchOptions } from '../../src/engine/search-options.ts';
import type { Mnemis } from '../../src/engine.ts';
import { contents, open, remember } from './memory-fixture.ts';

let mnemis: Mnemis;
let memory: MemoryScope;
beforeAll(async () => {
  mnemis = await open(':memory:');
  memory = mnemis.scope('teas');
  await remember(memory, [
    { speaker: 'Nora', at: '2026-03-01', content: 'I love green tea.', metadata: { thread: 't1', cups: 3 } },
    { speaker: 'Bob', at: '2026-03-02', content: 'I hate green tea.', metadata: { thread: 't2', cups: 0 } },
    { speaker: 'Bob', at: '2026-03-03', content: 'I moved to Ghent.' },
  ]);
});
afterAll(() => mnemis.close());

const statements = (facts: readonly { readonly statement: string }[]) =>
  facts.map(({ statement }) => statement);

/** Negations of negations. */
const nested = (depth: number): object => (depth === 0 ? { thread: 't1' } : { $not: nested(depth - 1) });

describe('options of search', () => {
  it('limit is k, for the flat list too', async () => {
    const found = await memory.search('green tea', { limit: 1 });
    expect([found.episodes.length, found.items.length]).toEqual([1, 1]);
    expect(found.facts).toEqual((await memory.search('green tea', { k: 1 })).facts);
  });

  it.each<[string, object]>([
    ['an unknown option', { topN: 1 }],
    ['both names of one option', { k: 1, limit: 2 }],
    ['a limit of none', { limit: 0 }],
    ['a filter that is no object', { filter: 'thread' }],
    ['an unknown operator', { filter: { thread: { $is: 't1' } } }],
    ['an unknown combination', { filter: { $xor: [{ thread: 't1' }] } }],
    ['alternatives that are no list', { filter: { $or: { thread: 't1' } } }],
    ['a negation of a value', { filter: { $not: 't1' } }],
    ['a filter without an end', { filter: nested(100) }],
    ['a time that is none', { filter: { at: { $gte: 'soon' } } }],
  ])('%s throws', async (_, options) => {
    for (const call of [
      memory.search('tea', options as SearchOptions),
      memory.ask('tea', options as SearchOptions),
    ])
      await expect(call).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

it('items: the best turn, fact and entity, then the second of each', async () => {
  const { items, episodes, facts, entities } = await memory.search('green tea', { k: 5 });
  expect(items).toHaveLength(5);
  expect(items.slice(0, 4)).toEqual([episodes[0], facts[0], entities[0], episodes[1]]);
});

describe('a filter on metadata', () => {
  it('finds the turns that pass, and what they support', async () => {
    const found = await memory.search('Who likes green tea?', { filter: { thread: 't2' } });
    expect(contents(found)).toEqual(['I hate green tea.']);
    expect(statements(found.facts)).toEqual(['Bob hates green tea']);
    expect(found.entities.map(({ name }) => name)).not.toContain('Nora');
  });

  it('takes conditions, and turns without metadata fail them', async () => {
    const found = await memory.search('green tea Ghent', { filter: { cups: { $gte: 0, $lt: 3 } } });
    expect(contents(found)).toEqual(['I hate green tea.']);
    expect((await memory.search('green tea', { filter: { thread: 't3' } })).items).toEqual([]);
  });

  it('applies to answers, to recipes that follow the graph, and together with asOf', async () => {
    const answer = await memory.ask('Who hates green tea?', { filter: { thread: 't1' } });
    expect(answer.text).not.toContain('Bob');
    const walked = await memory.search('green tea', { recipe: 'memorai', filter: { thread: 't1' } });
    expect(contents(walked)).toEqual(['I love green tea.']);
    const early = await memory.search('green tea', { filter: { thread: 't2' }, asOf: '2026-03-01T12:00Z' });
    expect(contents(early)).toEqual([]);
  });
});

describe('a filter on what a turn is', () => {
  const found = async (filter: SearchOptions['filter']) =>
    contents(await memory.search('green tea Ghent', { filter })).sort();
  const [LOVE, HATE, GHENT] = ['I love green tea.', 'I hate green tea.', 'I moved to Ghent.'];

  it.each<[string, SearchOptions['filter'], string[]]>([
    ['speaker', { speaker: 'Nora' }, [LOVE]],
    ['session', { session: { $ne: 'another' } }, [HATE, LOVE, GHENT]],
    ['role', { role: 'assistant' }, []],
    ['talk', { talk: { $in: ['people', 'group'] } }, [HATE, LOVE, GHENT]],
    ['from a day on', { at: { $gte: '2026-03-02' } }, [HATE, GHENT]],
    ['before a time with a zone', { at: { $lt: '2026-03-02T01:00+02:00' } }, [LOVE]],
    ['at a time', { at: new Date('2026-03-03') }, [GHENT]],
    ['both', { $and: [{ speaker: 'Bob' }, { at: { $lt: '2026-03-03' } }] }, [HATE]],
    ['either', { $or: [{ thread: 't1' }, { at: { $gt: '2026-03-02' } }] }, [LOVE, GHENT]],
    ['not', { $not: { speaker: 'Bob', cups: 0 } }, [LOVE, GHENT]],
    ['none of nothing', { $or: [] }, []],
  ])('%s', async (_, filter, wanted) => {
    expect(await found(filter)).toEqual(wanted);
  });

  it('reads a field of the metadata of the same name first', async () => {
    const scope = mnemis.scope('same names');
    await scope.add([
      { speaker: 'Nora', content: 'Green tea is served at four.', metadata: { source: 'menu.pdf' } },
      { speaker: 'Nora', content: 'Green tea is out.', metadata: { speaker: 'the waiter' } },
    ]);
    expect(contents(await scope.search('tea', { filter: { source: 'menu.pdf' } }))).toHaveLength(1);
    expect(contents(await scope.search('tea', { filter: { speaker: 'Nora' } }))).toHaveLength(1);
  });
});

describe('the name of a speaker', () => {
  it.each(['Nora', 'Where does Nora live?'])(
    '%s: finds her turns before anything was read for facts',
    async (query) => {
      const fresh = mnemis.scope(`unread ${query}`);
      await fresh.add([
        { speaker: 'Nora', at: '2026-03-01', content: 'I moved to Ghent.' },
        { speaker: 'Bob', at: '2026-03-02', content: 'Nice weather today.' },
        { speaker: 'Nora', at: '2026-03-03', content: 'My flat looks out on a canal.' },
      ]);
      expect(contents(await fresh.search(query, { k: 2 }))).toEqual([
        'My flat looks out on a canal.',
        'I moved to Ghent.',
      ]);
    },
  );

  it('finds turns of others that mention it', async () => {
    const fresh = mnemis.scope('mentions');
    await fresh.add([
      { speaker: 'Nora', at: '2026-03-01', content: 'Good morning.' },
      { speaker: 'Bob', at: '2026-03-02', content: 'Nora called me.' },
    ]);
    expect(contents(await fresh.search('Nora'))).toHaveLength(2);
  });
});
