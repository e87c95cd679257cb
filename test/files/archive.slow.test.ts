import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import type { CategoryId, EntityId } from '../../src/model/ids.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import {
  category,
  edge,
  entity,
  episode,
  failure,
  hierarchy,
  profile,
  scopeOf,
  segment,
} from '../contract/graph-rows.ts';
import { fullAt, scopeOver } from '../engine/failing-store.ts';
import {
  answersTo,
  asSet,
  CONVERSATION,
  contents,
  edges,
  freshPath,
  graphOf,
  open,
  QUERIES,
  readGraph,
  remember,
  turn,
  using,
} from '../engine/memory-fixture.ts';

const file = freshPath('.jsonl');
let wanted: Awaited<ReturnType<typeof answersTo>>;

beforeAll(() =>
  using(freshPath(), async (mnemis) => {
    const memory = mnemis.scope('a');
    await remember(memory, CONVERSATION);
    await remember(memory, [
      turn('He is a poodle.', { session: 's1', index: 2, speaker: 'Ann' }),
      turn('lines\u2028of\u2029all\r\nkinds\u0000 \ud83d', { sourceId: 'odd', source: 'mail' }),
      turn('', { attachments: [{ kind: 'photo', description: 'a lighthouse', uri: 'file:///x' }] }),
    ]);
    await memory.addFacts([
      { statement: 'Rex is a dog', validAt: '2020', evidence: [{ session: 's1', index: 0 }] },
      {
        statement: 'Ann is Bob’s neighbour',
        subject: 'Ann',
        relation: 'be neighbour of',
        object: 'Bob',
        invalidAt: '2024-01-01',
        confidence: 0.25,
        evidence: [{ session: 's1', index: 0 }],
      },
    ]);
    const summary = await memory.exportTo(file);
    const graph = readGraph(file);
    const rows = Object.values(graph.nodes).reduce((sum, kind) => sum + kind.length, 0);
    expect(summary).toEqual({ file, nodes: rows, relationships: graph.relationships.length });
    wanted = await answersTo(memory, QUERIES);
  }),
);

