import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EngineContext } from '../../src/engine/engine-context.ts';
import { hierarchySetup } from '../../src/engine/hierarchy/hierarchy-setup.ts';
import type { IndexCache } from '../../src/engine/index-cache.ts';
import { MemoryScope } from '../../src/engine/memory-scope.ts';
import { type ResidencyLimits, ScopeResidency } from '../../src/engine/scope-residency.ts';
import { ScopeSession } from '../../src/engine/scope-session.ts';
import { EmbeddingSwitch } from '../../src/inference/embedder/embedding-switch.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { LocalExtractor } from '../../src/ingest/extract/local/local-extractor.ts';
import { profileNamed } from '../../src/ingest/profile.ts';
import { stagesOf } from '../../src/ingest/stages.ts';
import type { Scope } from '../../src/model/ids.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { CachedStore } from '../../src/store/cached-store.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { gate } from '../fixtures/gate.ts';
import { inTier } from '../tier.ts';
import {
  answersTo,
  asSet,
  CONVERSATION,
  contents,
  freshPath,
  graphOf,
  QUERIES,
  remember,
  turn,
} from './memory-fixture.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Nothing lets go by itself within a test; with `idle` every sweep lets everything go. */
const NEVER = { idleMilliseconds: 3_600_000 };
const IDLE = { idleMilliseconds: 0 };

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** A memory file put together as the engine does, with its parts in reach. */
async function openScopes(limits: Partial<ResidencyLimits>, extractor = new LocalExtractor()) {
  const store = new CachedStore(await KuzuStore.open({ path: freshPath() }));
  const embedder = new HashingEmbedder({ analyze, dimension: 32 });
  await store.setFingerprint(embedder.fingerprint);
  const profile = profileNamed('local');
  const ingest = { profile, stages: stagesOf(profile, { extractor }), isAutomatic: false };
  const residency = new ScopeResidency(limits);
  let ids = 0;
  const context: EngineContext = {
    store,
    embedding: new EmbeddingSwitch({ embedder, comparesVectors: true }),
    ingest,
    hierarchy: hierarchySetup({}, ingest),
    admission: { redactsSecrets: true, neverRemember: null },
    residency,
    clock: Date.now,
    newId: () => `${Date.now()}-${String(++ids).padStart(6, '0')}`,
    logger: { warn: () => undefined },
    snapshotFolder: `${store.describe().path}.indexes`,
  };
  const scopes = new Map<string, { readonly memory: MemoryScope; readonly keeper: IndexCache }>();
  const scope = (name: string) => {
    const known = scopes.get(name);
    if (known !== undefined) return known;
    const session = new ScopeSession(name as Scope, context);
    const made = { keeper: session.index, memory: new MemoryScope(session) };
    scopes.set(name, made);
    return made;
  };
  opened.push(async () => {
    await residency.close();
    for (const { memory } of scopes.values()) await memory.close();
    await store.close();
  });
  const loaded = () => [...scopes.values()].filter(({ keeper }) => keeper.requested !== null).length;
  return { scope, residency, store, loaded };
}

const cachedTexts = (store: CachedStore, name: string) =>
  [...store.cachedRows()].filter(({ scope }) => scope === name).length;

