import { groupBy } from '../../../util/collections.ts';
import type { LayerNode } from '../../categorizer.ts';
import { categoryKey } from '../../category-name.ts';
import { BETWEEN_ABOVE } from '../../defaults.ts';
import { Drafts, withoutOther } from './drafts.ts';
import type { LayerWork } from './label-groups.ts';
import { NameReader, type ReadingTools, yearOfCategory } from './read-name.ts';
import { deepestFirst, type Label, specificOf, topOf } from './vocabulary.ts';

/** First tags of entities; a promoted entity is read by them. */
const KINDS = new Set(['person', 'place', 'organisation', 'thing', 'date']);

/** All labels above each node. */
type Above = ReadonlyMap<LayerNode, ReadonlySet<Label>>;

/** Groups categories under broader ones of the vocabulary. */
export async function groupCategories(layer: LayerWork): Promise<Drafts> {
  const drafts = new Drafts();
  const above = await readAbove(layer);
  const names = new Set(layer.nodes.map(({ name }) => categoryKey(name)));
  for (const top of layer.tools.vocabulary.labels.filter(
    ({ parent, isShown }) => parent === null && isShown,
  )) {
    await layer.breather.breathe();
    addUnder(top, above, { ...layer, drafts, names });
  }
  return drafts;
}

/** Sorted by id, so that the order of the nodes does not matter. */
async function readAbove({ nodes, tools, breather }: LayerWork): Promise<Above> {
  const above = new Map<LayerNode, Set<Label>>();
  for (const node of [...nodes].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    await breather.breathe();
    above.set(node, new Set(upperParents(node, tools).flatMap(({ lineage }) => lineage)));
  }
  return above;
}

interface UpperWork extends LayerWork {
  readonly drafts: Drafts;
  /** Keys of the nodes' names: a category must not have the name of one of its nodes. */
  readonly names: ReadonlySet<string>;
}

function addUnder(top: Label, above: Above, work: UpperWork): void {
  const { minimum, drafts } = work;
  const isOwn = (node: LayerNode) => categoryKey(node.name) === categoryKey(top.name);
  const all = [...above].filter(([node, labels]) => labels.has(top) || isOwn(node)).map(([node]) => node);
  if (all.length < minimum) return;
  const groups = groupsBetween(top, all, above, work);
  const grouped = new Set(groups.flatMap(({ nodes }) => nodes));
  if (all.length <= BETWEEN_ABOVE || groups.length + all.length - grouped.size < minimum)
    drafts.add(top.name, [top], all);
  else for (const { name, label, nodes } of groups) drafts.add(name, [label], nodes);
}

interface Group {
  readonly name: string;
  readonly label: Label;
  readonly nodes: readonly LayerNode[];
}

/**
 * Groups between a broad category and its nodes. Nodes outside them are promoted and join the groups one layer
 * higher.
 */
function groupsBetween(
  top: Label,
  all: readonly LayerNode[],
  above: Above,
  { tools, minimum, names }: UpperWork,
): readonly Group[] {
  const groups: Group[] = [];
  let rest = all;
  for (const label of deepestFirst(tools.vocabulary.labels)) {
    if (label === top || topOf(label) !== top || names.has(categoryKey(label.name))) continue;
    const group = rest.filter((node) => above.get(node)!.has(label));
    if (group.length < minimum) continue;
    groups.push(...withYears(label, group, minimum));
    rest = rest.filter((node) => !above.get(node)!.has(label));
  }
  return groups;
}

/** Adds years between "Dates" and months, if there are several years. */
function withYears(label: Label, nodes: readonly LayerNode[], minimum: number): readonly Group[] {
  const years = [...groupBy(nodes, ({ name }) => yearOfCategory(name))].flatMap(([year, months]) =>
    year !== null && months.length >= minimum ? [{ name: year, label, nodes: months }] : [],
  );
  const isLong = nodes.length > BETWEEN_ABOVE && years.length >= minimum;
  return isLong ? years : [{ name: label.name, label, nodes }];
}

/** Adds the finer categories of the vocabulary that enough nodes are directly below. */
export function addBetween({ nodes, minimum, tools }: LayerWork, drafts: Drafts): void {
  for (const label of tools.vocabulary.labels) {
    const group = nodes.filter((node) => upperParents(node, tools).includes(label));
    if (label.parent !== null && group.length >= minimum) drafts.add(label.name, [label], group);
  }
}

/** Labels directly above a node of layer 1 or higher; none for the broadest. */
export function upperParents(node: LayerNode, tools: ReadingTools): readonly Label[] {
  const { vocabulary } = tools;
  const other = withoutOther(node.name);
  const remainder = other === null ? undefined : vocabulary.named(other);
  if (remainder !== undefined) return [remainder];
  const own = vocabulary.named(node.name);
  if (own !== undefined) return own.parent === null ? [] : [own.parent];
  if (yearOfCategory(node.name) !== null) return listed(vocabulary.named('Dates'));
  const tagged = node.tags.filter((tag) => !KINDS.has(tag)).flatMap((tag) => listed(vocabulary.named(tag)));
  if (tagged.length > 0 && !KINDS.has(node.tags[0]!)) return specificOf(tagged);
  const reading = new NameReader(tools).read(node.name, node.tags, false);
  return reading.date === null ? reading.meaning.labels : listed(vocabulary.named('Dates'));
}

function listed(label: Label | undefined): readonly Label[] {
  return label === undefined ? [] : [label];
}
