import { categoryKey, SPEAKER } from '../../src/hierarchy/category-name.ts';
import type { HierarchySettings } from '../../src/hierarchy/defaults.ts';
import type { ScopeIndex } from '../../src/search/scope-index.ts';

/**
 * Violations by a hierarchy of the rules of Mnemis §2.2 and docs/papers.md §1.3–1.5, one sentence each; empty if
 * there are none.
 */
export function brokenRules(
  { hierarchy, entities }: ScopeIndex,
  { minimumChildren, maximumLayers }: Pick<HierarchySettings, 'minimumChildren' | 'maximumLayers'>,
): string[] {
  const broken: string[] = [];
  const nameOf = (id: string) => (hierarchy.profileOf(id) ?? entities.profileOf(id))?.name ?? '';
  const living = new Set(entities.current().map(({ owner }) => owner as string));
  const depth = hierarchy.depth;
  if (depth > maximumLayers) broken.push(`${depth} layers`);
  if (living.size > 0 && depth === 0) broken.push('entities without a hierarchy');
  for (let layer = 1; layer <= depth; layer++) {
    const below: readonly string[] = layer === 1 ? [...living] : hierarchy.layer(layer - 1);
    for (const id of below)
      if (!hierarchy.parentsOf(id).some((parent) => hierarchy.category(parent)?.layer === layer))
        broken.push(`${nameOf(id)} is an orphan in layer ${layer}`);
    if (layer >= 2 && hierarchy.layer(layer).length > below.length) broken.push(`layer ${layer} grew`);
    const groups = new Set<string>();
    for (const id of hierarchy.layer(layer)) {
      const name = nameOf(id);
      const children = hierarchy.childrenOf(id);
      for (const child of children) {
        const isBelow = layer === 1 ? living.has(child) : hierarchy.category(child)?.layer === layer - 1;
        if (!isBelow) broken.push(`${name} holds something that is not in layer ${layer - 1}`);
      }
      const isPromoted = children.length === 1 && categoryKey(nameOf(children[0]!)) === categoryKey(name);
      const isSpeaker = layer === 1 && name === SPEAKER && children.length > 0;
      if (name === '' || (!isPromoted && /\band\b|&/i.test(name)))
        broken.push(`a category is called "${name}"`);
      if (children.length < minimumChildren && !isPromoted && !isSpeaker)
        broken.push(`${name} has ${children.length} children`);
      if (!isPromoted && groups.has(categoryKey(name))) broken.push(`two categories are called ${name}`);
      if (!isPromoted) groups.add(categoryKey(name));
    }
  }
  return broken;
}

/** Ids of categories, by layer, name and children, for comparison between runs. */
export function idsByContent({ hierarchy }: ScopeIndex): Map<string, string> {
  const ids = new Map<string, string>();
  for (const id of hierarchy.all()) {
    const children = [...hierarchy.childrenOf(id)].sort().join(' ');
    ids.set(`${hierarchy.category(id)!.layer} ${hierarchy.profileOf(id)!.name} ${children}`, id);
  }
  return ids;
}

/**
 * Similarity of two hierarchies over the same entities: F1 of the pairs that share a category of layer 1, by name. 1
 * if both have none.
 */
export function similarity(a: ScopeIndex, b: ScopeIndex): number {
  const [left, right] = [pairsOf(a), pairsOf(b)];
  if (left.size + right.size === 0) return 1;
  let common = 0;
  for (const pair of left) if (right.has(pair)) common++;
  return (2 * common) / (left.size + right.size);
}

function pairsOf({ hierarchy, entities }: ScopeIndex): Set<string> {
  const pairs = new Set<string>();
  for (const id of hierarchy.layer(1)) {
    const names = hierarchy
      .childrenOf(id)
      .map((child) => entities.profileOf(child)!.name)
      .sort();
    for (const [at, first] of names.entries())
      for (const second of names.slice(at + 1)) pairs.add(`${first}|${second}`);
  }
  return pairs;
}
