import type { Command } from 'commander';
import type { CategoryTree } from '../../../src/engine/hierarchy/browse-hierarchy.ts';
import type { OutputOf } from '../../contract.ts';
import { type CommandConsole, counted, type Terminal } from '../console.ts';
import { contractCommand } from '../contract-command.ts';

/** Nodes per level that fit on a screen. */
const DEFAULT_LIMIT = 20;

export function treeCommand(terminal: Terminal): Command {
  return contractCommand<'tree', OutputOf<'tree'>, TreeFlags>(terminal, {
    name: 'tree',
    summary: 'Browse the entities of a scope by category: people, places, activities.',
    help: `
Reading turns for facts creates the categories. A node may be in several: "also" names the others, and "see" the place \
that lists its content. Give an entity's name to see its categories. A summary often answers a question:

  mnemis tree Health --summaries --depth 1`,
    method: 'tree',
    fields: {
      of: { argument: '[category]', says: 'a category or an entity, by name or id (default: the top)' },
      depth: { says: 'levels to show below the first, from 0 (default: all)' },
      limit: { says: `nodes to list at the top and in each category (default: ${DEFAULT_LIMIT})` },
      summaries: { says: 'show the summary of each category' },
    },
    input: ({ limit = DEFAULT_LIMIT, summaries = false }) => ({ limit, summaries }),
    isEmpty: ({ entities }) => entities === 0,
    json: ({ nodes, more, summaries }, { config: { scope } }) => ({
      scope,
      tree: nodes.map((node) => withSummaries(node, summaries)),
      more,
    }),
    lines: ({ nodes, more, entities, waiting, summaries }, { config, console }) => {
      if (nodes.length === 0) return nothingYet(config.scope, entities);
      return [
        ...nodes.flatMap((node) => lines(node, { summaries, console, indent: '' })),
        ...(more > 0 ? [console.style('dim', `and ${more} more`)] : []),
        ...(waiting === 0
          ? []
          : [
              `${counted(waiting, 'entity', 'entities')} without a category: "mnemis hierarchy update" places them`,
            ]),
      ];
    },
  });
}

interface TreeFlags {
  readonly limit?: number;
  readonly summaries?: boolean;
}

type Summaries = Readonly<Record<string, string>>;

function nothingYet(scope: string, entities: number): string {
  return entities === 0
    ? `Scope "${scope}" has no entities yet; "mnemis import" or "mnemis resume" reads turns for facts and entities.`
    : `Scope "${scope}" has ${counted(entities, 'entity', 'entities')} and no categories yet: "mnemis hierarchy update" creates them.`;
}

function lines(
  node: CategoryTree,
  { summaries, console, indent }: { summaries: Summaries; console: CommandConsole; indent: string },
): string[] {
  const { name, layer, entities, alsoIn, children, more, listedAt } = node;
  const others = alsoIn.length === 0 ? '' : `  ${indent === '' ? 'in' : 'also'} ${alsoIn.join(', ')}`;
  const see = listedAt === undefined ? '' : `  see ${listedAt.join(' → ')}`;
  const also = others + see === '' ? '' : console.style('dim', others + see);
  const head = layer === 0 ? name : `${console.style('bold', name)} ${console.style('dim', `(${entities})`)}`;
  const summary = summaries[node.id];
  const below = `${indent}  `;
  return [
    `${indent}${head}${also}`,
    ...(summary === undefined ? [] : [`${below}${console.style('dim', summary)}`]),
    ...children.flatMap((child) => lines(child, { summaries, console, indent: below })),
    ...(more > 0 && children.length > 0 ? [`${below}${console.style('dim', `and ${more} more`)}`] : []),
  ];
}

type TreeWithSummaries = Omit<CategoryTree, 'children'> & {
  readonly summary?: string;
  readonly children: readonly TreeWithSummaries[];
};

function withSummaries(node: CategoryTree, summaries: Summaries): TreeWithSummaries {
  const summary = summaries[node.id];
  const children = node.children.map((child) => withSummaries(child, summaries));
  return { ...node, children, ...(summary === undefined ? {} : { summary }) };
}
