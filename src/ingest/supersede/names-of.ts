import type { ScopeIndex } from '../../search/scope-index.ts';
import type { ResolvedEntity } from '../resolve/resolved-entity.ts';
import type { NamesOf } from './view-facts.ts';

/** The names that memory knows, and those that a batch adds. */
export function namesOfEntities(
  { entities: known }: Pick<ScopeIndex, 'entities'>,
  entities: readonly ResolvedEntity[] = [],
): NamesOf {
  const batch = new Map<string, ResolvedEntity>(entities.map((entity) => [entity.id, entity]));
  return (id) => {
    const [entity, profile] = [batch.get(id), known.profileOf(id)];
    const names = [entity, profile].flatMap((each) =>
      each === undefined ? [] : [each.name, ...each.aliases],
    );
    return [...new Set(names)];
  };
}
