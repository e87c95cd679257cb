import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { Relationship, RelationshipKind } from '../../src/model/relationships.ts';
import { KuzuStore } from '../../src/store/kuzu/kuzu-store.ts';
import { listen, programArguments } from '../child-program.ts';
import { edge, scopeOf } from '../contract/graph-rows.ts';

const TRIALS = 20;
const folder = mkdtempSync(join(tmpdir(), 'mnemis-durability-'));
const path = join(folder, 'memory.db');
const scope = scopeOf('s');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it(`loses no acknowledged commit, and shows no part of a commit, in ${TRIALS} kills`, async () => {
  let insideCheckpoint = 0;
  for (let trial = 0; trial < TRIALS; trial += 1) {
    const acknowledged = await commitUntilKilled(trial);
    if (existsSync(`${path}.before`)) insideCheckpoint += 1;
    await verify(acknowledged);
  }
  expect(insideCheckpoint).toBeGreaterThan(0);
}, 300_000);

/** Every second trial aims at a checkpoint, whose copies show that it runs; the others at any moment. */
async function commitUntilKilled(trial: number): Promise<number> {
  const script = join(import.meta.dirname, '../fixtures/commit-loop.ts');
  const child = spawn(process.execPath, [...programArguments(script), path]);
  const heard = listen(child);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  while (heard.lines().length < 5 && child.exitCode === null) await wait(2);
  if (trial % 2 === 0) {
    const limit = Date.now() + 1500;
    while (!existsSync(`${path}.before`) && Date.now() < limit) await wait(1);
    await wait(Math.random() * 40);
  } else await wait(Math.random() * 300);
  child.kill('SIGKILL');
  expect([await ended, heard.errors()]).toEqual([null, '']);
  return Number(heard.lines().at(-1));
}

async function verify(acknowledged: number): Promise<void> {
  const store = await KuzuStore.open({ path });
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
  expect(await edgesOf(store, 'MENTIONS')).toEqual([edge('MENTIONS', `e${sequence}`, 'x')]);
  expect(await edgesOf(store, 'POSSIBLY_SAME')).toEqual([
    edge('POSSIBLY_SAME', 'x', 'y', { confidence: 1 / sequence }),
  ]);
  await store.close();
}

async function edgesOf(store: KuzuStore, kind: RelationshipKind): Promise<Relationship[]> {
  const found: Relationship[] = [];
  for await (const batch of store.relationships(scope, kind)) found.push(...batch);
  return found;
}
