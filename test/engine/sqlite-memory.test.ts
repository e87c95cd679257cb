import { expect, it } from 'vitest';
import type { Mnemis } from '../../src/engine.ts';
import { restoreBackup } from '../../src/files/backup/restore-backup.ts';
import { PLAIN, SECRET } from '../edit/forget/forget-lab.ts';
import { one, two } from '../files/reembed/reembed-fixture.ts';
import { contents, freshPath, open } from './memory-fixture.ts';

/** What a user asks of a memory, and what it says. */
async function expectAnswers(engine: Mnemis, { remembers }: { remembers: boolean }): Promise<void> {
  const memory = engine.scope('ann');
  const asked = await memory.ask('Where does Carla work as a nurse?');
  expect([asked.answered, asked.text]).toEqual([true, expect.stringContaining('Lisbon')]);
  expect(contents(await memory.search('beagle'))[0]).toContain('Rex');
  const found = contents(await memory.search('zither lessons from Quentin'));
  expect(found.some((content) => content.includes('zither'))).toBe(remembers);
  expect((await engine.verify()).findings).toEqual([]);
}

it('a memory in a SQLite file does what a memory does, through the public calls alone', async () => {
  const path = freshPath('.sqlite');
  const engine = await open(path, { embedder: one() });
  const memory = engine.scope('ann');
  expect(await memory.add([...SECRET, ...PLAIN])).toMatchObject({ added: 6 });
  await memory.flush();
  expect(engine.describe()).toMatchObject({ backend: 'sqlite', path });
  await expectAnswers(engine, { remembers: true });

  const before = freshPath('-backup');
  expect(await engine.backup(before)).toMatchObject({ unfinishedForgetting: [] });
  const report = await memory.forget({ session: 'secret' });
  expect(report).toMatchObject({ tombstones: 3, proof: { clean: true, findings: [] } });
  const steps = [];
  for await (const { type } of engine.compact()) steps.push(type);
  expect(steps.at(-1)).toBe('done');
  await expectAnswers(engine, { remembers: false });
  for await (const event of engine.reembed({ embedder: two() })) steps.push(event.type);
  expect(engine.describe().fingerprint).toMatchObject({ model: 'two' });
  await expectAnswers(engine, { remembers: false });
  await engine.close();

  const again = await open(path, { embedder: two() });
  await expectAnswers(again, { remembers: false });
  expect(await again.scope('ann').add(SECRET)).toMatchObject({ added: 0, rejected: 3 });
  await again.close();

  const restored = freshPath('.sqlite');
  await restoreBackup(before, restored);
  await using former = await open(restored, { embedder: one() });
  await expectAnswers(former, { remembers: true });
});
