import { describe, expect, it } from 'vitest';
import { isSendKey, type Key } from '../../../renderer/chat/keys.ts';

const key = (change: Partial<Key> = {}): Key => ({
  ...{ key: 'Enter', shiftKey: false, ctrlKey: false, metaKey: false, altKey: false },
  ...{ isComposing: false, keyCode: 13 },
  ...change,
});

describe('isSendKey', () => {
  it('is Enter, and Shift and Enter is a new line', () => {
    expect(isSendKey(key(), 'enter')).toBe(true);
    expect(isSendKey(key({ shiftKey: true }), 'enter')).toBe(false);
    expect(isSendKey(key({ altKey: true }), 'enter')).toBe(false);
    expect(isSendKey(key({ key: 'a' }), 'enter')).toBe(false);
  });

  it('is Ctrl or Cmd and Enter with the other preference', () => {
    expect(isSendKey(key(), 'modifier')).toBe(false);
    expect(isSendKey(key({ ctrlKey: true }), 'modifier')).toBe(true);
    expect(isSendKey(key({ metaKey: true }), 'modifier')).toBe(true);
    expect(isSendKey(key({ ctrlKey: true }), 'enter')).toBe(true);
  });

  it('never sends while an input method composes, nor with the Enter that ends it', () => {
    expect(isSendKey(key({ isComposing: true }), 'enter')).toBe(false);
    expect(isSendKey(key({ keyCode: 229 }), 'enter')).toBe(false);
    expect(isSendKey(key({ isComposing: true, ctrlKey: true }), 'modifier')).toBe(false);
  });

  it('makes a new line where the keyboard is on the screen', () => {
    expect(isSendKey(key(), 'enter', true)).toBe(false);
    expect(isSendKey(key({ ctrlKey: true }), 'enter', true)).toBe(true);
  });
});
