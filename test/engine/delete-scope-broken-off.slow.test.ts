import { describe, expect, it } from 'vitest';
import { deleteScope } from '../../src/engine/forgetting/delete-scope.ts';
import { OpenScopes } from '../../src/engine/open-scopes.ts';
import { Mnemis } from '../../src/index.ts';
import { memoryOver, watchedStore } from './ingestion/memory-over.ts';
import { freshPath } from './memory-fixture.ts';

const TURNS = ['I live in Ghent.', 'I work with Bob at Imec.', 'My sister Ada keeps bees.'];
const found = async (memory: Awaited<ReturnType<typeof memoryOver>>['memory']) =>
  (await memory.search('Ghent Imec Ada bees', { k: 20 })).episodes.length;

/** Deletes a scope whose commits all fail from the given one on; 0 never fails. */
async function brokenOffAt(commit: number) {
  const watched = watchedStore();
  const { memory, session } = await memoryOver(watched.store);
  await memory.add(TURNS);
  await memory.flush();
  await memory.forget({ query: 'bees', limit: 1 }); // so that there are tombstones and a record
  const begun = watched.commits.length;
  watched.before = (number) => {
    if (commit > 0 && number >= begun + commit) throw new Error('the power failed');
  };
  let isDeleted = false;
  const dropped = () => {
    isDeleted = true;
  };
  const run = deleteScope(session, new OpenScopes({ areKept: false, dropped }), {});
  const failed = await run.then(
    () => false,
    () => true,
  );
  watched.before = () => undefined;
  const scopes = await watched.store.scopes();
  return { watched, failed, isDeleted, scopes, commits: watched.commits.length - begun };
}

it('can be broken off at every commit: the scope is whole or empty then, and the next call deletes it', async () => {
  const { commits, isDeleted, scopes } = await brokenOffAt(0);
  expect([isDeleted, scopes]).toEqual([true, []]);
  expect(commits).toBeGreaterThan(2);
  for (let commit = 1; commit <= commits; commit++) {
    const broken = await brokenOffAt(commit);
    expect([commit, broken.failed, broken.isDeleted, broken.scopes]).toEqual([commit, true, false, ['a']]);
    const { memory, session } = await memoryOver(broken.watched.store);
    expect([commit, await found(memory)]).toEqual([commit, commit === 1 ? 2 : 0]);
    const { proof } = await deleteScope(
      session,
      new OpenScopes({ areKept: false, dropped: () => undefined }),
      {},
    );
    expect(proof.clean).toBe(true);
    expect(await broken.watched.store.scopes()).toEqual([]);
    const again = await memoryOver(broken.watched.store);
    expect(await again.memory.stats()).toMatchObject({ episode: 0, tombstone: 0, correction: 0 });
    expect(await again.memory.add(TURNS[0]!)).toMatchObject({ stored: 1 });
  }
});

describe.each([['kuzu', 'memory.db'] as const, ['sqlite', 'memory.sqlite'] as const])('in %s', (_, name) => {
  it.each(['removing', 'checking'])('cancelled while %s, it is completed by the next call', async (at) => {
    const path = freshPath().replace(/[^/]+$/, name);
    const engine = await Mnemis.open({ path });
    await engine.scope('gone').add(TURNS);
    await engine.scope('stays').add(TURNS);
    await engine.scope('gone').flush();
    const stop = new AbortController();
    const run = async () => {
      for await (const event of engine.deleteScope('gone', { signal: stop.signal }))
        if (event.type === 'progress' && event.step === at) stop.abort();
    };
    await expect(run()).rejects.toMatchObject({ code: 'cancelled' });
    await engine.close();
    await using reopened = await Mnemis.open({ path });
    expect(await reopened.scopes()).toContain('gone');
    expect((await reopened.scope('gone').search('Ghent')).episodes).toEqual([]);
    expect((await reopened.deleteScope('gone')).proof.clean).toBe(true);
    expect(await reopened.scopes()).toEqual(['stays']);
    expect((await reopened.scope('stays').search('Ghent')).episodes.length).toBeGreaterThan(0);
  });
});
