import type { EntityId } from '../../model/ids.ts';
import type { Segment } from '../../model/nodes.ts';
import type { ReadUnit } from './unit.ts';

/** The entity that the unit at a position of the batch means by a name. */
export type EntityOf = (unit: number, name: string) => EntityId | undefined;

/** A unit and the segment that it becomes. */
export interface SegmentedUnit {
  readonly unit: ReadUnit;
  readonly segment: Segment;
}
