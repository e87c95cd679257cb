import { describe, expect, it } from 'vitest';
import type { EntityId } from '../../src/model/ids.ts';
import { EntityIndex } from '../../src/search/entity-index.ts';
import { profile } from '../contract/graph-rows.ts';

const named = (id: string, owner: string, name: string, aliases: string[] = []) =>
  profile(id, { owner: owner as EntityId, name, aliases, summary: '', tags: [] });

describe('EntityIndex', () => {
  const fill = (index: EntityIndex) => {
    for (const id of ['e1', 'e2', 'e3']) index.ids.add(id);
    // The youngest is named first.
    index.setProfile(named('p3', 'e3', 'Alex Kim', ['Alex', 'ALEX']));
    index.setProfile(named('p2', 'e2', 'Bob'));
    index.setProfile(named('p1', 'e1', 'Álex'));
  };

  it('returns all bearers of a name or alias, the oldest first', () => {
    const index = EntityIndex.empty(4);
    fill(index);
    expect(index.idsOfName('alex')).toEqual(['e1', 'e3']);
    expect(index.idOfName('alex')).toBe('e1');
    expect(index.idsOfName('alex kim')).toEqual(['e3']);
    expect(index.idsOfStart('alexander')).toEqual(['e1', 'e3']);
    expect(index.idsOfName('nobody')).toEqual([]);
    expect(
      index.names.top([{ term: 'kim', weight: 1 }], 5).map(({ ordinal }) => index.ownerOf(ordinal)),
    ).toEqual(['e3']);
  });

  it('drops names that a new profile no longer has, and entities without a profile', () => {
    const index = EntityIndex.empty(4);
    fill(index);
    const before = index.revision;
    index.setProfile(named('p4', 'e3', 'Kim'));
    expect(index.revision).not.toBe(before);
    expect([index.idsOfName('alex'), index.idsOfName('alex kim')]).toEqual([['e1'], []]);
    index.removeProfileOf('e1');
    expect([index.idsOfName('alex'), index.idOfName('alex'), index.idsOfStart('alex')]).toEqual([
      [],
      undefined,
      [],
    ]);
    expect(index.names.size).toBe(2);
    expect(index.idOfName('kim')).toBe('e3');
  });
});
