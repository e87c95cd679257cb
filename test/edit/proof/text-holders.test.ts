import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileHolder } from '../../../src/edit/proof/file-holder.ts';
import { indexHolder, snapshotHolder } from '../../../src/edit/proof/index-holders.ts';
import {
  graphHolder,
  recalledHolder,
  rowCacheHolder,
  wordCacheHolder,
} from '../../../src/edit/proof/memory-holders.ts';
import { proofScan, type TextHolder } from '../../../src/edit/proof/text-holder.ts';
import { RecalledTexts } from '../../../src/ingest/admit/recalled-texts.ts';
import type { CategoryId } from '../../../src/model/ids.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { scopeIndexSections } from '../../../src/search/scope-index-sections.ts';
import { writeSnapshot } from '../../../src/search/snapshot.ts';
import { CachedStore } from '../../../src/store/cached-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { encodeText } from '../../../src/store/kuzu/row-codec.ts';
import {
  aRowOf,
  category,
  description,
  entity,
  episode,
  fact,
  item,
  profile,
  scopeOf,
  segment,
} from '../../contract/graph-rows.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

/** A row that was stored then. */
const row = (createdAt: number) => ({ createdAt, id: '' });
const folder = freshFolder();
let count = 0;
const fresh = () => join(folder, String(++count));

const A = scopeOf('a');
const SECRET = 'the zirconium ring lies behind the wardrobe';
const OTHER = 'a heron stood in the pond';

/** Where the secret is held; no holder may hold the text that nobody planted. */
async function places(holder: TextHolder): Promise<string[]> {
  const held = await holder.holds(['never planted anywhere', SECRET]);
  expect(held.every(({ text }) => text === 1)).toBe(true);
  return held.map(({ where }) => where).sort();
}

describe('the graph', () => {
  const event = { start: 1, end: 2, precision: 'day', text: `when ${SECRET}` } as const;
  it.each([
    ['episode.content', { episode: [episode('1', { content: `I said: ${SECRET}!` })] }],
    [
      'episode.attachments',
      { episode: [episode('1', { attachments: [{ kind: 'photo', description: SECRET }] })] },
    ],
    ['episode.session', { episode: [episode('1', { session: SECRET })] }],
    ['episode.metadata', { episode: [episode('1', { metadata: { note: SECRET } })] }],
    ['episode.sourceId', { episode: [episode('1', { sourceId: SECRET })] }],
    ['episode.speaker', { episode: [episode('1', { speaker: SECRET })] }],
    ['segment.summary', { segment: [segment('1', { summary: SECRET })] }],
    ['segment.keywords', { segment: [segment('1', { keywords: ['x', SECRET] })] }],
    ['profile.name', { profile: [profile('1', { name: SECRET })] }],
    ['profile.aliases', { profile: [profile('1', { aliases: [SECRET] })] }],
    ['profile.summary', { profile: [profile('1', { summary: SECRET, expiredAt: 5 })] }],
    ['profile.tags', { profile: [profile('1', { tags: [SECRET] })] }],
    ['description.text', { description: [description('1', { text: SECRET })] }],
    ['fact.statement', { fact: [fact('1', { statement: SECRET, expiredAt: 5 })] }],
    ['fact.relation', { fact: [fact('1', { relation: SECRET })] }],
    ['fact.event', { fact: [fact('1', { event })] }],
    ['item.value', { item: [item('1', { value: JSON.stringify({ [SECRET]: 1 }) })] }],
    ['item.namespace', { item: [item('1', { namespace: [SECRET] })] }],
    ['item.key', { item: [item('1', { key: SECRET })] }],
    [
      'profile.summary',
      {
        category: [category('c')],
        profile: [profile('1', { owner: 'c' as CategoryId, summary: SECRET })],
      },
    ],
    ['failure.reason', { failure: [aRowOf.failure('1', { reason: SECRET })] }],
  ])('holds the text in %s, of every scope or of one', async (where, nodes) => {
    const store = new InMemoryStore();
    await store.commit(A, { nodes });
    await store.commit(scopeOf('b'), { nodes: { episode: [episode('other')] } });
    expect(await places(graphHolder(store))).toEqual([where]);
    expect(await places(graphHolder(store, A))).toEqual([where]);
    expect(await places(graphHolder(store, scopeOf('b')))).toEqual([]);
  });

  it('holds the names of scopes, and counts', async () => {
    const store = new InMemoryStore();
    await store.commit(scopeOf(`mine: ${SECRET}`), {
      nodes: { fact: [fact('1', { statement: SECRET }), fact('2', { statement: `${SECRET}; ${SECRET}` })] },
    });
    expect(await graphHolder(store).holds([OTHER, SECRET])).toEqual([
      { text: 1, where: 'scope', count: 1 },
      { text: 1, where: 'fact.statement', count: 2 },
    ]);
  });
});

