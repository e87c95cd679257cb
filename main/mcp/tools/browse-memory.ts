import { z } from 'zod';
import type { CategoryTree } from '../../../src/engine/hierarchy/browse-hierarchy.ts';
import { InvalidInputError, MnemisError } from '../../../src/errors/index.ts';
import { placeOf } from '../../../src/langchain/tools/place-of-entity.ts';
import { asLabel, clip, DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import type { OutputOf } from '../../contract.ts';
import { defineTool, type ToolCall } from '../memory-tool.ts';
import type { ToolContext } from '../tool-context.ts';

const PAGE = 25;
const LONGEST_NAME = 80;
const LONGEST_SUMMARY = 500;

const nodeSchema = z.object({
  id: z.string(),
  kind: z.enum(['category', 'entity']),
  name: z.string(),
  layer: z.number().describe('0 for an entity; categories from 1, the more general the higher.'),
  entities: z.number().describe('Entities below it.'),
  summary: z.string().describe('Empty for an entity.'),
  tags: z.array(z.string()),
  alsoIn: z.array(z.string()).describe('Other categories that it belongs to.'),
});

export const browseMemory = defineTool({
  name: 'browse_memory',
  title: 'Browse memory',
  description: `Shows what memory knows about, by category from general to specific: a list of categories and entities (people, places, things) with their sizes and ids. Use it to get an overview, or to list everything of a kind; search_memory tells what is known of one of them. ${DATA_RULE}`,
  input: z.strictObject({
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
  output: z.object({
    category: nodeSchema
      .nullable()
      .describe('Null at the top. An entity tells in alsoIn which categories it is in.'),
    namesakes: z.array(nodeSchema).describe('Others of that name: ask for them by id.'),
    members: z.array(nodeSchema),
    page: z.number(),
    pages: z.number(),
    total: z.number(),
    known: z.number().describe('Entities in all of memory.'),
    uncategorized: z.number().describe('Entities that have no category yet.'),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true },
  run: async ({ category, page = 1 }, context, call) => {
    const reply = await treeOf(context, call, { category, most: page * PAGE });
    const { summaries, entities: known, waiting: uncategorized } = reply;
    const [within, ...namesakes] = category === undefined ? [] : reply.nodes;
    const listed = within?.children ?? reply.nodes;
    const total = within === undefined ? listed.length : listed.length + within.more;
    const nodes = listed.slice((page - 1) * PAGE, page * PAGE);
    const pages = Math.max(1, Math.ceil(total / PAGE));
    const shown = { within, namesakes, nodes, page, pages, total };
    const told = (node: CategoryTree) => toldNode(node, summaries[node.id]);
    return {
      text: describe(shown),
      data: {
        category: within === undefined ? null : told(within),
        namesakes: namesakes.map(told),
        members: nodes.map(told),
        ...{ page, pages, total, known, uncategorized },
      },
    };
  },
});

interface Wanted {
  readonly category: string | undefined;
  /** Children, the largest first. */
  readonly most: number;
}

/** The engine's own words name categories of memory that are like the one asked for: they are data. */
async function treeOf(
  { client, settings: { scope } }: ToolContext,
  { signal }: ToolCall,
  { category, most }: Wanted,
): Promise<OutputOf<'tree'>> {
  const part = category === undefined ? { depth: 0 } : { of: category, depth: 1, limit: most };
  try {
    return await client.tree({ scope, ...part, summaries: true }, { signal });
  } catch (error) {
    if (!MnemisError.isInstance(error) || error.code !== InvalidInputError.code) throw error;
    throw new InvalidInputError('There is no such category; leave category out to see the topmost ones');
  }
}

function toldNode({ id, layer, name, entities, tags, alsoIn }: CategoryTree, summary = '') {
  const kind = layer > 0 ? ('category' as const) : ('entity' as const);
  const brief = clip(summary, LONGEST_SUMMARY);
  return {
    id: id as string,
    kind,
    name,
    layer,
    entities,
    summary: brief,
    tags: [...tags],
    alsoIn: [...alsoIn],
  };
}

interface Shown {
  readonly within: CategoryTree | undefined;
  readonly namesakes: readonly CategoryTree[];
  readonly nodes: readonly CategoryTree[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

function describe({ within, namesakes, nodes, page, pages, total }: Shown): string {
  if (within?.layer === 0) return fence(DATA, placeOf(within));
  if (total === 0) return 'Memory has no categories yet: they are made from what it is told.';
  if (nodes.length === 0) return `There is no page ${page}: the list has ${pages}.`;
  const title = within === undefined ? 'Topmost categories' : `In ${asLabel(within.name, LONGEST_NAME)}`;
  return fence(
    DATA,
    [
      `${title}, ${total} in all, page ${page} of ${pages}:`,
      ...nodes.map(lineOf),
      ...(namesakes.length === 0 ? [] : ['Others of that name:', ...namesakes.map(lineOf)]),
    ].join('\n'),
  );
}

function lineOf({ id, name, layer, entities, tags }: CategoryTree): string {
  const label = asLabel(name, LONGEST_NAME);
  if (layer > 0) return `- ${label} (category, ${entities} in it, id ${id})`;
  const about = tags.map((tag) => asLabel(tag, LONGEST_NAME)).join(', ');
  return `- ${label} (entity${about === '' ? '' : `: ${about}`}, id ${id})`;
}
