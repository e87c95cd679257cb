import type { NounSense } from '../../../inference/taxonomy/noun-taxonomy.ts';
import type { Breather } from '../../../util/breathe.ts';
import { groupBy } from '../../../util/collections.ts';
import type { LayerNode } from '../../categorizer.ts';
import { SPLIT_ABOVE } from '../../defaults.ts';
import { categoryNameOf, type Draft, type Drafts } from './drafts.ts';
import type { NamedDate, NameReading, ReadingTools } from './read-name.ts';
import { deepestFirst, type Label } from './vocabulary.ts';

/** The nodes of a layer to group, with the tools for it. */
export interface LayerWork {
  readonly nodes: readonly LayerNode[];
  /** Minimum number of children of a category. */
  readonly minimum: number;
  readonly tools: ReadingTools;
  readonly breather: Breather;
}

/** What the names of entities mean, sorted by id: the result does not depend on the order of the nodes. */
export type Readings = ReadonlyMap<LayerNode, NameReading>;

export interface EntityWork extends LayerWork {
  readonly readings: Readings;
  readonly drafts: Drafts;
  /** Nodes that the next layer places. */
  readonly left: Set<LayerNode>;
}

export function put<Key, Value>(map: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}
/** Where entities go whose broadest category has too few; categories that others fall back to come last. */
const NEXT_BEST: readonly (readonly [string, string])[] = [
  ['Nature', 'Things'],
  ['Food', 'Things'],
  ['Media', 'Things'],
  ['Money', 'Things'],
  ['Events', 'Activities'],
];

/** Groups by meaning. A label with too few entities passes them to another shared meaning or to the label above. */
export async function addByLabel(work: EntityWork): Promise<void> {
  const { readings, tools, minimum, drafts } = work;
  const members = new Map<Label, Set<LayerNode>>();
  for (const [node, { meaning }] of readings) for (const label of meaning.labels) put(members, label, node);
  const enough = new Set([...members].filter(([, nodes]) => nodes.size >= minimum).map(([label]) => label));
  const isHomed = (node: LayerNode) => readings.get(node)!.meaning.labels.some((label) => enough.has(label));
  const heads = new Set([...readings.values()].map(({ head }) => head));
  // A noun that occurs in memory is not jargon of the taxonomy.
  const occursInMemory = (noun: string) => heads.has(noun) && isBrowsable(noun);
  for (const label of inOrder(tools.vocabulary.labels)) {
    const nodes = members.get(label);
    if (nodes === undefined || !label.isShown) continue;
    await work.breather.breathe();
    const rest = nodes.size > SPLIT_ABOVE ? addFiner([label], nodes, work, occursInMemory) : nodes;
    if (label.parent === null && rest.size < minimum && isGroupedAbove(label, rest.size, work)) {
      for (const node of rest) work.left.add(node);
      continue;
    }
    const next = rest.size >= minimum ? label : above(label, work);
    if (next === label) drafts.add(label.name, [label], rest);
    else if (next !== undefined) for (const node of rest) if (!isHomed(node)) put(members, next, node);
  }
}

/** Finer labels first; among the broadest, those that others fall back to come last. */
function inOrder(labels: readonly Label[]): readonly Label[] {
  const place = (label: Label) => {
    const index = label.parent === null ? NEXT_BEST.findIndex(([name]) => name === label.name) : -1;
    return index < 0 && label.parent === null ? NEXT_BEST.length : index;
  };
  return [...deepestFirst(labels)].sort((a, b) => place(a) - place(b));
}

/** Whether the next layer groups it with others of the same label, so that it may be promoted. */
export function isGroupedAbove(
  label: Label,
  few: number,
  { drafts, minimum }: Pick<EntityWork, 'drafts' | 'minimum'>,
): boolean {
  return drafts.all().filter((draft) => isBeneath(draft, label)).length + few >= minimum;
}

function above(label: Label, { tools }: EntityWork): Label | undefined {
  if (label.parent !== null) return label.parent;
  const next = NEXT_BEST.find(([name]) => name === label.name)?.[1];
  return next === undefined ? undefined : tools.vocabulary.named(next);
}

