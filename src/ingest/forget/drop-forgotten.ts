import type { Episode } from '../../model/nodes.ts';
import type { RulingIndex } from '../../search/ruling-index.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { CheckedReading } from '../extract/segment-reader.ts';
import { nameForgottenAt } from './tombstones.ts';

/**
 * A reading without what it says of entities that were forgotten, as far as it was said before: turns of then are read
 * again for many reasons, and none of them is to bring back what somebody had removed. What is said of them since is new.
 */
export function dropForgotten(
  reading: CheckedReading,
  turns: readonly Pick<Episode, 'createdAt'>[],
  rulings: RulingIndex,
): CheckedReading {
  if (!rulings.hasTombstones('entity')) return reading;
  const { extraction } = reading;
  const forgotten = new Map<string, number>();
  for (const { name, aliases } of extraction.entities) {
    const times = [name, ...aliases].flatMap((each) => nameForgottenAt(each, rulings) ?? []);
    if (times.length > 0) forgotten.set(entityNameKey(name), Math.max(...times));
  }
  if (forgotten.size === 0) return reading;
  const isSince = (turn: number, name: string) =>
    turns[turn]!.createdAt > (forgotten.get(entityNameKey(name)) ?? -Infinity);
  const entities = extraction.entities.flatMap((entity) => {
    const said = entity.turns.filter((turn) => isSince(turn, entity.name));
    if (said.length === entity.turns.length) return [entity];
    // What the segment says of it as a whole may rest on what was said then.
    return said.length === 0 ? [] : [{ ...entity, turns: said, description: '' }];
  });
  const facts = extraction.facts.flatMap((fact) => {
    const involved = [...fact.participants, fact.subject, fact.object].filter((name) => name !== null);
    const said = fact.turns.filter((turn) => involved.every((name) => isSince(turn, name)));
    return said.length === 0 ? [] : [{ ...fact, turns: said }];
  });
  return { ...reading, extraction: { ...extraction, entities, facts } };
}
