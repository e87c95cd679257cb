import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { categoryKey, isCollective } from '../../hierarchy/category-name.ts';
import type { CategoryId, EntityId } from '../../model/ids.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import type { HierarchyIndex } from '../../search/hierarchy-index.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { entityNameKey } from '../../util/tidy.ts';

/** A node of the hierarchy as shown for browsing. */
interface ShownNode {
  readonly id: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly name: string;
  /** Other names of the node. */
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  /** Its direct children, without duplicates and unordered; empty for an entity. */
  readonly children: readonly ShownNode[];
  /** Numbers of the entities below it, without duplicates; for an entity, its own number. */
  readonly below: readonly number[];
}

const NONE: readonly never[] = [];

/**
 * The current hierarchy for browsing, valid even after an interrupted run: it contains every entity, in a category or
 * at the top. A category without a name that says something is replaced by its children; one that only promotes the node below it (of the
 * same name) by that node; an empty one is omitted. A child counts only if its layer is lower than its parent's, so
 * that no data can form a cycle.
 */
export class ShownHierarchy {
  /** Categories of any layer and entities without a parent, unordered. */
  readonly top: readonly ShownNode[];
  readonly #nodes = new Map<string, ShownNode>();
  /** By category: the nodes shown for it. */
  readonly #shown = new Map<string, readonly ShownNode[]>();
  readonly #parents = new Map<string, ShownNode[]>();
  /** By entity number: the last category that visited the entity. */
  readonly #metBy: Int32Array;

  constructor({ entities, hierarchy }: Pick<ScopeIndex, 'entities' | 'hierarchy'>) {
    const current = entities.current();
    this.#metBy = new Int32Array(current.length);
    for (const [number, { owner: id, name, aliases, tags }] of current.entries())
      this.#nodes.set(id, { id, layer: 0, name, aliases, tags, children: NONE, below: [number] });
    const layerOf = (id: string) => hierarchy.category(id)!.layer;
    // Children before their parents.
    for (const id of [...hierarchy.all()].sort((a, b) => layerOf(a) - layerOf(b)))
      this.#shown.set(id, this.#show(id, hierarchy));
    this.top = [...this.#nodes.values()].filter(({ id }) => !this.#parents.has(id));
  }

  /** Every shown node: entities, then categories with children before parents. */
  nodes(): Iterable<ShownNode> {
    return this.#nodes.values();
  }

  /** The nodes shown for a category or an entity: itself, replacements, or none. Undefined for an unknown id. */
  shownOf(id: string): readonly ShownNode[] | undefined {
    const shown = this.#shown.get(id);
    if (shown !== undefined) return shown;
    const entity = this.#nodes.get(id);
    return entity && [entity];
  }

  /** The categories that show the node as a child. */
  parentsOf(id: string): readonly ShownNode[] {
    return this.#parents.get(id) ?? NONE;
  }

  #show(id: string, hierarchy: HierarchyIndex): readonly ShownNode[] {
    const { layer } = hierarchy.category(id)!;
    const isLower = (child: string) => (hierarchy.category(child)?.layer ?? 0) < layer;
    const lower = hierarchy.childrenOf(id).filter(isLower);
    const children = [...new Set(lower.flatMap((child) => this.shownOf(child) ?? NONE))];
    const { name = '', aliases = NONE, tags = NONE } = hierarchy.profileOf(id) ?? {};
    const isNamed = name.trim() !== '' && !isCollective(name);
    if (!isNamed || children.length === 0 || isPromotionOf(name, children)) return children;
    const node = { id, layer, name, aliases, tags, children, below: this.#below(children) };
    this.#nodes.set(id, node);
    for (const child of children) {
      const parents = this.#parents.get(child.id);
      if (parents === undefined) this.#parents.set(child.id, [node]);
      else parents.push(node);
    }
    return [node];
  }

  #below(children: readonly ShownNode[]): readonly number[] {
    const round = this.#nodes.size;
    const below: number[] = [];
    for (const child of children)
      for (const entity of child.below) {
        if (this.#metBy[entity] === round) continue;
        this.#metBy[entity] = round;
        below.push(entity);
      }
    return below;
  }
}

function isPromotionOf(name: string, [only, second]: readonly ShownNode[]): boolean {
  if (only === undefined || second !== undefined) return false;
  return only.name === name || categoryKey(only.name) === categoryKey(name);
}

/**
 * Which part of the hierarchy `ScopeHierarchy.tree` lists. Browse a large one level by level: `depth: 1`, then `of`
 * one of its names.
 */
export interface TreeOptions {
  /**
   * A category by id or name (all categories of that name): lists what is below it. An entity: lists its categories
   * (`alsoIn`). Default: everything from the top.
   */
  readonly of?: string;
  /** Levels below the first, from 0; at most 100 are listed. Default: all. */
  readonly depth?: number;
  /** Maximum number of nodes listed at the top and per category, the largest first. Default: all. */
  readonly limit?: number;
}

const MOST_LEVELS = 100;

const optionsSchema = z.strictObject({
  of: z.string().min(1).optional(),
  depth: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).optional(),
});

