import type { LayerNode } from '../categorizer.ts';
import type { LayerWork, Readings } from './layer-work.ts';
import { NameReader, type NameReading } from './read-name.ts';

/** What share of names must be written small for a capital to make a proper name. */
const SMALL_SHARE = 0.5;

/** In the order of ids, so that nothing after this depends on the order in which nodes came. */
export async function readEntities({ nodes, tools, breather }: LayerWork): Promise<Readings> {
  const reader = new NameReader(tools);
  const capitalsTell = writesSmall(nodes);
  const readings = new Map<LayerNode, NameReading>();
  for (const node of [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    readings.set(node, reader.read(node.name, node.tags, capitalsTell));
    await breather.breathe();
  }
  return readings;
}

function writesSmall(nodes: readonly LayerNode[]): boolean {
  const things = nodes.filter(({ tags: [kind] }) => kind !== 'person' && kind !== 'date');
  const small = things.filter(({ name }) => /^\p{Ll}/u.test(name));
  return small.length > 0 && small.length >= SMALL_SHARE * things.length;
}
