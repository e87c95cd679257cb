import { expect, it } from 'vitest';
import { titleOf } from '../../../../renderer/parts/conversation/title-of.ts';

it.each([
  [{ title: 'Bees', messages: 2 }, 'Bees'],
  [{ title: '', messages: 2 }, 'Forgotten chat, Nov 28, 2024'],
  [{ title: '', messages: 0 }, 'New chat'],
])('titleOf %j is shown as %s', (conversation, shown) => {
  expect(titleOf({ ...conversation, createdAt: Date.UTC(2024, 10, 28, 12) })).toBe(shown);
});
