import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CancelledError, StoreWriteError } from '../../src/errors/index.ts';
import type { GraphChanges } from '../../src/model/graph-changes.ts';
import { NODE_KINDS } from '../../src/model/nodes.ts';
import { RELATIONSHIP_KINDS, RELATIONSHIPS } from '../../src/model/relationships.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { KuzuSession } from '../../src/store/kuzu/kuzu-connection.ts';
import { DATABASE_DEFAULTS, KuzuDatabase } from '../../src/store/kuzu/kuzu-database.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { aRowOf, edge, embedding, episode, fact, item, scopeOf } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { FILE_FORMS, FILE_STORES, openFileStore } from './file-stores.ts';

const folder = freshFolder();
afterEach(() => vi.restoreAllMocks());
let count = 0;
const freshPath = (ending = '.db') => join(folder, `${++count}${ending}`);
const [A, B] = [scopeOf('a'), scopeOf('b')];

/** A row of each kind and an edge of each pair, with what is hard to keep: odd texts, fractions, vectors of two lengths. */
function everything(prefix: string): GraphChanges {
  const rows = Object.fromEntries(
    NODE_KINDS.map((kind) => [kind, [aRowOf[kind](`${prefix}${kind}1`), aRowOf[kind](`${prefix}${kind}2`)]]),
  ) as unknown as NonNullable<GraphChanges['nodes']>;
  const odd = [
    episode(`${prefix}long`, { content: `${'ä語'.repeat(900)} tail`, session: 'x', sourceId: '\u0000n' }),
    episode(`${prefix}lone`, { content: 'half \ud83d a pair', speaker: '\u0000j"' }),
  ];
  const facts = [-0, 0.1, 1 / 3, 5e-324, 1].map((confidence, i) => fact(`${prefix}c${i}`, { confidence }));
  const event = { start: 1, end: 2, precision: 'day', text: 'last May' } as const;
  const relationships = RELATIONSHIP_KINDS.flatMap((kind) =>
    RELATIONSHIPS[kind].pairs.map(([from, to]) => {
      const extra = {
        ...(kind === 'ABOUT' ? { role: 'object' as const } : {}),
        ...(kind === 'RELATED' ? { relation: 'causal' as const } : {}),
        ...(kind === 'RELATED' || kind === 'POSSIBLY_SAME' ? { confidence: 0.7 } : {}),
      };
      return edge(kind, `${prefix}${from}1`, `${prefix}${to}2`, extra, [from, to]);
    }),
  );
  return {
    nodes: {
      ...rows,
      episode: [...(rows.episode ?? []), ...odd],
      fact: [...(rows.fact ?? []), ...facts, fact(`${prefix}when`, { event })],
      embedding: [
        ...(rows.embedding ?? []),
        embedding(`${prefix}wide`, { model: 'wide', vector: Float32Array.from({ length: 700 }, Math.sin) }),
      ],
    },
    relationships,
  };
}

async function contentOf(store: GraphStore): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {};
  for (const scope of await store.scopes()) {
    content[`${scope} state`] = await store.state(scope);
    for (const kind of NODE_KINDS) {
      const rows: { id: string }[] = [];
      for await (const batch of store.scan(scope, kind)) rows.push(...batch);
      content[`${scope} ${kind}`] = rows.sort((a, b) => (a.id < b.id ? -1 : 1));
    }
    for (const kind of RELATIONSHIP_KINDS) {
      const edges: string[] = [];
      for await (const batch of store.relationships(scope, kind))
        edges.push(...batch.map((each) => JSON.stringify(each)));
      content[`${scope} ${kind}`] = edges.sort();
    }
  }
  const { databaseId: _, ...description } = store.describe();
  return { ...content, description };
}

const texts = Array.from({ length: 300 }, (_, i) => `forgotten text number ${i} of the ledger`);
const long = Array.from({ length: 120 }, (_, i) => `part ${i} of a long forgotten report`).join('; ');

