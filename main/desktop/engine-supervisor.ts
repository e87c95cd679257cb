import { z } from 'zod';
import { type WireError, wireErrorSchema } from '../contract.ts';

/** What an engine's process says of itself, besides replies. */
export const engineNoticeSchema = z.union([
  z.strictObject({ type: z.literal('ready') }),
  /** It cannot open the memory, and ends. */
  z.strictObject({ type: z.literal('failed'), error: wireErrorSchema }),
]);
export type EngineNotice = z.output<typeof engineNoticeSchema>;

/** What the desktop app tells an engine's process, besides requests. */
export const STOP = { type: 'stop' } as const;

export interface EngineProcess {
  post(message: unknown): void;
  kill(): void;
}

interface ProcessEvents {
  onMessage(message: unknown): void;
  /** Code 0: it ended by itself, as for new settings. */
  onExit(code: number | null): void;
}

interface SupervisorOptions {
  /** Starts a process with the settings of this moment. */
  readonly start: (events: ProcessEvents) => EngineProcess;
  readonly policy?: RestartPolicy;
  /** Time for an engine to stop, in milliseconds. Default 15,000. */
  readonly graceMilliseconds?: number;
}

interface Listener {
  /** A reply of the engine. */
  onReply(message: unknown): void;
  onReady(): void;
  /** The engine ended: requests that it had not answered are lost. Another one is started. */
  onLost(): void;
  /** No engine runs, and why. The next `want` tries again. */
  onFailed(error: WireError): void;
}

/** The engine ended several times in a row. */
const CRASHES: WireError = {
  code: 'engine-crashes',
  message:
    'The engine ended unexpectedly several times within a minute and was not started again. What it acknowledged is stored. Try again in a minute, or run "mnemis doctor".',
};

/** Keeps one engine process running while it is wanted. */
export class EngineSupervisor {
  readonly #options: SupervisorOptions;
  readonly #policy: RestartPolicy;
  readonly #listener: Listener;
  #state: 'none' | 'waiting' | 'starting' | 'ready' = 'none';
  #process: EngineProcess | null = null;
  #timer: NodeJS.Timeout | null = null;
  #failure: WireError | null = null;
  #isEnding = false;
  #whenGone: () => void = () => undefined;

  constructor(options: SupervisorOptions, listener: Listener) {
    this.#options = options;
    this.#policy = options.policy ?? new RestartPolicy();
    this.#listener = listener;
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  want(): void {
    if (this.#state === 'none' && !this.#isEnding) this.#startLater();
  }

  post(message: unknown): void {
    this.#process?.post(message);
  }

  /** Ends the engine after its running requests; another one starts with the settings of then. */
  restart(): void {
    if (this.#process === null) this.want();
    else this.#process.post(STOP);
  }

  /** Ends the engine for good. */
  async close(): Promise<void> {
    this.#isEnding = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const { graceMilliseconds = 15_000 } = this.#options;
    const child = this.#process;
    if (child === null) return;
    const timer = setTimeout(() => child.kill(), graceMilliseconds);
    await new Promise<void>((resolve) => {
      this.#whenGone = resolve;
      child.post(STOP);
    });
    clearTimeout(timer);
  }

  /** After `close`: an engine is wanted again. */
  reopen(): void {
    this.#isEnding = false;
    if (this.#process === null && this.#state === 'waiting') this.#state = 'none'; // its timer was cleared
    this.want();
  }

  #startLater(): void {
    const pause = this.#policy.next();
    if (pause === null) return void this.#fail(CRASHES);
    this.#state = 'waiting';
    this.#timer = setTimeout(() => this.#start(), pause);
  }

  #start(): void {
    [this.#state, this.#failure, this.#timer] = ['starting', null, null];
    this.#process = this.#options.start({
      onMessage: (message) => this.#receive(message),
      onExit: (code) => this.#exited(code),
    });
  }

  #receive(message: unknown): void {
    const { data: notice } = engineNoticeSchema.safeParse(message);
    if (notice === undefined) return void this.#listener.onReply(message);
    if (notice.type === 'failed') this.#failure = notice.error;
    else {
      this.#state = 'ready';
      this.#listener.onReady();
    }
  }

  #exited(_code: number | null): void {
    const wasReady = this.#state === 'ready';
    [this.#state, this.#process] = ['none', null];
    if (wasReady) this.#listener.onLost();
    if (this.#isEnding) return void this.#whenGone();
    if (this.#failure !== null) return void this.#fail(this.#failure);
    this.#startLater();
  }

  #fail(error: WireError): void {
    this.#state = 'none';
    this.#listener.onFailed(error);
  }
}

interface RestartLimits {
  /** The most starts within the period. */
  readonly most: number;
  readonly milliseconds: number;
  /** Pauses before each start within the period; the last one repeats. */
  readonly pauses: readonly number[];
}

const RESTART_LIMITS: RestartLimits = {
  most: 5,
  milliseconds: 60_000,
  pauses: [0, 500, 1_000, 2_000, 4_000],
};

/** Decides when an engine that crashed is started again: soon, but not for ever. */
export class RestartPolicy {
  readonly #limits: RestartLimits;
  readonly #clock: () => number;
  #starts: number[] = [];

  constructor(limits: RestartLimits = RESTART_LIMITS, clock: () => number = Date.now) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Milliseconds until the next start; null if there were too many within the period. */
  next(): number | null {
    const { most, milliseconds, pauses } = this.#limits;
    const now = this.#clock();
    this.#starts = this.#starts.filter((start) => start > now - milliseconds);
    if (this.#starts.length >= most) return null;
    const pause = pauses[Math.min(this.#starts.length, pauses.length - 1)] ?? 0;
    this.#starts.push(now + pause);
    return pause;
  }
}
