import { Command, Option } from 'commander';
import { ANSWERERS, type Answerer, type GivenAnswer } from '../../../src/answer/given-answer.ts';
import type { Citation } from '../../../src/model/retrieved-item.ts';
import { RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import { clockTime } from '../../../src/util/speaker-clock.ts';
import type { Config } from '../../config.ts';
import type { AnswerEvent } from '../../contract.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { describeSources, reason } from '../describe-item.ts';
import { refuseEmptyScope } from '../empty-scope.ts';
import { describeUsage } from '../enrichment.ts';
import {
  type CommonFlags,
  commonFlags,
  type LookBackFlags,
  languageModelFlags,
  lookBackFlags,
  lookBackOf,
  someWords,
  type VerboseFlags,
  verboseFlag,
  wholeNumber,
} from '../flags.ts';
import { type ClientOptions, withClient } from '../run-command.ts';

type AskFlags = CommonFlags &
  Partial<Config> &
  LookBackFlags &
  VerboseFlags & {
    readonly answerer?: Answerer;
    readonly asker?: string;
    readonly earlier?: readonly string[];
  };

export function askCommand(terminal: Terminal): Command {
  const command = languageModelFlags(commonFlags(new Command('ask')))
    .description('Answer a question from memory, with citations, or report that memory does not hold enough.')
    .argument('<question>', 'the question', someWords)
    .option('--k <number>', 'turns to read for the answer', wholeNumber)
    .option('--recipe <name>', `how to search, one of: ${RECIPE_NAMES.join(', ')}`)
    .option('--asker <name>', 'who asks: "my" is theirs (default: the only user in memory)', someWords)
    .option('--earlier <question...>', 'earlier questions, the oldest first, that this one continues')
    .addOption(
      new Option(
        '--answerer <name>',
        'local quotes memory, llm asks the language model (default: as the tier)',
      ).choices(ANSWERERS),
    );
  return verboseFlag(
    lookBackFlags(command, 'answer with'),
    'show why each quote was found, with its score',
  ).action(
    async (question: string, { asOf, knownAt, answerer, asker, earlier, verbose, ...flags }: AskFlags) => {
      const lookBack = await lookBackOf({ asOf, knownAt });
      await withClient(terminal, { ...flags, ...openedFor(answerer), access: 'reads' }, async (command) => {
        const { client, config, console, signal } = command;
        const { scope, k, recipe, llmTokenBudget: tokenBudget } = config;
        const conversation = { asker, earlier: earlier && [...earlier] };
        const input = {
          ...{ scope, question, k, recipe, tokenBudget, answerer, ...lookBack },
          ...conversation,
        };
        const answer = await wholeAnswer(client.ask(input, { signal }));
        if (!answer.answered) await refuseEmptyScope(command);
        console.result(answer, () => describeAnswer(answer, console, verbose));
        if (answerer === 'llm' && answer.answerer === 'local' && answer.notes.length === 0)
          console.note(
            'The engine that serves this memory has no language model; the answer quotes memory instead.',
          );
      });
    },
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
 * One line for each quote, and below it which turns support it; if verbose, also why it was found. The text of a language model comes
 * first, its citations follow.
 */
export function describeAnswer(answer: GivenAnswer, console: CommandConsole, isVerbose = false): string[] {
  const spent = describeUsage(answer.usage, answer.byStage ?? {});
  const notes = [...answer.notes.map((note) => `note: ${note}`), ...spent].map((line) =>
    console.style('dim', line),
  );
  if (!answer.answered) return [console.style('yellow', answer.text), ...notes];
  const isComposed = answer.answerer === 'llm';
  const said = isComposed ? [console.style('bold', answer.text)] : [];
  return [
    ...said,
    ...answer.citations.flatMap((each) => describeCitation(each, { isComposed, isVerbose, console })),
    ...notes,
  ];
}

function describeCitation(
  { number, quote, item }: Citation,
  {
    isComposed,
    isVerbose,
    console,
  }: { readonly isComposed: boolean; readonly isVerbose: boolean; readonly console: CommandConsole },
): string[] {
  const when = item.kind === 'entity' ? '' : `, ${isoDay(clockTime(item))}`;
  const where = console.style(
    'dim',
    `    [${number}] ${item.kind === 'episode' ? 'turn' : item.kind}${when}; ${isVerbose ? reason(item) : describeSources(item)}`,
  );
  return isComposed
    ? [where, console.style('dim', `        ${quote}`)]
    : [`${console.style('bold', quote)} [${number}]`, where];
}
