import { z } from 'zod';
import type {
  ModelProcess,
  ProcessListeners,
  StartModelProcess,
} from '../../src/inference/llama/process/start-model-process.ts';
import type { Wire } from './port-server.ts';

/**
 * Processes of models in the desktop app. The program may not start itself as Node.js, and only its main process can
 * start utility processes: the engine asks it to, and it carries the messages.
 */

const model = z.int().min(1);

const orderSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('model-start'), model }),
  z.strictObject({ type: z.literal('model-post'), model, message: z.looseObject({}) }),
  z.strictObject({ type: z.literal('model-kill'), model }),
]);
type Order = z.output<typeof orderSchema>;

const noticeSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('model-message'), model, message: z.unknown() }),
  z.strictObject({ type: z.literal('model-exit'), model, how: z.string() }),
]);
type Notice = z.output<typeof noticeSchema>;

/** In the engine's process: starts models by way of the main process. */
export function modelsByMain(wire: Wire): StartModelProcess {
  const listeners = new Map<number, ProcessListeners>();
  let last = 0;
  const order = (message: Order) => wire.post(message);
  wire.subscribe((message) => {
    const { data: notice } = noticeSchema.safeParse(message);
    if (notice === undefined) return;
    const listener = listeners.get(notice.model);
    if (notice.type === 'model-message') return listener?.onMessage(notice.message);
    listeners.delete(notice.model);
    listener?.onExit(notice.how);
  });
  return (its) => {
    const number = ++last;
    listeners.set(number, its);
    order({ type: 'model-start', model: number });
    return {
      post: (message) => order({ type: 'model-post', model: number, message: { ...message } }),
      kill: () => order({ type: 'model-kill', model: number }),
      // The app decides when the engine's process ends.
      hold: () => undefined,
    };
  };
}

/** In the main process: the models of one engine. */
export class ModelProcesses {
  readonly #start: StartModelProcess;
  readonly #tell: (notice: Notice) => void;
  readonly #processes = new Map<number, ModelProcess>();

  /** @param tell - Sends to the engine's process. */
  constructor(start: StartModelProcess, tell: (notice: object) => void) {
    this.#start = start;
    this.#tell = tell;
  }

  /** Carries out what the engine asks for; false for a message that is not about models. */
  receive(message: unknown): boolean {
    const { data: order } = orderSchema.safeParse(message);
    if (order === undefined) return false;
    const { model } = order;
    if (order.type === 'model-start') {
      const process = this.#start({
        onMessage: (reply) => this.#tell({ type: 'model-message', model, message: reply }),
        onExit: (how) => {
          if (this.#processes.delete(model)) this.#tell({ type: 'model-exit', model, how });
        },
      });
      this.#processes.set(model, process);
    } else if (order.type === 'model-post') this.#processes.get(model)?.post(order.message);
    else this.#processes.get(model)?.kill();
    return true;
  }

  /** The engine has ended. */
  close(): void {
    const processes = [...this.#processes.values()];
    this.#processes.clear();
    for (const { kill } of processes) kill();
  }
}
