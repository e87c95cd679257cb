import { Command } from 'commander';
import type { RetrievedItem } from '../../../src/model/retrieved-item.ts';
import { RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import type { Config } from '../../config.ts';
import type { Terminal } from '../console.ts';
import { describeItem } from '../describe-item.ts';
import { type CommonFlags, commonFlags, type LookBackFlags, someWords, wholeNumber } from '../flags.ts';
import { withClient } from '../run-command.ts';

export function searchCommand(terminal: Terminal): Command {
  return commonFlags(new Command('search'))
    .description('Find the turns, entities and facts that are relevant to a question.')
    .argument('<query>', 'the question or words to search for', someWords)
    .option('--k <number>', 'turns to return; entities and facts get twice as many', wholeNumber)
    .option('--recipe <name>', `how to search, one of: ${RECIPE_NAMES.join(', ')}`)
    .option('--as-of <time>', 'search what was true at this time')
    .option('--known-at <time>', 'search what memory held at this time')
    .action(
      async (query: string, { asOf, knownAt, ...flags }: CommonFlags & Partial<Config> & LookBackFlags) =>
        withClient(terminal, { ...flags, access: 'reads' }, async ({ client, config, console, signal }) => {
          const { scope, k, recipe } = config;
          const result = await client.search({ scope, query, k, recipe, asOf, knownAt }, { signal });
          console.result(result, () => {
            const found = [...result.episodes, ...result.facts, ...result.entities];
            if (found.length === 0) return [`No results in scope "${config.scope}".`];
            return [
              ...section('Episodes', result.episodes),
              ...section('Facts', result.facts),
              ...section('Entities', result.entities),
              console.style('dim', `${found.length} items in ${result.milliseconds.toFixed(1)} ms`),
            ];
          });
          function section(title: string, items: readonly RetrievedItem[]): string[] {
            if (items.length === 0) return [];
            return [
              console.style('bold', title),
              ...items.flatMap((item) => describeItem(item, console)),
              '',
            ];
          }
        }),
    );
}