describe('a released scope', () => {
  it('answers, adds, consolidates, exports and forgets as before', async () => {
    const { scope, residency } = await openScopes(IDLE);
    const { memory, keeper } = scope('a');
    const letGo = async () => {
      await residency.sweep();
      expect(keeper.requested).toBeNull();
    };
    const turns = CONVERSATION.map((each, at) => ({ ...each, source: 'chat', sourceId: `${at}` }));
    await remember(memory, turns);
    const answers = await answersTo(memory, QUERIES);
    const rows = asSet(await graphOf(memory));

    await letGo();
    expect(await answersTo(memory, QUERIES)).toEqual(answers);
    await letGo();
    expect(asSet(await graphOf(memory))).toEqual(rows);
    expect(await memory.add(turns)).toMatchObject({ added: 0, known: turns.length });

    await letGo();
    await memory.add(turn('My parrot Kiwi whistles opera in Bergen.', { session: 's3', speaker: 'Ann' }));
    await letGo();
    expect((await memory.flush()).counts.consolidated).toBe(1);
    await letGo();
    expect(contents(await memory.search('Which parrot whistles opera?'))[0]).toContain('Kiwi');

    await letGo();
    const report = await memory.forget({ session: 's3' });
    expect(report.proof.clean).toBe(true);
    await letGo();
    expect(contents(await memory.search('Which parrot whistles opera?')).join(' ')).not.toContain('Kiwi');
    expect(asSet(await graphOf(memory)).join(' ')).not.toContain('Kiwi');
  });

  it('is found complete while calls add to it and it is released and loaded', async () => {
    const { scope, residency } = await openScopes(IDLE);
    const { memory } = scope('a');
    const said = Array.from({ length: 40 }, (_, index) =>
      turn(`The code of locker ${index} is painted on door ${index}.`, {
        session: 's',
        index,
        speaker: 'Ann',
      }),
    );
    const sweeps = said.map(() => residency.sweep());
    const adds = said.map(async (each) => {
      await memory.add(each);
      sweeps.push(residency.sweep());
      return memory.search(each.content as string, { k: 3 });
    });
    for (const [index, found] of (await Promise.all(adds)).entries())
      expect(contents(found)).toContain(said[index]!.content);
    await Promise.all(sweeps);
    await memory.flush();
    const kept = await answersTo(memory, ['Which door has locker 7?', 'Where is the code painted?']);
    await residency.sweep();
    expect(await answersTo(memory, ['Which door has locker 7?', 'Where is the code painted?'])).toEqual(kept);
    expect((await memory.stats()).episode).toBe(40);
  });

  it('holds nothing of its text in memory, and does not affect other scopes', async () => {
    const { scope, residency, store } = await openScopes({ ...NEVER, mostScopes: 1, fewestScopes: 1 });
    const [{ memory, keeper }, other] = [scope('a'), scope('b')];
    await remember(memory, CONVERSATION);
    await memory.hierarchy.update();
    await memory.items.put(['notes'], 'one', { text: 'a note' });
    await memory.search('Rex', { knownAt: Date.now() });
    const index = new WeakRef(keeper.loaded!.index);
    expect(cachedTexts(store, 'a')).toBeGreaterThan(0);

    await remember(other.memory, CONVERSATION);
    await residency.sweep();
    expect(keeper.requested).toBeNull();
    expect(other.keeper.requested).not.toBeNull();
    expect(cachedTexts(store, 'a')).toBe(0);
    expect(cachedTexts(store, 'b')).toBeGreaterThan(0);
    for (let round = 0; round < 10 && index.deref() !== undefined; round++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      collectGarbage();
    }
    expect(index.deref()).toBeUndefined();
    expect(await memory.items.get(['notes'], 'one')).toMatchObject({ value: { text: 'a note' } });
  });

  it('stays when consolidation begins while its index is saved', async () => {
    const { scope, residency } = await openScopes(IDLE);
    const { memory, keeper } = scope('a');
    await memory.add(CONVERSATION);
    const save = keeper.save.bind(keeper);
    let flushing: ReturnType<typeof memory.flush> | null = null;
    let index: unknown;
    vi.spyOn(keeper, 'save').mockImplementation(async () => {
      if (flushing === null) {
        ({ index } = keeper.loaded!);
        flushing = memory.flush();
        await Promise.resolve().then(() => new Promise(setImmediate));
      }
      await save();
    });
    // A sweep that began before may have released the scope; one whose turns are being looked at is not even saved.
    const swept = async () => {
      await memory.search('locker');
      await residency.sweep();
      return flushing;
    };
    await expect.poll(swept).not.toBeNull();
    expect(keeper.loaded?.index).toBe(index);
    expect((await flushing!).counts.consolidated).toBe(CONVERSATION.length);
  });

  it('stays while its turns are consolidated', async () => {
    const { opened: released, open: release } = gate();
    const { opened: reading, open: begin } = gate();
    const extractor = new LocalExtractor();
    const waiting: Pick<LocalExtractor, 'extract'> = {
      extract: async (...input) => {
        begin();
        await released;
        return extractor.extract(...input);
      },
    };
    const { scope, residency } = await openScopes(IDLE, waiting as LocalExtractor);
    const { memory, keeper } = scope('a');
    await memory.add(CONVERSATION);
    const { index } = keeper.loaded!;
    const flushing = memory.flush();
    await reading;
    await residency.sweep();
    expect(keeper.loaded?.index).toBe(index);
    release();
    expect((await flushing).counts.consolidated).toBe(CONVERSATION.length);
    await residency.sweep();
    expect(keeper.requested).toBeNull();
  });
});

describe('scopes in memory', () => {
  it('are limited in number; the most recently used stay', async () => {
    const { scope, residency, loaded } = await openScopes({ ...NEVER, mostScopes: 8 });
    const users = inTier({ fast: 40, slow: 200 });
    for (let user = 0; user < users; user++)
      await scope(`user ${user}`).memory.add(turn(`I am user ${user} and live in Oslo.`, { session: 's' }));
    await residency.sweep();
    expect(loaded()).toBe(8);
    expect(residency.size).toBe(8);
    expect(scope(`user ${users - 1}`).keeper.requested).not.toBeNull();
    expect(scope(`user ${users - 9}`).keeper.requested).toBeNull();
    const { memory } = scope('user 3');
    expect(contents(await memory.search('Where do I live?'))).toEqual(['I am user 3 and live in Oslo.']);
  });

  it('are limited in size, except for the few that were used last', async () => {
    const { scope, residency, loaded } = await openScopes({ ...NEVER, mostBytes: 1, fewestScopes: 3 });
    for (let user = 0; user < 6; user++) await scope(`user ${user}`).memory.add(turn('Hello there.'));
    await residency.sweep();
    expect(loaded()).toBe(3);
  });

  it('are released once nobody has used them for a while', async () => {
    const { scope, loaded } = await openScopes({ idleMilliseconds: 200 });
    await scope('a').memory.add(turn('Hello there.'));
    expect(loaded()).toBe(1);
    for (let round = 0; round < 200 && loaded() > 0; round++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(loaded()).toBe(0);
  });
});
