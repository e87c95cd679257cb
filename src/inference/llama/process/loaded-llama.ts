import { RepetitionFilter } from '../../language-model/reading/repetition.ts';
import { grammarOf } from './grammar-of.ts';
import { judging, sharedStart } from './judging.ts';
import type {
  Llama,
  LlamaChat,
  LlamaContext,
  LlamaModel,
  LlamaRuntime,
  LlamaSequence,
  LlamaTurn,
} from './llama-runtime.ts';
import {
  type GeneratedReply,
  type GenerateRequest,
  type JudgeRequest,
  type LoadedModel,
  type LoadRequest,
  type Refusal,
  Refused,
} from './messages.ts';

/** The least context that a question with its sources fits into. */
const LEAST_CONTEXT = 1_024;
/** Grammars of the last schemas; one takes milliseconds to make. */
const MOST_GRAMMARS = 32;
/** Fewer equal tokens belong to the template of the chat, and are no reason to take a sequence. */
const LEAST_SHARED = 16;

/** One reply at a time; keeps the evaluated tokens of its last prompt. */
interface Seat {
  readonly chat: LlamaChat;
  readonly sequence: LlamaSequence;
  prompt: readonly number[];
  isTaken: boolean;
}

/** A model in this process: decodes replies, several together, each under its schema's grammar. */
export class LoadedLlama {
  readonly facts: LoadedModel;
  readonly #llama: Llama;
  readonly #model: LlamaModel;
  /** The one that was taken last stands last. */
  readonly #seats: Seat[];
  readonly #runtime: LlamaRuntime;
  readonly #waiting: ((seat: Seat) => void)[] = [];
  readonly #grammars = new Map<string, Promise<object>>();

  private constructor(
    runtime: LlamaRuntime,
    llama: Llama,
    model: LlamaModel,
    seats: Seat[],
    facts: LoadedModel,
  ) {
    this.#llama = llama;
    this.#model = model;
    this.#seats = seats;
    this.#runtime = runtime;
    this.facts = facts;
  }

  /** @throws Refused if the runtime, the file or the memory does not allow it. */
  static async load(request: LoadRequest): Promise<LoadedLlama> {
    const started = performance.now();
    const runtime = await importRuntime(request.runtime);
    const llama = await runtime
      .getLlama({
        build: 'never',
        skipDownload: true,
        progressLogs: false,
        logger: () => undefined,
      })
      .catch((error: unknown) => refuse('runtime', error));
    const model = await llama
      .loadModel({ modelPath: request.file })
      .catch((error: unknown) => refuse(isOfMemory(error) ? 'memory' : 'file', error));
    const context = await createContext(model, { ...request, threads: Math.max(1, llama.cpuMathCores - 1) });
    const seats = Array.from({ length: context.sequences }, () => {
      const sequence = context.of.getSequence();
      const chat = new runtime.LlamaChat({ contextSequence: sequence as never });
      return { chat, sequence, prompt: [], isTaken: false };
    });
    return new LoadedLlama(runtime, llama, model, seats, {
      contextTokens: Math.min(context.of.contextSize, model.trainContextSize),
      sequences: seats.length,
      device: llama.gpu === false ? 'cpu' : llama.gpu,
      milliseconds: performance.now() - started,
      memoryBytes: process.memoryUsage.rss(),
    });
  }

  count(text: string): number {
    return this.#model.tokenize(text).length;
  }

