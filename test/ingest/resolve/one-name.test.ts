import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { graphOf } from '../../engine/memory-fixture.ts';

/** Kinds of the current profiles with a name, sorted. */
async function kindsOf(name: string, said: readonly string[]): Promise<readonly string[]> {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const memory = engine.scope('a');
  for (const [at, content] of said.entries()) {
    await memory.add({ content, speaker: 'Ann', session: `s${at}`, at: `2026-0${at + 3}-01` });
    await memory.flush();
  }
  const { nodes } = await graphOf(memory);
  await engine.close();
  const entities = new Set<string>(nodes.entity.map(({ id }) => id));
  return nodes.profile
    .filter((row) => row.name === name && row.expiredAt === null && entities.has(row.owner))
    .map(({ tags }) => tags[0]!)
    .sort();
}

describe('one name for a relative and a place', () => {
  it.each([
    ['Paris', 'Paris is my niece.', 'I flew to Paris last week.'],
    ['Paris', 'My niece Paris loves chess.', 'I flew to Paris last week.'],
    ['Jordan', 'Jordan is my older brother.', 'I travelled to Jordan in May.'],
    ['Georgia', "Georgia is Tom's aunt.", 'I lived in Georgia for a year.'],
    ['Florence', 'I moved to Florence last year.', 'Florence is our cousin.'],
  ])('%s is two entities: %s %s', async (name, ...said) => {
    expect(await kindsOf(name, said)).toEqual(['person', 'place']);
  });

  it('is one entity for one person', async () => {
    expect(await kindsOf('Paris', ['Paris is my niece.', 'My niece Paris loves chess.'])).toEqual(['person']);
  });
});
