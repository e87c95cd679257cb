import { Command, Option } from 'commander';
import { ANSWERERS, type Answerer, type GivenAnswer } from '../../../src/answer/given-answer.ts';
import type { Citation } from '../../../src/model/retrieved-item.ts';
import { RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import type { Config } from '../../config.ts';
import type { AnswerEvent } from '../../contract.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { reason } from '../describe-item.ts';
import { describeUsage } from '../enrichment.ts';
import {
  type CommonFlags,
  commonFlags,
  type LookBackFlags,
  languageModelFlags,
  someWords,
  wholeNumber,
} from '../flags.ts';
import { type ClientOptions, withClient } from '../run-command.ts';

type AskFlags = CommonFlags &
  Partial<Config> &
  LookBackFlags & {
    readonly answerer?: Answerer;
    readonly asker?: string;
    readonly earlier?: readonly string[];
  };

export function askCommand(terminal: Terminal): Command {
  return languageModelFlags(commonFlags(new Command('ask')))
    .description('Answer a question from memory, with citations, or report that memory does not hold enough.')
    .argument('<question>', 'the question', someWords)
    .option('--k <number>', 'turns to read for the answer', wholeNumber)
    .option('--recipe <name>', `how to search, one of: ${RECIPE_NAMES.join(', ')}`)
    .option('--asker <name>', 'who asks: "my" is theirs (default: the only user in memory)', someWords)
    .option('--earlier <question...>', 'earlier questions, the oldest first, that this one continues')
    .option('--as-of <time>', 'answer with what was true at this time')
    .option('--known-at <time>', 'answer with what memory held at this time')
    .addOption(
      new Option(
        '--answerer <name>',
        'local quotes memory, llm asks the language model (default: as the tier)',
      ).choices(ANSWERERS),
    )
    .action(async (question: string, { asOf, knownAt, answerer, asker, earlier, ...flags }: AskFlags) =>
      withClient(
        terminal,
        { ...flags, ...openedFor(answerer), access: 'reads' },
        async ({ client, config, console, signal }) => {
          const { scope, k, recipe, llmTokenBudget: tokenBudget } = config;
          const conversation = { asker, earlier: earlier && [...earlier] };
          const input = {
            ...{ scope, question, k, recipe, tokenBudget, asOf, knownAt, answerer },
            ...conversation,
          };
          const answer = await wholeAnswer(client.ask(input, { signal }));
          console.result(answer, () => describeAnswer(answer, console));
          if (answerer === 'llm' && answer.answerer === 'local' && answer.notes.length === 0)
            console.note(
              'The engine that serves this memory has no language model; the answer quotes memory instead.',
            );
        },
      ),
    );
}

async function wholeAnswer(events: AsyncIterable<AnswerEvent>): Promise<GivenAnswer> {
  let answer: GivenAnswer | undefined;
  for await (const event of events) if (event.type === 'answer') ({ answer } = event);
  return answer!; // the stream ends with the answer or throws
}

/** Opens the memory with the language model if the answer may need it. */
function openedFor(answerer: Answerer | undefined): Pick<ClientOptions, 'purpose' | 'own'> {
  if (answerer === 'local') return { purpose: 'use' };
  return answerer === 'llm' ? { purpose: 'learn', own: { tier: 'llm' } } : { purpose: 'learn' };
}

/**
 * One line for each quote, and below it why it was found and which turns support it. The text of a language model comes
 * first, its citations follow.
 */
export function describeAnswer(answer: GivenAnswer, console: CommandConsole): string[] {
  const spent = describeUsage(answer.usage, answer.byStage ?? {});
  const notes = [...answer.notes.map((note) => `note: ${note}`), ...spent].map((line) =>
    console.style('dim', line),
  );
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
