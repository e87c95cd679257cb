import { parseJson } from '../../src/util/parse-json.ts';
import { EngineError, toWire } from '../client/errors.ts';
import type { WireError } from '../contract.ts';
import { type PortReply, type PortRequest, portReplySchema, portRequestSchema } from './port-server.ts';

/** One window's end of the relay. */
export interface WindowEnd {
  post(message: PortReply): void;
}

/** The engine's end of the relay. */
interface EngineEnd {
  readonly isReady: boolean;
  /** Starts an engine if none runs. */
  want(): void;
  post(message: unknown): void;
}

/** Carries out a call here instead of in the engine, or changes its reply. Input and reply are plain JSON. */
export type Override = (input: unknown, forward: (input: unknown) => Promise<unknown>) => Promise<unknown>;

interface Pending {
  /** Receives each reply; the last one, too. */
  readonly take: (reply: PortReply) => void;
  readonly method: string;
}

type Request = PortRequest & { readonly type: 'request' };

/** Requests that may wait for an engine. */
const MOST_WAITING = 256;

const LOST: WireError = {
  code: 'engine-unreachable',
  message:
    'The engine ended before it had replied. What it acknowledged is stored; the request may or may not have been carried out. Another engine is started.',
};
const BUSY: WireError = {
  code: 'engine-busy',
  message: 'Too many requests wait for the engine; nothing was done. Try again.',
};

/**
 * Carries messages between windows and the engine's process. It gives requests ids of its own, keeps them while an
 * engine starts, and answers them when an engine ends.
 */
export class PortRelay {
  readonly #engine: EngineEnd;
  readonly #overrides: Readonly<Record<string, Override>>;
  readonly #ended: (method: string) => void;
  readonly #pending = new Map<number, Pending>();
  /** The engine's id of each request of a window. */
  readonly #windows = new Map<WindowEnd, Map<number, number>>();
  #waiting: Request[] = [];
  #last = 0;

  /** @param ended Told the method of each request that has its last reply, failed or was cancelled. */
  constructor(
    engine: EngineEnd,
    overrides: Readonly<Record<string, Override>> = {},
    ended: (method: string) => void = () => undefined,
  ) {
    this.#engine = engine;
    this.#ended = ended;
    this.#overrides = overrides;
  }

  /** A message from a window; what is none is ignored. */
  receive(window: WindowEnd, message: unknown): void {
    const { data } = portRequestSchema.safeParse(message);
    if (data === undefined) return;
    if (data.type === 'request') return void this.#begin(window, data);
    const id = this.#windows.get(window)?.get(data.id);
    if (id === undefined) return;
    if (data.type === 'cancel') this.#cancel(id);
    else this.#engine.post({ id, type: data.type });
  }

  /** Cancels what the window asked for. */
  leave(window: WindowEnd): void {
    const ids = this.#windows.get(window);
    this.#windows.delete(window);
    for (const id of ids?.values() ?? []) this.#cancel(id);
  }

  onReply(message: unknown): void {
    const { data } = portReplySchema.safeParse(message);
    if (data !== undefined) this.#pending.get(data.id)?.take(data);
  }

  onReady(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const request of waiting) this.#engine.post(request);
  }

  onLost(): void {
    const waiting = new Set(this.#waiting.map(({ id }) => id));
    this.#fail(LOST, (id) => !waiting.has(id));
  }

  onFailed(error: WireError): void {
    this.#waiting = [];
    this.#fail(error, () => true);
  }

  #fail(error: WireError, isMeant: (id: number) => boolean): void {
    for (const [id, { take }] of Array.from(this.#pending)) if (isMeant(id)) take({ id, error });
  }

  #begin(window: WindowEnd, { id, method, input }: Request): void {
    const ids = this.#windows.get(window) ?? new Map<number, number>();
    this.#windows.set(window, ids);
    if (ids.has(id)) return;
    const override = Object.hasOwn(this.#overrides, method) ? this.#overrides[method] : undefined;
    if (override !== undefined) return void this.#carryOut(window, { id, method, input, override });
    const own = this.#send({ method, input }, (reply) => {
      if (!('event' in reply)) ids.delete(id);
      window.post({ ...reply, id });
    });
    if (this.#pending.has(own)) ids.set(id, own);
  }

  async #carryOut(
    window: WindowEnd,
    { id, method, input, override }: Omit<Request, 'type'> & { readonly override: Override },
  ): Promise<void> {
    const read = parseJson(input);
    const forward = (value: unknown) =>
      new Promise<unknown>((resolve, reject) => {
        this.#send({ method, input: JSON.stringify(value) }, (reply) => {
          if ('result' in reply) resolve(valueIn(reply.result));
          else reject(new EngineError('error' in reply ? reply.error : LOST));
        });
      });
    try {
      const result = await override(read.ok ? read.value : null, forward);
      window.post({ id, result: JSON.stringify(result) });
    } catch (error) {
      window.post({ id, error: toWire(error) });
    }
  }

  /** @returns the request's own id. */
  #send(
    { method, input }: { readonly method: string; readonly input: string },
    take: (reply: PortReply) => void,
  ): number {
    const id = ++this.#last;
    this.#pending.set(id, {
      method,
      take: (reply) => {
        if (!('event' in reply)) this.#end(id);
        take(reply);
      },
    });
    const request: Request = { id, type: 'request', method, input };
    if (this.#engine.isReady) this.#engine.post(request);
    else if (this.#waiting.length >= MOST_WAITING) this.#pending.get(id)!.take({ id, error: BUSY });
    else {
      this.#waiting.push(request);
      this.#engine.want();
    }
    return id;
  }

  #end(id: number): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending !== undefined) this.#ended(pending.method);
  }

  #cancel(id: number): void {
    this.#end(id);
    const isWaiting = this.#waiting.some((request) => request.id === id);
    if (isWaiting) this.#waiting = this.#waiting.filter((request) => request.id !== id);
    else this.#engine.post({ id, type: 'cancel' });
  }
}

function valueIn(json: string): unknown {
  const read = parseJson(json);
  return read.ok ? read.value : null;
}