/**
 * The hierarchy from the top, or from the named node. Works at any time: during a run or after an interrupted one it
 * lists everything known, with uncategorized entities at the top. A category that only promotes the one node below it
 * is not shown; one that lost its name, or whose name says nothing ("Miscellaneous"), is replaced by its children. A node in several categories appears under each
 * of them, with its children in one place (`listedAt`).
 *
 * @throws InvalidInputError if no node has that name or id, and for invalid options.
 */
export function treePart(
  index: ScopeIndex,
  options: TreeOptions = {},
  hierarchy: ShownHierarchy = new ShownHierarchy(index),
): TreePart {
  const parsed = optionsSchema.safeParse(options);
  if (!parsed.success)
    throw new InvalidInputError(`The tree options are not valid: ${describeIssues(parsed.error)}`);
  const { of, depth = MOST_LEVELS, limit = Number.POSITIVE_INFINITY } = parsed.data;
  const first = of === undefined ? hierarchy.top : nodesCalled(of, hierarchy, index.entities);
  return listTree(hierarchy, first, { depth: Math.min(depth, MOST_LEVELS), limit });
}

/** The nodes of `treePart`, with the same errors. */
export function categoryTree(index: ScopeIndex, options: TreeOptions = {}): CategoryTree[] {
  return [...treePart(index, options).nodes];
}

/** A node of the category hierarchy with what is below it, for browsing. */
export interface CategoryTree {
  readonly id: CategoryId | EntityId;
  readonly name: string;
  /** 0 for an entity. */
  readonly layer: number;
  readonly tags: readonly string[];
  /** Number of distinct entities below it; 0 for an entity. */
  readonly entities: number;
  /** Names of its other categories, besides the one that it is listed under. */
  readonly alsoIn: readonly string[];
  /** The largest first, then by name. */
  readonly children: readonly CategoryTree[];
  /** Number of children omitted from `children`. */
  readonly more: number;
  /**
   * Where the children of a category with several parents are listed: names from the first level down to its own.
   * Only set if that place is elsewhere in this tree, because children are listed once.
   */
  readonly listedAt?: readonly string[];
}

/** Part of the category hierarchy, as `ScopeHierarchy.browse` lists it. */
export interface TreePart {
  /** The largest first, then by name; entities after categories. */
  readonly nodes: readonly CategoryTree[];
  /** Number of first-level nodes omitted from `nodes`. */
  readonly more: number;
}

interface ListOptions {
  /** Levels below the first. */
  readonly depth: number;
  /** Maximum number of nodes per list. */
  readonly limit: number;
}

/**
 * Lists nodes and what is below them, the largest first. The children of a category are listed once, at its place
 * nearest to the first level (the first such place on a tie). This bounds the work by the number of edges, and
 * nothing within `depth` is missed.
 */
function listTree(hierarchy: ShownHierarchy, nodes: readonly ShownNode[], options: ListOptions): TreePart {
  const listed = largest(nodes, options.limit);
  const places = placesOf(listed, options);
  const tree = listed.map((node) => treeOf(node, { hierarchy, places, under: null }));
  return { nodes: tree, more: nodes.length - listed.length };
}

/** Where the children of a category are listed: its parent there (null at the first level), and the children. */
interface Place {
  readonly under: ShownNode | null;
  readonly children: readonly ShownNode[];
}

