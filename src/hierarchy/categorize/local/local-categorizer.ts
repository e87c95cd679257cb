import { refuseIfAborted } from '../../../inference/embedder.ts';
import { NO_MODEL_USAGE } from '../../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../../inference/language-model.ts';
import type { NounTaxonomy } from '../../../inference/taxonomy/noun-taxonomy.ts';
import { Breather } from '../../../util/breathe.ts';
import type { Categorization, CategorizeRequest, Categorizer, KnownCategory } from '../../categorizer.ts';
import { categoryKey } from '../../category-name.ts';
import { Drafts } from './drafts.ts';
import { dropSmall, groupEntities, readEntities } from './entity-layer.ts';
import { addFiner, type EntityWork, type LayerWork, type Readings } from './label-groups.ts';
import { type ReadingTools, SenseLabels } from './read-name.ts';
import { addThemes } from './themes.ts';
import { addBetween, groupCategories, upperParents } from './upper-layer.ts';
import { deepestFirst, type Label, readVocabulary } from './vocabulary.ts';

/**
 * Groups by the meaning of names: the noun taxonomy maps the heads of names to kinds, which are shown as categories
 * of a curated vocabulary. Also groups names that share a word, dates, and, where the taxonomy does not know a name,
 * names near by vector. A pure function of the layer and its nodes, independent of their order. English only; needs
 * no model and no download.
 */
export class LocalCategorizer implements Categorizer {
  readonly name = 'local';
  readonly nodesAtOnce = null;
  readonly #tools: ReadingTools;

  constructor(taxonomy: NounTaxonomy) {
    const vocabulary = readVocabulary(taxonomy);
    this.#tools = { taxonomy, vocabulary, senses: new SenseLabels(taxonomy, vocabulary) };
  }

  /** Places all nodes, due or not. @throws CancelledError */
  async categorize(request: CategorizeRequest, { signal }: ModelCallOptions = {}): Promise<Categorization> {
    refuseIfAborted(signal);
    const drafts = await this.#group(request);
    return { categories: drafts.proposals(request.nodes), notes: [], usage: NO_MODEL_USAGE };
  }

  #group(request: CategorizeRequest): Promise<Drafts> {
    const { nodes, minimumChildren, layer, within } = request;
    const work = { nodes, minimum: minimumChildren, tools: this.#tools, breather: new Breather() };
    if (within !== undefined) return splitCategory({ ...work, layer, within });
    return layer === 1 ? groupEntities(work) : groupCategories(work);
  }
}

interface Split extends LayerWork {
  readonly layer: number;
  readonly within: KnownCategory;
}

/** A category with a larger share of the children does not subdivide them. */
const MOST_OF_ALL = 0.8;

/** Finer categories for the children of a category that is too large; none if all children are alike. */
async function splitCategory(split: Split): Promise<Drafts> {
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
