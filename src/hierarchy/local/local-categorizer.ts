import { refuseIfAborted } from '../../inference/embedder.ts';
import { NO_MODEL_USAGE } from '../../inference/language-model/tokens/usage-meter.ts';
import type { ModelCallOptions } from '../../inference/language-model.ts';
import type { NounTaxonomy } from '../../inference/taxonomy/noun-taxonomy.ts';
import { Breather } from '../../util/breathe.ts';
import type { Categorization, CategorizeRequest, Categorizer } from '../categorizer.ts';
import type { Drafts } from './drafts.ts';
import { groupEntities } from './entity-layer.ts';
import type { ReadingTools } from './read-name.ts';
import { SenseLabels } from './sense-labels.ts';
import { splitCategory } from './split-category.ts';
import { groupCategories } from './upper-layer.ts';
import { readVocabulary } from './vocabulary.ts';

/**
 * Groups by what names mean: heads of names to the kinds that the noun taxonomy knows, shown as the categories of a
 * curated vocabulary; names that share a word; dates; names near by vector where the taxonomy is silent. A pure
 * function of the layer and its nodes, whatever their order. English; no model, no download.
 */
export class LocalCategorizer implements Categorizer {
  readonly name = 'local';
  readonly nodesAtOnce = null;
  readonly #tools: ReadingTools;

  constructor(taxonomy: NounTaxonomy) {
    const vocabulary = readVocabulary(taxonomy);
    this.#tools = { taxonomy, vocabulary, senses: new SenseLabels(taxonomy, vocabulary) };
  }

  /** Answers for all nodes, due or not. @throws CancelledError */
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
