import { describe, expect, it } from 'vitest';
import { isFirstPerson } from '../../src/hierarchy/category-name.ts';
import { brokenRules } from './broken-rules.ts';
import { byKind } from './fake-categorizers.ts';
import { HierarchyLab } from './hierarchy-lab.ts';

const speakersIn = ({ index: { hierarchy, entities } }: HierarchyLab) =>
  hierarchy
    .layer(1)
    .filter((id) => hierarchy.profileOf(id)!.name === 'Speaker')
    .map((id) => hierarchy.childrenOf(id).map((child) => entities.profileOf(child)!.name));

describe('Speaker', () => {
  it('contains first-person speakers, not things of that name', () => {
    for (const name of ['I', 'me', 'the user', 'User'])
      expect(isFirstPerson({ name, tags: ['thing'] })).toBe(true);
    expect(isFirstPerson({ name: 'speaker', tags: ['person'] })).toBe(true);
    for (const name of ['speaker', 'mine', 'userland', 'Ann'])
      expect(isFirstPerson({ name, tags: ['thing'] })).toBe(false);
  });

  it.each([
    ['by one that looks at the whole', null],
    ['by one that is asked about new nodes', 5],
  ])('has a category beside a thing of that name, in either order: %s', async (_, nodesAtOnce) => {
    for (const things of [['speaker'], ['Speaker'], ['speaker', 'mine', 'Apple 1']]) {
      const lab = new HierarchyLab(byKind(nodesAtOnce));
      await lab.add(things);
      await lab.organize();
      expect(speakersIn(lab).flat()).toEqual(things.filter((name) => name === 'Speaker'));
      await lab.add(['user']);
      for (let run = 0; run < 2; run++) {
        await lab.organize();
        expect(speakersIn(lab)).toContainEqual(['user']);
        expect(brokenRules(lab.index, lab.settings)).toEqual([]);
      }
      await lab.add(['me', 'amplifier']);
      await lab.organize();
      expect(speakersIn(lab)).toContainEqual(['user', 'me']);
    }
  });
});
