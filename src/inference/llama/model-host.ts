import { ModelProcessError } from '../../errors/index.ts';
import { keepPrompts } from '../prompt-keepers.ts';
import {
  type GeneratedReply,
  type GenerateRequest,
  type LoadedModel,
  type ProcessReply,
  type ProcessRequest,
  replySchema,
} from './process/messages.ts';
import {
  type ModelProcess,
  type StartModelProcess,
  startModelProcess,
} from './process/start-model-process.ts';

export interface ModelHostOptions {
  readonly name: string;
  /** A GGUF file. */
  readonly file: string;
  /** The most tokens of prompt and reply together. */
  readonly contextTokens: number;
  /** Replies that are decoded together. Default 2: a chat and the reading of turns. */
  readonly sequences?: number;
  /** Milliseconds after the last call until the model leaves memory. Default five minutes. */
  readonly idleAfter?: number;
  /** Import name of the runtime. Default `node-llama-cpp`. */
  readonly runtime?: string;
  readonly start?: StartModelProcess;
  /** Called before the process starts. */
  readonly onStart?: () => void;
}

/** The optional package that runs models. */
export const LLAMA_RUNTIME = 'node-llama-cpp';

const IDLE_AFTER = 5 * 60_000;
const SEQUENCES = 2;

interface Waiting {
  readonly onPiece: ((text: string) => void) | undefined;
  readonly resolve: (reply: ProcessReply) => void;
  readonly reject: (reason: unknown) => void;
}

/** One process while it lives. */
interface Running {
  readonly process: ModelProcess;
  readonly loaded: Promise<LoadedModel>;
  readonly waiting: Map<number, Waiting>;
  readonly gone: Promise<void>;
  readonly whenGone: () => void;
}

/** What a model's process did with the last calls that were long enough to tell. */
export interface ModelSpeed {
  /** Resident memory of the process, the model's file included. */
  readonly memoryBytes: number;
  /** Null before a call that read 64 tokens that were not read before. */
  readonly promptTokensPerSecond: number | null;
  /** Null before a reply of 16 tokens. */
  readonly replyTokensPerSecond: number | null;
}

const LEAST_PROMPT = 64;
const LEAST_REPLY = 16;

/**
 * A chat model in a process of its own, so that neither loading nor decoding holds up the memory. The process starts
 * with the first call and ends some minutes after the last; if it ends by itself, the calls that wait fail, and the next
 * call starts another one.
 */
export class ModelHost implements AsyncDisposable {
  readonly #options: ModelHostOptions;
  #running: Running | null = null;
  #number = 0;
  #calls = 0;
  #idle: NodeJS.Timeout | undefined;
  #last: LoadedModel | null = null;
  #speed: ModelSpeed | null = null;
  /** Has read what was forgotten: it ends after the calls of that moment, and later ones wait for its end. */
  #retiring: Running | null = null;

  constructor(options: ModelHostOptions) {
    this.#options = options;
  }

  /** What the model said of itself when it was last loaded; null before. */
  get lastLoaded(): LoadedModel | null {
    return this.#last;
  }

  /** Whether the model is in memory or on its way there. */
  get isLoaded(): boolean {
    return this.#running !== null;
  }

  /** Null before the first reply. */
  get speed(): ModelSpeed | null {
    return this.#speed;
  }

  /** Ends the process, whose memory holds the last prompts, once the calls that run have ended. */
  forget(): void {
    const running = this.#running;
    if (running === null || this.#retiring !== null) return;
    if (this.#calls === 0) this.#end(running, 'what it had read was forgotten');
    else this.#retiring = running;
  }

  /** @throws ModelProcessError */
  load(): Promise<LoadedModel> {
    return this.#during(({ loaded }) => loaded);
  }

  /**
   * Writes one reply.
   *
   * @param onPiece - Gets its text without reasoning, piece by piece.
   * @throws ModelProcessError; the signal's reason at once, the model stops some milliseconds later.
   */
  async generate(
    request: Omit<GenerateRequest, 'kind' | 'id'>,
    signal: AbortSignal,
    onPiece?: (text: string) => void,
  ): Promise<GeneratedReply> {
    signal.throwIfAborted();
    const reply = await this.#during(
      (running) =>
        this.#ask(running, { ...request, kind: 'generate', id: ++this.#number }, { signal, onPiece }),
      signal,
    );
    if (reply.kind !== 'end') throw this.#fault(reply);
    this.#speed = speedOf(reply, this.#speed);
    return reply;
  }

  /**
   * How probably each text helps to answer the question, from 0 to 1, in their order.
   *
   * @throws ModelProcessError; the signal's reason at once, the model stops after the text that it reads.
   */
  async judge(question: string, texts: readonly string[], signal: AbortSignal): Promise<readonly number[]> {
    signal.throwIfAborted();
    const reply = await this.#during(
      (running) =>
        this.#ask(running, { kind: 'judge', id: ++this.#number, question, texts: [...texts] }, { signal }),
      signal,
    );
    if (reply.kind !== 'judged' || reply.scores.length !== texts.length) throw this.#fault(reply);
    return reply.scores;
  }

