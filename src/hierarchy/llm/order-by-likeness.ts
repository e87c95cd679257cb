import { Breather } from '../../util/breathe.ts';
import { inBatches } from '../../util/collections.ts';
import type { LayerNode } from '../categorizer.ts';
import type { Likeness } from './likeness.ts';

/** Less alike, a node begins a group of its own. */
const LEAST_LIKENESS = 0.45;
/** Within so many nodes like ones are looked for: the cost stays linear however many are due. */
const WINDOW = 240;

/** Nodes with those that are like them beside them: whoever sees some at once then sees kin. The oldest of a group leads. */
export async function orderByLikeness(nodes: readonly LayerNode[], likeness: Likeness): Promise<LayerNode[]> {
  const breather = new Breather();
  const ordered: LayerNode[] = [];
  for (const window of inBatches(nodes, WINDOW)) {
    const groups: LayerNode[][] = [];
    for (const node of window) {
      await breather.breathe();
      const group = likest(groups, ([leader]) => likeness.ofNodes(leader!, node));
      if (group === undefined) groups.push([node]);
      else group.push(node);
    }
    ordered.push(...groups.flat());
  }
  return ordered;
}

function likest<Value>(values: readonly Value[], likenessOf: (value: Value) => number): Value | undefined {
  let [best, most]: [Value | undefined, number] = [undefined, LEAST_LIKENESS];
  for (const value of values) {
    const likeness = likenessOf(value);
    if (likeness > most) [best, most] = [value, likeness];
  }
  return best;
}
