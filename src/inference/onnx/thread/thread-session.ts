import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../util/start-thread.ts';
import type { Device, Feeds, OnnxSession, RunOptions, SessionOutput, TensorInfo } from '../onnx-runtime.ts';
import type { RunRequest, SessionReply, SessionRequest, SessionSettings } from './messages.ts';

/**
 * A session in a worker thread of its own, because a run holds its thread: searches and everything else go on meanwhile.
 * If the thread ends by itself, what it had to run is run once more on a new one.
 */
export class ThreadSession implements OnnxSession {
  readonly device: Device;
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  readonly #settings: SessionSettings;
  #thread: SessionThread;
  #restart: Promise<void> | null = null;
  #isClosed = false;

  private constructor(settings: SessionSettings, thread: SessionThread) {
    this.#settings = settings;
    this.#thread = thread;
    this.device = settings.device;
    ({ inputs: this.inputs, outputs: this.outputs } = thread.opened);
  }

  /** Rejects with the runtime's own error. */
  static async open(graph: string | Uint8Array, device: Device): Promise<OnnxSession> {
    const settings = { graph, device };
    return new ThreadSession(settings, await SessionThread.start(settings));
  }

  async run(feeds: Feeds, output: string, { isUrgent = false }: RunOptions = {}): Promise<SessionOutput> {
    const request = { feeds, output, isUrgent };
    const thread = await this.#live();
    try {
      return await thread.run(request);
    } catch (error) {
      if (!thread.hasEnded || this.#isClosed) throw error;
    }
    return (await this.#live()).run(request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#restart?.catch(() => undefined);
    await this.#thread.close();
  }

  async #live(): Promise<SessionThread> {
    if (this.#thread.hasEnded && !this.#isClosed) {
      this.#restart ??= SessionThread.start(this.#settings)
        .then((thread) => {
          this.#thread = thread;
        })
        .finally(() => {
          this.#restart = null;
        });
      await this.#restart;
    }
    return this.#thread;
  }
}

interface Waiting {
  readonly resolve: (output: SessionOutput) => void;
  readonly reject: (reason: unknown) => void;
}

/** One worker thread with an open session. It keeps the process alive only while something waits for it. */
class SessionThread {
  readonly opened: Pick<OnnxSession, 'inputs' | 'outputs'>;
  readonly #worker: Worker;
  readonly #exit: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  #number = 0;
  #isClosing = false;
  /** Why it ended; null while it has not. */
  #end: unknown = null;

  private constructor(worker: Worker, opened: SessionThread['opened']) {
    this.#worker = worker;
    this.opened = opened;
    this.#exit = new Promise((resolve) => worker.once('exit', () => resolve()));
    worker.on('message', (reply: SessionReply) => this.#receive(reply));
    worker.on('error', (error) => this.#rejectAll(error));
    worker.on('exit', () => this.#rejectAll(ended()));
    worker.unref();
  }

  /** Rejects with the runtime's own error, or with the system's where no thread can be started. */
  static async start(settings: SessionSettings): Promise<SessionThread> {
    const worker = startThread('session-thread', import.meta.url, settings);
    const exit = once(worker, 'exit').then(() => [{ refusal: ended() }]);
    const [reply]: SessionReply[] = await Promise.race([once(worker, 'message'), exit]);
    if (reply !== undefined && 'opened' in reply) return new SessionThread(worker, reply.opened);
    throw reply !== undefined && 'refusal' in reply ? reply.refusal : ended();
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  run(request: Omit<RunRequest, 'number'>): Promise<SessionOutput> {
    if (this.#end !== null) return Promise.reject(this.#end);
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.ref();
      this.#post({ ...request, number });
    });
  }

  /** Ends the thread after the runs that wait. Idempotent. */
  async close(): Promise<void> {
    if (!this.#isClosing && !this.hasEnded) {
      this.#worker.ref();
      this.#post('close');
    }
    this.#isClosing = true;
    await this.#exit;
  }

  #post(request: SessionRequest): void {
    this.#worker.postMessage(request);
  }

  #receive(reply: SessionReply): void {
    if (!('number' in reply)) return;
    const waiting = this.#waiting.get(reply.number);
    this.#waiting.delete(reply.number);
    if (this.#waiting.size === 0 && !this.#isClosing) this.#worker.unref();
    if ('output' in reply) waiting?.resolve(reply.output);
    else waiting?.reject(reply.failure);
  }

  #rejectAll(end: unknown): void {
    this.#end ??= end;
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}

function ended(): RangeError {
  return new RangeError('its thread ended');
}