  /**
   * Decodes one reply; waits while all sequences are busy.
   *
   * @param onText - Gets the reply without its reasoning, piece by piece.
   * @throws Refused; the signal's reason.
   */
  async generate(
    request: GenerateRequest,
    { signal, onText }: { readonly signal: AbortSignal; readonly onText: (piece: string) => void },
  ): Promise<GeneratedReply> {
    const history = request.turns.map(turnOf);
    const { chatWrapper } = this.#seats[0]!.chat;
    const prompt = chatWrapper
      .generateContextState({ chatHistory: [...history, { type: 'model', response: [] }] })
      .contextText.tokenize(this.#model.tokenizer as never);
    const room = this.facts.contextTokens - prompt.length;
    if (room < 1)
      throw new Refused('context', `the prompt has ${prompt.length} of ${this.facts.contextTokens} tokens`);
    const grammar = request.schema === null ? undefined : await this.#grammarOf(request.schema);
    const seat = await this.#take(prompt);
    try {
      signal.throwIfAborted();
      return await this.#decode(request, { seat, history, prompt, room, grammar, signal, onText });
    } finally {
      this.#free(seat);
    }
  }

  /**
   * How probably each text helps to answer the question, one after the other; waits while all sequences are busy.
   *
   * @throws Refused; the signal's reason.
   */
  async judge({ question, texts }: JudgeRequest, signal: AbortSignal): Promise<number[]> {
    const { contextTokens } = this.facts;
    const { chat } = this.#seats[0]!;
    const loaded = { runtime: this.#runtime, model: this.#model, chat, contextTokens };
    const { start, judge } = judging(loaded, question);
    const seat = await this.#take(start);
    try {
      const scores: number[] = [];
      for (const text of texts) {
        signal.throwIfAborted();
        scores.push(await judge(seat.sequence, text));
      }
      return scores;
    } finally {
      this.#free(seat);
    }
  }

  async #decode(request: GenerateRequest, call: Decoding): Promise<GeneratedReply> {
    const { seat, signal, onText, prompt } = call;
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const repetition = new RepetitionFilter();
    let [text, reasoning] = ['', ''];
    const before = { ...metersOf(seat) };
    const started = performance.now();
    let firstAt: number | undefined;
    const { metadata } = await seat.chat.generateResponse(call.history, {
      ...(call.grammar === undefined ? {} : { grammar: call.grammar as never }),
      signal: either,
      stopOnAbortSignal: true,
      maxTokens: Math.min(request.mostTokens, call.room),
      temperature: request.temperature,
      seed: request.seed,
      customStopTriggers: request.stops,
      onResponseChunk: (chunk) => {
        firstAt ??= performance.now();
        if (chunk.type === 'segment') {
          reasoning += chunk.text;
          return;
        }
        text += chunk.text;
        if (chunk.text !== '') onText(chunk.text);
        repetition.add(chunk.text);
        if (repetition.isLoop) stop.abort();
      },
    });
    signal.throwIfAborted();
    const after = metersOf(seat);
    const endedAt = performance.now();
    return {
      text,
      reasoning,
      end: repetition.isLoop ? 'loop' : metadata.stopReason === 'maxTokens' ? 'length' : 'stop',
      promptTokens: prompt.length,
      cachedPromptTokens: Math.max(0, prompt.length - (after.input - before.input)),
      completionTokens: after.output - before.output,
      promptMilliseconds: (firstAt ?? endedAt) - started,
      replyMilliseconds: endedAt - (firstAt ?? endedAt),
      memoryBytes: process.memoryUsage.rss(),
    };
  }

  #grammarOf(schema: object): Promise<object> {
    const key = JSON.stringify(schema);
    const known = this.#grammars.get(key);
    if (known !== undefined) return known;
    const grammar = (async () => this.#llama.createGrammar({ grammar: grammarOf(schema) }))().catch(
      (error: unknown) => refuse('schema', error),
    );
    this.#grammars.set(key, grammar);
    for (const oldest of this.#grammars.keys()) {
      if (this.#grammars.size <= MOST_GRAMMARS) break;
      this.#grammars.delete(oldest);
    }
    return grammar;
  }

  /**
   * The free sequence whose last prompt begins most like this one, since what is equal is not evaluated again; if none
   * does, the one that was taken longest ago.
   */
  async #take(prompt: readonly number[]): Promise<Seat> {
    const free = this.#seats.filter(({ isTaken }) => !isTaken);
    const seat =
      free.length === 0
        ? await new Promise<Seat>((resolve) => this.#waiting.push(resolve))
        : free.reduce((best, next) =>
            sharedStart(next.prompt, prompt) > Math.max(LEAST_SHARED, sharedStart(best.prompt, prompt))
              ? next
              : best,
          );
    seat.isTaken = true;
    seat.prompt = prompt;
    this.#seats.push(...this.#seats.splice(this.#seats.indexOf(seat), 1));
    return seat;
  }

  #free(seat: Seat): void {
    const next = this.#waiting.shift();
    if (next === undefined) seat.isTaken = false;
    else next(seat);
  }
}

interface Decoding {
  readonly seat: Seat;
  readonly history: LlamaTurn[];
  readonly prompt: readonly number[];
  readonly room: number;
  readonly grammar: object | undefined;
  readonly signal: AbortSignal;
  readonly onText: (piece: string) => void;
}

async function importRuntime(name: string): Promise<LlamaRuntime> {
  try {
    return await import(name);
  } catch (error) {
    return refuse('runtime', error);
  }
}

/**
 * With fewer sequences, and then a shorter context, where memory is short. One core stays free: threads of the runtime
 * wait for each other by turning, so that a busy core would slow down all.
 */
async function createContext(
  model: LlamaModel,
  { contextTokens, sequences, threads }: LoadRequest & { readonly threads: number },
) {
  const max = Math.min(contextTokens, model.trainContextSize);
  const create = async (number: number, min: number): Promise<{ of: LlamaContext; sequences: number }> => ({
    of: await model.createContext({ contextSize: { min, max }, sequences: number, threads }),
    sequences: number,
  });
  return create(sequences, max)
    .catch(() => create(1, Math.min(max, LEAST_CONTEXT)))
    .catch((error: unknown) => refuse('memory', error));
}

function turnOf({ role, content }: GenerateRequest['turns'][number]): LlamaTurn {
  return role === 'assistant' ? { type: 'model', response: [content] } : { type: role, text: content };
}

function metersOf({ sequence: { tokenMeter } }: Seat): { readonly input: number; readonly output: number } {
  return { input: tokenMeter.usedInputTokens, output: tokenMeter.usedOutputTokens };
}

function isOfMemory(error: unknown): boolean {
  return error instanceof Error && /memory/i.test(`${error.name} ${error.message}`);
}

function refuse(refusal: Refusal, error: unknown): never {
  throw new Refused(refusal, error instanceof Error ? error.message : String(error));
}
