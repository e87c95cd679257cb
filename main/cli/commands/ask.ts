import { Command, Option } from 'commander';
import { ANSWERERS, type Answerer, type GivenAnswer } from '../../../src/answer/given-answer.ts';
import type { Citation } from '../../../src/model/retrieved-item.ts';
import { RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import type { Config } from '../../config.ts';
import type { AnswerEvent } from '../../contract.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { reason } from '../describe-item.ts';
import {
  type CommonFlags,
  commonFlags,
  type LookBackFlags,
  languageModelFlags,
  someWords,
  wholeNumber,
} from '../flags.ts';
import { type ClientOptions, withClient } from '../run-command.ts';

type AskFlags = CommonFlags & Partial<Config> & LookBackFlags & { readonly answerer?: Answerer };

export function askCommand(terminal: Terminal): Command {
  return languageModelFlags(commonFlags(new Command('ask')))
    .description('Answer a question from memory, with citations, or say that memory does not suffice.')
    .argument('<question>', 'the question', someWords)
    .option('--k <number>', 'episodes to read for the answer', wholeNumber)
    .option('--recipe <name>', `how to search, one of: ${RECIPE_NAMES.join(', ')}`)
    .option('--as-of <time>', 'what was true then')
    .option('--known-at <time>', 'what memory held then')
    .addOption(
      new Option(
        '--answerer <name>',
        'local quotes memory, llm has the language model answer (default: the tier’s)',
      ).choices(ANSWERERS),
    )
    .action(async (question: string, { asOf, knownAt, answerer, ...flags }: AskFlags) =>
      withClient(
        terminal,
        { ...flags, ...openedFor(answerer), access: 'reads' },
        async ({ client, config, console, signal }) => {
          const { scope, k, recipe, llmTokenBudget: tokenBudget } = config;
          const input = { scope, question, k, recipe, tokenBudget, asOf, knownAt, answerer };
          const answer = await wholeAnswer(client.ask(input, { signal }));
          console.result(answer, () => describeAnswer(answer, console));
          if (answerer === 'llm' && answer.answerer === 'local' && answer.notes.length === 0)
            console.note(
              'The engine that serves this memory has no language model; these are memory’s own words.',
            );
        },
      ),
    );
}

async function wholeAnswer(events: AsyncIterable<AnswerEvent>): Promise<GivenAnswer> {
  let answer: GivenAnswer | undefined;
  for await (const event of events) if (event.type === 'answer') ({ answer } = event);
  return answer!; // it comes last, or an error does
}

/** A memory that is opened with a language model has it answer. */
function openedFor(answerer: Answerer | undefined): Pick<ClientOptions, 'purpose' | 'own'> {
  if (answerer === 'local') return { purpose: 'use' };
  return answerer === 'llm' ? { purpose: 'learn', own: { tier: 'llm' } } : { purpose: 'learn' };
}

/**
 * Each quote on a line of its own, and under it why it is there and where it was said; what a language model says comes
 * before what it rests on.
 */
export function describeAnswer(answer: GivenAnswer, console: CommandConsole): string[] {
  const notes = answer.notes.map((note) => console.style('dim', `note: ${note}`));
  if (!answer.answered) return [console.style('yellow', answer.text), ...notes];
  const isComposed = answer.answerer === 'llm';
  const said = isComposed ? [console.style('bold', answer.text)] : [];
  return [
    ...said,
    ...answer.citations.flatMap((each) => describeCitation(each, isComposed, console)),
    ...notes,
  ];
}

function describeCitation(
  { number, quote, item }: Citation,
  isComposed: boolean,
  console: CommandConsole,
): string[] {
  const when = item.kind === 'entity' ? '' : `, ${isoDay(item.validAt)}`;
  const where = console.style('dim', `    [${number}] ${item.kind}${when}; ${reason(item)}`);
  return isComposed
    ? [where, console.style('dim', `        ${quote}`)]
    : [`${console.style('bold', quote)} [${number}]`, where];
}
