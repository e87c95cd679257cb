import type { Command } from 'commander';
import type { Answerer, GivenAnswer } from '../../../src/answer/given-answer.ts';
import type { Citation } from '../../../src/model/retrieved-item.ts';
import { isoDay } from '../../../src/util/iso-day.ts';
import { clockTime } from '../../../src/util/speaker-clock.ts';
import { localOffset } from '../../../src/util/time-zone.ts';
import type { AnswerEvent } from '../../contract.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { contractCommand, lookBackFields } from '../contract-command.ts';
import { describeSources, reason } from '../describe-item.ts';
import { describeUsage } from '../enrichment.ts';
import { languageModelFlags, type VerboseFlags, verboseFlag } from '../flags.ts';
import type { ClientOptions } from '../run-command.ts';
import { REWRITE_FIELD, SEARCH_FIELDS } from './search.ts';

interface AskFlags extends VerboseFlags {
  readonly answerer?: Answerer;
}

export function askCommand(terminal: Terminal): Command {
  return contractCommand<'ask', GivenAnswer, AskFlags>(terminal, {
    name: 'ask',
    summary: 'Answer a question from memory, with citations, or report that memory does not hold enough.',
    method: 'ask',
    before: languageModelFlags,
    fields: {
      question: { argument: '<question>', says: 'the question' },
      k: { says: 'turns to read for the answer' },
      recipe: SEARCH_FIELDS.recipe,
      ...REWRITE_FIELD,
      asker: { says: 'who asks: "my" is theirs (default: the only user in memory)' },
      earlier: {
        value: 'question...',
        says: 'earlier questions, the oldest first, that this one continues',
      },
      answerer: { says: 'local quotes memory, llm asks the language model (default: as the tier)' },
      ...lookBackFields('answer with'),
    },
    input: () => ({ offset: localOffset(Date.now()) }),
    after: (command) => verboseFlag(command, 'show why each quote was found, with its score'),
    opening: ({ answerer }) => openedFor(answerer),
    result: wholeAnswer,
    isEmpty: ({ answered }) => !answered,
    lines: (answer, { console, flags }) => describeAnswer(answer, console, flags.verbose),
    print: (answer, { console, flags }) => {
      if (flags.answerer === 'llm' && answer.answerer === 'local' && answer.notes.length === 0)
        console.note(
          'The engine that serves this memory has no language model; the answer quotes memory instead.',
        );
    },
  });
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
  const { found, verdict, answered } = answer;
  const isComposed = answer.answerer === 'llm';
  const first = answered && !isComposed ? verdict : answer.text;
  const nearest = found === undefined ? [] : [`found: ${found.quote} (${describeSources(found.item)})`];
  const said = first === undefined ? [] : [console.style(answered ? 'bold' : 'yellow', first)];
  return [
    ...said,
    ...nearest,
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
