import { expect, it } from 'vitest';
import { isSameScreen } from '../../../../renderer/parts/place/places.ts';

it.each([
  ['/c/one', '/c/one/message', true],
  ['/c/one', '/c/two', false],
  ['/c/one', '/memory', false],
  ['/c/one', '/', false],
  ['/settings', '/settings', true],
])('isSameScreen %s and %s: %s', (before, now, expected) => expect(isSameScreen(before, now)).toBe(expected));