it('the row cache holds rows that were read or written, until they are removed', async () => {
  const store = new CachedStore(new InMemoryStore());
  const holder = rowCacheHolder(store);
  await store.commit(A, {
    nodes: { episode: [episode('e', { content: SECRET })], fact: [fact('f', { statement: SECRET })] },
  });
  expect(await places(holder)).toEqual(['episode.content', 'fact.statement']);
  store.clear();
  expect(await places(holder)).toEqual([]);
  await store.get(A, 'episode', ['e']);
  await store.get(A, 'fact', ['f']);
  expect(await places(holder)).toEqual(['episode.content', 'fact.statement']);
  await store.commit(A, { removals: [{ kind: 'episode', id: 'e' }] });
  expect(await places(holder)).toEqual(['fact.statement']);
  store.clear();
  expect(await places(holder)).toEqual([]);
});

/** An index that never held the secret has rows of its own. */
function indexWith(nodes: Parameters<ScopeIndex['apply']>[0]['nodes'] = {}): ScopeIndex {
  const index = ScopeIndex.empty(2);
  index.apply({ nodes: { episode: [episode('first', { content: OTHER })], entity: [entity('entity')] } });
  index.apply({ nodes });
  return index;
}

const PLANTED: readonly [string, Parameters<ScopeIndex['apply']>[0]['nodes']][] = [
  ['episodes.conversation/', { episode: [episode('1', { content: `Well, ${SECRET.toUpperCase()}?` })] }],
  [
    'episodes.conversation/',
    { episode: [episode('1', { attachments: [{ kind: 'photo', description: SECRET }] })] },
  ],
  ['episodes.metadata/metadata', { episode: [episode('1', { metadata: { note: [SECRET] } })] }],
  ['episodes.timeline/names', { episode: [episode('1', { session: SECRET })] }],
  ['episodes.timeline/names', { episode: [episode('1', { speaker: SECRET })] }],
  ['facts/lexical/', { fact: [fact('1', { statement: SECRET })] }],
  ['segments/lexical/', { segment: [segment('1', { summary: SECRET })] }],
  ['entities.profiles/lexical/', { profile: [profile('1', { summary: SECRET })] }],
  [
    'hierarchy.documents/lexical/',
    { category: [category('c')], profile: [profile('1', { owner: 'c' as CategoryId, summary: SECRET })] },
  ],
];

