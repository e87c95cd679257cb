import { setTimeout as wait } from 'node:timers/promises';
import type { LlamaRuntime, LlamaTurn } from '../../../src/inference/llama/process/llama-runtime.ts';
import { goodReply, isReading } from '../../engine/ingestion/good-reply.ts';

/**
 * Stands in for the package `node-llama-cpp` in a model's process. What it does is in the last turn: `say …`, `think …`,
 * `endless`, `again` (a loop), `crash`. Asked to read a talk, it replies with a fact for each turn. Asked to judge a note,
 * it says yes the more probably, the more words of the question are in it; a note `slow` takes 40 ms, and `crash` ends it.
 */
/** Tokens of a context, unless the file's name says `roomy` or is that of a listed model. */
const CONTEXT = 64;
const ROOMY = /roomy|Q4_K_M/;
/** By what the last turn says. */
const REPLIES: readonly (readonly [RegExp, string])[] = [
  [/How many threads\?/, `say ${process.env.UV_THREADPOOL_SIZE}`],
  [/Nora moved to Oslo/, 'say {"city":"Oslo"}'],
  [
    /Who writes this\?/,
    'say A model of this computer writes this, word for word, and takes its time for it.',
  ],
];

function words(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function textOf(turn: LlamaTurn | undefined): string {
  return turn === undefined || turn.type === 'model'
    ? (turn?.response.filter((part) => typeof part === 'string').join('') ?? '')
    : turn.text;
}

/** Words as tokens: what they stand for is found in the table. */
const table: string[] = [];

function tokenOf(word: string): number {
  const known = table.indexOf(word);
  return known === -1 ? table.push(word) - 1 : known;
}

type Input = number | readonly [token: number, options: object];

class Sequence {
  readonly tokenMeter = { usedInputTokens: 0, usedOutputTokens: 0 };
  evaluated: string[] = [];

  get nextTokenIndex(): number {
    return this.evaluated.length;
  }

  compareContextTokens(tokens: readonly number[]) {
    const different = this.evaluated.findIndex((word, at) => word !== table[tokens[at]!]);
    return { firstDifferentIndex: different === -1 ? this.evaluated.length : different };
  }

  async clearHistory() {
    this.evaluated = [];
  }

  async adaptStateToTokens(tokens: readonly number[]) {
    this.evaluated.length = this.compareContextTokens(tokens).firstDifferentIndex;
  }

  async takeCheckpoint() {}

  async controlledEvaluate(tokens: readonly Input[]) {
    this.evaluated.push(...tokens.map((each) => table[typeof each === 'number' ? each : each[0]]!));
    this.tokenMeter.usedInputTokens += tokens.length;
    return Promise.all(
      tokens.map(async (each) =>
        typeof each === 'number' ? undefined : { next: { probabilities: await this.#answers() } },
      ),
    );
  }

  async #answers(): Promise<Map<number, number>> {
    const said = this.evaluated.join('');
    const [, question = '', note = ''] = /Question:(.*)\n\nNote:(.*)$/s.exec(said) ?? [];
    if (/^\s*crash/.test(note)) process.kill(process.pid, 'SIGKILL');
    await wait(/^\s*slow/.test(note) ? 40 : 0);
    const asked = words(question).map((word) => word.trim());
    const shared = asked.filter((word) => words(note).some((other) => other.trim() === word)).length;
    const yes = (1 + shared) / (2 + asked.length);
    const share: Readonly<Record<string, number>> = { yes: yes / 2, Yes: yes / 2, No: 1 - yes };
    return new Map(Object.entries(share).map(([word, probability]) => [tokenOf(word), probability]));
  }
}

function* pieces(said: string): Generator<{ type?: 'segment'; text: string }> {
  const [, verb = '', rest = ''] = /^(\w+) ?(.*)$/s.exec(said) ?? [];
  if (verb === 'crash') process.kill(process.pid, 'SIGKILL');
  if (verb === 'think') yield { type: 'segment', text: 'because' };
  if (verb === 'endless') for (let number = 1; ; number++) yield { text: `number${number} ` };
  if (verb === 'again') for (;;) yield { text: 'and then we went home and ' };
  for (const text of words(rest)) yield { text };
}

const runtime: LlamaRuntime = {
  async getLlama() {
    return {
      gpu: false,
      cpuMathCores: 2,
      createGrammar: async (options) => options,
      async loadModel({ modelPath }) {
        if (modelPath.includes('broken')) throw new Error('Invalid GGUF magic');
        return {
          trainContextSize: 1_000_000,
          tokenizer: {},
          tokenize: (text) => words(text).map(tokenOf),
          async createContext({ contextSize: { max }, sequences }) {
            if (modelPath.includes('large') && sequences > 1) throw new Error('not enough memory');
            return {
              contextSize: ROOMY.test(modelPath) ? max : Math.min(max, CONTEXT),
              getSequence: () => new Sequence(),
            };
          },
        };
      },
    };
  },
  TokenBias: class {
    set() {}
  },
  LlamaChat: class {
    readonly #sequence: Sequence;
    readonly chatWrapper = {
      settings: {},
      generateContextState: ({ chatHistory }: { readonly chatHistory: LlamaTurn[] }) => ({
        contextText: {
          tokenize: () => words(chatHistory.map(textOf).join(' ')).map(tokenOf),
        },
      }),
    };

    constructor({ contextSequence }: { readonly contextSequence: object }) {
      this.#sequence = contextSequence as Sequence;
    }

    async generateResponse(
      history: LlamaTurn[],
      {
        signal,
        maxTokens,
        onResponseChunk,
      }: Parameters<InstanceType<LlamaRuntime['LlamaChat']>['generateResponse']>[1],
    ) {
      const prompt = words(history.map(textOf).join(' '));
      const same = prompt.findIndex((word, at) => word !== this.#sequence.evaluated[at]);
      this.#sequence.tokenMeter.usedInputTokens += prompt.length - Math.max(0, same);
      this.#sequence.evaluated = prompt;
      let [response, tokens] = ['', 0];
      const messages = history.map((turn) => ({ role: turn.type, content: textOf(turn) })) as never;
      const reading = isReading({ messages } as never) ? goodReply({ messages } as never) : null;
      const asked = textOf(history.at(-1));
      const scripted = REPLIES.find(([pattern]) => pattern.test(asked))?.[1] ?? asked;
      const said = reading === null ? scripted : `say ${JSON.stringify(reading)}`;
      for (const piece of pieces(said)) {
        if (tokens % 4 === 0) await wait(1);
        if (signal.aborted || tokens === maxTokens) break;
        tokens++;
        this.#sequence.tokenMeter.usedOutputTokens++;
        onResponseChunk(piece);
        if (piece.type === undefined) response += piece.text;
      }
      const stopReason = signal.aborted ? 'abort' : tokens === maxTokens ? 'maxTokens' : 'eogToken';
      return { response, metadata: { stopReason } };
    }
  },
};

export const { getLlama, LlamaChat, TokenBias } = runtime;
