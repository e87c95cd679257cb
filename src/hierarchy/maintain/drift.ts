import type { Milliseconds } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type HierarchySettings, REBUILD_SHARE } from '../defaults.ts';

/** How far an updated hierarchy has drifted from the last full build. */
export interface HierarchyDrift {
  /** Entities created since the build. */
  readonly added: number;
  /** Entities deleted since the build. */
  readonly gone: number;
  /** Categories over the maximum of children. */
  readonly overfull: number;
  /** New entities that are alone in their category. */
  readonly alone: number;
  /** From 0 to 1: new and deleted entities as a share of all, the deleted ones included. */
  readonly share: number;
  /** Whether a rebuild is likely to improve the hierarchy enough for its cost. */
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
/** With fewer changes, a rebuild is not worth its cost. */
const FEWEST_MOVED = 50;

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
  const moved = added.length + gone;
  const share = moved / Math.max(1, current.length + gone);
  const rebuildPays = share >= REBUILD_SHARE && moved >= FEWEST_MOVED;
  return { added: added.length, gone, overfull, alone, share, rebuildPays };
}
