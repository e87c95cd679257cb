import type { KnownCategory } from '../categorizer.ts';
import { categoryKey } from '../category-name.ts';
import { Drafts } from './drafts.ts';
import { dropSmall } from './entity-layer.ts';
import { addFiner } from './finer-groups.ts';
import type { EntityWork, LayerWork, Readings } from './layer-work.ts';
import { readEntities } from './read-layer.ts';
import { addThemes } from './themes.ts';
import { addBetween, upperParents } from './upper-layer.ts';
import { deepestFirst, type Label } from './vocabulary.ts';

export interface Split extends LayerWork {
  readonly layer: number;
  readonly within: KnownCategory;
}

/** One that nearly all children belong to makes nothing finer. */
const MOST_OF_ALL = 0.8;

/** Finer categories for the children of one that grew too large; none where its children are all alike. */
export async function splitCategory(split: Split): Promise<Drafts> {
  const drafts = new Drafts();
  if (split.layer === 1) await addFinerOfEntities(split, drafts);
  else addBetween(split, drafts);
  dropSmall({ ...split, drafts });
  for (const draft of drafts.all()) {
    const isSame = categoryKey(draft.name) === categoryKey(split.within.name);
    if (isSame || draft.nodes.size > MOST_OF_ALL * split.nodes.length) drafts.remove(draft);
  }
  return drafts;
}

async function addFinerOfEntities(split: Split, drafts: Drafts): Promise<void> {
  const work: EntityWork = { ...split, readings: await readEntities(split), drafts, left: new Set() };
  const labels = labelsOf(split);
  addLabelsBelow(labels, work);
  addFiner(labels, new Set(unplaced(work).keys()), work);
  await addThemes({ ...work, readings: unplaced(work) });
}

function addLabelsBelow(labels: readonly Label[], { readings, tools, minimum, drafts }: EntityWork): void {
  for (const label of deepestFirst(tools.vocabulary.labels)) {
    if (!labels.some((each) => each !== label && label.lineage.includes(each))) continue;
    const nodes = [...readings]
      .filter(([, { meaning }]) => meaning.labels.includes(label))
      .map(([node]) => node);
    if (nodes.length >= minimum) drafts.add(label.name, [label], nodes);
  }
}

function unplaced({ readings, drafts }: EntityWork): Readings {
  const placed = drafts.placed();
  return new Map([...readings].filter(([node]) => !placed.has(node)));
}

function labelsOf({ within, tools }: Split): readonly Label[] {
  const own = tools.vocabulary.named(within.name);
  return own === undefined ? upperParents(within, tools) : [own];
}