/** Holds everything twice, and held texts that are removed again. */
async function filled(path: string, leastFileBytes = 0): Promise<GraphStore> {
  const store = await openFileStore(path, { leastFileBytes });
  await store.setFingerprint({ model: 'test', dimension: 2 });
  await store.setNextFingerprint({ model: 'wide', dimension: 700 });
  await store.commit(A, everything('a-'));
  await store.commit(B, everything('b-'));
  const gone = [...texts, long].map((content, i) => episode(`gone${i}`, { content }));
  await store.commit(A, { nodes: { episode: gone } });
  await store.commit(A, { removals: gone.map(({ id }) => ({ kind: 'episode', id }) as const) });
  return store;
}

/** The end of a path whose rows cannot pass through a file. */
const QUOTED = " it's [1]$x*.db";

const bytesOf = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0);

function onDisk(path: string): number {
  const name = path.slice(folder.length + 1);
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.startsWith(name));
  const bytes = files.map((file) => readFileSync(join(folder, file.name)));
  return [...texts, 'part 60 of a long'].filter((text) => bytes.some((file) => file.includes(text))).length;
}

describe.each(FILE_FORMS)('$name: compact', ({ ending, leastFileBytes }) => {
  const isKuzu = ending === '.db';
  const companions = isKuzu ? ['.wal', '.seal'] : ['-wal'];

  it('keeps every row of every scope, bit for bit, and nothing of removed ones', async () => {
    const path = freshPath(ending);
    const store = await filled(path, leastFileBytes);
    const before = await contentOf(store);
    const { databaseId } = store.describe();
    // SQLite overwrites removed rows at once.
    expect(onDisk(path)).toBe(isKuzu ? 301 : 0);
    const steps = new Set<string>();
    const done = await store.files()!.compact({
      onProgress: ({ step, done, total }) => {
        steps.add(step);
        expect(done).toBeLessThanOrEqual(total);
      },
    });
    expect([...steps]).toEqual(['copy', 'check']);
    expect(onDisk(path)).toBe(0);
    expect(await contentOf(store)).toEqual(before);
    expect(store.describe().databaseId).not.toBe(databaseId);
    const files = [path, ...companions.map((end) => path + end)];
    expect(done.bytesAfter).toBeLessThanOrEqual(bytesOf(files));
    if (isKuzu) {
      expect(done.bytesAfter).toBe(bytesOf([path, `${path}.wal`]));
      expect(statSync(`${path}.wal`).size > 0).toBe(leastFileBytes > 0);
    }
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600);
    await store.commit(A, { nodes: { item: [item('later')] } });
    const after = await contentOf(store);
    const renamed = store.describe().databaseId;
    await store.close();
    const again = await openFileStore(path);
    expect(await contentOf(again)).toEqual(after);
    expect(again.describe().databaseId).toBe(renamed);
    expect(readdirSync(folder).filter((name) => name.includes('compacting'))).toEqual([]);
    await again.close();
  });

  it('leaves the file unchanged when it is cancelled', async () => {
    const path = freshPath(ending);
    const store = await filled(path, leastFileBytes);
    const before = await contentOf(store);
    const { databaseId } = store.describe();
    // SQLite holds the thread from the copy to the check.
    for (const at of isKuzu ? ['copy', 'check'] : ['copy']) {
      const stop = new AbortController();
      const compacting = store.files()!.compact({
        signal: stop.signal,
        onProgress: ({ step }) => (step === at ? stop.abort() : undefined),
      });
      await expect(compacting).rejects.toSatisfy(CancelledError.isInstance);
      expect(existsSync(`${path}.compacting`)).toBe(false);
    }
    expect(await contentOf(store)).toEqual(before);
    expect(store.describe().databaseId).toBe(databaseId);
    await store.close();
  });
});