describe('search indexes', () => {
  it.each(PLANTED)('hold the text in %s', async (where, nodes) => {
    expect(await places(indexHolder(() => [indexWith(nodes)]))).toEqual([where]);
    expect(await places(indexHolder(() => [indexWith()]))).toEqual([]);
  });

  it('hold names and tags of profiles unchanged', async () => {
    const index = indexWith({ profile: [profile('1', { name: 'Bo', tags: [SECRET] })] });
    expect(await places(indexHolder(() => [index]))).toEqual([
      'entities.current/current',
      'entities.profiles/lexical/',
    ]);
  });

  it('hold names and tags of categories unchanged', async () => {
    const owner = 'c' as CategoryId;
    const named = indexWith({ category: [category('c')], profile: [profile('1', { owner, name: SECRET })] });
    const found = ['hierarchy.documents/lexical/', 'hierarchy/hierarchy'];
    expect(await places(indexHolder(() => [named]))).toEqual(found);
    const tagged = indexWith({
      category: [category('c')],
      profile: [profile('1', { owner, tags: [SECRET] })],
    });
    expect(await places(indexHolder(() => [tagged]))).toEqual(found);
  });

  it('hold the words of removed turns until they are rebuilt', async () => {
    const index = indexWith({ episode: [episode('1', { content: SECRET })] });
    index.apply({ removals: [{ kind: 'episode', id: '1' }] });
    expect(await places(indexHolder(() => [index]))).toEqual([
      'episodes.conversation/',
      'episodes.conversation/words of removed turns',
    ]);
  });

  it('do not hold a text whose words stand in several documents', async () => {
    const words = SECRET.split(' ');
    const parts = [words.slice(0, 4).join(' '), words.slice(4).join(' ')];
    const index = indexWith({ episode: parts.map((content, i) => episode(`p${i}`, { content })) });
    expect(await places(indexHolder(() => [index]))).toEqual([]);
  });
});

describe('index snapshots', () => {
  it.each(PLANTED)('hold the text in %s, regardless of their stamp', async (where, nodes) => {
    const place = fresh();
    mkdirSync(place);
    await writeSnapshot(join(place, 'x.index'), 'of long ago', scopeIndexSections(indexWith(nodes)));
    expect(await places(snapshotHolder(place))).toEqual([where]);
  });

  it('hold nothing if there are none, and are searched when they are truncated', async () => {
    const place = fresh();
    expect(await places(snapshotHolder(place))).toEqual([]);
    mkdirSync(place);
    await writeSnapshot(join(place, 'x.index'), 'stamp', scopeIndexSections(indexWith()));
    expect(await places(snapshotHolder(place))).toEqual([]);
    const { readFileSync } = await import('node:fs');
    const planted = indexWith({ episode: [episode('1', { content: SECRET })] });
    await writeSnapshot(join(place, 'x.index'), 'stamp', scopeIndexSections(planted));
    const bytes = readFileSync(join(place, 'x.index'));
    writeFileSync(join(place, '.x.index.1.tmp'), bytes.subarray(0, bytes.length - 64));
    rmSync(join(place, 'x.index'));
    expect(await places(snapshotHolder(place))).toEqual(['a broken snapshot']);
  });
});

it('the word cache holds a text when it has all its words', async () => {
  const words = SECRET.split(' ');
  expect(await places(wordCacheHolder(() => [...words, 'heron']))).toEqual(['words']);
  expect(await places(wordCacheHolder(() => words.slice(1)))).toEqual(['words']); // "the" comes twice
  expect(await places(wordCacheHolder(() => words.filter((word) => word !== 'zirconium')))).toEqual([]);
  expect(await places(wordCacheHolder(() => []))).toEqual([]);
});

it('recalled texts hold a text by its hash, as written or as said', async () => {
  const recalled = new RecalledTexts();
  const holder = recalledHolder(() => [Promise.resolve(new RecalledTexts()), Promise.resolve(recalled)]);
  recalled.add('turn', OTHER, row(1));
  expect(await places(holder)).toEqual([]);
  recalled.add('turn', `Listen. ${SECRET}.`, row(1));
  expect(await places(holder)).toEqual(['said']);
  recalled.add('fact', SECRET, row(Date.now() + 1e9));
  expect(await places(holder)).toEqual(['said', 'written']);
  expect(await places(recalledHolder(() => []))).toEqual([]);
});