describe('export and import', () => {
  it('restore the same rows, relationships, vectors and search results', async () => {
    const path = freshPath();
    const { nodes, relationships } = readGraph(file);
    await using(path, async (mnemis) => {
      const memory = mnemis.scope('elsewhere');
      const total = Object.values(nodes).reduce((sum, rows) => sum + rows.length, 0);
      const counts = { nodes: total, relationships: relationships.length };
      expect(await memory.importFrom(file)).toEqual({
        ...counts,
        skipped: 0,
        forgotten: 0,
        forgottenTurns: [],
      });
      expect(asSet(await graphOf(memory))).toEqual(asSet(readGraph(file)));
      expect(await answersTo(memory, QUERIES)).toEqual(wanted);
      // The same again changes nothing.
      const again = {
        nodes: 0,
        relationships: 0,
        skipped: counts.nodes + counts.relationships,
        forgotten: 0,
        forgottenTurns: [],
      };
      expect(await memory.importFrom(file)).toEqual(again);
      expect(asSet(await graphOf(memory))).toEqual(asSet(readGraph(file)));
      // Keys came along: what was known is known.
      expect(await memory.add({ ...CONVERSATION[0]!, index: 0 })).toMatchObject({ known: 1 });
    });
    await using(path, async (mnemis) =>
      expect(await answersTo(mnemis.scope('elsewhere'), QUERIES)).toEqual(wanted),
    );
  });

  it('copy a scope inside one database under new ids', async () => {
    await using(':memory:', async (mnemis) => {
      const [one, two] = [mnemis.scope('one'), mnemis.scope('two')];
      await one.importFrom(file);
      await expect(two.importFrom(file)).rejects.toMatchObject({
        code: 'invalid-input',
        message: expect.stringContaining('the option newIds'),
      });
      expect((await two.stats()).episode).toBe(0);
      await two.importFrom(file, { newIds: true });
      const [first, second] = [await graphOf(one), await graphOf(two)];
      expect(await two.stats()).toEqual(await one.stats());
      const ids = new Set(Object.values(first.nodes).flatMap((rows) => rows.map(({ id }) => id as string)));
      for (const rows of Object.values(second.nodes))
        for (const { id } of rows) expect(ids.has(id)).toBe(false);
      const here = new Set(Object.values(second.nodes).flatMap((rows) => rows.map(({ id }) => id as string)));
      for (const { owner } of [...second.nodes.profile, ...second.nodes.embedding])
        expect(here.has(owner)).toBe(true);
      expect(edges(second, 'ABOUT')).toHaveLength(edges(first, 'ABOUT').length);
      for (const query of QUERIES)
        expect(contents(await two.search(query))).toEqual(contents(await one.search(query)));
      // Run again, as after a break: nothing comes twice.
      expect(await two.importFrom(file, { newIds: true })).toMatchObject({ nodes: 0, relationships: 0 });
      expect(await two.stats()).toEqual(await one.stats());
    });
  });

  it('are rejected by a scope that has the same turns as other rows', async () => {
    const file = freshPath('.jsonl');
    await using(':memory:', async (mnemis) => {
      await remember(mnemis.scope('a'), CONVERSATION);
      await mnemis.scope('a').exportTo(file);
    });
    await using(':memory:', async (mnemis) => {
      const memory = mnemis.scope('a');
      await memory.add(CONVERSATION.slice(0, 1));
      const before = await memory.stats();
      await expect(memory.importFrom(file)).rejects.toMatchObject({ code: 'invalid-input' });
      expect(await memory.stats()).toEqual(before);
    });
  });

  it('keep an older file when an export fails or is cancelled', async () => {
    await using(':memory:', async (mnemis) => {
      const memory = mnemis.scope('a');
      await memory.add(turn('kiwi'));
      const target = freshPath('.jsonl');
      writeFileSync(target, 'old');
      const signal = AbortSignal.abort();
      await expect(memory.exportTo(target, { signal })).rejects.toMatchObject({ code: 'cancelled' });
      expect(readFileSync(target, 'utf8')).toBe('old');
      const nowhere = `${target}/x/y.jsonl`;
      await expect(memory.exportTo(nowhere)).rejects.toMatchObject({ code: 'store-write' });
      expect(existsSync(nowhere)).toBe(false);
    });
  });

  it('continue after an interrupted import', async () => {
    const memory = await scopeOver(fullAt(2));
    // More rows than one commit takes.
    const big = freshPath('.jsonl');
    const source = await scopeOver(new InMemoryStore());
    await source.add(
      Array.from({ length: 8_000 }, (_, index) => turn(`word${index}`, { index, speaker: `s${index % 3}` })),
    );
    const { nodes, relationships } = await source.exportTo(big);
    expect(nodes + relationships).toBeGreaterThan(20_000);
    await expect(memory.importFrom(big)).rejects.toMatchObject({ code: 'disk-full' });
    const summary = await memory.importFrom(big);
    expect(summary.skipped).toBe(20_000);
    expect(summary.nodes + summary.relationships).toBe(nodes + relationships - 20_000);
    expect(asSet(await graphOf(memory))).toEqual(asSet(readGraph(big)));
    expect(contents(await memory.search('word7999', { k: 1 }))).toEqual(['word7999']);
  });
});

