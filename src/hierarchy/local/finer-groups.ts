import type { NounSense } from '../../inference/taxonomy/noun-taxonomy.ts';
import type { LayerNode } from '../categorizer.ts';
import { categoryNameOf } from './category-names.ts';
import { type EntityWork, put } from './layer-work.ts';
import type { Label } from './vocabulary.ts';

/** A finer category that few belong to is rather a curiosity of the taxonomy. */
const FINER_MINIMUM = 5;
/** One that nearly all belong to makes nothing finer. */
const FINER_SHARE = 0.7;
/** A common noun of one or two words. */
const COMMON = /^\p{Ll}[\p{Ll}'-]*(?: \p{Ll}+)?$/u;
const LONGEST_NOUN = 24;
/** WordNet's own terms, which are in no one's mouth. */
const JARGON =
  /^(?:whole|unit|placental|vertebrate|chordate|(?:.* )?ungulate|.*(?:organism|entity|agent|matter|mammal|feature|artifact|abstraction|instrumentality|phenomenon|measure|adult|male|female)|(?:cognitive|psychological|administrative|geographical?|urban|vascular|woody|reproductive|physical|natural|organic|definite|unpleasant|unwelcome|skilled|wrong|visual|auditory|bad|good) .*)$/;

/** Takes out what meets further down; what is left is given back. A kind has a higher number than what it is a kind of. */
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

export function isBrowsable(noun: string): boolean {
  return COMMON.test(noun) && !JARGON.test(noun) && noun.length <= LONGEST_NOUN;
}
