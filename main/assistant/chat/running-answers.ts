import { ConversationBusyError } from '../../errors.ts';

/** The answers that are being written: at most one in a conversation. */
export class RunningAnswers {
  readonly #running = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>();
  #isClosed = false;

  /**
   * Reserves a conversation.
   *
   * @returns its signal, and what ends the reservation. @throws ConversationBusyError
   */
  begin(conversation: string, signal?: AbortSignal): { readonly signal: AbortSignal; end(): void } {
    if (this.#isClosed || this.#running.has(conversation)) throw new ConversationBusyError();
    const stop = new AbortController();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#running.set(conversation, { stop, ended });
    return {
      signal: AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]),
      end: () => {
        this.#running.delete(conversation);
        end();
      },
    };
  }

  /** In which an answer is being written. */
  get conversations(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Stops the answer of a conversation, if there is one, and waits for its end. */
  async stop(conversation: string): Promise<void> {
    const running = this.#running.get(conversation);
    running?.stop.abort();
    await running?.ended;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running.keys()].map((conversation) => this.stop(conversation)));
  }
}
