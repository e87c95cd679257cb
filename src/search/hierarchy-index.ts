import { z } from 'zod';
import type { CategoryId, EntityId, Milliseconds } from '../model/ids.ts';
import { type Category, HIERARCHY_ENDS, type Hierarchy, type Profile } from '../model/nodes.ts';
import { entityNameKey } from '../util/tidy.ts';
import { DocumentIndex } from './document-index.ts';
import { type CurrentProfile, currentProfileSchema } from './entity-index.ts';
import { type Section, type Sections, sectionJson } from './sections.ts';
import { VectorIndex } from './vector-index.ts';

const NAME_WEIGHT = 2;
const NONE: readonly never[] = [];

export type IndexedCategory = Pick<Category, 'id' | 'layer' | 'createdAt' | 'expiredAt' | 'staleSince'>;

/** Key of a name or alias, and whose it is. */
type CategoryName = readonly [key: string, category: CategoryId];

interface Node {
  readonly category: IndexedCategory;
  readonly children: Set<string>;
}

const categorySchema = z.object({
  id: z.string(),
  layer: z.number(),
  createdAt: z.number(),
  expiredAt: z.number().nullable(),
  staleSince: z.number().nullable(),
});
const recordSchema = z.object({
  id: z.string(),
  categorizer: z.string(),
  stoppedBy: z.enum(HIERARCHY_ENDS),
  layers: z.number(),
  minimumChildren: z.number(),
  maximumLayers: z.number(),
  entities: z.number(),
  topNodes: z.number(),
  builtAt: z.number(),
  createdAt: z.number(),
});
const schema = z.object({
  record: recordSchema.nullable(),
  categories: z.array(z.tuple([categorySchema, z.array(z.string())])),
  profiles: z.array(currentProfileSchema),
});

/**
 * The category hierarchy of a scope (Mnemis §2.2): categories by layer, their children and parents, and their profiles
 * as documents. Entities are the nodes of layer 0; the index stores them only as children.
 */
export class HierarchyIndex {
  /** Category profiles as documents, numbered by profile id, with the vectors of the summaries. */
  readonly documents: DocumentIndex;
  /** Vectors of the names, by the same numbers. */
  readonly nameVectors: VectorIndex;
  readonly #nodes = new Map<string, Node>();
  /** By layer, from 1: categories in the order of their age. */
  readonly #layers = new Map<number, Set<string>>();
  readonly #parents = new Map<string, Set<string>>();
  readonly #current = new Map<string, CurrentProfile>();
  readonly #ownerOfProfile = new Map<string, string>();
  #record: Hierarchy | null = null;
  #revision = 0;
  #names: { readonly revision: number; readonly keys: readonly CategoryName[] } | null = null;

  constructor(parts: { documents: DocumentIndex; nameVectors: VectorIndex }) {
    this.documents = parts.documents;
    this.nameVectors = parts.nameVectors;
  }

  static empty(dimension: number): HierarchyIndex {
    return new HierarchyIndex({
      documents: DocumentIndex.empty(dimension),
      nameVectors: new VectorIndex(dimension),
    });
  }