function placesOf(first: readonly ShownNode[], { depth, limit }: ListOptions): ReadonlyMap<ShownNode, Place> {
  const places = new Map<ShownNode, Place>();
  const list = (node: ShownNode, under: ShownNode | null): boolean => {
    if (node.children.length === 0 || places.has(node)) return false;
    places.set(node, { under, children: largest(node.children, limit) });
    return true;
  };
  let level = depth === 0 ? [] : first.filter((node) => list(node, null));
  for (let left = depth - 1; left > 0 && level.length > 0; left--)
    level = level.flatMap((under) => places.get(under)!.children.filter((node) => list(node, under)));
  return places;
}

interface TreeContext {
  readonly hierarchy: ShownHierarchy;
  readonly places: ReadonlyMap<ShownNode, Place>;
  readonly under: ShownNode | null;
}

function treeOf(node: ShownNode, context: TreeContext): CategoryTree {
  const { hierarchy, places, under } = context;
  const place = places.get(node);
  const isHere = place?.under === under;
  const children = isHere ? place.children.map((child) => treeOf(child, { ...context, under: node })) : [];
  const others = hierarchy.parentsOf(node.id).filter((parent) => parent !== under);
  return {
    id: node.id as CategoryId | EntityId,
    name: node.name,
    layer: node.layer,
    tags: node.tags,
    entities: node.layer === 0 ? 0 : node.below.length,
    alsoIn: [...new Set(others.map(({ name }) => name))],
    children,
    more: node.children.length - children.length,
    ...(place === undefined || isHere ? {} : { listedAt: pathTo(node, places) }),
  };
}

function pathTo(node: ShownNode, places: ReadonlyMap<ShownNode, Place>): readonly string[] {
  const path: string[] = [];
  for (let at: ShownNode | null = node; at !== null; at = places.get(at)!.under) path.unshift(at.name);
  return path;
}

function largest(nodes: readonly ShownNode[], limit: number): readonly ShownNode[] {
  const sizeOf = ({ layer, below }: ShownNode) => (layer === 0 ? 0 : below.length);
  return [...nodes]
    .sort((a, b) => sizeOf(b) - sizeOf(a) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .slice(0, limit);
}

const MOST_NEAR = 5;

/**
 * Finds the node of an id; else all categories of a name, else categories with that alias, else entities with it.
 *
 * @throws InvalidInputError if there is none, listing similar names, or if the category is empty.
 */
function nodesCalled(called: string, hierarchy: ShownHierarchy, entities: EntityIndex): readonly ShownNode[] {
  const shown = hierarchy.shownOf(called);
  if (shown?.length === 0) throw new InvalidInputError('This category is empty');
  if (shown !== undefined) return shown;
  const nodes = [...hierarchy.nodes()];
  const key = keyOf(called);
  if (key === '') throw new InvalidInputError(noNode(called, nodes));
  const categories = nodes.filter(({ layer }) => layer > 0);
  const ways: readonly (() => readonly ShownNode[])[] = [
    () => categories.filter(({ name }) => keyOf(name) === key),
    () => categories.filter(({ aliases }) => aliases.some((alias) => keyOf(alias) === key)),
    () => entities.idsOfName(entityNameKey(called)).flatMap((id) => hierarchy.shownOf(id) ?? []),
    () => nodes.filter(({ name, aliases }) => [name, ...aliases].some((each) => keyOf(each) === key)),
  ];
  for (const way of ways) {
    const found = way();
    if (found.length > 0) return found;
  }
  throw new InvalidInputError(noNode(called, nodes));
}

/** For a name without letters or digits, the name itself, so that such names stay distinct. */
function keyOf(name: string): string {
  return categoryKey(name) || entityNameKey(name);
}

/** Suggests names that contain the given one or one of its words, categories before entities. */
function noNode(called: string, nodes: readonly ShownNode[]): string {
  const words = categoryKey(called)
    .split(' ')
    .filter((word) => word !== '');
  const isNear = ({ name }: ShownNode) => words.some((word) => categoryKey(name).includes(word));
  const near = new Set(
    nodes
      .filter(isNear)
      .sort((a, b) => b.layer - a.layer)
      .map(({ name }) => name),
  );
  const hint = near.size === 0 ? '' : `; similar names: ${[...near].slice(0, MOST_NEAR).join(', ')}`;
  return `There is no category or entity named ${JSON.stringify(called)}${hint}`;
}
