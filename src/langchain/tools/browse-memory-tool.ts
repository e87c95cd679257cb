import { tool } from '@langchain/core/tools';
import { z } from 'zod';
import type { CategoryTree } from '../../engine/hierarchy/browse-hierarchy.ts';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import { CancelledError } from '../../errors/index.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { type GuardOptions, guarded, type ToolReply } from './guarded.ts';
import { placeOf } from './place-of-entity.ts';

export interface BrowseToolOptions extends Pick<GuardOptions, 'logger'> {
  readonly memory: Pick<MemoryScope, 'hierarchy'>;
}

export const BROWSE_MEMORY = 'browse_memory';
const PAGE = 25;
const LONGEST_NAME = 80;

const schema = z.object({
  category: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Name or id of a category, to see what is in it, or of an entity, to see which it is in. Leave out for the topmost categories.',
    ),
  page: z.number().int().min(1).max(100_000).default(1).describe('Which page of a long list, from 1.'),
});

const DESCRIPTION = `Shows what memory knows about, by category from general to specific: a list of categories and entities (people, places, things) with their sizes and ids. Use it to get an overview, or to list everything of a kind; search_memory tells what is known of one of them. ${DATA_RULE}`;

export function browseMemoryTool({ memory, logger }: BrowseToolOptions) {
  const guard = { name: BROWSE_MEMORY, logger };
  const browse = guarded(guard, async ({ category, page }: z.output<typeof schema>, { signal }) => {
    if (signal?.aborted) throw new CancelledError('memory is as it was', signal.reason);
    const skipped = (page - 1) * PAGE;
    // One more than is shown, for the count of the rest; children come the largest first.
    const options = category === undefined ? { depth: 0 } : { of: category, depth: 1, limit: skipped + PAGE };
    const nodes = await memory.hierarchy.tree(options);
    const [within, ...namesakes] = category === undefined ? [] : nodes;
    const listed = within?.children ?? nodes;
    const total = within === undefined ? nodes.length : within.children.length + within.more;
    return pageReply({ within, namesakes, page, total, nodes: listed.slice(skipped, skipped + PAGE) });
  });
  return tool(browse, {
    ...{ name: BROWSE_MEMORY, description: DESCRIPTION, schema },
    responseFormat: 'content_and_artifact',
  });
}

interface Page {
  readonly within: CategoryTree | undefined;
  readonly namesakes: readonly CategoryTree[];
  readonly page: number;
  readonly nodes: readonly CategoryTree[];
  readonly total: number;
}

function pageReply({ within, namesakes, page, nodes, total }: Page): ToolReply {
  const pages = Math.max(1, Math.ceil(total / PAGE));
  const members = nodes.map(({ id, name, layer, entities, tags, alsoIn }) => ({
    ...{ id: id as string, name, kind: layer > 0 ? 'category' : 'entity', layer, entities },
    ...{ tags: [...tags], alsoIn: [...alsoIn] },
  }));
  const category = within === undefined ? null : { id: within.id as string, name: within.name };
  const artifact = { type: 'browsed', category, page, pages, total, members };
  if (within?.layer === 0) return { content: fence(DATA, placeOf(within)), artifact };
  if (total === 0)
    return { content: 'Memory has no categories yet: they are made from what it is told.', artifact };
  if (nodes.length === 0) return { content: `There are ${pages} pages only.`, artifact };
  const title = within === undefined ? 'Topmost categories' : `In ${asLabel(within.name, LONGEST_NAME)}`;
  const lines = [`${title}, ${total} in all, page ${page} of ${pages}:`, ...nodes.map(lineOf)];
  if (namesakes.length > 0) lines.push('Others of that name:', ...namesakes.map(lineOf));
  return { content: fence(DATA, lines.join('\n')), artifact };
}

function lineOf({ id, name, layer, entities, tags }: CategoryTree): string {
  const label = asLabel(name, LONGEST_NAME);
  if (layer > 0) return `- ${label} (category, ${entities} in it, id ${id})`;
  const about = tags.map((tag) => asLabel(tag, LONGEST_NAME)).join(', ');
  return `- ${label} (entity${about === '' ? '' : `: ${about}`}, id ${id})`;
}
