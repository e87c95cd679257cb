import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Embedding, Fact } from '../../src/model/nodes.ts';
import { ScopeIndex } from '../../src/search/scope-index.ts';
import {
  answersTo,
  CONVERSATION,
  contents,
  freshPath,
  open,
  QUERIES,
  remember,
  turn,
  using,
} from './memory-fixture.ts';

const base = freshPath('-base.db');
let wanted: Awaited<ReturnType<typeof answersTo>>;
let stale: string;

const indexFile = (path: string) => {
  const folder = `${path}.indexes`;
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.index'))!);
};

/** A copy of the database, its log and its snapshot, to be spoilt. */
function copy(): string {
  const path = freshPath();
  for (const name of readdirSync(dirname(base)).filter((file) => file.startsWith(basename(base))))
    cpSync(join(dirname(base), name), path + name.slice(basename(base).length), { recursive: true });
  return path;
}

const answersOf = (path: string) => using(path, async (mnemis) => answersTo(mnemis.scope('a'), QUERIES));

beforeAll(async () => {
  const first = await open(base);
  const memory = first.scope('a');
  await remember(memory, CONVERSATION);
  await remember(memory, turn('He is a poodle from Bergen.', { session: 's1', index: 2, speaker: 'Ann' }));
  await first.close();
  stale = freshPath('.index');
  cpSync(indexFile(base), stale);
  await using second = await open(base);
  await remember(second.scope('a'), [
    turn('Rex ate my shoes in Oslo.', { session: 's3', speaker: 'Ann', at: '2023-07-01' }),
    turn('Carla moved to Porto.', { session: 's2', index: 7, speaker: 'Bob', at: '2023-06-21' }),
  ]);
  wanted = await answersTo(second.scope('a'), QUERIES);
});

describe('searches give the same ids, scores and order', () => {
  const spoil: Readonly<Record<string, (path: string) => void>> = {
    'from the snapshot': () => undefined,
    'without a snapshot': (path) => rmSync(`${path}.indexes`, { recursive: true }),
    'from an empty snapshot': (path) => writeFileSync(indexFile(path), ''),
    'from half a snapshot': (path) => {
      const bytes = readFileSync(indexFile(path));
      writeFileSync(indexFile(path), bytes.subarray(0, bytes.length / 2));
    },
    'from a stale snapshot': (path) => cpSync(stale, indexFile(path)),
  };
  it.each(Object.keys(spoil))('%s', async (name) => {
    const path = copy();
    spoil[name]!(path);
    expect(await answersOf(path)).toEqual(wanted);
    // The close has written a good one.
    expect(await answersOf(path)).toEqual(wanted);
  });

  it.each([0.001, 0.2, 0.4, 0.6, 0.8, 0.999])('from a snapshot with a bit flipped at %d', async (where) => {
    const path = copy();
    const bytes = readFileSync(indexFile(path));
    bytes[Math.floor(bytes.length * where)]! ^= 4;
    writeFileSync(indexFile(path), bytes);
    expect(await answersOf(path)).toEqual(wanted);
  });
});

it('is written on flush, for its owner only, and belongs to its own database', async () => {
  const path = freshPath();
  await using(path, async (mnemis) => {
    await mnemis.scope('a').add(turn('kiwi'));
    await mnemis.scope('a').flush();
    expect(readFileSync(indexFile(path)).length).toBeGreaterThan(0);
  });
  // Another database with as many commits, under whose path the first one's snapshot lies.
  const other = freshPath();
  await using(other, async (mnemis) => mnemis.scope('a').add(turn('mango')));
  cpSync(indexFile(path), indexFile(other));
  await using(other, async (mnemis) => {
    const { episodes } = await mnemis.scope('a').search('mango kiwi');
    expect(episodes.map(({ content }) => content)).toEqual(['mango']);
  });
});

it('only warns when it cannot be written', async () => {
  const path = freshPath();
  const warnings: string[] = [];
  writeFileSync(`${path}.indexes`, 'a file where the folder should be');
  const mnemis = await open(path, { logger: { warn: (message) => warnings.push(message) } });
  await mnemis.scope('a').add(turn('kiwi'));
  await mnemis.close();
  expect(warnings).toHaveLength(1);
  await using(path, async (again) => expect((await again.scope('a').stats()).episode).toBe(1));
});

it('is not confused with another history of as many commits', async () => {
  const path = freshPath();
  const copy = `${path}.copy`;
  const files = ['', '.wal', '.seal'];
  await using(path, (mnemis) => mnemis.scope('a').add(turn('one kiwi')));
  for (const file of files) if (existsSync(path + file)) cpSync(path + file, copy + file);
  await using(path, (mnemis) => mnemis.scope('a').add(turn('two mangos')));
  // An older copy of the files comes back, beside the newer snapshot, and another second commit is made.
  for (const file of files) rmSync(path + file, { force: true });
  for (const file of files) if (existsSync(copy + file)) cpSync(copy + file, path + file);
  const snapshots = readdirSync(`${path}.indexes`).map((name) => join(`${path}.indexes`, name));
  const saved = snapshots.map((name) => readFileSync(name));
  await using(path, (mnemis) => mnemis.scope('a').add(turn('three figs')));
  for (const [at, name] of snapshots.entries()) writeFileSync(name, saved[at]!);
  await using(path, async (mnemis) => {
    const memory = mnemis.scope('a');
    expect(contents(await memory.search('figs'))[0]).toBe('three figs');
    expect(contents(await memory.search('mangos'))).not.toContain('two mangos');
  });
});

it('omits an invalid vector', async () => {
  const index = ScopeIndex.empty(2);
  const vector = Float32Array.of(Number.NaN, 1);
  const embedding = { id: 'v', owner: 'f', field: 'statement', model: 'm', vector } as unknown as Embedding;
  const fact = { id: 'f', statement: 'kiwi', expiredAt: null } as unknown as Fact;
  index.apply({ nodes: { fact: [fact], embedding: [embedding] } });
  expect(index.facts.lexical.has(0)).toBe(true);
  expect(index.facts.vectors.has(0)).toBe(false);
});
