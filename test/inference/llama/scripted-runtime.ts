import { setTimeout as wait } from 'node:timers/promises';
import type { LlamaRuntime, LlamaTurn } from '../../../src/inference/llama/process/llama-runtime.ts';
import { goodReply, isReading } from '../../engine/ingestion/good-reply.ts';

/**
 * Stands in for the package `node-llama-cpp` in a model's process. What it does is in the last turn: `say …`, `think …`,
 * `endless`, `again` (a loop), `crash`. Asked to read a talk, it replies with a fact for each turn.
 */
/** Tokens of a context, unless the file's name says `roomy`. */
const CONTEXT = 64;

function words(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function textOf(turn: LlamaTurn | undefined): string {
  return turn === undefined || turn.type === 'model' ? (turn?.response.join('') ?? '') : turn.text;
}

class Sequence {
  readonly tokenMeter = { usedInputTokens: 0, usedOutputTokens: 0 };
  evaluated: string[] = [];
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
          tokenize: (text) => words(text).map((_, at) => at),
          async createContext({ contextSize: { max }, sequences }) {
            if (modelPath.includes('large') && sequences > 1) throw new Error('not enough memory');
            return {
              contextSize: modelPath.includes('roomy') ? max : Math.min(max, CONTEXT),
              getSequence: () => new Sequence(),
            };
          },
        };
      },
    };
  },
  LlamaChat: class {
    readonly #sequence: Sequence;
    readonly chatWrapper = {
      generateContextState: ({ chatHistory }: { readonly chatHistory: LlamaTurn[] }) => ({
        contextText: {
          tokenize: () => words(chatHistory.map(textOf).join(' ')).map((word) => word.charCodeAt(0)),
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
      const said = reading === null ? textOf(history.at(-1)) : `say ${JSON.stringify(reading)}`;
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

export const { getLlama, LlamaChat } = runtime;
