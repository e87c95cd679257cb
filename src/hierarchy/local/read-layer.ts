import type { LayerNode } from '../categorizer.ts';
import type { LayerWork, Readings } from './layer-work.ts';
import { NameReader, type NameReading } from './read-name.ts';

/** What share of names must be written small for a capital to make a proper name. */
const SMALL_SHARE = 0.2;

/** Longer ones are rather titles. */
const LONGEST_HEADING = 3;

/** In the order of ids, so that nothing after this depends on the order in which nodes came. */
export async function readEntities({ nodes, tools, breather }: LayerWork): Promise<Readings> {
  const reader = new NameReader(tools);
  const capitalsTell = writesSmall(nodes);
  const small = wordsWrittenSmall(nodes);
  const readings = new Map<LayerNode, NameReading>();
  for (const node of [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const isName = capitalsTell && !isCommon(node.name, small, reader);
    readings.set(node, reader.read(node.name, node.tags, isName));
    await breather.breathe();
  }
  return readings;
}

function writesSmall(nodes: readonly LayerNode[]): boolean {
  const things = nodes.filter(({ tags: [kind] }) => kind !== 'person' && kind !== 'date');
  const small = things.filter(({ name }) => /^\p{Ll}/u.test(name));
  return small.length > 0 && small.length >= SMALL_SHARE * things.length;
}

function wordsWrittenSmall(nodes: readonly LayerNode[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ name }) => name.split(' ')).filter((word) => word === word.toLowerCase()));
}

/**
 * "Gadgets" began a sentence, and "Balanced Diet" was a heading, where there are "gadgets" and a "balanced diet" too.
 */
function isCommon(name: string, small: ReadonlySet<string>, reader: NameReader): boolean {
  const lower = name.toLowerCase();
  if (name.slice(0, 1) === lower.slice(0, 1)) return false;
  const words = lower.split(' ');
  const isHeading = words.length <= LONGEST_HEADING && words.every((word) => small.has(word));
  return isHeading || reader.isPlural(name);
}