describe('an export with rows and columns that version 1 lacks', () => {
  const A = scopeOf('a');
  const rows = {
    episode: [
      episode('e1', { trust: 'low' }),
      episode('e2', { trust: 'high', index: 1 }),
      episode('e3', { index: 2 }),
    ],
    segment: [segment('s1', { profile: 'quick' })],
    entity: [entity('n1'), entity('n2')],
    failure: [failure('x1'), failure('x2', { code: 'quota', attempts: 1, expiredAt: 8 })],
  };
  const relationships = [
    edge('FAILED_IN', 'e1', 'x1'),
    edge('FAILED_IN', 'e2', 'x2'),
    edge('POSSIBLY_SAME', 'n1', 'n2', { confidence: 0.1 + 0.2 }),
  ];
  const exported = async (): Promise<string> => {
    const store = new InMemoryStore();
    const memory = await scopeOver(store);
    await store.commit(A, { nodes: rows, relationships });
    const target = freshPath('.jsonl');
    await memory.exportTo(target);
    return target;
  };
  const edgesIn = async (store: InMemoryStore) => {
    const found: unknown[] = [];
    for (const kind of ['FAILED_IN', 'POSSIBLY_SAME'] as const)
      for await (const batch of store.relationships(A, kind)) found.push(...batch);
    return found;
  };

  it('is of version 5, and restores everything', async () => {
    const target = await exported();
    expect(JSON.parse(readFileSync(target, 'utf8').split('\n')[0]!)).toMatchObject({
      version: 5,
      counts: { failure: 2 },
    });
    const store = new InMemoryStore();
    const memory = await scopeOver(store);
    expect(await memory.importFrom(target)).toEqual({
      nodes: 8,
      relationships: 3,
      skipped: 0,
      forgotten: 0,
      forgottenTurns: [],
    });
    expect(await store.get(A, 'episode', ['e1', 'e2', 'e3'])).toEqual(rows.episode);
    expect(await store.get(A, 'segment', ['s1'])).toEqual(rows.segment);
    expect(await store.get(A, 'failure', ['x1', 'x2'])).toEqual(rows.failure);
    expect(await edgesIn(store)).toEqual(relationships);
    expect(await memory.importFrom(target)).toEqual({
      nodes: 0,
      relationships: 0,
      skipped: 11,
      forgotten: 0,
      forgottenTurns: [],
    });
  });

  it('keeps its edges under new ids', async () => {
    const store = new InMemoryStore();
    const memory = await scopeOver(store);
    await memory.importFrom(await exported(), { newIds: true });
    const failures = [];
    for await (const batch of store.scan(A, 'failure')) failures.push(...batch);
    expect(failures.map(({ id, ...row }) => ({ ...row, id: id.length }))).toEqual(
      rows.failure.map((row) => ({ ...row, id: 36 })),
    );
    const segments = [];
    for await (const batch of store.scan(A, 'segment', ['profile'])) segments.push(...batch);
    expect(segments).toEqual([{ profile: 'quick' }]);
    expect(await edgesIn(store)).toHaveLength(3);
  });

  it('can be read in its older form too: trust normal, profile empty', async () => {
    const lines = readFileSync(await exported(), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(0, -1);
    const { failure: _, ...counts } = JSON.parse(lines[0]!).counts;
    const old = lines.slice(1).flatMap((text) => {
      const line = JSON.parse(text);
      if (line.node === 'failure' || ['FAILED_IN', 'POSSIBLY_SAME'].includes(line.relationship?.kind))
        return [];
      for (const name of ['trust', 'profile']) delete line.row?.[name];
      return [JSON.stringify(line)];
    });
    const target = freshPath('.jsonl');
    writeFileSync(target, sealed([JSON.stringify({ ...JSON.parse(lines[0]!), version: 1, counts }), ...old]));
    const store = new InMemoryStore();
    const memory = await scopeOver(store);
    expect(await memory.importFrom(target)).toEqual({
      nodes: 6,
      relationships: 0,
      skipped: 0,
      forgotten: 0,
      forgottenTurns: [],
    });
    expect(await store.get(A, 'episode', ['e1', 'e2', 'e3'])).toEqual(
      rows.episode.map((row) => ({ ...row, trust: 'normal' })),
    );
    expect(await store.get(A, 'segment', ['s1'])).toEqual([segment('s1', { profile: '' })]);
  });
});

describe('the hierarchy in an export', () => {
  const A = scopeOf('a');
  const nodes = {
    entity: [entity('n1'), entity('n2')],
    category: [category('c1', { staleSince: 5 }), category('c2', { layer: 2 })],
    hierarchy: [hierarchy('h', { stoppedBy: 'maximum-layers', builtAt: 7 })],
    profile: [
      profile('p1', { owner: 'n1' as EntityId, name: 'Ghent', aliases: [], tags: ['place'] }),
      profile('p2', { owner: 'c1' as CategoryId, name: 'Cities', aliases: [], tags: ['place'] }),
      profile('p3', { owner: 'c2' as CategoryId, name: 'Places', aliases: [], tags: [] }),
    ],
  };
  const relationships = [
    edge('CATEGORIZES', 'c1', 'n1'),
    edge('CATEGORIZES', 'c1', 'n2'),
    edge('CATEGORIZES', 'c2', 'c1', {}, ['category', 'category']),
  ];
  const linesOfExport = async () => {
    const store = new InMemoryStore();
    await store.commit(A, { nodes, relationships });
    const target = freshPath('.jsonl');
    await (await scopeOver(store)).exportTo(target);
    return readFileSync(target, 'utf8').trimEnd().split('\n').slice(0, -1);
  };
  const imported = async (lines: readonly string[]) => {
    const target = freshPath('.jsonl');
    writeFileSync(target, sealed(lines));
    const store = new InMemoryStore();
    const memory = await scopeOver(store);
    await memory.importFrom(target);
    return { store, memory };
  };

  it('is restored, and no category becomes an entity', async () => {
    const { store, memory } = await imported(await linesOfExport());
    expect(await store.get(A, 'category', ['c1', 'c2'])).toEqual(nodes.category);
    expect(await store.get(A, 'hierarchy', ['h'])).toEqual(nodes.hierarchy);
    const edgesThere = [];
    for await (const batch of store.relationships(A, 'CATEGORIZES')) edgesThere.push(...batch);
    expect(edgesThere).toHaveLength(3);
    expect(edgesThere).toEqual(expect.arrayContaining(relationships));
    expect((await memory.history({ entity: 'Ghent' })).entity).toBe('n1');
    for (const name of ['Cities', 'Places'])
      await expect(memory.history({ entity: name }), name).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('has its categories before their profiles, so that an import in batches knows the owners', async () => {
    const kinds = (await linesOfExport()).map((text) => JSON.parse(text).node as string | undefined);
    expect(kinds.lastIndexOf('category')).toBeLessThan(kinds.indexOf('profile'));
  });

  it('is missing in version 3, whose categories were never stale', async () => {
    const lines = (await linesOfExport()).flatMap((text) => {
      const line = JSON.parse(text);
      if (line.node === 'hierarchy') return [];
      delete line.row?.staleSince;
      if (line.counts !== undefined) {
        line.version = 3;
        delete line.counts.hierarchy;
      }
      return [JSON.stringify(line)];
    });
    const { store } = await imported(lines);
    expect(await store.get(A, 'category', ['c1'])).toEqual([category('c1')]);
    expect((await store.count(A)).hierarchy).toBe(0);
  });

  it.each([
    ['ends for a reason that is none', { stoppedBy: 'tired' }],
    ['has half a layer', { layers: 0.5 }],
  ])('is rejected when it %s', async (_, more) => {
    const lines = (await linesOfExport()).map((text) => {
      const line = JSON.parse(text);
      return JSON.stringify(line.node === 'hierarchy' ? { ...line, row: { ...line.row, ...more } } : line);
    });
    await expect(imported(lines)).rejects.toMatchObject({ code: 'file-unreadable' });
  });
});

/** With a fitting checksum, as a program that writes archives itself would make it. */
function sealed(lines: readonly string[]): string {
  const text = lines.map((line) => `${line}\n`).join('');
  const kinds = lines.slice(1).map((line) => ('node' in JSON.parse(line) ? 'nodes' : 'relationships'));
  const count = (kind: string) => kinds.filter((found) => found === kind).length;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ end: { nodes: count('nodes'), relationships: count('relationships'), sha256 } })}\n`;
}

describe('an incomplete archive', () => {
  const lines = (text: string) => text.trimEnd().split('\n');
  const reseal = (change: (lines: string[]) => void) => (text: string) => {
    const kept = lines(text).slice(0, -1);
    change(kept);
    return sealed(kept);
  };
  const editHeader = (more: object) =>
    reseal((all) => {
      all[0] = JSON.stringify({ ...JSON.parse(all[0]!), ...more });
    });
  const editNode = (kind: string, more: object) =>
    reseal((all) => {
      const at = all.findIndex((line) => line.startsWith(`{"node":"${kind}"`));
      const line = JSON.parse(all[at]!) as { row: object };
      all[at] = JSON.stringify({ ...line, row: { ...line.row, ...more } });
    });
  const editEdge = (more: object) =>
    reseal((all) => {
      const at = all.findIndex((line) => line.includes('"MENTIONS"'));
      all[at] = JSON.stringify({ relationship: { ...JSON.parse(all[at]!).relationship, ...more } });
    });
  const repeat = (start: string) =>
    reseal((all) => void all.push(all.find((line) => line.startsWith(start))!));
  const spoil: Readonly<Record<string, (text: string) => string>> = {
    'is empty': () => '',
    'is cut in a line': (text) => text.slice(0, text.length / 2),
    'lacks its end': (text) => `${lines(text).slice(0, -1).join('\n')}\n`,
    'lacks relationships': (text) => `${lines(text).slice(0, -9).join('\n')}\n`,
    'lacks a row': (text) => lines(text).toSpliced(2, 1).join('\n'),
    'lacks an edge': (text) => lines(text).toSpliced(-2, 1).join('\n'),
    'has another word': (text) => text.replace('beagle', 'collie').replace('puppy', 'kitty'),
    'has another number': (text) => text.replace('"confidence":0.25', '"confidence":0.75'),
    'is no export': () => '{"content":"hello","at":"2023"}\n',
    'is binary': () => '\u0000\u0001\u0002PK\u0003',
    'is of a newer version': editHeader({ version: 99 }),
    'is of another format': editHeader({ format: 'other' }),
    'has fewer rows than its header says': editHeader({ counts: { episode: 99 } }),
    'has a row that does not fit': editNode('fact', { confidence: 7 }),
    'has a vector of another length': editNode('embedding', { vector: 'AAAA' }),
    'has an edge to nowhere': editEdge({ to: 'nowhere' }),
    'has an edge between the wrong kinds': editEdge({ fromKind: 'fact' }),
    'has an edge that carries what it must not': editEdge({ role: 'subject' }),
    'has an edge twice': repeat('{"relationship"'),
    'has a trust that is none': editNode('episode', { trust: 'full' }),
  };
  it.each(Object.keys(spoil))('%s: nothing of it is imported', async (name) => {
    const spoilt = freshPath('.jsonl');
    writeFileSync(spoilt, spoil[name]!(readFileSync(file, 'utf8')));
    await using(':memory:', async (mnemis) => {
      const memory = mnemis.scope('a');
      await expect(memory.importFrom(spoilt)).rejects.toMatchObject({ code: 'file-unreadable' });
      const { enrichment, ...counts } = await memory.stats();
      expect(Object.values(counts).every((count) => count === 0)).toBe(true);
      expect(enrichment).toEqual({ pending: 0, setAside: 0, failures: [] });
    });
  });

  it('of another embedder: says so', async () => {
    const other = freshPath('.jsonl');
    const small = await open(':memory:', { embedder: new HashingEmbedder({ analyze, dimension: 64 }) });
    await small.scope('a').add(turn('kiwi'));
    await small.scope('a').exportTo(other);
    await using(':memory:', async (mnemis) => {
      const memory = mnemis.scope('a');
      await expect(memory.importFrom(other)).rejects.toMatchObject({
        code: 'embedding-mismatch',
        found: 'hashing-v1@64',
        message: expect.stringContaining('(--embedder hashing --embedder-dimension 64), then move that'),
      });
      expect((await memory.stats()).episode).toBe(0);
    });
  });

  it.each(['/nowhere/at/all', '/'])('%s: is unreadable', async (path) => {
    const memory = await scopeOver(new InMemoryStore());
    await expect(memory.importFrom(path)).rejects.toMatchObject({ code: 'file-unreadable' });
  });
});
