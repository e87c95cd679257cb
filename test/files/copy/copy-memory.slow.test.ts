import { describe, expect, it } from 'vitest';
import { CopyDiffersError, DiskFullError } from '../../../src/errors/index.ts';
import type { CopyProgress } from '../../../src/files/copy/copy-event.ts';
import { copyMemory } from '../../../src/files/copy/copy-memory.ts';
import { openStoreAt } from '../../../src/files/open-store.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { Scope } from '../../../src/model/ids.ts';
import { unfinishedCopyOf } from '../../../src/store/copy-mark.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { correction, entity, episode, scopeOf } from '../../contract/graph-rows.ts';
import { freshPath } from '../../engine/memory-fixture.ts';
import { compareAll, contentOf, copyAll, everyEdge, fill, scopes, withMethods } from './copy-rows.ts';

const isMarked = (store: GraphStore) => unfinishedCopyOf(store.describe()) !== null;

async function filled(many?: number): Promise<InMemoryStore> {
  const store = new InMemoryStore();
  await fill(store, many);
  return store;
}

describe('a copy', () => {
  it('holds every row and relationship of every scope, in any two kinds of store', async () => {
    const first = await filled(1_100);
    const wanted = await contentOf(first);
    expect(Object.keys(wanted)).toHaveLength(scopes.length);
    const stores: GraphStore[] = [
      first,
      await openStoreAt(freshPath('.db')),
      await openStoreAt(freshPath('.sqlite')),
      new InMemoryStore(),
    ];
    for (const [place, to] of stores.slice(1).entries()) {
      const from = stores[place]!;
      const { progress, result } = await copyAll({ from, to });
      expect(await contentOf(to)).toEqual(wanted);
      const [rows, relationships] = [3 * 21 + 1100, 3 * 15 + 1100];
      expect(result).toMatchObject({
        ...{ scopes: 3, rows, relationships, copied: rows + relationships, updated: 0, removed: 0 },
      });
      for (const step of ['copy', 'verify'] as const) {
        const last = progress.findLast((event) => event.step === step);
        expect(last).toMatchObject({ done: rows + relationships, total: rows + relationships });
      }
      expect(to.describe()).toMatchObject({
        fingerprint: { model: 'one', dimension: 3 },
        nextFingerprint: null,
      });
      expect(await compareAll({ from: first, to })).toMatchObject({ equal: true, unfinished: false });
    }
    for (const store of stores) await store.close();
  });

  it('keeps the record of an unfinished move to another embedder', async () => {
    const [from, to] = [await filled(0), new InMemoryStore()];
    await from.setNextFingerprint({ model: 'two', dimension: 1 });
    await copyAll({ from, to });
    expect(to.describe().nextFingerprint).toEqual({ model: 'two', dimension: 1 });
  });

  it('of an empty memory is empty, and of one without an embedder has none', async () => {
    const [from, to] = [new InMemoryStore(), new InMemoryStore()];
    const { result } = await copyAll({ from, to });
    expect(result).toMatchObject({ scopes: 0, rows: 0, relationships: 0, copied: 0 });
    expect(to.describe()).toMatchObject({ fingerprint: null, nextFingerprint: null });
  });

  it('is written in commits of few rows and bytes', async () => {
    const from = await filled();
    const long = 'x'.repeat(900_000);
    const texts = Array.from({ length: 7 }, (_, at) => episode(`long${at}`, { content: long }));
    await from.commit(scopes[1]!, { nodes: { episode: texts } });
    const sizes: number[] = [];
    const store = new InMemoryStore();
    const to = withMethods(store, {
      commit: (scope, changes) => {
        const { nodes = {}, relationships = [] } = changes;
        const rows = Object.values(nodes).flat();
        expect(rows.length + relationships.length / 4).toBeLessThanOrEqual(1_001);
        expect(rows.filter(({ id }) => id.startsWith('long')).length).toBeLessThanOrEqual(3);
        sizes.push(rows.length);
        return store.commit(scope, changes);
      },
    });
    await copyAll({ from, to });
    expect(sizes.length).toBeGreaterThanOrEqual(8);
    expect(await contentOf(store)).toEqual(await contentOf(from));
  });
});

/** Stops a copy in the middle of scope "a", whose entities are partly written. */
async function begun(from: GraphStore, to: GraphStore): Promise<void> {
  const stop = new AbortController();
  const halfway = ({ scope, done }: CopyProgress) => {
    if (scope === 'a' && done > 1_000) stop.abort();
  };
  await expect(copyAll({ from, to, signal: stop.signal }, halfway)).rejects.toMatchObject({
    code: 'cancelled',
  });
}

