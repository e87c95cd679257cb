import { expect, it } from 'vitest';
import { categorizerOf } from './fake-categorizers.ts';
import { HierarchyLab } from './hierarchy-lab.ts';

const ENTITIES = ['Ann', 'Bob', 'Cat', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal', 'Ida', 'Jan', 'Kim', 'Leo'];

/** Four groups of three in layer 1; in layer 2 every group of three of these four, and all of them. */
const growing = categorizerOf(({ nodes, layer }) => {
  const ids = nodes.map(({ id }) => id);
  if (layer === 1)
    return [0, 3, 6, 9].map((at) => ({ name: `Row ${at}`, tags: ['row'], nodes: ids.slice(at, at + 3) }));
  const triples = ids.map((left) => ids.filter((id) => id !== left));
  return [...triples, ids].map((group, at) => ({ name: `Union ${at}`, tags: ['union'], nodes: group }));
});

it('removes a layer from 2 on that has more nodes than the one below (Mnemis §2.2)', async () => {
  const lab = new HierarchyLab(growing);
  await lab.add(ENTITIES);
  expect(await lab.organize()).toMatchObject({ layers: [4], stoppedBy: 'layer-grew' });
  expect(lab.index.hierarchy.depth).toBe(1);
});
