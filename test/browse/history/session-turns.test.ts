import { expect, it } from 'vitest';
import { freshPath, turn, using } from '../../engine/memory-fixture.ts';

it('returns the live turns of a session in its order', async () => {
  const path = freshPath();
  await using(path, async (engine) => {
    const memory = engine.scope('ann');
    const said = (content: string, index: number) => turn(content, { session: 's', index });
    await memory.add([said('two', 2), said('none', 0), said('one', 1), turn('elsewhere', { session: 't' })]);
    await memory.add(said('zero', 0));
    await engine.scope('ben').add(said('of another', 7));
    const turns = await memory.turns('s');
    expect(turns.map(({ content, version }) => [content, version])).toEqual([
      ['zero', 2],
      ['one', 1],
      ['two', 1],
    ]);
    await memory.forget({ episode: turns[1]!.id });
    expect(await memory.turns('nowhere')).toEqual([]);
  });
  await using(path, async (engine) => {
    const turns = await engine.scope('ann').turns('s');
    expect(turns.map(({ content }) => content)).toEqual(['zero', 'two']);
  });
});
