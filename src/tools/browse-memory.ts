import { z } from 'zod';
import type { CategoryTree } from '../engine/hierarchy/browse-hierarchy.ts';
import { CancelledError, InvalidInputError, MnemisError } from '../errors/index.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../prompts/as-data.ts';
import { defineTool, type ToolContext, type ToolTree } from './agent-tool.ts';

const PAGE = 25;
const LONGEST_NAME = 80;

/** One page of a category's members, or of the topmost categories. */
export interface BrowsedPage {
  readonly tree: ToolTree;
  /** Undefined at the top. An entity has no members. */
  readonly within: CategoryTree | undefined;
  /** Other nodes with that name. */
  readonly namesakes: readonly CategoryTree[];
  readonly members: readonly CategoryTree[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

export const browseMemory = defineTool({
  name: 'browse_memory',
  title: 'Browse memory',
  description: `Shows what memory knows about, by category from general to specific: a list of categories and entities (people, places, things) with their sizes and ids. Use it to get an overview, or to list everything of a kind; search_memory tells what is known of one of them. ${DATA_RULE}`,
  input: z.object({
    category: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        'Name or id of a category, to see what is in it, or of an entity, to see which it is in. Leave out for the topmost categories.',
      ),
    page: z.number().int().min(1).max(10_000).optional().describe('Which page of a long list, from 1.'),
  }),
  run: async ({ category, page = 1 }, context: ToolContext<'tree'>, { signal }) => {
    if (signal?.aborted) throw new CancelledError('memory is unchanged', signal.reason);
    const tree = await treeOf(context, { category, most: page * PAGE, signal });
    const [within, ...namesakes] = category === undefined ? [] : tree.nodes;
    const listed = within?.children ?? tree.nodes;
    const total = listed.length + (within?.more ?? 0);
    const pages = Math.max(1, Math.ceil(total / PAGE));
    const members = listed.slice((page - 1) * PAGE, page * PAGE);
    const shown: BrowsedPage = { tree, within, namesakes, members, page, pages, total };
    return { text: describe(shown), data: shown };
  },
});

interface Wanted {
  readonly category: string | undefined;
  /** Children, the largest first. */
  readonly most: number;
  readonly signal: AbortSignal | undefined;
}

/** The engine's message names similar categories, which are data, so it is not passed on. */
async function treeOf({ memory }: ToolContext<'tree'>, { category, most, signal }: Wanted) {
  const part = category === undefined ? { depth: 0 } : { of: category, depth: 1, limit: most };
  try {
    return await memory.tree(part, { signal });
  } catch (error) {
    if (!MnemisError.isInstance(error) || error.code !== InvalidInputError.code) throw error;
    throw new InvalidInputError('There is no such category; leave category out to see the topmost ones');
  }
}

function describe({ within, namesakes, members, page, pages, total }: BrowsedPage): string {
  if (within?.layer === 0) return fence(DATA, placeOf(within));
  if (total === 0) return 'Memory has no categories yet: they are made from what it is told.';
  if (members.length === 0) return `There is no page ${page}: the list has ${pages}.`;
  const title = within === undefined ? 'Topmost categories' : `In ${asLabel(within.name, LONGEST_NAME)}`;
  const lines = [`${title}, ${total} in all, page ${page} of ${pages}:`, ...members.map(lineOf)];
  if (namesakes.length > 0) lines.push('Others of that name:', ...namesakes.map(lineOf));
  return fence(DATA, lines.join('\n'));
}

function placeOf({ name, alsoIn }: CategoryTree): string {
  const label = asLabel(name, LONGEST_NAME);
  const categories = alsoIn.map((category) => asLabel(category, LONGEST_NAME)).join(', ');
  return categories === ''
    ? `${label} is an entity in no category yet.`
    : `${label} is an entity, in: ${categories}.`;
}

function lineOf({ id, name, layer, entities, tags }: CategoryTree): string {
  const label = asLabel(name, LONGEST_NAME);
  if (layer > 0) return `- ${label} (category, ${entities} in it, id ${id})`;
  const about = tags.map((tag) => asLabel(tag, LONGEST_NAME)).join(', ');
  return `- ${label} (entity${about === '' ? '' : `: ${about}`}, id ${id})`;
}
