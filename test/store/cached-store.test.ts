import { describe, expect, it } from 'vitest';
import type { GraphChanges } from '../../src/model/graph-changes.ts';
import type { Scope } from '../../src/model/ids.ts';
import type { NodeKind, NodeRows } from '../../src/model/nodes.ts';
import { CachedStore } from '../../src/store/cached-store.ts';
import { InMemoryStore } from '../../src/store/in-memory/in-memory-store.ts';
import { edge, episode, fact, scopeOf, segment } from '../contract/graph-rows.ts';
import { graphStoreContract } from '../contract/graph-store.ts';

const A = scopeOf('a');
const B = scopeOf('b');

graphStoreContract('CachedStore', async () => new CachedStore(new InMemoryStore()));

/** Says which rows it was asked for, and holds the answers of commits and reads back until they are let go. */
class SlowStore extends InMemoryStore {
  readonly asked: string[] = [];
  readonly #held: (() => void)[] = [];
  hold = false;

  override async get<K extends NodeKind>(
    scope: Scope,
    kind: K,
    ids: readonly string[],
  ): Promise<NodeRows[K][]> {
    this.asked.push(...ids);
    const rows = await super.get(scope, kind, ids);
    await this.#wait();
    return rows;
  }

  override async commit(scope: Scope, changes: GraphChanges): Promise<number> {
    const sequence = await super.commit(scope, changes);
    await this.#wait();
    return sequence;
  }

  /** Lets the answer that was held back `position`th go. */
  async release(position: number): Promise<void> {
    await settled();
    this.#held.splice(position, 1)[0]!();
    await settled();
  }

  async #wait(): Promise<void> {
    if (this.hold) await new Promise<void>((resolve) => this.#held.push(resolve));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
function setUp() {
  const inner = new SlowStore();
  return { inner, store: new CachedStore(inner) };
}

describe('CachedStore', () => {
  it('keeps rows that were just committed, with their committed values, in their own scope', async () => {
    const { inner, store } = setUp();
    const rows = {
      episode: [episode('e', { attachments: [{ kind: 'k', description: 'd' }] })],
      segment: [segment('s')],
    };
    const done = store.commit(A, { nodes: { ...rows, fact: [fact('f')] } });
    Object.assign(rows.episode[0]!, { content: 'changed by the caller' });
    await done;
    expect(await store.get(A, 'episode', ['e'])).toEqual([
      episode('e', { attachments: [{ kind: 'k', description: 'd' }] }),
    ]);
    expect(await store.get(A, 'segment', ['s'])).toEqual([segment('s')]);
    expect(await store.get(A, 'fact', ['f'])).toEqual([fact('f')]);
    expect(inner.asked).toEqual([]);
    expect(await store.get(B, 'episode', ['e'])).toEqual([]);
    expect(await store.get(B, 'fact', ['f'])).toEqual([]);
    expect(inner.asked).toEqual(['e', 'f']);
  });

  it('keeps nothing of a released scope, including reads in progress', async () => {
    const { inner, store } = setUp();
    await store.commit(A, { nodes: { episode: [episode('e')], fact: [fact('f')] } });
    store.clear();
    await store.get(A, 'episode', ['e']);
    await store.commit(B, { nodes: { episode: [episode('g')] } });
    inner.hold = true;
    const reading = store.get(A, 'fact', ['f']);
    await settled();
    store.dropCaches(A);
    await inner.release(0);
    expect(await reading).toEqual([fact('f')]);
    expect([...store.cachedRows()].map(({ scope, row }) => [scope, row.id])).toEqual([[B, 'g']]);
  });

  it('keeps nothing of a commit that failed', async () => {
    const { inner, store } = setUp();
    const changes = { nodes: { episode: [episode('e')] }, relationships: [edge('NEXT', 'e', 'nobody')] };
    await expect(store.commit(A, changes)).rejects.toMatchObject({ code: 'scope-violation' });
    expect(await store.get(A, 'episode', ['e'])).toEqual([]);
    expect(inner.asked).toEqual(['e']);
  });

  it('drops rows that a commit updates or removes, also those that it adds', async () => {
    const { store } = setUp();
    await store.commit(A, {
      nodes: { episode: [episode('e'), episode('f'), episode('g')], segment: [segment('s')] },
      updates: [{ kind: 'episode', id: 'e', set: { gate: 'kept' } }],
      removals: [{ kind: 'episode', id: 'f' }],
    });
    expect(await store.get(A, 'episode', ['e', 'f', 'g'])).toEqual([
      episode('e', { gate: 'kept' }),
      episode('g'),
    ]);
    await store.commit(A, {
      updates: [
        { kind: 'episode', id: 'g', set: { verified: true } },
        { kind: 'segment', id: 's', set: { expiredAt: 4 } },
      ],
      removals: [{ kind: 'episode', id: 'e' }],
    });
    expect(await store.get(A, 'episode', ['e', 'g'])).toEqual([episode('g', { verified: true })]);
    expect(await store.get(A, 'segment', ['s'])).toEqual([segment('s', { expiredAt: 4 })]);
  });

  it.each([
    [0, 0],
    [1, 0],
  ])('shows the newest row when commits overlap and end in any order (%i, %i)', async (...order) => {
    const { inner, store } = setUp();
    inner.hold = true;
    const commits = [
      store.commit(A, { nodes: { episode: [episode('e')] } }),
      store.commit(A, { updates: [{ kind: 'episode', id: 'e', set: { gate: 'kept' } }] }),
    ];
    for (const position of order) await inner.release(position);
    await Promise.all(commits);
    inner.hold = false;
    expect(await store.get(A, 'episode', ['e'])).toEqual([episode('e', { gate: 'kept' })]);
  });

  it('keeps nothing of a read that a commit overlaps', async () => {
    const { inner, store } = setUp();
    await store.commit(A, { nodes: { episode: [episode('e')] } });
    store.clear();
    inner.hold = true;
    const read = store.get(A, 'episode', ['e']);
    const commit = store.commit(A, { updates: [{ kind: 'episode', id: 'e', set: { gate: 'kept' } }] });
    await inner.release(1);
    await inner.release(0);
    await Promise.all([read, commit]);
    inner.hold = false;
    expect(await store.get(A, 'episode', ['e'])).toEqual([episode('e', { gate: 'kept' })]);
  });

  it('drops what a commit under way would have kept', async () => {
    const { inner, store } = setUp();
    inner.hold = true;
    const commit = store.commit(A, { nodes: { episode: [episode('e')] } });
    store.clear();
    await inner.release(0);
    await commit;
    inner.hold = false;
    await store.get(A, 'episode', ['e']);
    expect(inner.asked).toEqual(['e']);
  });
});