describe('a copy refuses', () => {
  it('a memory as its own target, and a target with rows', async () => {
    const from = await filled(0);
    const to = new InMemoryStore();
    await expect(copyAll({ from, to: from })).rejects.toMatchObject({ code: 'invalid-input' });
    await to.commit(scopes[0]!, { nodes: { entity: [entity('0n1')] } });
    const before = await contentOf(to);
    await expect(copyAll({ from, to })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringMatching(/already holds a memory.*--verify-only/),
    });
    expect([await contentOf(to), isMarked(to)]).toEqual([before, false]);
    await to.commit(scopes[0]!, { removals: [{ kind: 'entity', id: '0n1' }] });
    await copyAll({ from, to }); // its scope is there, but has no row
    expect(await contentOf(to)).toEqual(await contentOf(from));
    await expect(copyAll({ from, to })).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('an unfinished copy of another memory, and an unfinished copy as its source', async () => {
    const [from, other, to] = [await filled(), await filled(0), new InMemoryStore()];
    await begun(from, to);
    await expect(copyAll({ from: other, to })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('unfinished copy of another memory'),
    });
    await expect(copyAll({ from: to, to: new InMemoryStore() })).rejects.toMatchObject({
      code: 'unfinished-copy',
    });
  });

  it('a memory with an unfinished forgetting', async () => {
    const [from, to] = [await filled(0), new InMemoryStore()];
    const forgetting = correction('forgetting', { kind: 'forget', finishedAt: null });
    await from.commit(scopes[1]!, { nodes: { correction: [forgetting] } });
    await expect(copyAll({ from, to })).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('Forgetting in scope "b" was interrupted'),
    });
    expect([await contentOf(to), isMarked(to)]).toEqual([{}, false]);
  });

  it('a source that was moved to another embedder since the copy was begun', async () => {
    const [from, to] = [await filled(), new InMemoryStore()];
    await begun(from, to);
    await from.setNextFingerprint({ model: 'two', dimension: 1 });
    await from.adoptNextFingerprint();
    await from.setNextFingerprint(null);
    await expect(copyAll({ from, to })).rejects.toMatchObject({
      code: 'copy-stopped',
      message: expect.stringContaining('moved to another embedder'),
    });
    expect(isMarked(to)).toBe(true);
  });

  it('rows of one id in two scopes, where the target has no place for them', async () => {
    const [one, two, to] = [await filled(0), await filled(0), new InMemoryStore()];
    const from = withMethods(one, {
      count: (scope) => (scope === 'b' ? two.count(scopeOf('a')) : one.count(scope)),
      scan: (scope, kind) => (scope === 'b' ? two.scan(scopeOf('a'), kind) : one.scan(scope, kind)),
      relationships: (scope, kind) =>
        scope === 'b' ? two.relationships(scopeOf('a'), kind) : one.relationships(scope, kind),
    });
    await expect(copyAll({ from, to })).rejects.toMatchObject({
      code: 'copy-stopped',
      message: expect.stringMatching(/does not accept rows of scope "b" .*an id of a \w+ is already taken/),
    });
  });
});

