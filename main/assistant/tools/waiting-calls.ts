import { InvalidInputError } from '../../../src/errors/index.ts';
import type { InputOf } from '../../contract.ts';

export type CallDecision = InputOf<'permitTool'>['decision'];

/** Calls that wait for the person, and what was allowed for a chat; both end with the process. */
export class WaitingCalls {
  readonly #waiting = new Map<string, (decision: CallDecision) => void>();
  readonly #allowed = new Map<string, Set<string>>();

  /** Resolves with the person's answer. @throws the reason of the signal */
  async wait(call: string, signal: AbortSignal | undefined): Promise<CallDecision> {
    signal?.throwIfAborted();
    let stop = () => {};
    try {
      return await new Promise<CallDecision>((resolve, reject) => {
        stop = () => reject(signal?.reason);
        signal?.addEventListener('abort', stop, { once: true });
        this.#waiting.set(call, resolve);
      });
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#waiting.delete(call);
    }
  }

  /** @throws InvalidInputError if the call does not wait. */
  decide(call: string, decision: CallDecision): void {
    const resolve = this.#waiting.get(call);
    if (resolve === undefined) throw new InvalidInputError('This call no longer waits for an answer');
    this.#waiting.delete(call);
    resolve(decision);
  }

  allow(conversation: string, tool: string): void {
    const allowed = this.#allowed.get(conversation) ?? new Set();
    this.#allowed.set(conversation, allowed.add(tool));
  }

  isAllowed(conversation: string, tool: string): boolean {
    return this.#allowed.get(conversation)?.has(tool) ?? false;
  }
}
