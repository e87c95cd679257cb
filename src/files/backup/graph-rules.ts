import { categoryKey } from '../../hierarchy/category-name.ts';
import type { Unlink } from '../../model/graph-changes.ts';
import type { Category, NodeKind } from '../../model/nodes.ts';
import { NODE_KINDS } from '../../model/nodes.ts';
import { groupBy } from '../../util/collections.ts';
import type { FindingCode, Found } from './check-report.ts';
import type { ScopeRows } from './scope-rows.ts';

/** Collects the changes of a repair. */
export interface Mending {
  remove(kind: NodeKind, id: string): void;
  /** Its parents become stale, and the next update places its children. */
  removeCategory(id: string): void;
  /** The next update of the hierarchy describes the category again. */
  markStale(category: string): void;
  unlink(edge: Unlink): void;
}

/** A rule of the rows of a scope. */
export interface Rule {
  readonly code: FindingCode;
  /** @returns one finding, or none. */
  check(rows: ScopeRows): Found[];
  /** Null: a repair changes no row for it. */
  readonly mend: ((rows: ScopeRows, mending: Mending) => void) | null;
}

interface RuleParts<Item> {
  /** What breaks the rule. */
  readonly broken: (rows: ScopeRows) => readonly Item[];
  readonly mend?: (item: Item, mending: Mending) => void;
}

/** @param what Follows the number of what breaks the rule. */
function rule<Item>(code: FindingCode, what: string, { broken, mend }: RuleParts<Item>): Rule {
  return {
    code,
    check: (rows) => {
      const { length } = broken(rows);
      return length === 0 ? [] : [{ code, what: `${length} ${what}` }];
    },
    mend:
      mend === undefined
        ? null
        : (rows, mending) => {
            for (const item of broken(rows)) mend(item, mending);
          },
  };
}

/** HMAC-SHA-256. Any other content could be forgotten text. */
const DIGEST = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{16,}$/;

const isUnfinishedForgetting = ({ kind, finishedAt }: ScopeRows['corrections'][number]): boolean =>
  kind === 'forget' && finishedAt === null;

/** Ids of turns that a retention rule removed the text of. */
const retained = ({ corrections }: ScopeRows): ReadonlySet<string> =>
  new Set(corrections.flatMap(({ kind, targets }) => (kind === 'retain' ? targets : [])));

/** Of corrections, tombstones and turns without text. */
export const CORRECTION_RULES: readonly Rule[] = [
  rule('correction-detail', 'corrections have an unreadable detail', {
    broken: ({ corrections }) => corrections.filter(({ isReadable }) => !isReadable),
    // An unfinished forgetting states what remains to be removed.
    mend: (each, mending) => {
      if (!isUnfinishedForgetting(each)) mending.remove('correction', each.id);
    },
  }),
  rule('correction-target', 'corrections have no existing target', {
    // Forgetting removes targets, and a turn that lost its text may be forgotten later: their records outlive them.
    broken: ({ corrections, ids }) =>
      corrections.filter(({ kind, targets }) => {
        if (kind === 'forget' || kind === 'retain') return false;
        const kinds = kind === 'undo' ? (['correction'] as const) : NODE_KINDS;
        return !targets.some((id) => kinds.some((each) => ids.get(each)!.has(id)));
      }),
    mend: ({ id }, mending) => mending.remove('correction', id),
  }),
  rule('tombstone-content', 'tombstones contain more than a digest and its salt', {
    broken: ({ tombstones }) =>
      tombstones.filter(({ digest, salt }) => !DIGEST.test(digest) || !SALT.test(salt)),
    mend: ({ id }, mending) => mending.remove('tombstone', id),
  }),
  rule('tombstone-repeated', 'tombstones repeat another one', {
    broken: ({ tombstones }) =>
      [...groupBy(tombstones, ({ digest }) => digest).values()].filter(({ length }) => length > 1),
    mend: ([, ...others], mending) => {
      for (const { id } of others) mending.remove('tombstone', id);
    },
  }),
  {
    code: 'tombstone-salts',
    check: ({ tombstones }) => {
      const { size } = new Set(tombstones.map(({ salt }) => salt));
      if (size <= 1) return [];
      return [{ code: 'tombstone-salts', what: `the tombstones have ${size} salts instead of one` }];
    },
    mend: null,
  },
  rule('unfinished-forgetting', 'forgettings are unfinished', {
    broken: ({ corrections }) => corrections.filter(isUnfinishedForgetting),
  }),
  rule('turn-without-text', 'turns have no text, although no retention rule removed it', {
    broken: (rows) => {
      const removed = retained(rows);
      return [...rows.withoutText].filter((id) => !removed.has(id));
    },
  }),
  rule('turn-with-text', 'turns still have text that a retention rule removed', {
    broken: (rows) =>
      [...retained(rows)].filter((id) => rows.ids.get('episode')!.has(id) && !rows.withoutText.has(id)),
  }),
];

