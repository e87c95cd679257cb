import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { checkMemory } from '../../../src/files/backup/check-memory.ts';
import type { FindingCode } from '../../../src/files/backup/check-report.ts';
import { type RepairedMemory, repair } from '../../../src/files/backup/repair.ts';
import { planRepairOf, verifyBackup, verifyMemory } from '../../../src/files/backup/verify.ts';
import { openStoreAt } from '../../../src/files/open-store.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import * as rows from '../../contract/graph-rows.ts';
import { CONVERSATION, freshPath, remember } from '../../engine/memory-fixture.ts';

const A = rows.scopeOf('a');
const {
  category,
  correction,
  edge,
  embedding,
  entity,
  episode,
  fact,
  hierarchy,
  profile,
  segment,
  tombstone,
} = rows;
const MODEL = 'test@2';

/** Two layers over four entities, all sound. */
const SOUND: GraphChanges = {
  nodes: {
    episode: [episode('e1')],
    fact: [fact('f1')],
    segment: [segment('s1')],
    entity: ['n1', 'n2', 'n3', 'n4'].map((id) => entity(id)),
    category: [category('c1'), category('c2'), category('t1', { layer: 2 })],
    profile: ['n1', 'n2', 'n3', 'n4', 'c1', 'c2', 't1'].map((id) =>
      profile(`p ${id}`, { owner: id as never, name: `name of ${id}` }),
    ),
    hierarchy: [hierarchy('h1', { layers: 2 })],
    tombstone: [tombstone('x1', { digest: 'a'.repeat(64), salt: 'b'.repeat(16) })],
    embedding: ['e1:content', 'f1:statement', 's1:summary']
      .concat(['n1', 'n2', 'n3', 'n4', 'c1', 'c2', 't1'].flatMap((id) => [`p ${id}:name`, `p ${id}:summary`]))
      .map((text, at) => {
        const [owner = '', field = ''] = text.split(':');
        return embedding(`v${at}`, { owner, field: field as 'name', model: MODEL });
      }),
  },
  relationships: [
    ...['n1', 'n2'].map((to) => edge('CATEGORIZES', 'c1', to, {}, ['category', 'entity'])),
    ...['n3', 'n4'].map((to) => edge('CATEGORIZES', 'c2', to, {}, ['category', 'entity'])),
    ...['c1', 'c2'].map((to) => edge('CATEGORIZES', 't1', to, {}, ['category', 'category'])),
  ],
};

const damage = (id: string) => profile(id, { owner: 'nobody' as never });
const unlinkAll = (from: string, to: readonly string[]) =>
  to.map((each) =>
    edge('CATEGORIZES', from, each, {}, ['category', each.startsWith('n') ? 'entity' : 'category']),
  );

const DAMAGES: Readonly<Partial<Record<FindingCode, GraphChanges>>> = {
  'hierarchy-depth': {
    nodes: { hierarchy: [hierarchy('h2', { layers: 1 })] },
    removals: [{ kind: 'hierarchy', id: 'h1' }],
  },
  'hierarchy-records': { nodes: { hierarchy: [hierarchy('h2', { createdAt: 9 })] } },
  'hierarchy-edges': { relationships: [edge('CATEGORIZES', 't1', 'n1', {}, ['category', 'entity'])] },
  'hierarchy-expired': { updates: [{ kind: 'category', id: 'c2', set: { expiredAt: 5 } }] },
  'hierarchy-profiles': {
    nodes: { profile: [profile('p2', { owner: 'c1' as never, name: 'another', createdAt: 9 })] },
  },
  'hierarchy-nameless': { removals: [{ kind: 'profile', id: 'p c1' }] },
  'hierarchy-empty': { unlinks: unlinkAll('c1', ['n1', 'n2']) },
  'hierarchy-names': {
    nodes: { profile: [profile('p2', { owner: 'c2' as never, name: 'name of c1' })] },
    removals: [{ kind: 'profile', id: 'p c2' }],
  },
  'missing-row': {
    nodes: { profile: [damage('p2')], embedding: [embedding('w1', { owner: 'p2', model: MODEL })] },
  },
  'bad-vector': {
    nodes: {
      embedding: [embedding('w1', { owner: 'f1', model: MODEL, vector: Float32Array.of(Number.NaN, 1) })],
    },
  },
  'correction-detail': { nodes: { correction: [correction('r1', { targets: ['f1'], detail: '{' })] } },
  'correction-target': { nodes: { correction: [correction('r1', { targets: ['nothing'] })] } },
  'tombstone-content': { nodes: { tombstone: [tombstone('x2', { digest: 'words', salt: 'b'.repeat(16) })] } },
  'tombstone-repeated': {
    nodes: { tombstone: [tombstone('x2', { digest: 'a'.repeat(64), salt: 'b'.repeat(16) })] },
  },
};

async function storeOf(...changes: readonly GraphChanges[]): Promise<GraphStore> {
  const store = new InMemoryStore();
  await store.setFingerprint({ model: 'test', dimension: 2 });
  for (const each of changes) await store.commit(A, each);
  return store;
}

