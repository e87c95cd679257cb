import { ContextTooLongError } from '../../src/errors/index.ts';
import type {
  OfferedTool,
  TextReply,
  ToolRequest,
  ToolRound,
  ToolUse,
} from '../../src/inference/language-model.ts';
import { clip } from '../../src/prompts/as-data.ts';

/** The name of the tool that searches memory again. */
export const SEARCH_MEMORY = 'search_memory';

/** Searches memory in other words, while an answer is written. Its sources are numbered after those of the prompt. */
export const searchMemoryTool: OfferedTool = {
  name: SEARCH_MEMORY,
  description:
    'Searches the memory of earlier conversations once more, in other words than the message has. Use it where the numbered sources do not hold what is asked, and cite what it finds by its numbers.',
  input: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'A question or a few words, with the names that matter.' },
    },
    required: ['question'],
    additionalProperties: false,
  },
};

/** One answer, as its tools see it. */
export interface ToolRun {
  readonly signal: AbortSignal | undefined;
  /** Tokens that the model reads at once; null where that is not known. */
  readonly contextTokens: number | null;
  /** The text that the model reads of a search of memory; null where the answer leaves memory out. */
  readonly searchMemory: ((question: string) => Promise<string>) | null;
}

/** Tools that a model may use while it answers. */
export interface AssistantTools {
  offered(run: ToolRun): Promise<readonly OfferedTool[]>;
  /** The text that the model reads as the result, of a failure too. @throws only when the signal fires */
  call(request: ToolRequest, run: ToolRun): Promise<string>;
}

/** Memory's own tool alone. */
export const memoryAlone: AssistantTools = {
  offered: async ({ searchMemory }) => (searchMemory === null ? [] : [searchMemoryTool]),
  call: async ({ name, arguments: given }, { searchMemory, signal }) => {
    if (name !== SEARCH_MEMORY || searchMemory === null) return NO_SUCH_TOOL;
    try {
      return await searchMemory(questionIn(given));
    } catch (error) {
      if (signal?.aborted) throw error;
      return 'Memory could not be searched. Answer from what you have.';
    }
  },
};

export const NO_SUCH_TOOL = 'There is no tool of this name.';

/** Models name the one argument in other words, too. */
export function questionIn(given: ToolRequest['arguments']): string {
  const { question = Object.values(given ?? {})[0] } = given ?? {};
  return typeof question === 'string' ? question.trim() : '';
}

/** Calls for one answer. */
const MOST_CALLS = 8;
/** Characters of a result where the results together left no room in the model's context. */
const SHORT_RESULT = 400;

interface Rounds {
  readonly offered: readonly OfferedTool[];
  /** Asks the model for the next part of the answer. */
  readonly ask: (tools: ToolUse | undefined) => Promise<TextReply>;
  readonly call: (request: ToolRequest) => Promise<string>;
  /** Between what the model says before calls and after them. */
  readonly onBreak: () => void;
}

/** An answer in as many parts as the model asks for tools; then it has to answer from what they gave. */
export async function answerInRounds({ offered, ask, call, onBreak }: Rounds): Promise<void> {
  if (offered.length === 0) return void (await ask(undefined));
  const rounds: ToolRound[] = [];
  for (let left = MOST_CALLS; ; ) {
    const { text, requests = [] } = await ask({ offered, rounds, mayAsk: left > 0 }).catch((error) => {
      if (!ContextTooLongError.isInstance(error) || rounds.length === 0) throw error;
      left = 0;
      return ask({ offered, rounds: rounds.map(shortened), mayAsk: false });
    });
    if (left === 0 || requests.length === 0) return;
    const taken = requests.slice(0, left);
    left -= taken.length;
    if (text !== '') onBreak();
    const results: string[] = [];
    for (const request of taken) results.push(await call(request));
    rounds.push({ text, requests: taken, results });
  }
}

const shortened = (round: ToolRound): ToolRound => ({
  ...round,
  results: round.results.map((result) => clip(result, SHORT_RESULT)),
});
