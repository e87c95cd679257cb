import type { LayerNode } from '../categorizer.ts';
import type { Draft } from './drafts.ts';
import { addFiner, isBrowsable } from './finer-groups.ts';
import { type EntityWork, put } from './layer-work.ts';
import { deepestFirst, type Label } from './vocabulary.ts';

/** More than so many under one label: kinds of it that the taxonomy knows are tried. */
const WANTS_FINER = 30;
/** Where the few of one of the broadest categories are looked for, those that take from others last. */
const NEXT_BEST: readonly (readonly [string, string])[] = [
  ['Nature', 'Things'],
  ['Food', 'Things'],
  ['Media', 'Things'],
  ['Money', 'Things'],
  ['Events', 'Activities'],
  ['Feelings', 'Ideas'],
];

/** By meaning: what has too few of its kind goes one label up, unless it has another meaning that others share. */
export async function addByLabel(work: EntityWork): Promise<void> {
  const { readings, tools, minimum, drafts } = work;
  const members = new Map<Label, Set<LayerNode>>();
  for (const [node, { meaning }] of readings) for (const label of meaning.labels) put(members, label, node);
  const enough = new Set([...members].filter(([, nodes]) => nodes.size >= minimum).map(([label]) => label));
  const isHomed = (node: LayerNode) => readings.get(node)!.meaning.labels.some((label) => enough.has(label));
  const heads = new Set([...readings.values()].map(({ head }) => head));
  // What the memory itself says is no term of the taxonomy's own.
  const isSaid = (noun: string) => heads.has(noun) && isBrowsable(noun);
  for (const label of inOrder(tools.vocabulary.labels)) {
    const nodes = members.get(label);
    if (nodes === undefined) continue;
    await work.breather.breathe();
    const rest = nodes.size > WANTS_FINER ? addFiner([label], nodes, work, isSaid) : nodes;
    if (label.parent === null && rest.size < minimum && meetsAbove(label, rest.size, work)) {
      for (const node of rest) work.left.add(node);
      continue;
    }
    const next = rest.size >= minimum ? label : above(label, work);
    if (next === label) drafts.add(label.name, [label], rest);
    else if (next !== undefined) for (const node of rest) if (!isHomed(node)) put(members, next, node);
  }
}

/** Finer ones first; of the broadest, those that others fall back to last. */
function inOrder(labels: readonly Label[]): readonly Label[] {
  const place = (label: Label) => {
    const index = label.parent === null ? NEXT_BEST.findIndex(([name]) => name === label.name) : -1;
    return index < 0 && label.parent === null ? NEXT_BEST.length : index;
  };
  return [...deepestFirst(labels)].sort((a, b) => place(a) - place(b));
}

/** Whether the next layer will group it with others of the same label: then it may be promoted. */
export function meetsAbove(
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
