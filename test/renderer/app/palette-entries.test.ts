import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../main/contract.ts';
import { COMMANDS, commandsFor, recentOf } from '../../../renderer/app/palette-entries.ts';

const conversation = (id: string, title: string, updatedAt: number, messages = 2) =>
  ({ id, title, updatedAt, messages }) as Conversation;
const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id);

describe('the palette', () => {
  it('lists the usual commands first, and finds all by their words', () => {
    expect(idsOf(commandsFor('', false))).toContain('new');
    expect(idsOf(commandsFor('', false))).not.toContain('dark');
    expect(idsOf(commandsFor('dark', false))).toEqual(['dark']);
    expect(idsOf(commandsFor('theme', false))).toEqual(['light', 'dark', 'system']);
    expect(idsOf(commandsFor('incognito', false))).toEqual(['private']);
    expect(idsOf(commandsFor('recipes', true))).toEqual(['compare']);
    expect(commandsFor('recipes', false)).toEqual([]);
    expect(commandsFor('nothing of the kind', false)).toEqual([]);
    // On another device, which may not change the settings.
    expect(idsOf(commandsFor('', false, true))).not.toContain('import');
    expect(commandsFor('theme', false, true)).toEqual([]);
    expect(new Set(idsOf(COMMANDS)).size).toBe(COMMANDS.length);
  });

  it('lists the conversations in which was written last', () => {
    const all = [conversation('a', 'A', 1), conversation('b', 'B', 3), conversation('draft', 'C', 9, 0)];
    expect(idsOf(recentOf(all, 2))).toEqual(['b', 'a']);
  });
});
