import { ConversationBusyError } from '../../errors.ts';

/** What holds a conversation: an answer that is written, the decision about one, a move or a deletion. */
export type Work = 'answer' | 'decision' | 'move' | 'deletion';

interface Hold {
  readonly conversation: string;
  readonly work: Work;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/**
 * The work that holds conversations. One answer is written in a conversation at a time; decisions about earlier answers
 * go on beside it. A move or a deletion has the conversation alone.
 */
export class RunningAnswers {
  readonly #holds = new Set<Hold>();
  #isClosed = false;

  /**
   * Reserves a conversation.
   *
   * @returns its signal, and what ends the reservation. @throws ConversationBusyError
   */
  begin(conversation: string, work: Work = 'answer'): { readonly signal: AbortSignal; end(): void } {
    const other = this.#of(conversation).find((hold) => !isBeside(hold.work, work));
    if (this.#isClosed || other !== undefined) throw new ConversationBusyError(other?.work);
    const stop = new AbortController();
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const hold = { conversation, work, stop, ended };
    this.#holds.add(hold);
    return {
      signal: stop.signal,
      end: () => {
        this.#holds.delete(hold);
        end();
      },
    };
  }

  get isBusy(): boolean {
    return this.#holds.size > 0;
  }

  /** In which an answer is being written. */
  get conversations(): readonly string[] {
    return this.#doing('answer').map(({ conversation }) => conversation);
  }

  /** Stops the answer of a conversation, and waits for its end. Returns whether there was one. */
  async stop(conversation: string): Promise<boolean> {
    const running = this.#of(conversation).find(({ work }) => work === 'answer');
    running?.stop.abort();
    await running?.ended;
    return running !== undefined;
  }

  /** Resolves when no move that has begun by now goes on. */
  async movesEnded(): Promise<void> {
    await Promise.all(this.#doing('move').map(({ ended }) => ended));
  }

  /** Stops answers, and waits for all other work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { stop } of this.#doing('answer')) stop.abort();
    await Promise.all(Array.from(this.#holds, ({ ended }) => ended));
  }

  #of(conversation: string): Hold[] {
    return [...this.#holds].filter((hold) => hold.conversation === conversation);
  }

  #doing(work: Work): Hold[] {
    return [...this.#holds].filter((hold) => hold.work === work);
  }
}

function isBeside(one: Work, other: Work): boolean {
  const both = [one, other];
  return both.includes('decision') && both.every((work) => work === 'decision' || work === 'answer');
}
