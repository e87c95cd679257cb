import { expect, it } from 'vitest';
import { entitiesBelow } from '../../../src/hierarchy/traverse/hierarchy-view.ts';
import { hierarchyRows, indexOf, TRAVELS } from './hand-made-hierarchy.ts';

it('returns each entity below a category once, in order, and visits a cycle once', async () => {
  const { hierarchy } = await indexOf(hierarchyRows(TRAVELS));
  expect(entitiesBelow('Places', hierarchy)).toEqual([
    'Oslo',
    'Bergen',
    'Rome',
    'Lima',
    'Yosemite',
    'Tiergarten',
  ]);
  const children: Record<string, string[]> = { a: ['x', 'b', 'y'], b: ['y', 'a', 'z', 'b'] };
  const looped = {
    has: (id: string) => id in children,
    childrenOf: (id: string) => (children[id] ?? []) as never[],
  };
  expect(entitiesBelow('a', looped)).toEqual(['x', 'y', 'z']);
});
