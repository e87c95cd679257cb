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
 * Holds the category hierarchy against its rules: edges lead one layer down, every category has one profile and a child,
 * names of a layer differ, and its record gives its depth. A category that waits to be brought up to date, as after a
 * forgetting, may lack profile and children. To be told of categories first. Notes layers, counts and keys alone.
 */
export class HierarchyCheck {
  readonly #categories = new Map<string, Noted>();
  /** Categories by layer and key of the name. */
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

  /** While a forgetting is under way much of the hierarchy may be gone already. */
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

  /** Once everything is noted. */
  findings(): Found[] {
    const all = [...this.#categories.values()];
    const settled = this.#isForgetting ? [] : all.filter(({ isStale }) => !isStale);
    const several = all.filter(({ profiles }) => profiles > 1).length;
    return [
      ...counted('hierarchy-edges', this.#crooked, 'relationships CATEGORIZES do not lead one layer down'),
      ...counted(
        'hierarchy-expired',
        this.#expired,
        'rows of categories are expired, though a hierarchy keeps no history',
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
        'categories have nothing in them',
      ),
      ...counted('hierarchy-names', this.#sameNames(), 'names are those of several categories of a layer'),
      ...this.#recordFindings(Math.max(0, ...all.map(({ layer }) => layer))),
    ];
  }

  /** Nodes of one name may each stand alone. */
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
        what: `the hierarchy has ${depth} layers, its record says ${this.#depths[0]}`,
      },
    ];
  }
}
