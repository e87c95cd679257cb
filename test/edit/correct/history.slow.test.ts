import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { entityCalled, factSaying, storyMemory } from './corrected-memory.ts';

const ROOT = join(import.meta.dirname, '../../..');

it('shows the corrections of a fact in the history of all its versions', async () => {
  const { engine, memory } = await storyMemory();
  const { id } = await factSaying(memory, 'Nora loves coffee');
  const { correction, fact } = await memory.corrections.editFact(id, { statement: 'Nora loves tea' });
  const { correction: undone } = await memory.corrections.pinFact(fact, { author: 'Ann' });
  await memory.corrections.undo(undone);
  await memory.corrections.rejectFact((await factSaying(memory, 'Nora moved to Ghent')).id);
  for (const each of [id, fact]) {
    const history = await memory.history({ fact: each });
    expect(history.versions.items.map(({ statement }) => statement)).toEqual([
      'Nora loves coffee',
      'Nora loves tea',
    ]);
    expect(history.corrections.map(({ kind, author }) => [kind, author])).toEqual([
      ['edit-fact', 'user'],
      ['pin-fact', 'Ann'],
      ['undo', 'user'],
    ]);
    expect(history.corrections[0]).toMatchObject({ id: correction, about: [id], made: fact });
  }
  await engine.close();
});

it('shows the corrections of an entity, also of a merged and of a split-off one', async () => {
  const { engine, memory } = await storyMemory();
  const [keep, merged] = [await entityCalled(memory, 'Melanie'), await entityCalled(memory, 'Mel')];
  await memory.corrections.mergeEntities(keep, merged);
  const { id } = await factSaying(memory, 'Nora loves coffee');
  const { entity } = await memory.corrections.splitEntity(await entityCalled(memory, 'Nora'), {
    name: 'Nora Berg',
    facts: [id],
  });
  const kinds = async (of: string) =>
    (await memory.history({ entity: of })).corrections.map(({ kind }) => kind);
  expect(await kinds(keep)).toEqual(['merge-entities']);
  expect(await kinds(merged)).toEqual(['merge-entities']);
  expect(await kinds(entity)).toEqual(['split-entity']);
  expect(await kinds(await entityCalled(memory, 'Rex'))).toEqual([]);
  await engine.close();
});

it('is documented with an example that runs', () => {
  const [, code] = /<!-- runs -->\s*```ts\n([\s\S]*?)```/.exec(
    readFileSync(join(ROOT, 'docs/corrections.md'), 'utf8'),
  )!;
  const folder = freshFolder();
  try {
    const file = join(folder, 'example.mts');
    const entry = pathToFileURL(join(ROOT, 'src/index.ts')).href;
    writeFileSync(file, code!.replaceAll("from 'mnemis'", `from '${entry}'`));
    const tsx = import.meta.resolve('tsx');
    const run = spawnSync(process.execPath, ['--import', tsx, file], { cwd: folder, encoding: 'utf8' });
    expect([run.status, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(
      /may be .*\nuser: Undid: Edited “Nora moved to Ghent”: statement “Nora moved to Bruges”\nuser: Merged “Mel(anie)?” into “Mel(anie)?”\nNora: Edited/,
    );
  } finally {
  }
});