let ids = 0;
const contextOf = (store: GraphStore): RepairedMemory => ({
  store,
  snapshotFolder: null,
  clock: () => 100,
  newId: () => `new ${++ids}`,
  settle: async () => undefined,
  backup: () => expect.fail('nothing of a memory without files is backed up'),
  exclusive: (job) => job(),
  changed: () => undefined,
  embed: null,
});

const codesOf = (findings: readonly { readonly code: string }[]) => findings.map(({ code }) => code);

describe('repair', () => {
  it('has nothing to do for a valid memory, and changes nothing', async () => {
    const store = await storeOf(SOUND);
    const before = await store.state(A);
    expect(await repair(contextOf(store))).toEqual({
      ...{ dryRun: false, sound: true, mended: [], left: [], backup: null },
    });
    expect(await store.state(A)).toEqual(before);
  });

  it.each(Object.entries(DAMAGES))('repairs %s, and keeps everything valid', async (code, change) => {
    const store = await storeOf(SOUND, change);
    const found = await checkMemory({ store, snapshotFolder: null });
    expect(codesOf(found.findings)).toContain(code);
    expect(found.sound).toBe(false);
    expect(found.findings.every(({ advice }) => advice.length > 20)).toBe(true);

    const state = await store.state(A);
    const planned = await repair(contextOf(store), { dryRun: true });
    expect(codesOf(planned.mended)).toContain(code);
    expect(planned).toMatchObject({ dryRun: true, sound: true });
    expect(await store.state(A)).toEqual(state);

    const report = await repair(contextOf(store));
    expect(report.sound).toBe(true);
    expect(codesOf(report.mended)).toContain(code);
    // Where the mend took a text's vector away, or a text came without one.
    expect(codesOf(report.left).filter((each) => each !== 'missing-vectors')).toEqual([]);
    expect((await checkMemory({ store, snapshotFolder: null })).findings).toEqual([]);
    const { entity: entities, episode: turns, fact: facts, segment: segments } = await store.count(A);
    expect([entities, turns, facts, segments]).toEqual([4, 1, 1, 1]);
    if (!code.startsWith('hierarchy')) expect((await store.count(A)).category).toBe(3);
  });

  it('repairs all of it at once', async () => {
    const store = await storeOf(SOUND);
    for (const [code, change] of Object.entries(DAMAGES))
      if (!['hierarchy-names', 'correction-detail', 'tombstone-content'].includes(code))
        await store.commit(A, withOwnIds(code, change));
    expect((await repair(contextOf(store))).sound).toBe(true);
  });

  it('leaves what it cannot repair, and says what to do', async () => {
    const store = await storeOf(SOUND, {
      nodes: { episode: [episode('e2', { content: '' })], correction: [correction('r1', OPEN_FORGETTING)] },
    });
    const failing = { ...contextOf(store), settle: () => Promise.reject(new Error('words of the user')) };
    const report = await repair(failing);
    expect(report.sound).toBe(false);
    expect(codesOf(report.left)).toEqual(['unfinished-forgetting', 'turn-without-text']);
    expect(report.left[0]?.what).toBe('1 forgettings are unfinished, and completing them failed: it failed');
    expect(report.left[1]?.advice).toContain('restore a backup');
  });
});

const OPEN_FORGETTING = { kind: 'forget', finishedAt: null, detail: '{}', targets: [] } as const;

/** So that several of the damages stand side by side. */
function withOwnIds(code: string, change: GraphChanges): GraphChanges {
  const renamed = Object.entries(change.nodes ?? {}).map(([kind, list]) => [
    kind,
    list.map((row) => ({ ...row, id: `${code} ${row.id}` })),
  ]);
  return {
    ...change,
    nodes: Object.fromEntries(renamed),
    removals: [],
    relationships: change.relationships ?? [],
  };
}

const embedder = new HashingEmbedder({ analyze, dimension: 32 });
const open = (path: string) =>
  Mnemis.open({ path, embedder, automatic: false, logger: { warn: () => undefined } });

/** Commits to a file that nobody has open. */
async function commit(path: string, change: GraphChanges): Promise<void> {
  const store = await openStoreAt(path);
  await store.commit(A, change);
  await store.close();
}

async function filled(): Promise<string> {
  const path = freshPath();
  const mnemis = await open(path);
  await remember(mnemis.scope('a'), CONVERSATION);
  await mnemis.close();
  return path;
}

