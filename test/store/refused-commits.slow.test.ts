import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GraphChanges } from '../../src/model/graph-changes.ts';
import type { KuzuSession } from '../../src/store/kuzu/kuzu-connection.ts';
import { KuzuDatabase } from '../../src/store/kuzu/kuzu-database.ts';
import { edge, entity, episode, scopeOf } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { FILE_STORES, openFileStore } from './file-stores.ts';

const folder = freshFolder();
let count = 0;
const freshPath = (ending = '.db') => join(folder, `${++count}${ending}`);
const A = scopeOf('a');
const GOOD = 24;

const turns = (round: number, number = 10) =>
  Array.from({ length: number }, (_, i) => episode(`e${round}-${i}`, { key: `k${round}-${i}` }));

/** A commit that brings rows and changes rows of the commits before, as consolidation does. */
function goodChange(round: number): GraphChanges {
  return {
    nodes: { episode: turns(round), entity: [entity(`n${round}`)] },
    relationships: turns(round).map(({ id }) => edge('MENTIONS', id, `n${round}`)),
    updates: turns(round - 1).map(({ id }) => ({ kind: 'episode', id, set: { status: 'extracted' } })),
  };
}

/** Changes that must be refused, each of which would write and change rows if it were not. */
function refusedChange(round: number): Readonly<Record<string, GraphChanges>> {
  const updates = turns(round).map(({ id }) => ({
    kind: 'episode' as const,
    id,
    set: { expiredAt: 1, gate: 'dropped' as const },
  }));
  const fresh = (name: string) => [episode(`new ${name} ${round}`, { key: `new ${name} ${round}` })];
  return {
    'an id that is taken': { nodes: { episode: [...fresh('taken'), ...turns(round, 1)] }, updates },
    'many ids of which one is taken': {
      nodes: { episode: [...turns(round + 100_000, 300), ...turns(round, 1)] },
      updates,
    },
    'a row of another scope': {
      nodes: { episode: fresh('foreign') },
      updates: [...updates, { kind: 'episode', id: 'of b', set: { expiredAt: 1 } }],
    },
    'a relationship that is there': {
      nodes: { episode: fresh('edge') },
      relationships: [edge('MENTIONS', `e${round}-0`, `n${round}`)],
      updates,
    },
  };
}

describe.each(FILE_STORES)('$name: rejected commits (defect 18)', ({ ending }) => {
  it.each(Object.keys(refusedChange(0)))('do not affect later commits: %s', async (reason) => {
    const path = freshPath(ending);
    const store = await openFileStore(path);
    await store.commit(scopeOf('b'), { nodes: { episode: [episode('of b', { key: 'of b' })] } });
    await store.commit(A, { nodes: { episode: turns(0), entity: [entity('n0')] } });
    await store.commit(A, { relationships: [edge('MENTIONS', 'e0-0', 'n0')] });
    for (let round = 1; round <= GOOD; round += 1) {
      if (round % 3 === 1)
        await expect(store.commit(A, refusedChange(round - 1)[reason]!)).rejects.toMatchObject({
          code: expect.stringMatching(/^(invalid-change|scope-violation)$/),
        });
      expect(await store.commit(A, goodChange(round))).toBe(round + 2);
    }
    await store.close();
    const again = await openFileStore(path);
    const all = Array.from({ length: GOOD + 1 }, (_, round) => turns(round)).flat();
    const found = await again.get(
      A,
      'episode',
      all.map(({ id }) => id),
    );
    const last = new Set<string>(turns(GOOD).map(({ id }) => id));
    expect(found).toEqual(all.map((row) => ({ ...row, status: last.has(row.id) ? 'stored' : 'extracted' })));
    expect(await again.count(A)).toMatchObject({ episode: all.length, entity: GOOD + 1 });
    expect(await again.state(A)).toMatchObject({ sequence: GOOD + 2 });
    await again.close();
  });

  it('reads continue while rejected commits cause the file to be reopened', async () => {
    const store = await openFileStore(freshPath(ending));
    await store.commit(A, { nodes: { episode: turns(0, 500) } });
    let writing = true;
    let read = 0;
    const reader = async () => {
      while (writing) read += (await store.get(A, 'episode', ['e0-0', 'e0-499'])).length;
    };
    const reading = reader();
    for (let round = 1; round <= 10; round += 1) {
      await expect(store.commit(A, { nodes: { episode: turns(0, 1) } })).rejects.toMatchObject({
        code: 'invalid-change',
      });
      await store.commit(A, { nodes: { episode: turns(round) } });
    }
    writing = false;
    await reading;
    expect(read).toBeGreaterThan(0);
    expect(read % 2).toBe(0);
    await store.close();
  });
});

it('of Kùzu: a job that fails after it has changed a row is rolled back, and the row changes later', async () => {
  const path = freshPath();
  await (await openFileStore(path)).close();
  const database = await KuzuDatabase.open(path);
  await database.write((session) => session.run("CREATE (:Scope {name: 'x', sequence: 0, token: 0})"));
  const set = 'MATCH (s:Scope {name: $name}) SET s.sequence = $sequence, s.token = $sequence';
  const name = 'x';
  const failures = [
    async () => {
      throw new Error('the job fails');
    },
    (session: KuzuSession) => session.run('CREATE (:Scope {name: $name, sequence: 0, token: 0})', { name }),
  ];
  for (let sequence = 1; sequence <= GOOD; sequence += 1) {
    const failing = database.write(async (session) => {
      await session.run(set, { name, sequence: -sequence });
      await failures[sequence % 2]!(session);
    });
    await expect(failing).rejects.toBeInstanceOf(Error);
    for (let time = 0; time < 3; time += 1)
      await database.write((session) => session.run(set, { name, sequence }));
    expect(await database.read('MATCH (s:Scope) RETURN s.sequence AS n')).toEqual([{ n: sequence }]);
  }
  await database.close();
});
