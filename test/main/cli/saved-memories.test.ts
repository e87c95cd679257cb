import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asBlock, savedMemories, writeBlock } from '../../../main/cli/commands/saved-memories.ts';
import { detectFormat } from '../../../src/importers/detect-format.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { readAll, turnsOf } from '../../importers/temporary-file.ts';
import { ServerLab } from '../http/server-fixture.ts';

const { signal } = new AbortController();
const scope = 'ann';

it('writes what is known of the user, which the import of saved memories reads', async () => {
  await using lab = await ServerLab.open();
  const { client } = lab;
  expect(await savedMemories(client, { scope, signal })).toEqual({ person: null, lines: [] });
  const turn = { content: 'I moved to Ghent.', speaker: 'Ann', session: 's', index: 0, at: '2026-03-02' };
  await client.add({ scope, turns: [turn] });
  const evidence = [{ session: 's', index: 0 }];
  const fact = (statement: string, validAt: string) => ({
    statement,
    validAt,
    participants: ['Ann'],
    evidence,
  });
  await client.addFacts({
    scope,
    facts: [
      fact('Ann lives in Ghent.', '2026-03-01'),
      fact('Ann plays the oboe.', '2025-12-01'),
      { ...fact('Ann worked for a bank.', '2020-01-01'), invalidAt: '2021-01-01' },
      { statement: 'Bob likes tea.', validAt: '2026-01-01', participants: ['Bob'], evidence },
    ],
  });
  const { person, lines } = await savedMemories(client, { scope, signal });
  expect(person).toBe('Ann');
  expect(lines).toEqual(['[2025-12-01] - Ann plays the oboe.', '[2026-03-01] - Ann lives in Ghent.']);
  expect((await savedMemories(client, { scope, about: 'Bob', signal })).lines).toEqual([
    '[2026-01-01] - Bob likes tea.',
  ]);
  const file = join(freshFolder(), 'memories.txt');
  await writeBlock(file, lines);
  expect(readFileSync(file, 'utf8')).toBe(asBlock(lines));
  const { importer } = await detectFormat(file);
  expect(turnsOf(await readAll(importer, file)).map(({ content }) => content)).toEqual([
    'Ann plays the oboe.',
    'Ann lives in Ghent.',
  ]);
  await expect(writeBlock(join(file, 'below'), lines)).rejects.toMatchObject({ code: 'store-write' });
});
