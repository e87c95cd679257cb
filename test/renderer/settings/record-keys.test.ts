import { describe, expect, it } from 'vitest';
import {
  canonicalKeys,
  conflictsOf,
  keysOfPress,
  problemOf,
} from '../../../renderer/settings/record-keys.ts';

const press = (key: string, code: string, held: readonly string[] = []) => ({
  key,
  code,
  ctrlKey: held.includes('ctrl'),
  metaKey: held.includes('meta'),
  altKey: held.includes('alt'),
  shiftKey: held.includes('shift'),
});

describe('keysOfPress', () => {
  it.each([
    [press('k', 'KeyK', ['ctrl']), false, '$mod+k'],
    [press('k', 'KeyK', ['meta']), true, '$mod+k'],
    [press('k', 'KeyK', ['ctrl']), true, 'Control+k'],
    [press('O', 'KeyO', ['ctrl', 'shift']), false, '$mod+Shift+o'],
    [press('ø', 'KeyO', ['meta', 'alt']), true, '$mod+Alt+KeyO'],
    [press(',', 'Comma', ['ctrl']), false, '$mod+Comma'],
    [press('Escape', 'Escape'), false, 'Escape'],
  ])('names %o', (pressed, isMac, keys) => {
    expect(keysOfPress(pressed, isMac)).toBe(keys);
  });

  it('waits while only modifiers are held', () => {
    expect(keysOfPress(press('Control', 'ControlLeft', ['ctrl']), false)).toBeNull();
  });
});

describe('conflictsOf', () => {
  const all = { palette: '$mod+k', newChat: '$mod+Shift+KeyO', side: '', settings: '$mod+Comma' };

  it('finds the command with the same keys, in any notation', () => {
    expect(conflictsOf('settings', '$mod+KeyK', all)).toEqual(['palette']);
    expect(conflictsOf('settings', 'Shift+$mod+o', all)).toEqual(['newChat']);
    expect(canonicalKeys('$mod+Comma')).toBe(canonicalKeys('$mod+,'));
  });

  it('finds none for free keys, its own keys and keys that are off', () => {
    expect(conflictsOf('settings', '$mod+j', all)).toEqual([]);
    expect(conflictsOf('settings', '$mod+Comma', all)).toEqual([]);
    expect(conflictsOf('settings', '', all)).toEqual([]);
  });
});

it.each([
  ['k', 'plain'],
  ['Shift+k', 'plain'],
  ['$mod+w', 'reserved'],
  ['$mod+KeyC', 'reserved'],
  ['F5', 'reserved'],
  ['$mod+k', null],
  ['Alt+ArrowUp', null],
  ['F2', null],
  ['Shift+Escape', null],
])('problemOf judges %s', (keys, problem) => {
  expect(problemOf(keys)).toBe(problem);
});
