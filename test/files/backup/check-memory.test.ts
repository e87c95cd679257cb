import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSnapshotFile } from '../../../src/edit/proof/index-holders.ts';
import { checkMemory } from '../../../src/files/backup/check-memory.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import { scopeIndexSections } from '../../../src/search/scope-index-sections.ts';
import { readSnapshot, writeSnapshot } from '../../../src/search/snapshot.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import {
  description,
  edge,
  embedding,
  entity,
  episode,
  fact,
  profile,
  scopeOf,
  segment,
} from '../../contract/graph-rows.ts';
import { CONVERSATION, freshPath, remember, turn } from '../../engine/memory-fixture.ts';
import { openMemory } from './opened-memory.ts';

const A = scopeOf('a');

const SOUND: GraphChanges = {
  nodes: {
    episode: [episode('e1'), episode('e2')],
    segment: [segment('s1')],
    entity: [entity('n1')],
    profile: [profile('p1', { owner: entity('n1').id })],
    description: [description('d1', { entity: entity('n1').id, segment: segment('s1').id })],
    fact: [fact('f1')],
    embedding: [
      embedding('v1', { owner: 'e1', model: 'test@2' }),
      embedding('v2', { owner: 'f1', model: 'test@2' }),
    ],
  },
  relationships: [edge('EVIDENCED_BY', 'f1', 'e1'), edge('MENTIONS', 'e2', 'n1')],
};

async function storeOf(...changes: readonly GraphChanges[]): Promise<GraphStore> {
  const store = new InMemoryStore();
  await store.setFingerprint({ model: 'test', dimension: 2 });
  for (const each of changes) await store.commit(A, each);
  return store;
}

const findings = async (store: GraphStore) =>
  (await checkMemory({ store, snapshotFolder: null })).findings.map(({ what }) => what);

/** A store whose reads are spoilt, as a damaged file would. */
function spoilt(store: GraphStore, changes: Partial<GraphStore>): GraphStore {
  return new Proxy(store, {
    get(target, name: keyof GraphStore) {
      const own = changes[name] as unknown;
      if (own !== undefined) return own;
      return (target[name] as (...input: never[]) => unknown).bind(target);
    },
  });
}

describe('checkMemory', () => {
  it('counts rows and missing vectors', async () => {
    const report = await checkMemory({ store: await storeOf(SOUND), snapshotFolder: null });
    // Texts: 2 turns, 1 segment, 2 of the profile, 1 description, 1 fact.
    const scope = {
      scope: A,
      rows: 9,
      relationships: 2,
      embeddings: { 'test@2': 2 },
      withoutVector: 5,
      index: 'none',
    };
    expect(report).toEqual({ sound: true, findings: [], scopes: [scope] });
  });

  it.each<[string, GraphChanges, string]>([
    [
      'a profile of nobody',
      { removals: [{ kind: 'entity', id: 'n1' }] },
      'profile refer to a missing row (owner)',
    ],
    [
      'a description of no segment',
      { removals: [{ kind: 'segment', id: 's1' }] },
      'description refer to a missing row (segment)',
    ],
    [
      'a vector of no text',
      { removals: [{ kind: 'fact', id: 'f1' }] },
      'embedding refer to a missing row (owner)',
    ],
    [
      'a vector of another length',
      {
        nodes: { embedding: [embedding('v3', { owner: 'e2', model: 'test@2', vector: Float32Array.of(1) })] },
      },
      'does not have 2 numbers',
    ],
    [
      'a vector that is no number',
      {
        nodes: {
          embedding: [
            embedding('v3', { owner: 'e2', model: 'test@2', vector: Float32Array.of(Number.NaN, 0) }),
          ],
        },
      },
      'does not have 2 numbers',
    ],
  ])('finds %s', async (_, change, what) => {
    expect(await findings(await storeOf(SOUND, change))).toContainEqual(expect.stringContaining(what));
  });

  it('finds edges whose end is not in the scope, missing rows that are counted, and unreadable rows', async () => {
    const store = await storeOf(SOUND);
    const strangers = spoilt(store, {
      async *relationships(_scope, kind) {
        if (kind === 'MENTIONS') yield [edge('MENTIONS', 'e2', 'elsewhere'), edge('MENTIONS', 'gone', 'n1')];
      },
    });
    expect(await findings(strangers)).toEqual(['2 relationships MENTIONS have a missing end']);
    const counts = await store.count(A);
    const short = spoilt(store, { count: async () => ({ ...counts, fact: 3 }) });
    expect(await findings(short)).toEqual(['3 rows of the kind fact are counted, but 1 are found']);
    const unreadable = spoilt(store, {
      scan: ((scope: typeof A, kind: 'item') => {
        if ((kind as string) === 'segment') throw new Error('a part of it is missing');
        return store.scan(scope, kind);
      }) as GraphStore['scan'],
    });
    expect(await findings(unreadable)).toContainEqual('the rows of the kind segment cannot all be read');
  });

  it('compares an index snapshot with the graph, and skips one of another commit', async () => {
    const path = freshPath();
    const opened = await openMemory(path);
    await remember(opened.memory, CONVERSATION);
    const { store, context, keeper } = opened;
    const folder = context.snapshotFolder!;
    const check = () => checkMemory({ store, snapshotFolder: folder });
    expect(await check()).toMatchObject({ sound: true, scopes: [{ index: 'equal', withoutVector: 0 }] });

    const { readdirSync } = await import('node:fs');
    const file = `${folder}/${readdirSync(folder)[0]}`;
    const { stamp } = (await readSnapshotFile(file))!;
    expect((await readSnapshot(file, stamp)).reason).toBeNull();
    const index = (await keeper.load()).index;
    const spoil = async (change: () => void) => {
      change();
      await writeSnapshot(file, stamp, scopeIndexSections(index));
      const { findings: found, scopes } = await check();
      return [scopes[0]?.index, ...found.map(({ what }) => what)];
    };
    const mentioned = index.episodes.ids.ids().find((id) => index.entitiesMentionedIn(id).length > 0)!;
    const [someone] = index.entitiesMentionedIn(mentioned);
    const edgeGone = {
      kind: 'MENTIONS',
      fromKind: 'episode',
      from: mentioned,
      toKind: 'entity',
      to: someone!,
    } as const;
    expect(await spoil(() => index.apply({ unlinks: [edgeGone] }))).toEqual([
      'differs',
      expect.stringMatching(/in its links$/),
    ]);
    expect(
      await spoil(() => index.apply({ removals: [{ kind: 'fact', id: index.facts.ids.idOf(0) }] })),
    ).toEqual(['differs', expect.stringMatching(/in its facts$/)]);
    expect(await spoil(() => index.apply({ removals: [{ kind: 'episode', id: mentioned }] }))).toEqual([
      'differs',
      expect.stringMatching(/in its turns, its facts, .*its words$/),
    ]);

    keeper.invalidate();
    await opened.memory.add(turn('Zoe keeps bees in Turku.'));
    expect(await check()).toMatchObject({ sound: true, scopes: [{ index: 'none' }] }); // of the commit before
    rmSync(folder, { recursive: true });
    expect(await check()).toMatchObject({ sound: true, scopes: [{ index: 'none' }] });
    await opened.close();
  });

  it('can be cancelled', async () => {
    const checking = checkMemory(
      { store: await storeOf(SOUND), snapshotFolder: null },
      { signal: AbortSignal.abort() },
    );
    await expect(checking).rejects.toMatchObject({ code: 'cancelled' });
  });
});
