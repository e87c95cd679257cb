import { Command } from 'commander';
import type { SearchResult } from '../../../src/model/retrieved-item.ts';
import { RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import type { Config } from '../../config.ts';
import type { Terminal } from '../console.ts';
import { describeFound } from '../describe-item.ts';
import { refuseEmptyScope } from '../empty-scope.ts';
import {
  type CommonFlags,
  commonFlags,
  type LookBackFlags,
  lookBackFlags,
  lookBackOf,
  someWords,
  type VerboseFlags,
  verboseFlag,
  wholeNumber,
} from '../flags.ts';
import { withClient } from '../run-command.ts';

type SearchFlags = CommonFlags & Partial<Config> & LookBackFlags & VerboseFlags;

export function searchCommand(terminal: Terminal): Command {
  const command = commonFlags(new Command('search'))
    .description('Find the turns, entities and facts that are relevant to a question.')
    .argument('<query>', 'the question or words to search for', someWords)
    .option(
      '--k <number>',
      'how many turns, facts and entities to show (default: a few of each)',
      wholeNumber,
    )
    .option('--recipe <name>', `how to search, one of: ${RECIPE_NAMES.join(', ')}`);
  return verboseFlag(
    lookBackFlags(command, 'search'),
    'show all that was found, with reasons, scores and ids',
  ).action(async (query: string, { asOf, knownAt, verbose = false, ...flags }: SearchFlags) => {
    const lookBack = await lookBackOf({ asOf, knownAt });
    await withClient(terminal, { ...flags, access: 'reads' }, async (command) => {
      const { client, config, console, signal } = command;
      const { scope, k, recipe } = config;
      const result = await client.search({ scope, query, k, recipe, ...lookBack }, { signal });
      const found = [...result.episodes, ...result.facts, ...result.entities];
      if (found.length === 0) await refuseEmptyScope(command);
      console.result(result, () => {
        if (found.length === 0) return [`No results in scope "${scope}".`];
        const most = verbose ? found.length : flags.k;
        const { lines, hidden } = describeFound(result, { most, reasons: verbose }, console);
        return [...lines, console.style('dim', describeCount(result, hidden))];
      });
    });
  });
}

/** The last line: how many items were found, and how many of them are not shown. */
export function describeCount(
  { episodes, facts, entities, milliseconds }: SearchResult,
  hidden: number,
): string {
  const more = hidden === 0 ? '' : `; ${hidden} more with --verbose`;
  return `${episodes.length + facts.length + entities.length} found in ${milliseconds.toFixed(0)} ms${more}`;
}
