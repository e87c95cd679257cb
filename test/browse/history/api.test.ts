import { expect, it } from 'vitest';
import { freshPath, open, remember, turn, using } from '../../engine/memory-fixture.ts';

it('queries the past through Mnemis', async () => {
  const path = freshPath();
  let clock = Date.parse('2024-01-01');
  const m = await open(path, { clock: () => clock });
  const memory = m.scope('a');
  await remember(memory, turn('I live in Oslo.', { speaker: 'Nora', at: '2020-01-01' }));
  const before = clock;
  clock += 1000;
  await memory.addFacts([
    {
      statement: 'Nora lived in Rome',
      subject: 'Nora',
      evidence: [{ session: 'main', index: 0 }],
      validAt: '2010-01-01',
      invalidAt: '2015-01-01',
    },
  ]);
  expect((await memory.search('Nora Rome')).facts.map((f) => f.statement)).not.toContain(
    'Nora lived in Rome',
  );
  expect((await memory.search('Nora Rome', { asOf: '2012-01-01' })).facts.map((f) => f.statement)).toEqual([
    'Nora lived in Rome',
  ]);
  expect((await memory.search('Nora Rome', { asOf: '2012-01-01', knownAt: before })).facts).toEqual([]);
  expect((await memory.stats({ asOf: '2012-01-01' })).fact).toBe(1);
  expect((await memory.stats({ knownAt: before })).fact).toBe((await memory.stats()).fact - 1);
  const h = await memory.history({ entity: 'Nora' });
  expect(h.facts.items[0]).toMatchObject({
    statement: 'Nora lived in Rome',
    state: 'ended',
    evidenceCount: 1,
  });
  expect((await memory.history({ fact: h.facts.items[0]!.id })).versions.total).toBe(1);

  await expect(memory.search('x', { asOf: 'soon' })).rejects.toMatchObject({ code: 'invalid-input' });
  await m.close();
  await using(path, async (again) =>
    expect((await again.scope('a').search('Nora Rome', { asOf: '2012-01-01' })).facts).toHaveLength(1),
  );
});
