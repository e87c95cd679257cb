import { z } from 'zod';
import type { AnswerEvent, GivenAnswer } from '../answer/given-answer.ts';
import { options } from '../model/options.ts';
import { asData, asLabel, DATA, DATA_RULE, fence } from '../prompts/as-data.ts';
import { counted } from '../util/counted.ts';
import { defineTool, type ToolContext } from './agent-tool.ts';
import { checkTimes } from './check-time.ts';
import { lookBackInput } from './search-memory.ts';

const LONGEST_ANSWER = 8_000;
const LONGEST_QUOTE = 400;

export const askMemory = defineTool({
  name: 'ask_memory',
  title: 'Ask memory',
  description: `Answers one question from memory, citing the turns that the answer rests on, or says that memory does not suffice. search_memory gives the evidence itself. ${DATA_RULE}`,
  input: z.object({
    question: options.query
      .min(1)
      .describe('One question, understood without this conversation or with `earlier`.'),
    earlier: options.earlier
      .optional()
      .describe('Earlier questions of the same person, the oldest first, if the question continues them.'),
    ...lookBackInput,
  }),
  run: async (
    { question, earlier, ...times },
    { memory, settings }: ToolContext<'ask'>,
    { signal, progress },
  ) => {
    checkTimes(times);
    const onEvent = (event: AnswerEvent) => {
      if (event.type !== 'found') return;
      const { episodes, facts, entities } = event.result;
      const found = episodes.length + facts.length + entities.length;
      progress(1, 2, `Found ${counted(found, 'piece')} of evidence`);
    };
    const lookBack = { asOf: times.as_of, knownAt: times.known_at };
    const answer = await memory.ask(question, { k: settings.k, ...lookBack, earlier, signal, onEvent });
    return { text: describe(answer), data: answer };
  },
});

/** The answer is also made from stored text, so it is fenced with its quotes. */
function describe({ answered, text, citations, notes, found }: GivenAnswer): string {
  const nearest =
    found === undefined
      ? []
      : [fence(DATA, `found, which is no answer: ${asLabel(found.quote, LONGEST_QUOTE)}`)];
  if (!answered) return [text, ...nearest, ...notes.map((note) => `(${note})`)].join('\n');
  const quotes = citations.map(({ number, quote }) => `[${number}] ${asLabel(quote, LONGEST_QUOTE)}`);
  const lines = [asData(text, LONGEST_ANSWER), ...quotes];
  return [fence(DATA, lines.join('\n')), ...notes.map((note) => `(${note})`)].join('\n');
}
