import type { Command } from 'commander';
import type { SearchResult } from '../../../src/model/retrieved-item.ts';
import { RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import type { Terminal } from '../console.ts';
import { contractCommand, lookBackFields } from '../contract-command.ts';
import { describeFound } from '../describe-item.ts';
import { languageModelFlags, type VerboseFlags, verboseFlag } from '../flags.ts';

export const SEARCH_FIELDS = {
  k: { says: 'how many turns, facts and entities to show (default: a few of each)' },
  recipe: { says: `how to search, one of: ${RECIPE_NAMES.join(', ')}` },
};

/** For commands that may open the memory with a language model. */
export const REWRITE_FIELD = {
  rewrite: { says: 'search other wordings of the question too, which the language model writes' },
};

interface SearchFlags extends VerboseFlags {
  readonly rewrite?: boolean;
}

export function searchCommand(terminal: Terminal): Command {
  return contractCommand<'search', SearchResult, SearchFlags>(terminal, {
    name: 'search',
    summary: 'Find the turns, entities and facts that are relevant to a question.',
    method: 'search',
    before: languageModelFlags,
    fields: {
      query: { argument: '<query>', says: 'the question or words to search for' },
      ...SEARCH_FIELDS,
      minScore: { says: 'only what is at least this relevant, from 0 to 1; nonsense is below 0.3' },
      ...REWRITE_FIELD,
      ...lookBackFields('search'),
    },
    after: (command) => verboseFlag(command, 'show all that was found, with reasons, scores and ids'),
    opening: ({ rewrite }) => (rewrite ? { purpose: 'learn', own: { tier: 'llm' } } : {}),
    isEmpty: (result) => foundIn(result) === 0,
    lines: (result, { console, config, flags: { k, verbose = false } }) => {
      const count = foundIn(result);
      if (count === 0) return `No results in scope "${config.scope}".`;
      const { lines, hidden } = describeFound(
        result,
        { most: verbose ? count : k, reasons: verbose },
        console,
      );
      return [...lines, console.style('dim', describeCount(result, hidden))];
    },
  });
}

export function foundIn({ episodes, facts, entities }: SearchResult): number {
  return episodes.length + facts.length + entities.length;
}

/** The last line: how many items were found, and how many of them are not shown. */
export function describeCount(result: SearchResult, hidden: number): string {
  const more = hidden === 0 ? '' : `; ${hidden} more with --verbose`;
  return `${foundIn(result)} found in ${result.milliseconds.toFixed(0)} ms${more}`;
}