export function isLabel({ name, labels }: Draft): boolean {
  return labels.length === 1 && labels[0]!.name === name;
}

export function isBeneath(draft: Draft, label: Label): boolean {
  return draft.labels.some((each) => each.lineage.includes(label));
}

/** Smaller finer categories are usually oddities of the taxonomy. */
const FINER_MINIMUM = 5;
/** A kind that covers more of the nodes does not subdivide them. */
const FINER_SHARE = 0.7;
/** A common noun of one or two words. */
const COMMON = /^\p{Ll}[\p{Ll}'-]*(?: \p{Ll}+)?$/u;
const LONGEST_NOUN = 24;
/** Technical terms of WordNet that nobody uses. */
const JARGON =
  /^(?:whole|unit|placental|vertebrate|chordate|(?:.* )?ungulate|.*(?:organism|entity|agent|matter|mammal|feature|artifact|abstraction|instrumentality|phenomenon|measure|adult|male|female)|(?:cognitive|psychological|administrative|geographical?|urban|vascular|woody|reproductive|physical|natural|organic|definite|unpleasant|unwelcome|skilled|wrong|visual|auditory|bad|good) .*)$/;

/**
 * Groups nodes by finer kinds and removes those from the nodes; returns the rest. Kinds are numbered after their
 * parents.
 */
export function addFiner(
  labels: readonly Label[],
  nodes: ReadonlySet<LayerNode>,
  { readings, minimum, tools, drafts }: EntityWork,
  isWord: (noun: string) => boolean = isBrowsable,
): Set<LayerNode> {
  const under = new Map<NounSense, Set<LayerNode>>();
  for (const node of nodes) for (const sense of readings.get(node)!.meaning.finer) put(under, sense, node);
  const rest = new Set(nodes);
  for (const [sense, all] of [...under].sort(([a], [b]) => b - a)) {
    const [noun = ''] = tools.taxonomy.namesOf(sense);
    const left = [...all].filter((node) => rest.has(node));
    const isUsual = all.size <= FINER_SHARE * nodes.size && isWord(noun);
    if (!isUsual || left.length < Math.max(minimum, FINER_MINIMUM)) continue;
    drafts.add(categoryNameOf(noun, labels, false), labels, left);
    for (const node of left) rest.delete(node);
  }
  return rest;
}

function isBrowsable(noun: string): boolean {
  return COMMON.test(noun) && !JARGON.test(noun) && noun.length <= LONGEST_NOUN;
}

type Dated = readonly [LayerNode, NamedDate];

/** A year is split by month if it has at least this many months. */
const MONTHS_OF_A_YEAR = 2;

/** Groups by month if a month has enough dates, else by year. */
export function addDates(work: EntityWork): void {
  const dated = [...work.readings].flatMap(([node, { date }]): Dated[] =>
    date === null ? [] : [[node, date]],
  );
  const undated: Dated[] = [];
  for (const [year, ofYear] of groupBy(dated, ([, date]) => date.year))
    if (year === null || ofYear.length < work.minimum) undated.push(...ofYear);
    else addYear(year, ofYear, work);
  addCategory('Dates', undated, work);
}

function addYear(year: string, dated: readonly Dated[], work: EntityWork): void {
  const months = [...groupBy(dated, ([, date]) => date.month)].filter(
    ([month, ofMonth]) => month !== null && ofMonth.length >= work.minimum,
  );
  const grouped = new Set(months.flatMap(([, ofMonth]) => ofMonth));
  const rest = dated.filter((each) => !grouped.has(each));
  const isWhole = months.length < MONTHS_OF_A_YEAR || (rest.length > 0 && rest.length < work.minimum);
  if (isWhole) addCategory(year, dated, work);
  else {
    for (const [month, ofMonth] of months) addCategory(month!, ofMonth, work);
    addCategory(`Other dates of ${year}`, rest, work);
  }
}

function addCategory(name: string, dated: readonly Dated[], { drafts, tools }: EntityWork): void {
  const label = tools.vocabulary.named('Dates');
  if (label === undefined || dated.length === 0) return;
  const nodes = dated.map(([node]) => node);
  drafts.add(name, [label], nodes);
}
