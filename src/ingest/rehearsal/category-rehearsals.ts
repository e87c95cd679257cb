import {
  type NounSense,
  type NounTaxonomy,
  sharedNounTaxonomy,
} from '../../inference/taxonomy/noun-taxonomy.ts';
import {
  type CategorizeInput,
  categorizeNodes,
  type NodeToCategorize,
} from '../../prompts/categorize-nodes.ts';
import { type DescribeCategoriesInput, describeCategories } from '../../prompts/describe-categories.ts';
import { capitalized } from '../../util/capitalized.ts';
import { groupBy } from '../../util/group-by.ts';
import { shorten } from '../../util/tidy.ts';
import { type Rehearsal, rehearsal } from './rehearsal.ts';

/** What kinds of entities are called together; the kind of all others says nothing. */
const KINDS: Readonly<Record<string, string>> = {
  person: 'People',
  place: 'Places',
  organisation: 'Organisations',
  date: 'Dates',
};
const PLAIN_KIND = 'thing';
/** How far below "entity" the kinds of a layer lie: the finest first. */
const DEPTHS = [7, 5, 4, 3, 2];
/** How much finer the parts of a category are. */
const FINER = 2;
const LONGEST_SUMMARY = 240;

/** The prompts of the hierarchy. A taxonomy of nouns stands for what a model would call kinds. */
export function categoryRehearsals(): Rehearsal[] {
  let taxonomy: Promise<NounTaxonomy> | undefined;
  return [
    rehearsal(categorizeNodes, async (input) => {
      taxonomy ??= sharedNounTaxonomy();
      return categories(input, await taxonomy);
    }),
    rehearsal(describeCategories, async (input) => summaries(input)),
  ];
}

function categories({ nodes, layer, within, known }: CategorizeInput, taxonomy: NounTaxonomy) {
  const depth = (DEPTHS[layer - 1] ?? 1) + (within === undefined ? 0 : FINER);
  const tagged = groupBy(nodes.flatMap(tagsOf), (tag) => tag);
  const named = nodes.flatMap((node, at) => {
    const shared = tagsOf(node).filter((tag) => tagged.get(tag)!.length > 1);
    const kinds = node.tags.flatMap((tag) => (within === undefined ? (KINDS[tag] ?? []) : []));
    const names = [...kinds, ...shared, kindOf(node.name, depth, taxonomy) ?? lastWord(node.name)];
    return [...new Set(names.map(capitalized))].map((name) => ({ name, at }));
  });
  return {
    categories: Array.from(
      groupBy(named, ({ name }) => name),
      ([category, members]) => ({
        category,
        tags: known.includes(category) ? [] : [category.toLowerCase()],
        nodes: members.map(({ at }) => at + 1),
      }),
    ),
  };
}

function tagsOf({ tags }: NodeToCategorize): string[] {
  return [...new Set(tags)].filter((tag) => tag !== PLAIN_KIND && KINDS[tag] === undefined);
}

/** What the taxonomy calls the kind of thing, so far below "entity" or just above the thing itself. */
function kindOf(name: string, depth: number, taxonomy: NounTaxonomy): string | undefined {
  const head = lastWord(name);
  const forms = [name, head, head.replace(/ies$/, 'y'), head.replace(/es$/, ''), head.replace(/s$/, '')];
  const [sense] = forms.flatMap((form) => taxonomy.sensesOf(form.toLowerCase()));
  if (sense === undefined) return undefined;
  const chain = chainTo(sense, taxonomy);
  const kind = chain[Math.max(0, Math.min(depth, chain.length - 2))]!;
  return taxonomy.namesOf(kind)[0];
}

function chainTo(sense: NounSense, taxonomy: NounTaxonomy): NounSense[] {
  const chain: NounSense[] = [];
  for (let at: NounSense | undefined = sense; at !== undefined; at = taxonomy.parentsOf(at)[0])
    chain.unshift(at);
  return chain;
}

function lastWord(name: string): string {
  return /[\p{L}\p{N}]+(?=[^\p{L}\p{N}]*$)/u.exec(name)?.[0].toLowerCase() ?? 'thing';
}

/** What is known of the first children. */
function summaries({ categories }: DescribeCategoriesInput) {
  return {
    summaries: categories.map(({ name, children }, at) => {
      const told = children.map(({ summary }) => summary).filter((summary) => summary !== '');
      const names = children.slice(0, 5).map((child) => child.name);
      const summary = `${name}: ${names.join(', ')}. ${told.slice(0, 3).join(' ')}`;
      return { category: at + 1, summary: shorten(summary, LONGEST_SUMMARY) };
    }),
  };
}
