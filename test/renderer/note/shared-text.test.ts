import { expect, it } from 'vitest';
import { sharedText } from '../../../renderer/note/shared-text.ts';

it.each([
  ['', ''],
  ['?text=Buy%20oat%20milk', 'Buy oat milk'],
  ['?title=A%20page&text=&url=https%3A%2F%2Fexample.org%2F', 'A page\nhttps://example.org/'],
  ['?text=https%3A%2F%2Fexample.org%2F&url=https%3A%2F%2Fexample.org%2F', 'https://example.org/'],
  ['?other=1', ''],
])('of %s is %j', (search, expected) => expect(sharedText(search)).toBe(expected));
