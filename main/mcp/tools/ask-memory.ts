import { z } from 'zod';
import { ANSWERERS, type AnswerEvent, type GivenAnswer } from '../../../src/answer/given-answer.ts';
import { asData, asLabel, DATA, DATA_RULE, fence } from '../../../src/prompts/as-data.ts';
import { EngineReplyError } from '../../client/engine-reply-error.ts';
import { lookBackInput, lookBackOf } from '../look-back-input.ts';
import { defineTool } from '../memory-tool.ts';
import type { ProgressReporter } from '../progress-reporter.ts';
import { sourcesOf } from '../told-items.ts';

const LONGEST_ANSWER = 8_000;
const LONGEST_QUOTE = 400;

export const askMemory = defineTool({
  name: 'ask_memory',
  title: 'Ask memory',
  description: `Answers one question from memory, citing the turns that the answer rests on, or says that memory does not suffice. search_memory gives the evidence itself. ${DATA_RULE}`,
  input: z.strictObject({
    question: z.string().min(1).max(10_000).describe('One question, understood without this conversation.'),
    ...lookBackInput,
  }),
  output: z.object({
    answered: z.boolean().describe('False where memory does not hold enough.'),
    answer: z.string(),
    answerer: z.enum(ANSWERERS).describe('local: memory’s own words; llm: a language model read it.'),
    confidence: z.number().nullable().describe('From 0 to 1; null where a language model answered.'),
    citations: z.array(
      z.object({
        number: z.number().describe('As it stands in brackets in the answer.'),
        kind: z.enum(['episode', 'fact', 'entity']),
        id: z.string(),
        quote: z.string(),
        sources: z.array(z.string()).describe('Addresses of the turns, at most 5.'),
      }),
    ),
    notes: z.array(z.string()),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true },
  run: async ({ question, ...times }, { client, settings }, { signal, progress }) => {
    const { scope, recipe, k, tokenBudget } = settings;
    const options = { k, recipe, tokenBudget, ...lookBackOf(times) };
    const answer = await lastOf(client.ask({ scope, question, ...options }, { signal }), progress);
    const { answered, text, answerer, confidence, citations, notes } = answer;
    return {
      text: describe(answer),
      data: {
        ...{ answered, answer: text, answerer, confidence, notes: [...notes] },
        citations: citations.map(({ number, quote, item }) => ({
          ...{ number, quote, kind: item.kind, id: item.id },
          sources: sourcesOf(item, scope),
        })),
      },
    };
  },
});

async function lastOf(events: AsyncIterable<AnswerEvent>, progress: ProgressReporter): Promise<GivenAnswer> {
  let answer: GivenAnswer | undefined;
  for await (const event of events)
    if (event.type === 'found') {
      const { episodes, facts, entities } = event.result;
      const found = episodes.length + facts.length + entities.length;
      progress.report(1, 2, `Found ${found} pieces of evidence`);
    } else if (event.type === 'answer') answer = event.answer;
  if (answer === undefined) throw new EngineReplyError();
  return answer;
}

/** The answer too is made of what memory holds, so that it is fenced with its quotes. */
function describe({ answered, text, citations, notes }: GivenAnswer): string {
  if (!answered) return [text, ...notes.map((note) => `(${note})`)].join('\n');
  const quotes = citations.map(({ number, quote }) => `[${number}] ${asLabel(quote, LONGEST_QUOTE)}`);
  const lines = [asData(text, LONGEST_ANSWER), ...quotes];
  return [fence(DATA, lines.join('\n')), ...notes.map((note) => `(${note})`)].join('\n');
}
