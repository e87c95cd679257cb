import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Relationship, RelationshipKind } from '../../src/model/relationships.ts';
import type { GraphStore } from '../../src/store/graph-store.ts';
import { listen, programArguments } from '../child-program.ts';
import { edge, scopeOf } from '../contract/graph-rows.ts';
import { freshFolder } from '../fixtures/fresh-folder.ts';
import { FILE_STORES, openFileStore } from './file-stores.ts';

const folder = freshFolder();
const scope = scopeOf('s');

describe.each(FILE_STORES)('$name', ({ ending }) => {
  const path = join(folder, `memory${ending}`);
  const isKuzu = ending === '.db';
  const trials = isKuzu ? 20 : 8;

  it(`loses no acknowledged commit, and shows no part of a commit, in ${trials} kills`, async () => {
    let insideCheckpoint = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const acknowledged = await commitUntilKilled(path, isKuzu && trial % 2 === 0);
      if (existsSync(`${path}.before`)) insideCheckpoint += 1;
      await verify(path, acknowledged);
    }
    if (isKuzu) expect(insideCheckpoint).toBeGreaterThan(0);
  });
});

/** Kills at any moment, or aims at a checkpoint of Kùzu, whose copies show that it runs. */
async function commitUntilKilled(path: string, inCheckpoint: boolean): Promise<number> {
  const script = join(import.meta.dirname, '../fixtures/commit-loop.ts');
  const child = spawn(process.execPath, [...programArguments(script), path]);
  const heard = listen(child);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  while (heard.lines().length < 5 && child.exitCode === null) await wait(2);
  if (inCheckpoint) {
    const limit = Date.now() + 1500;
    while (!existsSync(`${path}.before`) && Date.now() < limit) await wait(1);
    await wait(Math.random() * 40);
  } else await wait(Math.random() * 300);
  child.kill('SIGKILL');
  expect([await ended, heard.errors()]).toEqual([null, '']);
  return Number(heard.lines().at(-1));
}

async function verify(path: string, acknowledged: number): Promise<void> {
  const store = await openFileStore(path);
  const { sequence } = await store.state(scope);
  expect(sequence).toBeGreaterThanOrEqual(acknowledged);
  expect(sequence).toBeLessThanOrEqual(acknowledged + 1);
  const expected = new Map<string, number>();
  let last = 0;
  for await (const rows of store.scan(scope, 'episode'))
    for (const { id, version, expiredAt } of rows) {
      const number = Number(id.slice(1));
      expected.set(id, version);
      last = Math.max(last, number);
      expect(expiredAt).toBe(number === sequence ? null : number + 1);
    }
  expect([last, expected.size]).toEqual([sequence, sequence]);
  const facts = new Map<string, number>();
  const evidence = new Map<string, number>();
  const add = (map: Map<string, number>, id: string) => map.set(id, (map.get(id) ?? 0) + 1);
  for await (const rows of store.scan(scope, 'fact'))
    for (const { id, invalidAt } of rows) {
      const number = Number(id.slice(1).split('-')[0]);
      add(facts, `e${number}`);
      expect(invalidAt).toBe(number % 4 === 0 && number < sequence ? number + 1 : null);
    }
  for await (const rows of store.relationships(scope, 'EVIDENCED_BY'))
    for (const { to } of rows) add(evidence, to);
  expect(facts).toEqual(new Map([...facts.keys()].map((id) => [id, expected.get(id)])));
  expect([facts.size, evidence.size]).toEqual([sequence, sequence]);
  for (const [id, number] of evidence) {
    const from = Number(id.slice(1));
    expect(number).toBe(from % 4 === 0 && from < sequence ? 100 : expected.get(id));
  }
  const items: string[] = [];
  for await (const rows of store.scan(scope, 'item')) items.push(...rows.map(({ id }) => id));
  expect(items).toEqual([`i${sequence}`]);
  expect(await edgesOf(store, 'MENTIONS')).toEqual([edge('MENTIONS', `e${sequence}`, 'x')]);
  expect(await edgesOf(store, 'POSSIBLY_SAME')).toEqual([
    edge('POSSIBLY_SAME', 'x', 'y', { confidence: 1 / sequence }),
  ]);
  await store.close();
}

async function edgesOf(store: GraphStore, kind: RelationshipKind): Promise<Relationship[]> {
  const found: Relationship[] = [];
  for await (const batch of store.relationships(scope, kind)) found.push(...batch);
  return found;
}