describe('Mnemis.repair', () => {
  it('backs up, repairs rows and vectors, and the memory answers as before', async () => {
    const path = await filled();
    const store = await openStoreAt(path);
    const vectors: string[] = [];
    for await (const batch of store.scan(A, 'embedding', ['id'])) vectors.push(...batch.map(({ id }) => id));
    await store.commit(A, {
      nodes: { profile: [damage('p2')] },
      removals: vectors.slice(0, 3).map((id) => ({ kind: 'embedding', id })),
    });
    await store.close();
    expect((await verifyMemory(path)).scopes[0]?.withoutVector).toBe(5);
    expect(codesOf((await planRepairOf(path)).mended)).toEqual(['missing-row', 'missing-vectors']);
    const mnemis = await open(path);
    const report = await mnemis.repair();
    expect(report).toMatchObject({ dryRun: false, sound: true, left: [] });
    expect(codesOf(report.mended)).toEqual(['missing-row', 'missing-vectors']);
    expect(basename(report.backup!.folder)).toMatch(
      new RegExp(`^${basename(path)}.before-repair-20\\d\\d-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\dZ$`),
    );
    expect((await mnemis.scope('a').search('Where does Nora live?')).episodes.length).toBeGreaterThan(0);
    await mnemis.close();
    expect(await verifyMemory(path)).toMatchObject({
      sound: true,
      findings: [],
      scopes: [{ withoutVector: 0 }],
    });
    expect(codesOf((await verifyBackup(report.backup!.folder)).findings)).toEqual(['missing-row']);
  });

  it('makes the backup in the given folder, or none, and changes nothing if it cannot', async () => {
    const path = await filled();
    await commit(path, { nodes: { profile: [damage('p2')] } });
    const mnemis = await open(path);
    const taken = dirname(path);
    await expect(mnemis.repair({ backup: taken })).rejects.toMatchObject({ code: 'invalid-input' });
    expect(codesOf((await mnemis.verify()).findings)).toEqual(['missing-row']);
    expect(await mnemis.repair({ backup: false })).toMatchObject({ sound: true, backup: null });
    await mnemis.close();
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.before`))).toEqual(
      [],
    );
  });

  it('deletes a snapshot that differs from the graph, with no backup', async () => {
    const path = await filled();
    const found = readdirSync(`${path}.indexes`);
    expect(found).toHaveLength(1);
    const { readSnapshotFile } = await import('../../../src/edit/proof/index-holders.ts');
    const { writeSnapshot } = await import('../../../src/search/snapshot.ts');
    const { scopeIndexSections } = await import('../../../src/search/scope-index-sections.ts');
    const { ScopeIndex } = await import('../../../src/search/scope-index.ts');
    const file = `${path}.indexes/${found[0]}`;
    const { stamp } = (await readSnapshotFile(file))!;
    await writeSnapshot(file, stamp, scopeIndexSections(ScopeIndex.empty(32)));
    expect(codesOf((await verifyMemory(path)).findings)).toEqual(['index-differs']);
    const mnemis = await open(path);
    const report = await mnemis.repair();
    expect(report).toMatchObject({ sound: true, left: [], backup: null });
    expect(existsSync(file)).toBe(false);
    expect((await mnemis.scope('a').search('Where does Nora live?')).episodes.length).toBeGreaterThan(0);
    await mnemis.close();
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });

  it('leaves an unfinished move unless asked to abandon it', async () => {
    const path = await filled();
    let mnemis = await open(path);
    const larger = new HashingEmbedder({ analyze, dimension: 48 });
    for await (const event of mnemis.reembed({ embedder: larger })) if (event.type === 'progress') break;
    await mnemis.close();
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [{ code: 'unfinished-move' }] });
    expect(codesOf((await planRepairOf(path)).left)).toEqual(['unfinished-move']);
    expect(codesOf((await planRepairOf(path, { abandonMove: true })).mended)).toEqual(['unfinished-move']);
    mnemis = await open(path);
    const kept = await mnemis.repair();
    expect([kept.sound, codesOf(kept.left)]).toEqual([true, ['unfinished-move']]);
    expect(kept.left[0]?.advice).toContain('--abandon-move');
    expect(mnemis.describe().nextFingerprint).toEqual(larger.fingerprint);
    const report = await mnemis.repair({ abandonMove: true });
    expect([report.sound, report.left, codesOf(report.mended)]).toEqual([true, [], ['unfinished-move']]);
    expect(mnemis.describe()).toMatchObject({ fingerprint: embedder.fingerprint, nextFingerprint: null });
    await mnemis.close();
    expect(await verifyMemory(path)).toMatchObject({
      sound: true,
      findings: [],
      scopes: [{ withoutVector: 0 }],
    });
  });

  it('completes an interrupted forgetting', async () => {
    const path = await filled();
    const store = await openStoreAt(path);
    const turns: string[] = [];
    for await (const batch of store.scan(A, 'episode', ['id'])) turns.push(...batch.map(({ id }) => id));
    const detail = { target: 'episodes', turns: [turns[0]], entities: [], since: 0, regroup: [], counts: {} };
    const begun = { kind: 'forget', finishedAt: null, targets: [], detail: JSON.stringify(detail) } as const;
    await store.commit(A, { nodes: { correction: [correction('r1', { ...begun, createdAt: Date.now() })] } });
    await store.close();
    expect(await verifyMemory(path)).toMatchObject({
      sound: true,
      findings: [{ scope: 'a', code: 'unfinished-forgetting' }],
    });
    const mnemis = await open(path);
    const report = await mnemis.repair();
    expect([report.sound, report.left, codesOf(report.mended)]).toEqual([
      true,
      [],
      ['unfinished-forgetting'],
    ]);
    expect((await mnemis.scope('a').stats()).episode).toBe(turns.length - 1);
    await mnemis.close();
    expect(await verifyMemory(path)).toMatchObject({ sound: true, findings: [] });
  });
});
