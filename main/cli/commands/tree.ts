import { Command, InvalidArgumentError } from 'commander';
import type { CategoryTree } from '../../../src/engine/hierarchy/browse-hierarchy.ts';
import { REMAINDERS } from '../../../src/hierarchy/category-name.ts';
import { type CommandConsole, counted, type Terminal } from '../console.ts';
import { refuseEmptyScope } from '../empty-scope.ts';
import { type CommonFlags, commonFlags, wholeNumber } from '../flags.ts';
import { withClient } from '../run-command.ts';

interface TreeFlags extends CommonFlags {
  readonly depth?: number;
  readonly limit?: number;
  readonly summaries?: boolean;
}

/** Nodes per level that fit on a screen. */
const DEFAULT_LIMIT = 20;

export function treeCommand(terminal: Terminal): Command {
  return commonFlags(new Command('tree'))
    .description('Browse the entities of a scope by category: people, places, activities.')
    .argument('[category]', 'a category or an entity, by name or id (default: the top)')
    .option('--depth <number>', 'levels to show below the first, from 0 (default: all)', levels)
    .option(
      '--limit <number>',
      `nodes to list at the top and in each category (default: ${DEFAULT_LIMIT})`,
      wholeNumber,
    )
    .option('--summaries', 'show the summary of each category')
    .addHelpText(
      'after',
      `
Reading turns for facts creates the categories. A node may be in several: "also" names the others, and "see" the place \
that lists its content. Give an entity's name to see its categories. A summary often answers a question:

  mnemis tree Health --summaries --depth 1`,
    )
    .action(
      async (
        category: string | undefined,
        { depth, limit = DEFAULT_LIMIT, summaries = false, ...flags }: TreeFlags,
      ) =>
        withClient(terminal, { ...flags, access: 'reads' }, async (command) => {
          const { client, config, console, signal } = command;
          const { scope } = config;
          const asked = { scope, of: category, depth, limit, summaries };
          const { nodes: tree, more, entities, waiting, ...reply } = await client.tree(asked, { signal });
          if (entities === 0) await refuseEmptyScope(command);
          const summaryOf = new Map(Object.entries(reply.summaries));
          const report = { scope, tree: tree.map((node) => withSummaries(node, summaryOf)), more };
          console.result(report, () => {
            if (tree.length === 0) return [nothingYet(scope, entities)];
            const isRest = ({ name, layer }: CategoryTree) =>
              category === undefined && layer > 0 && REMAINDERS.has(name);
            const isLong = (node: CategoryTree) => isRest(node) && node.entities > limit;
            const shown = [...tree.filter((node) => !isRest(node)), ...tree.filter(isRest)];
            return [
              ...shown
                .filter((node) => !isLong(node))
                .flatMap((node) => lines(node, { summaryOf, console, indent: '' })),
              ...(more > 0 ? [console.style('dim', `and ${more} more`)] : []),
              ...shown.filter(isLong).map(({ name, entities: count }) => inNoCategory(name, count)),
              ...(waiting === 0
                ? []
                : [
                    `${counted(waiting, 'entity', 'entities')} without a category: "mnemis hierarchy update" places them`,
                  ]),
            ];
          });
        }),
    );
}

function inNoCategory(name: string, count: number): string {
  const what = name === 'Names' ? counted(count, 'name') : counted(count, 'entity', 'entities');
  return `${what} without a category: "mnemis tree ${name}" lists them`;
}

function levels(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(text);
}

function nothingYet(scope: string, entities: number): string {
  return entities === 0
    ? `Scope "${scope}" has no entities yet; "mnemis import" or "mnemis resume" reads turns for facts and entities.`
    : `Scope "${scope}" has ${counted(entities, 'entity', 'entities')} and no categories yet: "mnemis hierarchy update" creates them.`;
}

function lines(
  node: CategoryTree,
  {
    summaryOf,
    console,
    indent,
  }: { summaryOf: ReadonlyMap<string, string>; console: CommandConsole; indent: string },
): string[] {
  const { name, layer, entities, alsoIn, children, more, listedAt } = node;
  const others = alsoIn.length === 0 ? '' : `  ${indent === '' ? 'in' : 'also'} ${alsoIn.join(', ')}`;
  const see = listedAt === undefined ? '' : `  see ${listedAt.join(' → ')}`;
  const also = others + see === '' ? '' : console.style('dim', others + see);
  const head = layer === 0 ? name : `${console.style('bold', name)} ${console.style('dim', `(${entities})`)}`;
  const summary = summaryOf.get(node.id);
  const below = `${indent}  `;
  return [
    `${indent}${head}${also}`,
    ...(summary === undefined ? [] : [`${below}${console.style('dim', summary)}`]),
    ...children.flatMap((child) => lines(child, { summaryOf, console, indent: below })),
    ...(more > 0 && children.length > 0 ? [`${below}${console.style('dim', `and ${more} more`)}`] : []),
  ];
}

type TreeWithSummaries = Omit<CategoryTree, 'children'> & {
  readonly summary?: string;
  readonly children: readonly TreeWithSummaries[];
};

function withSummaries(node: CategoryTree, summaryOf: ReadonlyMap<string, string>): TreeWithSummaries {
  const summary = summaryOf.get(node.id);
  const children = node.children.map((child) => withSummaries(child, summaryOf));
  return { ...node, children, ...(summary === undefined ? {} : { summary }) };
}
