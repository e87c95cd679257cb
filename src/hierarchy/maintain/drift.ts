import type { Milliseconds } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { HierarchySettings } from '../defaults.ts';

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
  /** From 0 to 1: the share of entities, those that are gone among them, that came or went since. */
  readonly share: number;
  /** Whether building anew is likely to give a better order than the cost of it. */
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

/**
 * Building anew pays when as much came or went as stayed: a memory that grows for ever is then built again each time
 * that it has doubled, for at most the cost of one more build over all. What is too large does not speak for it, since
 * an update offers it for splitting as a rebuild does.
 */
const MUCH = 0.5;
/** A handful is looked over at a glance. */
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
  const rebuildPays = share >= MUCH && moved >= FEWEST_MOVED;
  return { added: added.length, gone, overfull, alone, share, rebuildPays };
}
