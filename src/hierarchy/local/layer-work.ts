import type { Breather } from '../../util/breathe.ts';
import type { LayerNode } from '../categorizer.ts';
import type { Drafts } from './drafts.ts';
import type { NameReading, ReadingTools } from './read-name.ts';

/** A layer below that is to be grouped. */
export interface LayerWork {
  readonly nodes: readonly LayerNode[];
  /** Children that a category needs. */
  readonly minimum: number;
  readonly tools: ReadingTools;
  readonly breather: Breather;
}

/** What names of entities say, in the order of ids: nothing depends on the order in which nodes came. */
export type Readings = ReadonlyMap<LayerNode, NameReading>;

export interface EntityWork extends LayerWork {
  readonly readings: Readings;
  readonly drafts: Drafts;
  /** What the next layer will place. */
  readonly left: Set<LayerNode>;
}

export function put<Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}
