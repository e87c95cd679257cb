import { categoryKey } from '../../hierarchy/category-name.ts';
import type { Category, Correction, Hierarchy, Profile } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { counted, type Found } from './check-report.ts';

interface Noted {
  readonly layer: number;
  readonly isStale: boolean;
  children: number;
  profiles: number;
}

/**
 * Checks the rules of the category hierarchy: edges lead one layer down, every category has one profile and a child,
 * names are unique within a layer, and the record states the depth. Stale categories, as after a forgetting, may lack
 * a profile and children. Categories must be noted first. Stores only layers, counts and keys.
 */
export class HierarchyCheck {
  readonly #categories = new Map<string, Noted>();
  /** Categories by layer and name key. */
  readonly #named = new Map<string, Noted[]>();
  readonly #depths: number[] = [];
  #expired = 0;
  #crooked = 0;
  #isForgetting = false;

  noteCategory({ id, layer, expiredAt, staleSince }: Category): void {
    if (expiredAt !== null) this.#expired++;
    this.#categories.set(id, { layer, isStale: staleSince !== null, children: 0, profiles: 0 });
  }

  noteProfile({ owner, name, expiredAt }: Pick<Profile, 'owner' | 'name' | 'expiredAt'>): void {
    const category = this.#categories.get(owner);
    if (category === undefined) return;
    if (expiredAt !== null) {
      this.#expired++;
      return;
    }
    category.profiles++;
    const key = `${category.layer} ${categoryKey(name)}`;
    this.#named.set(key, [...(this.#named.get(key) ?? []), category]);
  }

  noteHierarchy({ layers }: Pick<Hierarchy, 'layers'>): void {
    this.#depths.push(layers);
  }

  /** During a forgetting, parts of the hierarchy may already be missing. */
  noteCorrection({ kind, finishedAt }: Pick<Correction, 'kind' | 'finishedAt'>): void {
    if (kind === 'forget' && finishedAt === null) this.#isForgetting = true;
  }

  noteEdge({ kind, from, to, toKind }: Relationship): void {
    const category = kind === 'CATEGORIZES' ? this.#categories.get(from) : undefined;
    if (category === undefined) return;
    category.children++;
    const below = toKind === 'entity' ? 0 : this.#categories.get(to)?.layer;
    if (below !== undefined && below !== category.layer - 1) this.#crooked++;
  }

  /** Call after everything was noted. */
  findings(): Found[] {
    const all = [...this.#categories.values()];
    const settled = this.#isForgetting ? [] : all.filter(({ isStale }) => !isStale);
    const several = all.filter(({ profiles }) => profiles > 1).length;
    return [
      ...counted('hierarchy-edges', this.#crooked, 'relationships CATEGORIZES do not lead one layer down'),
      ...counted(
        'hierarchy-expired',
        this.#expired,
        'rows of categories are expired, although the hierarchy has no history',
      ),
      ...counted('hierarchy-profiles', several, 'categories have more than one profile'),
      ...counted(
        'hierarchy-nameless',
        settled.filter(({ profiles }) => profiles === 0).length,
        'categories have no profile',
      ),
      ...counted(
        'hierarchy-empty',
        settled.filter(({ children }) => children === 0).length,
        'categories are empty',
      ),
      ...counted('hierarchy-names', this.#sameNames(), 'names belong to several categories of a layer'),
      ...this.#recordFindings(Math.max(0, ...all.map(({ layer }) => layer))),
    ];
  }

  /** Several nodes of one name may each be promoted. */
  #sameNames(): number {
    const groups = [...this.#named.values()].map((all) => all.filter(({ children }) => children > 1));
    return groups.filter(({ length }) => length > 1).length;
  }

  #recordFindings(depth: number): Found[] {
    if (this.#depths.length > 1)
      return [
        {
          code: 'hierarchy-records',
          what: `the hierarchy has ${this.#depths.length} records instead of one`,
        },
      ];
    if (this.#isForgetting || this.#depths.every((layers) => layers === depth)) return [];
    return [
      {
        code: 'hierarchy-depth',
        what: `the hierarchy has ${depth} layers, but its record says ${this.#depths[0]}`,
      },
    ];
  }
}