describe('an interrupted copy', () => {
  it('is completed after a failure of any commit, acknowledged or not', async () => {
    const from = await filled(1_100);
    const wanted = await contentOf(from);
    let failures = 0;
    for (const isLate of [false, true])
      for (let failing = 1; ; failing++) {
        const store = new InMemoryStore();
        let commits = 0;
        const to = withMethods(store, {
          commit: async (scope, changes) => {
            const fails = ++commits === failing;
            if (fails && !isLate) throw new DiskFullError('memory.db');
            const sequence = await store.commit(scope, changes);
            if (fails) throw new DiskFullError('memory.db');
            return sequence;
          },
        });
        const error = await copyAll({ from, to }).then(
          () => null,
          (each: unknown) => each,
        );
        if (error === null) break;
        failures += 1;
        expect(error).toMatchObject({ code: 'disk-full' });
        expect(isMarked(store)).toBe(true);
        const { result } = await copyAll({ from, to });
        expect(result.copied).toBeLessThanOrEqual(result.rows + result.relationships);
        expect(await contentOf(store)).toEqual(wanted);
        expect(isMarked(store)).toBe(false);
      }
    expect(failures).toBeGreaterThanOrEqual(8);
  });

  it('keeps what was copied when it is cancelled or left, and compares instead of writing it again', async () => {
    const from = await filled();
    const stop = new AbortController();
    const to = new InMemoryStore();
    let events = 0;
    const copying = copyAll({ from, to, signal: stop.signal }, () => void (++events === 2 && stop.abort()));
    await expect(copying).rejects.toMatchObject({
      code: 'cancelled',
      message: expect.stringMatching(
        /^Cancelled; \d+ of 5308 rows .* run the same copy again to continue\.$/,
      ),
    });
    const [copied] = [Object.values(await contentOf(to)).flat().length];
    expect(copied).toBeGreaterThan(0);
    const { result } = await copyAll({ from, to });
    expect(result.copied).toBe(result.rows + result.relationships - copied);
    expect(await contentOf(to)).toEqual(await contentOf(from));

    const left = new InMemoryStore();
    for await (const _ of copyMemory({ from, to: left })) break;
    expect(isMarked(left)).toBe(true);
    await copyAll({ from, to: left });
    expect(await contentOf(left)).toEqual(await contentOf(from));
  });

  it('says while it compares that everything is copied', async () => {
    const from = await filled(0);
    const [to, stop] = [new InMemoryStore(), new AbortController()];
    const copying = copyAll({ from, to, signal: stop.signal }, ({ step }) => {
      if (step === 'verify') stop.abort();
    });
    await expect(copying).rejects.toMatchObject({
      message: expect.stringContaining(
        'all rows and relationships are copied and kept, but not all were compared',
      ),
    });
    const { result } = await copyAll({ from, to });
    expect(result.copied).toBe(0);
  });

  it('reads each kind of the target a fixed number of times, however much is there', async () => {
    const from = await filled();
    const store = new InMemoryStore();
    await begun(from, store);
    let reads = 0;
    const count = <T>(value: T): T => {
      reads += 1;
      return value;
    };
    const to = withMethods(store, {
      scan: (scope, kind, fields) => count(store.scan(scope, kind, fields)),
      get: (scope, kind, ids) => count(store.get(scope, kind, ids)),
      relationships: (scope, kind, filter) => count(store.relationships(scope, kind, filter)),
    });
    await copyAll({ from, to });
    expect(reads).toBeLessThanOrEqual(2 * 3 * (13 + 10));
  });

  it('follows what the source has changed since: added, updated, removed and joined anew', async () => {
    const from = await filled();
    const to = new InMemoryStore();
    await begun(from, to);
    await change(from);
    const { result } = await copyAll({ from, to });
    expect(result.updated).toBeGreaterThan(0);
    expect(result.removed).toBeGreaterThan(0);
    expect(await contentOf(to)).toEqual(await contentOf(from));
    expect(isMarked(to)).toBe(false);
  });

  it('never overwrites rows whose constant columns differ', async () => {
    const [from, to] = [await filled(), new InMemoryStore()];
    await begun(from, to);
    const ids = ['many1', 'many2', 'many3'];
    await to.commit(scopes[0]!, { removals: ids.map((id) => ({ kind: 'entity', id }) as const) });
    await to.commit(scopes[0]!, { nodes: { entity: ids.map((id) => entity(id, { createdAt: 77 })) } });
    await expect(copyAll({ from, to })).rejects.toMatchObject({
      code: 'copy-stopped',
      message: expect.stringMatching(/in scope "a" of the target, 3 rows of kind entity differ .*delete it/),
    });
    expect(isMarked(to)).toBe(true);
    expect((await to.get(scopes[0]!, 'entity', ids)).map(({ createdAt }) => createdAt)).toEqual([77, 77, 77]);
  });
});

/** Every kind of change that a memory in use makes, in a scope that was copied. */
async function change(store: GraphStore): Promise<void> {
  const [a, b] = scopes as [Scope, Scope];
  const edges = everyEdge('0');
  const [subject] = edges.filter(({ kind }) => kind === 'ABOUT');
  const [related] = edges.filter(({ kind }) => kind === 'RELATED');
  const changes: GraphChanges = {
    nodes: { episode: [episode('0new')], entity: [entity('0newcomer')] },
    unlinks: [subject!, related!],
    relationships: [
      { ...subject!, role: 'object' },
      { ...related!, relation: 'causal', confidence: 0.25 },
      { kind: 'MENTIONS', fromKind: 'episode', from: '0new', toKind: 'entity', to: '0newcomer' },
    ],
    updates: [
      {
        kind: 'episode',
        id: '0e1',
        set: { expiredAt: 9, gate: 'kept', verified: false, status: 'extracted' },
      },
      { kind: 'fact', id: '0f2', set: { invalidAt: 5 } },
    ],
    removals: [
      { kind: 'episode', id: '0e3' },
      { kind: 'entity', id: 'many7' },
      { kind: 'embedding', id: '0v1' },
    ],
  };
  await store.commit(a, changes);
  await store.commit(b, { removals: [{ kind: 'item', id: '1i1' }] });
}

