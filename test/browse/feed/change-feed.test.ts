import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../src/browse/feed/change-event.ts';
import { ChangeFeed, listenToChanges, ReportedStore } from '../../../src/browse/feed/change-feed.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import { CachedStore } from '../../../src/store/cached-store.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { correction, edge, entity, episode, fact, profile, scopeOf } from '../../contract/graph-rows.ts';
import { fullAt } from '../../engine/failing-store.ts';

const A = scopeOf('a');
const NOW = 5_000;

function lab(inner = new InMemoryStore() as ConstructorParameters<typeof CachedStore>[0]) {
  const feed = new ChangeFeed(() => NOW);
  const store = new CachedStore(new ReportedStore(inner, feed));
  const names = new Map([['n1', 'Ann']]);
  const context = {
    ...{ store, feed, scope: A },
    nameOf: async (id: string) => names.get(id),
    inTurn: <T>(job: () => Promise<T>) => job(),
  };
  const changes = (since?: number) => listenToChanges(context, { since });
  const commit = (each: GraphChanges) => store.commit(A, each);
  /** What was told until now. */
  const told = async (events: AsyncIterable<ChangeEvent>) => {
    await feed.close();
    const all: ChangeEvent[] = [];
    for await (const event of events) all.push(event);
    return all;
  };
  return { feed, store, commit, changes, told };
}

