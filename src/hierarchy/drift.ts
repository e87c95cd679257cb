import type { Milliseconds } from '../model/ids.ts';
import type { ScopeIndex } from '../search/scope-index.ts';
import type { HierarchySettings } from './settings.ts';

/** How far a hierarchy that is kept up has come from the one that was built. */
export interface HierarchyDrift {
  /** Entities that came since all of it was built. */
  readonly added: number;
  /** Entities that went since. */
  readonly gone: number;
  /** Categories with more children than they had better have. */
  readonly overfull: number;
  /** Entities that stand alone, of those that came since. */
  readonly alone: number;
  /** From 0 to 1: the share of entities that were placed without the whole in view, or are gone. */
  readonly share: number;
  /** Whether building anew is likely to give a better order. */
  readonly rebuildPays: boolean;
}

export const NO_DRIFT: HierarchyDrift = {
  added: 0,
  gone: 0,
  overfull: 0,
  alone: 0,
  share: 0,
  rebuildPays: false,
};

/** Half of the entities placed one by one, or a tenth of the categories too large: then building anew pays. */
const MUCH = 0.5;
const MANY_OVERFULL = 0.1;

export function measureDrift(
  { entities, hierarchy }: ScopeIndex,
  {
    createdAt,
    maximumChildren,
  }: { readonly createdAt: ReadonlyMap<string, Milliseconds> } & Pick<HierarchySettings, 'maximumChildren'>,
): HierarchyDrift {
  const { record } = hierarchy;
  if (record === null) return NO_DRIFT;
  const current = entities.current().map(({ owner }) => owner as string);
  const added = current.filter((id) => (createdAt.get(id) ?? 0) > record.builtAt);
  const gone = Math.max(0, record.entities - (current.length - added.length));
  const overfull = hierarchy.layer(1).filter((id) => hierarchy.childCount(id) > maximumChildren).length;
  const alone = added.filter((id) => {
    const [parent, ...more] = hierarchy.parentsOf(id);
    return parent !== undefined && more.length === 0 && hierarchy.childCount(parent) === 1;
  }).length;
  const share = Math.min(1, (added.length + gone) / Math.max(1, record.entities));
  const isOverfull = overfull > MANY_OVERFULL * Math.max(1, hierarchy.layer(1).length);
  const rebuildPays = share >= MUCH || isOverfull;
  return { added: added.length, gone, overfull, alone, share, rebuildPays };
}