describe('compact of Kùzu', () => {
  it('lets reads continue and writes wait', async () => {
    const store = await filled(freshPath());
    let finished = false;
    const compacting = store
      .files()!
      .compact()
      .finally(() => {
        finished = true;
      });
    expect(await store.get(A, 'item', ['a-item1'])).toHaveLength(1);
    expect(finished).toBe(false);
    const commit = store.commit(A, { nodes: { item: [item('while')] } }).then(() => finished);
    await compacting;
    expect(await commit).toBe(true);
    expect(await store.get(A, 'item', ['while', 'a-item2'])).toHaveLength(2);
    await store.close();
  });

  it('rejects a copy that does not equal the original', async () => {
    const path = freshPath(QUOTED);
    const store = await filled(path);
    const before = await contentOf(store);
    const run = KuzuSession.prototype.run;
    vi.spyOn(KuzuSession.prototype, 'run').mockImplementation(function (this: KuzuSession, ...input) {
      const [statement, parameters] = input;
      const rows = parameters?.rows as readonly object[] | undefined;
      const spoilt =
        statement.startsWith('UNWIND $rows AS r CREATE (:`Item`') && rows
          ? rows.map((row) => ({ ...row, value: 'other' }))
          : rows;
      return run.call(this, statement, spoilt ? { ...parameters, rows: spoilt as never } : parameters);
    });
    await expect(store.files()!.compact()).rejects.toSatisfy(StoreWriteError.isInstance);
    vi.restoreAllMocks();
    expect(await contentOf(store)).toEqual(before);
    expect(existsSync(`${path}.compacting`)).toBe(false);
    await store.close();
  });

  const mistakes = {
    'without its last statement': [],
    'with another value': ["MATCH (n:Fact) WHERE n.id = 'a-c1' SET n.confidence = 0.2"],
    'with another sign of zero': ["MATCH (n:Fact) WHERE n.id = 'a-c0' SET n.confidence = 0.0"],
    'with null for a value': ["MATCH (n:Fact) WHERE n.id = 'a-c1' SET n.validAt = NULL"],
    'with two texts exchanged': [
      "MATCH (n:Item) WHERE n.id = 'a-item1' SET n.value = n.key, n.key = n.value",
    ],
    'with a text twice': [
      "MATCH (n:Item) WHERE n.id = 'a-item1' SET n.namespace = 'x'",
      "MATCH (n:Item) WHERE n.id = 'a-item2' SET n.namespace = 'x'",
    ],
    'without an edge': ["MATCH (a:Episode)-[e:MENTIONS]->() WHERE a.id = 'a-episode1' DELETE e"],
    'with another end of an edge': [
      "MATCH (a:Episode)-[e:MENTIONS]->() WHERE a.id = 'a-episode1' DELETE e",
      "MATCH (a:Episode), (b:Entity) WHERE a.id = 'a-episode1' AND b.id = 'a-entity1' CREATE (a)-[:MENTIONS]->(b)",
    ],
  };
  it.each(Object.entries(mistakes))('rejects a copy %s', async (_, statements) => {
    const path = freshPath();
    const store = await filled(path);
    const before = await contentOf(store);
    const run = KuzuSession.prototype.run;
    let isSpoilt = false;
    vi.spyOn(KuzuSession.prototype, 'run').mockImplementation(async function (this: KuzuSession, ...input) {
      const isLast = input[0].startsWith('COPY `SUPERSEDES` FROM');
      if (isLast) isSpoilt = true;
      const rows = isLast && statements.length === 0 ? [] : await run.call(this, ...input);
      if (isLast) for (const statement of statements) await run.call(this, statement);
      return rows;
    });
    await expect(store.files()!.compact()).rejects.toSatisfy(StoreWriteError.isInstance);
    expect(isSpoilt).toBe(true);
    vi.restoreAllMocks();
    expect(await contentOf(store)).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.includes('compacting'))).toEqual([]);
    await store.close();
  });

  it('keeps every row where the path has signs that a statement would read otherwise', async () => {
    const store = await filled(freshPath(QUOTED));
    const before = await contentOf(store);
    await store.files()!.compact();
    expect(await contentOf(store)).toEqual(before);
    await store.close();
  });

  it('keeps the rows on their way in a file that only their owner can read', async () => {
    const path = freshPath();
    const store = await filled(path);
    const modes = new Set<number>();
    const run = KuzuSession.prototype.run;
    vi.spyOn(KuzuSession.prototype, 'run').mockImplementation(function (this: KuzuSession, ...input) {
      if (/^COPY `/.test(input[0])) modes.add(statSync(`${path}.compacting.parquet`).mode & 0o777);
      return run.call(this, ...input);
    });
    await store.files()!.compact();
    expect([...modes]).toEqual([0o600]);
    await store.close();
  });

  it('removes the files of a killed compaction at the next open', async () => {
    const path = freshPath();
    await (await filled(path)).close();
    const left = ['', '.wal', '.seal', '.shadow', '.owner.lock', '.parquet'].map(
      (ending) => `${path}.compacting${ending}`,
    );
    for (const file of left) writeFileSync(file, texts.join());
    await (await KuzuStore.open({ path })).close();
    expect(left.filter((file) => existsSync(file))).toEqual([]);
  });
});

describe.each(FILE_STORES)('$name: copy', ({ ending }) => {
  it('is the state of one moment, regardless of writes and checkpoints meanwhile', async () => {
    const path = freshPath(ending);
    const store = await openFileStore(path, { checkpointBytes: 100_000 });
    let written = 0;
    let isCopying = true;
    const write = async () => {
      for (; isCopying || written < 20; written++)
        await store.commit(A, {
          nodes: { item: [0, 1, 2].map((i) => item(`${written}-${i}`, { value: 'v'.repeat(9_000) })) },
        });
    };
    const writing = write();
    for (let round = 0; round < 6; round++) {
      const from = written;
      const to = freshPath(ending);
      const copy = await store.files()!.copy(to);
      const [state] = copy.scopes;
      const opened = await openFileStore(to);
      expect(await opened.state(A)).toEqual({ sequence: state?.sequence ?? 0, token: state?.token ?? 0 });
      expect((await opened.count(A)).item).toBe(3 * (state?.sequence ?? 0));
      expect(state?.sequence ?? 0).toBeGreaterThanOrEqual(from);
      await opened.close();
      for (const file of copy.files) expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    isCopying = false;
    await writing;
    await store.close();
    const again = await openFileStore(path);
    expect((await again.count(A)).item).toBe(3 * written);
    await again.close();
  });

  it('does not change the original when it is cancelled, and can be repeated', async () => {
    const store = await filled(freshPath(ending));
    const to = freshPath(ending);
    await expect(store.files()!.copy(to, { signal: AbortSignal.abort() })).rejects.toSatisfy(
      CancelledError.isInstance,
    );
    await store.files()!.copy(to);
    const copy = await openFileStore(to);
    expect(await contentOf(copy)).toMatchObject({ 'a state': await store.state(A) });
    await copy.close();
    await store.close();
  });
});

it('copy of Kùzu does not change the file while it is copied, and runs the checkpoint afterwards', async () => {
  const path = freshPath();
  const database = await KuzuDatabase.open(path, { ...DATABASE_DEFAULTS, checkpointBytes: 50_000 });
  await database.write((session) => session.run('CREATE NODE TABLE T(id STRING PRIMARY KEY, text STRING)'));
  await database.checkpoint();
  const size = statSync(path).size;
  const insert = (id: string) =>
    database.write((session) =>
      session.run('CREATE (:T {id: $id, text: $text})', { id, text: 'x'.repeat(90_000) }),
    );
  const writes: Promise<unknown>[] = [];
  /** Asked when the copying begins, and with each part of it. */
  const signal = {
    get aborted() {
      if (writes.length === 0) writes.push(insert('1'), insert('2'), database.checkpoint());
      return false;
    },
  } as AbortSignal;
  const { result } = await database.copyFiles(freshPath(), {
    signal,
    inside: async () => ({ size: statSync(path).size, log: statSync(`${path}.wal`).size }),
  });
  expect(writes).toHaveLength(3);
  expect(result.size).toBe(size);
  expect(result.log).toBeGreaterThan(180_000); // the writes came before it
  await Promise.all(writes);
  await database.exclusive(async () => undefined);
  await database.exclusive(async () => undefined);
  expect(statSync(path).size).toBeGreaterThan(size);
  await database.close();
});
