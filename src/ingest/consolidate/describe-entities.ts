import type { DescriptionId, EntityId, SegmentId } from '../../model/ids.ts';
import type { Description } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { restsOn } from '../fact-edges.ts';
import type { EntityOf, SegmentedUnit } from './resolved-batch.ts';

const LONGEST_DESCRIPTION = 1_000;

/**
 * What each segment says of each entity, with the turns that it rests on (MemORAI §3.2). Two names of a segment that
 * turned out to be one entity give one description.
 */
export function describeEntities(
  units: readonly SegmentedUnit[],
  { entityOf, now, newId }: { entityOf: EntityOf; now: number; newId: () => string },
): { rows: Description[]; relationships: Relationship[] } {
  const rows: Description[] = [];
  const relationships: Relationship[] = [];
  for (const [at, { unit, segment }] of units.entries()) {
    for (const [entity, said] of saidOf(unit.reading.extraction.entities, (name) => entityOf(at, name))) {
      const id = newId() as DescriptionId;
      const text = [...said.texts].join(' ').slice(0, LONGEST_DESCRIPTION).toWellFormed();
      rows.push({ id, entity, segment: segment.id as SegmentId, text, createdAt: now });
      for (const turn of said.turns) relationships.push(restsOn(id, unit.episodes[turn]!.id));
    }
  }
  return { rows, relationships };
}

interface Said {
  readonly texts: Set<string>;
  readonly turns: Set<number>;
}

function saidOf(
  entities: SegmentedUnit['unit']['reading']['extraction']['entities'],
  idOf: (name: string) => EntityId | undefined,
): ReadonlyMap<EntityId, Said> {
  const said = new Map<EntityId, Said>();
  for (const { name, description, turns } of entities) {
    const id = idOf(name);
    if (id === undefined || description === '' || turns.length === 0) continue;
    const entry = said.get(id) ?? { texts: new Set(), turns: new Set() };
    entry.texts.add(description);
    for (const turn of turns) entry.turns.add(turn);
    said.set(id, entry);
  }
  return said;
}