  /** @returns the exact number of tokens of a text. @throws ModelProcessError */
  async countTokens(text: string): Promise<number> {
    const reply = await this.#during((running) =>
      this.#ask(running, { kind: 'count', id: ++this.#number, text }),
    );
    if (reply.kind !== 'counted') throw this.#fault(reply);
    return reply.tokens;
  }

  /** Lets the model leave memory, unless it is at work. */
  unload(): void {
    if (this.#calls === 0) this.#end(this.#running, 'its memory was needed');
  }

  /** Ends the process; calls that wait fail. A later call starts it again. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#end(this.#running, 'it was closed');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #during<Result>(work: (running: Running) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    while (this.#retiring !== null) {
      const { gone } = this.#retiring;
      await (signal === undefined ? gone : untilAborted(gone, signal));
    }
    clearTimeout(this.#idle);
    this.#running ??= this.#start();
    const running = this.#running;
    this.#calls++;
    running.process.hold(true);
    try {
      await (signal === undefined ? running.loaded : untilAborted(running.loaded, signal));
      return await work(running);
    } finally {
      this.#calls--;
      if (this.#calls === 0) this.#rest();
    }
  }

  #rest(): void {
    const running = this.#running;
    if (this.#retiring !== null) {
      this.#end(this.#retiring, 'what it had read was forgotten');
      return;
    }
    running?.process.hold(false);
    this.#idle = setTimeout(() => this.#end(running, 'it was idle'), this.#options.idleAfter ?? IDLE_AFTER);
    this.#idle.unref();
  }

  #start(): Running {
    const { file, contextTokens, sequences = SEQUENCES, runtime = LLAMA_RUNTIME, start } = this.#options;
    const begin = start ?? startModelProcess;
    this.#options.onStart?.();
    const waiting = new Map<number, Waiting>();
    let process!: ModelProcess;
    const loaded = new Promise<LoadedModel>((resolve, reject) => {
      const onMessage = (message: unknown) => {
        const parsed = replySchema.safeParse(message);
        if (!parsed.success) {
          onExit('it sent what is no reply');
          return;
        }
        const reply = parsed.data;
        if (reply.kind === 'loaded') {
          this.#last = reply;
          resolve(reply);
        } else if (reply.id === null) {
          reject(this.#fault(reply));
          this.#end(running, 'it could not be loaded');
        } else if (reply.kind === 'piece') waiting.get(reply.id)?.onPiece?.(reply.text);
        else {
          waiting.get(reply.id)?.resolve(reply);
          waiting.delete(reply.id);
        }
      };
      const onExit = (how: string) => {
        reject(this.#ended(how));
        this.#end(running, how);
      };
      process = begin({ onMessage, onExit });
    });
    loaded.catch(() => undefined);
    let whenGone!: () => void;
    const gone = new Promise<void>((resolve) => {
      const stopKeeping = keepPrompts(() => this.forget());
      whenGone = () => {
        stopKeeping();
        resolve();
      };
    });
    const running: Running = { process, loaded, waiting, gone, whenGone };
    process.post({ kind: 'load', file, contextTokens, sequences, runtime } satisfies ProcessRequest);
    return running;
  }

  #ask(
    { process, waiting }: Running,
    request: Exclude<ProcessRequest, { readonly kind: 'load' | 'cancel' }>,
    { signal, onPiece }: { signal?: AbortSignal; onPiece?: ((text: string) => void) | undefined } = {},
  ): Promise<ProcessReply> {
    const { id } = request;
    let cancel!: () => void;
    const reply = new Promise<ProcessReply>((resolve, reject) => {
      waiting.set(id, { onPiece, resolve, reject });
      cancel = () => {
        process.post({ kind: 'cancel', id } satisfies ProcessRequest);
        waiting.delete(id);
        reject(signal!.reason);
      };
    });
    if (signal?.aborted) cancel();
    else process.post(request);
    signal?.addEventListener('abort', cancel, { once: true });
    return reply.finally(() => signal?.removeEventListener('abort', cancel));
  }

  #end(running: Running | null, how: string): void {
    if (running === null) return;
    if (this.#running === running) this.#running = null;
    if (this.#retiring === running) this.#retiring = null;
    running.process.kill();
    running.whenGone();
    for (const { reject } of running.waiting.values()) reject(this.#ended(how));
    running.waiting.clear();
  }

  #ended(how: string): ModelProcessError {
    return new ModelProcessError(this.#options.name, 'ended', how);
  }

  #fault(reply: ProcessReply): ModelProcessError {
    const [refusal, reason] =
      reply.kind === 'refused' ? [reply.refusal, reply.reason] : ['other' as const, `it sent ${reply.kind}`];
    return new ModelProcessError(this.#options.name, refusal, reason);
  }
}

/** Measures of an earlier call stay where this one was too short. */
function speedOf(reply: GeneratedReply, earlier: ModelSpeed | null): ModelSpeed {
  const read = reply.promptTokens - reply.cachedPromptTokens;
  const written = reply.completionTokens - 1; // the first belongs to the time of the prompt
  const rate = (tokens: number, milliseconds: number) => (tokens * 1_000) / Math.max(1, milliseconds);
  return {
    memoryBytes: reply.memoryBytes,
    promptTokensPerSecond:
      read < LEAST_PROMPT ? (earlier?.promptTokensPerSecond ?? null) : rate(read, reply.promptMilliseconds),
    replyTokensPerSecond:
      written < LEAST_REPLY
        ? (earlier?.replyTokensPerSecond ?? null)
        : rate(written, reply.replyMilliseconds),
  };
}

/** Rejects with the signal's reason as soon as it fires; the work goes on. */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
