import { expect, test, vi } from 'vitest';
import { Mnemis } from '../../src/engine.ts';
import { keepPrompts } from '../../src/inference/prompt-keepers.ts';

const turn = (index: number, content: string) => ({
  speaker: 'Ann',
  content,
  session: 'a',
  index,
  at: Date.UTC(2026, 0, 1 + index),
});

test('each way to forget reaches the processes that keep prompts; adding and asking do not', async () => {
  const forget = vi.fn();
  const end = keepPrompts(forget);
  await using engine = await Mnemis.open({ path: ':memory:' });
  const memory = engine.scope('a');
  await memory.add([turn(0, 'My boat is red.'), turn(1, 'My dog is old.'), turn(2, 'I moved to Ghent.')]);
  await memory.flush();
  await memory.ask('What colour is the boat?');
  expect(forget).not.toHaveBeenCalled();
  await memory.forget({ before: '2026-01-02' });
  expect(forget).toHaveBeenCalled();
  forget.mockClear();
  await memory.maintain({ retention: { turns: { olderThan: '1d', keepFacts: true } } });
  expect(forget).toHaveBeenCalled();
  forget.mockClear();
  await engine.deleteScope('a');
  expect(forget).toHaveBeenCalled();
  forget.mockClear();
  end();
  const other = engine.scope('b');
  await other.add(turn(0, 'My boat is blue.'));
  await other.forget({ all: true });
  expect(forget).not.toHaveBeenCalled();
});