  /** Changes with every change of the hierarchy. */
  get revision(): number {
    return this.#revision;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** How the hierarchy was built; null if it was not built yet. */
  get record(): Hierarchy | null {
    return this.#record;
  }

  /** The highest layer with a category; 0 if there is none. */
  get depth(): number {
    return Math.max(0, ...[...this.#layers].filter(([, ids]) => ids.size > 0).map(([layer]) => layer));
  }

  has(category: string): boolean {
    return this.#nodes.has(category);
  }

  category(id: string): IndexedCategory | undefined {
    return this.#nodes.get(id)?.category;
  }

  /** All categories, in no particular order. */
  all(): Iterable<CategoryId> {
    return this.#nodes.keys() as Iterable<CategoryId>;
  }

  /** Keys of all names and aliases; kept until the next change, because they are searched far more often. */
  namesByKey(): readonly CategoryName[] {
    if (this.#names?.revision !== this.#revision)
      this.#names = { revision: this.#revision, keys: this.#keysOfNames() };
    return this.#names.keys;
  }

  #keysOfNames(): CategoryName[] {
    return [...this.all()].flatMap((id) => {
      const { name = '', aliases = [] } = this.profileOf(id) ?? {};
      return [name, ...aliases].map((each): CategoryName => [entityNameKey(each), id]);
    });
  }

  /** Categories of a layer, the oldest first. */
  layer(layer: number): readonly CategoryId[] {
    return [...(this.#layers.get(layer) ?? NONE)] as CategoryId[];
  }

  /** Entities for a category of layer 1; categories of the layer below for others. */
  childrenOf(category: string): readonly (CategoryId | EntityId)[] {
    return [...(this.#nodes.get(category)?.children ?? NONE)] as (CategoryId | EntityId)[];
  }

  childCount(category: string): number {
    return this.#nodes.get(category)?.children.size ?? 0;
  }

  /** Categories that a category or an entity belongs to. */
  parentsOf(node: string): readonly CategoryId[] {
    return [...(this.#parents.get(node) ?? NONE)] as CategoryId[];
  }

  profileOf(category: string): CurrentProfile | undefined {
    return this.#current.get(category);
  }

  /** The category of a document. */
  ownerOf(ordinal: number): CategoryId {
    return this.#ownerOfProfile.get(this.documents.ids.idOf(ordinal)) as CategoryId;
  }

  /** The number of a category's document. */
  ordinalOf(category: string): number | undefined {
    const profile = this.#current.get(category);
    return profile && this.documents.ids.ordinalOf(profile.id);
  }

  /** @param key See `entityNameKey`. */
  idOfName(layer: number, key: string): CategoryId | undefined {
    return this.layer(layer).find((id) => entityNameKey(this.#current.get(id)?.name ?? '') === key);
  }

  add(category: IndexedCategory): void {
    if (category.expiredAt !== null) return;
    this.#revision++;
    const { id, layer, createdAt, expiredAt, staleSince } = category;
    const kept = { id, layer, createdAt, expiredAt, staleSince };
    this.#nodes.set(id, { category: kept, children: this.#nodes.get(id)?.children ?? new Set() });
    const ids = this.#layers.get(layer) ?? new Set();
    this.#layers.set(layer, ids.add(id));
  }

  setStale(id: string, staleSince: Milliseconds | null): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    this.#revision++;
    this.#nodes.set(id, { ...node, category: { ...node.category, staleSince } });
  }

  remove(id: string): void {
    const node = this.#nodes.get(id);
    if (node === undefined) return;
    this.#revision++;
    this.removeProfileOf(id);
    for (const child of [...node.children]) this.unlink(id, child);
    for (const parent of this.parentsOf(id)) this.unlink(parent, id);
    this.#nodes.delete(id);
    this.#layers.get(node.category.layer)?.delete(id);
  }

  link(category: string, child: string): void {
    const node = this.#nodes.get(category);
    if (node === undefined) return;
    this.#revision++;
    node.children.add(child);
    this.#parents.set(child, (this.#parents.get(child) ?? new Set()).add(category));
  }

  unlink(category: string, child: string): void {
    this.#revision++;
    this.#nodes.get(category)?.children.delete(child);
    const parents = this.#parents.get(child);
    parents?.delete(category);
    if (parents?.size === 0) this.#parents.delete(child);
  }

  /** Removes an entity from all categories. */
  forgetNode(id: string): void {
    for (const parent of this.parentsOf(id)) this.unlink(parent, id);
  }

  setProfile(profile: CurrentProfile & Pick<Profile, 'summary'>): void {
    this.removeProfileOf(profile.owner);
    this.#revision++;
    const { id, owner, name, aliases, tags, createdAt, summary } = profile;
    this.documents.add(id, [
      { text: [name, ...aliases].join(' \n'), weight: NAME_WEIGHT },
      { text: [summary, ...tags].join(' \n'), weight: 1 },
    ]);
    this.#remember({ id, owner, name, aliases, tags, createdAt });
  }

  removeProfileOf(owner: string): void {
    const before = this.#current.get(owner);
    if (before !== undefined) this.removeProfile(before.id);
  }

  removeProfile(profile: string): void {
    const owner = this.#ownerOfProfile.get(profile);
    if (owner === undefined) return;
    this.#revision++;
    const ordinal = this.documents.ids.ordinalOf(profile)!;
    this.documents.remove(profile);
    this.nameVectors.remove(ordinal);
    this.#ownerOfProfile.delete(profile);
    if (this.#current.get(owner)?.id === profile) this.#current.delete(owner);
  }

  setRecord(record: Hierarchy | null): void {
    this.#revision++;
    this.#record = record;
  }

  #remember(profile: CurrentProfile): void {
    this.#current.set(profile.owner, profile);
    this.#ownerOfProfile.set(profile.id, profile.owner);
  }

  /** Everything except the documents and vectors. */
  toSections(): Sections {
    const categories = [...this.#nodes.values()].map(({ category, children }) => [category, [...children]]);
    const json = { record: this.#record, categories, profiles: [...this.#current.values()] };
    return new Map<string, Section>([['hierarchy', { json }]]);
  }

  /** Null if the sections are not those of a hierarchy index. */
  static fromSections(
    sections: Sections,
    parts: { documents: DocumentIndex; nameVectors: VectorIndex },
  ): HierarchyIndex | null {
    const parsed = sectionJson(sections, 'hierarchy', schema);
    if (parsed === null) return null;
    const index = new HierarchyIndex(parts);
    for (const [category] of parsed.categories) index.add(category as unknown as IndexedCategory);
    for (const [{ id }, children] of parsed.categories) for (const child of children) index.link(id, child);
    for (const profile of parsed.profiles) index.#remember(profile as unknown as CurrentProfile);
    index.#record = parsed.record as Hierarchy | null;
    return index;
  }
}