describe('a source that is written to meanwhile', () => {
  it('is copied as it is in the end', async () => {
    for (const at of [1, 2, 4, 7]) {
      const to = new InMemoryStore();
      const source = new InMemoryStore();
      await fill(source);
      let events = 0;
      await copyAll({ from: source, to }, async () => {
        if (++events !== at) return;
        await change(source);
        await source.commit(scopeOf('late'), { nodes: { entity: [entity('late')] } });
      });
      expect(events).toBeGreaterThan(at);
      expect(await contentOf(to)).toEqual(await contentOf(source));
      expect(Object.keys(await contentOf(to))).toContain('late');
    }
  });

  it('without an end stops the copy, and says what to do', async () => {
    const [from, to] = [await filled(0), new InMemoryStore()];
    let events = 0;
    const copying = copyAll({ from, to }, async () => {
      await from.commit(scopes[0]!, { nodes: { entity: [entity(`more${events++}`)] } });
    });
    await expect(copying).rejects.toMatchObject({
      code: 'copy-stopped',
      message: expect.stringMatching(/written to during each of several rounds.*Stop the programs/),
    });
    expect(isMarked(to)).toBe(true);
    await copyAll({ from, to });
    expect(await contentOf(to)).toEqual(await contentOf(from));
  });
});

describe('the comparison', () => {
  it('fails the copy into a store that loses, changes or mixes rows, which stays marked', async () => {
    const from = await filled();
    const wrong: Record<string, (changes: GraphChanges) => GraphChanges> = {
      'entity: 1 missing': ({ nodes = {}, ...rest }) => ({
        ...rest,
        nodes: { ...nodes, entity: nodes.entity?.filter(({ id }) => id !== 'many5') ?? [] },
        relationships: rest.relationships?.filter(({ to }) => to !== 'many5') ?? [],
      }),
      'fact: 1 different': ({ nodes = {}, ...rest }) => ({
        ...rest,
        nodes: {
          ...nodes,
          fact: nodes.fact?.map((row) => (row.id === '1f2' ? { ...row, confidence: -0 } : row)) ?? [],
        },
      }),
      'RELATED: 1 different': ({ relationships = [], ...rest }) => ({
        ...rest,
        relationships: relationships.map((each) =>
          each.confidence === 1 && each.from.startsWith('2') ? { ...each, relation: 'causal' } : each,
        ),
      }),
      'MENTIONS: 1 missing': ({ relationships = [], ...rest }) => ({
        ...rest,
        relationships: relationships.filter(({ to }) => to !== 'many9'),
      }),
    };
    for (const [what, spoil] of Object.entries(wrong)) {
      const store = new InMemoryStore();
      const to = withMethods(store, { commit: (scope, changes) => store.commit(scope, spoil(changes)) });
      const error: unknown = await copyAll({ from, to }).catch((each: unknown) => each);
      expect(CopyDiffersError.isInstance(error)).toBe(true);
      expect(String(error)).toContain(what);
      expect(isMarked(store)).toBe(true);
    }
  });

  it('counts what is missing, extra and different, by scope and kind, and changes nothing', async () => {
    const [from, to] = [await filled(), new InMemoryStore()];
    await copyAll({ from, to });
    await change(to);
    await to.commit(scopeOf('more'), { nodes: { entity: [entity('more')] } });
    const before = await contentOf(to);
    const compared = await compareAll({ from, to });
    expect(compared).toMatchObject({ equal: false, unfinished: false, sameEmbedder: true, scopes: 4 });
    const found = Object.fromEntries(
      compared.differences.map(({ scope, kind, missing, extra, different }) => [
        `${scope} ${kind}`,
        [missing, extra, different],
      ]),
    );
    expect(found).toMatchObject({
      'a episode': [1, 1, 1],
      'a entity': [1, 1, 0],
      'a fact': [0, 0, 1],
      'a embedding': [1, 0, 0],
      'a ABOUT': [1, 0, 0],
      'a RELATED': [0, 0, 1],
      'b item': [1, 0, 0],
      'more entity': [0, 1, 0],
    });
    expect(await contentOf(to)).toEqual(before);
  });
});
