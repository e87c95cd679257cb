import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { MemoryScope } from '../../src/engine/memory-scope.ts';
import { OpenScopes } from '../../src/engine/open-scopes.ts';
import type { ScopeSession } from '../../src/engine/scope-session.ts';
import { freshPath, open, turn } from './memory-fixture.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const collected = async (isDone: () => boolean, tries = 50) => {
  for (; tries > 0 && !isDone(); tries--) {
    collect();
    await wait(10);
  }
};

function fill(scopes: OpenScopes, names: readonly string[]): void {
  for (const name of names) scopes.add({ scope: name } as ScopeSession, { name } as MemoryScope);
}

it('drops the scopes that nobody holds, and says so', async () => {
  const dropped: string[] = [];
  const scopes = new OpenScopes({ areKept: false, dropped: (name) => void dropped.push(name) });
  fill(scopes, ['a', 'b']);
  const held = { scope: 'held' } as ScopeSession;
  const face = { name: 'held' } as MemoryScope;
  scopes.add(held, face);
  await collected(() => dropped.length === 2);
  expect(dropped.sort()).toEqual(['a', 'b']);
  expect([...scopes.all()]).toEqual([held]);
  expect([...scopes.indexes()].length).toBe(1);
  expect(scopes.get('held')).toBe(face);
});

it('keeps all where they do not leave memory', async () => {
  const scopes = new OpenScopes({ areKept: true, dropped: () => undefined });
  fill(scopes, ['a', 'b']);
  await collected(() => false, 3);
  expect([...scopes.all()].length).toBe(2);
});

it('ends the work of scopes that nobody holds when the engine is closed', async () => {
  const path = freshPath('.sqlite');
  const engine = await open(path);
  await engine.scope('a').add(turn('Ann moved to Oslo on 12 June 2023.', { speaker: 'Ann' }));
  await collected(() => false, 3);
  await engine.close();
  await using after = await open(path, { automatic: false });
  expect((await after.scope('a').stats()).enrichment.pending).toBe(0);
});

it('loses nothing of a scope that is dropped: its turns wait, and are found by the object after it', async () => {
  await using engine = await open(freshPath('.sqlite'), { automatic: false });
  await engine.scope('a').add(turn('The sourdough needs two more hours.'));
  await collected(() => false, 3);
  expect((await engine.scope('a').search('sourdough')).episodes.length).toBe(1);
  expect((await engine.scope('a').stats()).enrichment.pending).toBe(1);
});
