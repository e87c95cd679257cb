import { z } from 'zod';
import type { Prompt } from '../../../model/prompt.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../../prompts/as-data.ts';
import { replyList, replyNumbers, replyText, replyTexts } from '../../../prompts/reply-parts.ts';

export interface NodeToCategorize {
  readonly name: string;
  readonly tags: readonly string[];
}

export interface CategorizeInput {
  /** The layer of the categories to propose, from 1. */
  readonly layer: number;
  /** Numbered from 1. */
  readonly nodes: readonly NodeToCategorize[];
  /** Names of existing categories of this layer, offered for reuse. */
  readonly known: readonly string[];
  /** A sample of other nodes of the layer below, which shows how fine it is; empty for layer 1. */
  readonly below: readonly string[];
  /** Least number of nodes of a new category; 1 where others of its kind may be shown in another call. */
  readonly minimumChildren: number;
  /** Name of a category that is too large: the nodes are its children, and narrower categories are to replace it. */
  readonly within?: string | undefined;
}

const LONGEST_NAME = 80;
const LONGEST_TAG = 40;
const MOST_TAGS = 4;
/** The default kind carries no information and would cost tokens for every node. */
const PLAIN_KIND = 'thing';

const schema = z.object({
  categories: replyList(z.object({ category: replyText, tags: replyTexts, nodes: replyNumbers })),
  /** Nodes of no category; a node in neither list was forgotten, and is asked about again. */
  alone: replyNumbers,
});

function sizeRule({ minimumChildren }: CategorizeInput): string {
  return minimumChildren <= 1
    ? 'A new category may begin with one node, as further nodes are shown elsewhere.'
    : `A new category has ${minimumChildren} nodes or more.`;
}

export type CategorizeReply = z.output<typeof schema>;

/** Groups the nodes of a layer into categories of the next (Mnemis §2.2). */
export const categorizeNodes: Prompt<CategorizeInput, CategorizeReply> = {
  name: 'categorize-nodes',
  version: 2,
  schema,
  expectedTokens: 700,
  brief: (
    input,
  ) => `You group numbered nodes into categories by which a person browses a memory. ${DATA_RULE} "known:" lists categories that exist.
- A name is 1 to 3 plain words for one kind or theme, as narrow as the group allows. Use a known category, spelt as listed, where it fits.
- A node goes into every category that fits it. One that fits none goes into alone.
category: the name. tags: for a new one up to 3, else empty. nodes: their numbers. alone: numbers of the nodes of no category.
${sizeRule(input)} ${layerRule(input)}`,
  shown: ({ nodes: { length } }) => ({ nodes: length, alone: length }),
  render: (input) => ({
    system: `You build the category tree by which a person browses a memory. ${DATA_RULE} Numbered lines there are nodes: number name [tags]. "known:" lists categories of this layer by which others were grouped.
Reply with the categories of layer ${input.layer}. ${layerRule(input)}
- The narrowest idea that holds a group is right: it says what its nodes have in common by name and nature, and leaves wider ideas to higher layers. ${sizeRule(input)}
- A node goes into every category that fits one of its sides, often 2, at most 4. One that fits none of them goes into alone.
- Where a known category fits, use it, spelt as listed, rather than make a new one like it.
- A name is 1 to 3 plain words for a kind or a theme, of one subject: never two joined by "and" or a slash; make two categories.
category: the name. tags: for a new one up to 3, of up to 3 words, on what it holds; else empty. nodes: their numbers. alone: numbers of the nodes of no category.`,
    user: fence(DATA, shown(input)),
  }),
};

function layerRule({ layer, within, minimumChildren }: CategorizeInput): string {
  if (within !== undefined)
    return `All nodes are of one category, named in "within:", that grew too large: find at least 2 narrower ones, of ${minimumChildren} nodes or more, that part it.`;
  if (layer === 1) return 'It is the finest; its nodes are people, places, things and dates.';
  return `Its nodes are categories of layer ${layer - 1}${layer === 2 ? '' : ', groups of groups'}: name what several of them are kinds or parts of, one step wider and no more.`;
}

function shown({ nodes, known, below, within }: CategorizeInput): string {
  return [
    ...list('known', known),
    ...list('also in the layer below', below),
    ...list('within', within === undefined ? [] : [within]),
    ...nodes.map(shownNode),
  ].join('\n');
}

function list(label: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`${label}: ${names.map((name) => asLabel(name, LONGEST_NAME)).join('; ')}`];
}

function shownNode({ name, tags }: NodeToCategorize, at: number): string {
  const informative = tags.filter((tag) => tag !== PLAIN_KIND).slice(0, MOST_TAGS);
  const shownTags = informative.map((tag) => asLabel(tag, LONGEST_TAG)).join(', ');
  return `${at + 1} ${asLabel(name, LONGEST_NAME)}${shownTags === '' ? '' : ` [${shownTags}]`}`;
}