const liveProfiles = ({ profiles }: ScopeRows) => profiles.filter(({ expiredAt }) => expiredAt === null);

/**
 * Categories that have all that a category needs: stale ones, as after a forgetting, may lack a profile and children,
 * and during a forgetting parts of the hierarchy may already be missing.
 */
const settled = ({ corrections, categories }: ScopeRows): readonly Category[] =>
  corrections.some(isUnfinishedForgetting)
    ? []
    : [...categories.values()].filter(({ staleSince }) => staleSince === null);

/** Categories of one layer and name. Several nodes of one name may each be promoted. */
function namesakes(rows: ScopeRows): Category[][] {
  const children = groupBy(rows.edges, ({ from }) => from);
  const named = liveProfiles(rows).flatMap(({ owner, name }) => {
    const category = rows.categories.get(owner)!;
    return (children.get(owner)?.length ?? 0) > 1 ? [{ category, name }] : [];
  });
  const groups = groupBy(named, ({ category, name }) => `${category.layer} ${categoryKey(name)}`);
  return Array.from(groups.values(), (group) => group.map(({ category }) => category)).filter(
    ({ length }) => length > 1,
  );
}

function layersOf({ categories }: ScopeRows): number {
  return [...categories.values()].reduce((most, { layer }) => Math.max(most, layer), 0);
}

/**
 * Of the category hierarchy: edges lead one layer down, every category has one profile and a child, names are unique
 * within a layer, and the record states the depth.
 */
export const HIERARCHY_RULES: readonly Rule[] = [
  rule('hierarchy-edges', 'relationships CATEGORIZES do not lead one layer down', {
    broken: ({ edges, categories }) =>
      edges.filter(({ from, to, toKind }) => {
        const above = categories.get(from)?.layer;
        const below = toKind === 'entity' ? 0 : categories.get(to)?.layer;
        return above !== undefined && below !== undefined && below !== above - 1;
      }),
    mend: (edge, mending) => {
      mending.unlink(edge);
      mending.markStale(edge.from);
    },
  }),
  rule('hierarchy-expired', 'rows of categories are expired, although the hierarchy has no history', {
    broken: ({ categories, profiles }) =>
      [...categories.values(), ...profiles].filter(({ expiredAt }) => expiredAt !== null),
    mend: (row, mending) =>
      'owner' in row ? mending.remove('profile', row.id) : mending.removeCategory(row.id),
  }),
  rule('hierarchy-profiles', 'categories have more than one profile', {
    broken: (rows) =>
      [...groupBy(liveProfiles(rows), ({ owner }) => owner).values()].filter(({ length }) => length > 1),
    mend: (group, mending) => {
      const [, ...older] = group.toSorted((a, b) => b.createdAt - a.createdAt);
      for (const { id, owner } of older) {
        mending.remove('profile', id);
        mending.markStale(owner);
      }
    },
  }),
  rule('hierarchy-nameless', 'categories have no profile', {
    broken: (rows) => {
      const named = new Set<string>(liveProfiles(rows).map(({ owner }) => owner));
      return settled(rows).filter(({ id }) => !named.has(id));
    },
    mend: ({ id }, mending) => mending.markStale(id),
  }),
  rule('hierarchy-empty', 'categories are empty', {
    broken: (rows) => {
      const full = new Set(rows.edges.map(({ from }) => from));
      return settled(rows).filter(({ id }) => !full.has(id));
    },
    mend: ({ id }, mending) => mending.markStale(id),
  }),
  rule('hierarchy-names', 'names belong to several categories of a layer', {
    broken: namesakes,
    mend: (group, mending) => {
      const [oldest, ...others] = group.toSorted((a, b) => a.createdAt - b.createdAt);
      for (const { id } of others) if (id !== oldest!.id) mending.removeCategory(id);
    },
  }),
  {
    code: 'hierarchy-records',
    check: ({ records: { length } }) =>
      length > 1
        ? [{ code: 'hierarchy-records', what: `the hierarchy has ${length} records instead of one` }]
        : [],
    mend: () => undefined, // every repair of rows leaves one record, of the true depth
  },
  {
    code: 'hierarchy-depth',
    check: (rows) => {
      const [record, ...others] = rows.records;
      const depth = layersOf(rows);
      if (record === undefined || others.length > 0 || record.layers === depth) return [];
      if (rows.corrections.some(isUnfinishedForgetting)) return [];
      const what = `the hierarchy has ${depth} layers, but its record says ${record.layers}`;
      return [{ code: 'hierarchy-depth', what }];
    },
    mend: () => undefined,
  },
];
