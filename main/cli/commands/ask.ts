import { Command } from 'commander';
import type { Answer } from '../../../src/model/retrieved-item.ts';
import { RECIPES } from '../../../src/retrieve/recipes/recipes.ts';
import type { Config } from '../../config.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { date, reason } from '../describe-item.ts';
import { wholeNumber } from '../whole-number.ts';
import { type CommonFlags, commonFlags, type LookBackFlags, someWords, withMemory } from '../with-memory.ts';

export function askCommand(terminal: Terminal): Command {
  return commonFlags(new Command('ask'))
    .description('Answer a question from memory, with citations, or say that memory does not suffice.')
    .argument('<question>', 'the question', someWords)
    .option('--k <number>', 'episodes to read for the answer', wholeNumber)
    .option('--recipe <name>', `how to search, one of: ${RECIPES.map(({ name }) => name).join(', ')}`)
    .option('--as-of <time>', 'what was true then')
    .option('--known-at <time>', 'what memory held then')
    .action(
      async (question: string, { asOf, knownAt, ...flags }: CommonFlags & Partial<Config> & LookBackFlags) =>
        withMemory(terminal, { ...flags, access: 'reads' }, async ({ memory, config, console, signal }) => {
          const { k, recipe } = config;
          const answer = await memory.ask(question, { k, recipe, signal, asOf, knownAt });
          console.result(answer, () => describeAnswer(answer, console));
        }),
    );
}

/** Each quote on a line of its own, and under it why it is there and where it was said. */
export function describeAnswer(answer: Answer, console: CommandConsole): string[] {
  if (!answer.answered) return [console.style('yellow', answer.text)];
  return answer.citations.flatMap(({ number, quote, item }) => {
    const when = item.kind === 'entity' ? '' : `, ${date(item.validAt)}`;
    return [
      `${console.style('bold', quote)} [${number}]`,
      console.style('dim', `    [${number}] ${item.kind}${when}; ${reason(item)}`),
    ];
  });
}
