import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../main/contract.ts';
import { COMMANDS, commandsFor, conversationsFor } from '../../../renderer/app/palette-entries.ts';

const conversation = (id: string, title: string, updatedAt: number, messages = 2) =>
  ({ id, title, updatedAt, messages }) as Conversation;
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

describe('the palette', () => {
  it('lists the usual commands first, and finds all by their words', () => {
    expect(idsOf(commandsFor(''))).toContain('new');
    expect(idsOf(commandsFor(''))).not.toContain('dark');
    expect(idsOf(commandsFor('dark'))).toEqual(['dark']);
    expect(idsOf(commandsFor('theme'))).toEqual(['light', 'dark', 'system']);
    expect(idsOf(commandsFor('incognito'))).toEqual(['private']);
    expect(commandsFor('nothing of the kind')).toEqual([]);
    expect(new Set(idsOf(COMMANDS)).size).toBe(COMMANDS.length);
  });

  it('finds conversations by title: those that begin so first, then the newest', () => {
    const all = [
      conversation('a', 'Trip to Lisbon', 1),
      conversation('b', 'Lisbon again', 2),
      conversation('c', 'A walk in Lisbon', 3),
      conversation('draft', 'Lisbon', 9, 0),
    ];
    expect(idsOf(conversationsFor(all, 'lisbon', 5))).toEqual(['b', 'c', 'a']);
    expect(idsOf(conversationsFor(all, '', 2))).toEqual(['c', 'b']);
    expect(conversationsFor(all, 'porto', 5)).toEqual([]);
  });
});
