import { Breather } from '../../util/breathe.ts';

export interface NearestOptions<Value, Node> {
  readonly likenessOf: (value: Value, node: Node) => number;
  readonly atLeast: number;
  /** For each node no more than so many. */
  readonly perNode: number;
  readonly atMost: number;
}

interface Found {
  readonly at: number;
  readonly likeness: number;
}

/**
 * The values that are nearest to some nodes, in their own order. Every node's nearest comes before any node's second,
 * so that none goes without where the list is short.
 */
export async function nearest<Value, Node>(
  values: readonly Value[],
  nodes: readonly Node[],
  { likenessOf, atLeast, perNode, atMost }: NearestOptions<Value, Node>,
): Promise<Value[]> {
  const breather = new Breather();
  const found = nodes.map((): Found[] => []);
  for (const [at, value] of values.entries()) {
    await breather.breathe();
    for (const [place, node] of nodes.entries()) {
      const likeness = likenessOf(value, node);
      if (likeness >= atLeast) offer(found[place]!, { at, likeness }, perNode);
    }
  }
  const chosen = new Set<number>();
  for (let rank = 0; rank < perNode; rank++)
    for (const { at } of found.flatMap((list) => list[rank] ?? []).sort(nearestFirst))
      if (chosen.size < atMost) chosen.add(at);
  return values.filter((_, at) => chosen.has(at));
}

function offer(list: Found[], found: Found, most: number): void {
  if (list.length === most && nearestFirst(found, list.at(-1)!) > 0) return;
  list.push(found);
  list.sort(nearestFirst);
  list.length = Math.min(list.length, most);
}

function nearestFirst(a: Found, b: Found): number {
  return b.likeness - a.likeness || a.at - b.at;
}