describe('files', () => {
  const held = async (content: string | Buffer, texts: readonly string[] = [SECRET]) => {
    const file = fresh();
    writeFileSync(file, content);
    return (await fileHolder(() => [file]).holds(texts)).map(({ text, count: times }) => [text, times]);
  };

  it('hold their texts, at any offset from the beginning of a read', async () => {
    const chunk = 2 ** 20;
    for (const at of [0, 1, 77, chunk - SECRET.length, chunk - 20, chunk - 1, chunk, 2 * chunk + 5])
      expect(
        await held(Buffer.concat([Buffer.alloc(at, 'x'), Buffer.from(SECRET), Buffer.alloc(3)])),
      ).toEqual([[0, 1]]);
    expect(await held(SECRET.slice(1))).toEqual([]);
    expect(await held(`${SECRET}${SECRET} ${SECRET}`)).toEqual([[0, 3]]);
    expect(await held('')).toEqual([]);
  });

  it('hold short texts, and those of no Latin letters', async () => {
    const texts = ['né', 'a', '語', 'Ünïcödé'];
    expect(await held('x né 語', texts)).toEqual([
      [0, 1],
      [2, 1],
    ]);
    expect(await held('Ünïcödé b', texts)).toEqual([[3, 1]]);
    expect(await held('aaa', texts)).toEqual([[1, 3]]);
  });

  it('hold texts as JSON and as the database escapes them', async () => {
    const quoted = `she said "${SECRET}"\nand left`;
    expect(await held(JSON.stringify({ value: quoted }), [quoted])).toHaveLength(1);
    const lone = 'half \ud83d of a pair';
    expect(await held(encodeText(lone).inline, [lone])).toEqual([[0, 1]]);
  });

  it('hold long texts that the database has split, wherever it split them', async () => {
    const long = Array.from({ length: 400 }, (_, i) => `part ${i} of the report`).join('; ');
    const stored = encodeText(long)
      .pieces.map((piece) => Buffer.from(piece))
      .reverse();
    expect(stored.length).toBeGreaterThan(5);
    for (const piece of stored.slice(1)) expect(await held(piece, [long])).toHaveLength(1);
    // A sentence of it may lie across a cut.
    for (let at = 0; at + 120 < long.length; at += 97)
      expect(
        await held(Buffer.concat(stored.map((piece) => Buffer.concat([piece, Buffer.alloc(9)]))), [
          long.slice(at, at + 120),
        ]),
      ).toHaveLength(1);
    expect(await held(Buffer.alloc(5_000, 'report; '), [long])).toEqual([]);
  });

  it('are searched in folders, too; a missing file holds nothing', async () => {
    const place = fresh();
    mkdirSync(join(place, 'deep'), { recursive: true });
    writeFileSync(join(place, 'deep', 'one'), SECRET);
    writeFileSync(join(place, 'two'), OTHER);
    const holder = fileHolder(() => [place, join(place, 'nowhere')]);
    expect(await holder.holds([OTHER, SECRET])).toEqual([
      { text: 1, where: 'one', count: 1 },
      { text: 0, where: 'two', count: 1 },
    ]);
  });
});

it('proofScan names every holder, and which text each holds', async () => {
  const file = fresh();
  writeFileSync(file, SECRET);
  const store = new InMemoryStore();
  await store.commit(A, { nodes: { fact: [fact('1', { statement: OTHER })] } });
  const holders = [graphHolder(store), fileHolder(() => [file])];
  expect(await proofScan(holders, [OTHER, SECRET])).toEqual({
    clean: false,
    findings: [
      { holder: 'graph', text: 0, where: 'fact.statement', count: 1 },
      { holder: 'files', text: 1, where: String(count), count: 1 },
    ],
    holders: ['graph', 'files'],
  });
  expect(await proofScan(holders, ['nothing of this'])).toMatchObject({ clean: true, findings: [] });
  await expect(proofScan(holders, [' '])).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(proofScan(holders, [OTHER], { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'cancelled',
  });
});
