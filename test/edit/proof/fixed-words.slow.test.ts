import { describe, expect, it } from 'vitest';
import type { TextHolder } from '../../../src/edit/proof/text-holder.ts';
import { Mnemis } from '../../../src/index.ts';
import { freshPath } from '../../engine/memory-fixture.ts';

/** Texts that the record of a forgetting has too, in its fixed words, in names of its fields, or as its author. */
const FIXED = [
  ['all', 'I like pears.'],
  ['episodes', 'forget'],
  ['forget', 'all'],
  ['counts', 'since'],
  ['target', 'until'],
  ['turns', 'null'],
  ['user', 'corrected'],
  ['entities', 'episode'],
  ['regroup', 'coarse'],
  ['turn', 'entity'],
  ['session', 'edit-profile'],
  ['s1', 'Nora Quist'],
] as const;

const STORES = { memory: () => ':memory:', kuzu: () => freshPath() };

describe.each(Object.entries(STORES))('the proof of forgetting everything, %s', (_, place) => {
  it.each(FIXED)(
    'is clean where only the record has the text: session %s, turn %s',
    async (session, content) => {
      await using engine = await Mnemis.open({ path: place() });
      const memory = engine.scope('a');
      await memory.add([
        { session, content, speaker: 'Nora Quist' },
        { session, content: 'I live in Ghent.' },
      ]);
      await memory.flush();
      const report = await memory.forget({ all: true }, { author: 'Nora Quist' });
      expect(report).toMatchObject({ proof: { clean: true, findings: [] } });
      expect(report.proof.searched).toBeGreaterThan(1);
    },
  );
});

it('is clean for a session of a fixed word, forgotten alone and after an earlier forgetting', async () => {
  await using engine = await Mnemis.open({ path: ':memory:' });
  const memory = engine.scope('a');
  for (const session of ['all', 'episodes', 'session'])
    await memory.add([{ session, content: `I keep ${session} in a shed.` }]);
  for (const session of ['all', 'episodes', 'session'])
    expect((await memory.forget({ session }, { author: 'shed' })).proof).toMatchObject({ clean: true });
  expect((await memory.forget({ all: true })).proof).toMatchObject({ clean: true });
});

it('still finds a remnant of a text that the record has, too', async () => {
  const kept: TextHolder = {
    name: 'notebook',
    holds: async (texts) =>
      texts.flatMap((text, at) => ('forget all' === text ? [{ text: at, where: 'page 1', count: 1 }] : [])),
  };
  await using engine = await Mnemis.open({ path: ':memory:', textHolders: [kept] });
  const memory = engine.scope('a');
  await memory.add([{ session: 'all', content: 'forget all' }]);
  const { proof } = await memory.forget({ all: true });
  expect(proof).toMatchObject({ clean: false, findings: [{ holder: 'notebook', where: 'page 1' }] });
});
