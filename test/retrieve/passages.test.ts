import { expect, it } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { analyze } from '../../src/search/analyzer.ts';

const FILLER = 'The meeting went on about budgets and chairs. ';
const LONG = `${FILLER.repeat(30)}Rosa sold her blue bicycle to a neighbour.\n\n${FILLER.repeat(30)}`;

it('a long turn comes with the passage that says most of the question', async () => {
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const memory = engine.scope('a');
  await memory.add([
    { speaker: 'Ann', content: LONG, session: 's', at: '2024-03-05T10:00:00Z' },
    { speaker: 'Ben', content: 'I never had a bicycle.', session: 's', at: '2024-03-05T10:01:00Z' },
  ]);
  const { episodes } = await memory.search('Who bought the bicycle that Rosa sold?');
  const [long, short] = ['Ann', 'Ben'].map((name) => episodes.find(({ speaker }) => speaker === name)!);
  const { start, end } = long!.passage!;
  expect(long!.content).toBe(LONG);
  expect(LONG.slice(start, end)).toContain('Rosa sold her blue bicycle');
  expect(end - start).toBeLessThanOrEqual(600);
  expect(short).not.toHaveProperty('passage');
});

it('a long turn without the words of the question has no passage', async () => {
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false });
  const memory = engine.scope('a');
  await memory.add([{ speaker: 'Ann', content: LONG, session: 's', at: '2024-03-05T10:00:00Z' }]);
  const question = 'Which opera did Ann hear?';
  expect(analyze(LONG)).not.toEqual(expect.arrayContaining(analyze('opera')));
  const { episodes } = await memory.search(question);
  for (const episode of episodes) expect(episode).not.toHaveProperty('passage');
});
