import { describe, expect, it } from 'vitest';
import { byKind } from './fake-categorizers.ts';
import { HierarchyLab } from './hierarchy-lab.ts';

/** Three entities of each kind; kinds with one letter meet in layer 2. */
const of = (...kinds: string[]) => kinds.flatMap((kind) => [1, 2, 3].map((number) => `${kind} ${number}`));
const FEW = of('Aa', 'Ab', 'Ac', 'Ba', 'Bb', 'Bc');

describe('layers over few nodes', () => {
  it('are not built, and are once there are enough nodes', async () => {
    const lab = new HierarchyLab(byKind(10), { fewestBelow: 8 });
    await lab.add(FEW);
    expect(await lab.organize()).toMatchObject({ layers: [6], stoppedBy: 'few-nodes' });
    await lab.add(of('Bd', 'Be'));
    expect(await lab.organize()).toMatchObject({ layers: [8, 2], stoppedBy: 'few-nodes' });
  });

  it('are built where no number is set', async () => {
    const lab = new HierarchyLab(byKind(10));
    await lab.add(FEW);
    expect((await lab.organize()).layers.slice(0, 2)).toEqual([6, 2]);
  });
});