describe('the change feed', () => {
  it('reports committed changes, and no others', async () => {
    const { commit, changes, told } = lab(fullAt(2));
    const events = changes();
    await commit({ nodes: { fact: [fact('f1')] } });
    await expect(commit({ nodes: { fact: [fact('f2')] } })).rejects.toMatchObject({ code: 'disk-full' });
    await commit({ nodes: { fact: [fact('f3')] } });
    expect(await told(events)).toMatchObject([{ fact: 'f1' }, { fact: 'f3' }]);
  });

  it('reports in order stored turns, learned, superseded and withdrawn facts', async () => {
    const { commit, changes, told } = lab();
    await commit({ nodes: { fact: [fact('old'), fact('wrong'), fact('gone')] } });
    const events = changes();
    await commit({
      nodes: {
        fact: [fact('new', { createdAt: 30 }), fact('right', { createdAt: 30 })],
        entity: [entity('n1', { createdAt: 30 })],
        profile: [profile('p1', { owner: entity('n1').id, name: 'Ann' })],
        episode: [episode('e1', { createdAt: 20, session: 's', index: 3, version: 2 })],
      },
      relationships: [edge('SUPERSEDES', 'new', 'old'), edge('SUPERSEDES', 'right', 'wrong')],
      updates: [
        { kind: 'fact', id: 'old', set: { invalidAt: 9 } },
        { kind: 'fact', id: 'wrong', set: { invalidAt: 1, expiredAt: 30 } },
        { kind: 'fact', id: 'gone', set: { expiredAt: 30 } },
        { kind: 'episode', id: 'e1', set: { status: 'extracted' } },
      ],
    });
    const statement = (id: string) => `statement of ${id}`;
    expect(await told(events)).toEqual([
      { type: 'stored', at: 20, episode: 'e1', session: 's', index: 3, version: 2, speaker: 'Ann' },
      { type: 'learned', what: 'entity', at: 30, entity: 'n1', name: 'Ann' },
      { type: 'learned', what: 'fact', at: 30, fact: 'new', statement: statement('new') },
      { type: 'learned', what: 'fact', at: 30, fact: 'right', statement: statement('right') },
      {
        ...{ type: 'superseded', at: 30, fact: 'new', statement: statement('new') },
        ...{ superseded: 'old', supersededStatement: statement('old') },
      },
      {
        ...{ type: 'superseded', at: 30, fact: 'right', statement: statement('right') },
        ...{ superseded: 'wrong', supersededStatement: statement('wrong') },
      },
      { type: 'withdrawn', at: 30, fact: 'gone', statement: statement('gone') },
    ]);
  });

  it('reports nothing that was removed before the event was taken', async () => {
    const { commit, changes, told } = lab();
    const events = changes();
    const first = changes();
    await commit({ nodes: { fact: [fact('f1'), fact('secret'), fact('f2')] } });
    await commit({
      nodes: { fact: [fact('newer')] },
      relationships: [edge('SUPERSEDES', 'newer', 'secret')],
    });
    // A reader who has begun has the next ones in words already.
    expect((await first.next()).value).toMatchObject({ fact: 'f1' });
    await commit({ removals: [{ kind: 'fact', id: 'secret' }] });
    const superseded = { type: 'superseded', fact: 'newer', superseded: 'secret', supersededStatement: null };
    const rest = [{ fact: 'f2' }, { fact: 'newer' }, superseded];
    expect(await told(events)).toMatchObject([{ fact: 'f1' }, ...rest]);
    const left = await told(first);
    expect(left).toMatchObject(rest);
    expect(JSON.stringify(left)).not.toContain('statement of secret');
  });

  it('reports corrections when they are complete, with kind, author and subject', async () => {
    const { commit, changes, told } = lab();
    await commit({ nodes: { fact: [fact('f1')], entity: [entity('n1')] } });
    const events = changes();
    const done = { author: 'Bo', finishedAt: 40 };
    await commit({
      nodes: {
        correction: [
          correction('c1', { ...done, kind: 'edit-fact', targets: ['f1', 'gone'] }),
          correction('c2', { ...done, kind: 'merge-entities', targets: ['n1', 'gone'] }),
          correction('c3', { ...done, kind: 'split-entity', targets: ['n1'] }),
          correction('c4', { ...done, kind: 'undo', targets: ['f1', 'c1'] }),
          correction('c5', {
            kind: 'forget',
            targets: ['t'],
            detail: '{"counts":{"turns":2},"turns":["t"]}',
          }),
        ],
      },
    });
    await commit({ updates: [{ kind: 'correction', id: 'c5', set: { finishedAt: 60 } }] });
    const by = (id: string) => ({ at: 40, correction: id, author: 'Bo' });
    const ann = { kind: 'entity', id: 'n1', text: 'Ann' };
    expect(await told(events)).toEqual([
      {
        ...{ type: 'corrected', kind: 'edit-fact', ...by('c1') },
        about: [{ kind: 'fact', id: 'f1', text: 'statement of f1' }],
      },
      { type: 'merged', kind: 'merge-entities', ...by('c2'), about: [ann] },
      { type: 'split', kind: 'split-entity', ...by('c3'), about: [ann] },
      { type: 'undone', ...by('c4'), undoes: 'c1' },
      { type: 'forgot', at: 60, correction: 'c5', author: 'Ann', counts: { turns: 2 } },
    ]);
  });

  it('reports no correction twice that is rewritten in the place of a removed one', async () => {
    const { commit, changes, told } = lab();
    await commit({ nodes: { correction: [correction('c1', { createdAt: 10, finishedAt: 10 })] } });
    const events = changes();
    await commit({
      nodes: {
        correction: [
          correction('c1-again', { createdAt: 10, finishedAt: 10 }),
          correction('c2', { createdAt: 70, finishedAt: 70, kind: 'retain', detail: '{}' }),
        ],
      },
      removals: [{ kind: 'correction', id: 'c1' }],
    });
    const open = correction('c3', { createdAt: 80, kind: 'forget' });
    await commit({ nodes: { correction: [open] } });
    const done = correction('c4', { ...open, id: 'c4' as never, finishedAt: 90 });
    await commit({ nodes: { correction: [done] }, removals: [{ kind: 'correction', id: 'c3' }] });
    expect(await told(events)).toMatchObject([
      { type: 'retained', correction: 'c2', counts: {} },
      { type: 'forgot', correction: 'c4', at: 90 },
    ]);
  });

  it('reports many commits as one, without failed ones, and corrections among them as usual', async () => {
    const { feed, commit, changes, told } = lab();
    await commit({ nodes: { fact: [fact('old')], episode: [episode('e1')] } });
    const events = changes();
    await expect(
      feed.asOneEvent(A, 'rederived', async () => {
        await commit({ nodes: { fact: [fact('f1'), fact('f2')] } });
        await commit({
          updates: [{ kind: 'fact', id: 'old', set: { expiredAt: 3 } }],
          removals: [{ kind: 'episode', id: 'e1' }],
        });
        await commit({ nodes: { correction: [correction('c1', { finishedAt: 8 })] } });
        await commit({ nodes: { fact: [fact('f1')] } });
      }),
    ).rejects.toMatchObject({ code: 'invalid-change' });
    await commit({ nodes: { fact: [fact('f3')] } });
    expect(await told(events)).toMatchObject([
      { type: 'corrected', correction: 'c1' },
      {
        type: 'rederived',
        at: NOW,
        counts: { rowsAdded: 3, rowsRemoved: 1, factsLearned: 2, factsWithdrawn: 1 },
      },
      { type: 'learned', fact: 'f3' },
    ]);
  });

  it('gives slow readers the first thousand events when the engine closes, and where to continue', async () => {
    const { commit, changes, told } = lab();
    const events = changes();
    const facts = Array.from({ length: 1_500 }, (_, at) =>
      fact(`f${String(at).padStart(4, '0')}`, { createdAt: at }),
    );
    await commit({ nodes: { fact: facts } });
    const all = await told(events);
    expect(all).toHaveLength(1_001);
    expect(all.at(-1)).toEqual({ type: 'missed', at: 1_000, since: 1_000 });
  });
});
