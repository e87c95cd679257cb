import { CancelledError, InvalidInputError } from '../../../src/errors/index.ts';
import { SerialQueue } from '../../../src/util/serial-queue.ts';

/**
 * One backup is beside the memory at a time. Previews never outlast their request, so that an engine that ends does not
 * wait for them.
 */
export class Staging {
  readonly #queue = new SerialQueue();
  #restarting = new AbortController();

  /** @throws CancelledError, InvalidInputError while a restore waits for the engine's end. */
  async preview<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const restarting = this.#restarting.signal;
    const either = AbortSignal.any([restarting, ...(signal ? [signal] : [])]);
    const check = () => {
      if (restarting.aborted) throw new InvalidInputError(RESTARTING);
      if (signal?.aborted) throw new CancelledError('the memory is unchanged', signal.reason);
    };
    check();
    let hasBegun = false;
    const done = this.#queue.run(async () => {
      check();
      hasBegun = true;
      return job();
    });
    let stop = () => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    either.addEventListener('abort', stop);
    try {
      await Promise.race([done, stopped]);
      if (!hasBegun) check();
      return await done; // a job that has begun ends by itself: it removes its copy first
    } finally {
      either.removeEventListener('abort', stop);
      done.catch(() => undefined);
    }
  }

  /** @param job Gets what it has to call once it waits for the engine's end. */
  restore<T>(job: (waits: () => void) => Promise<T>): Promise<T> {
    return this.#queue.run(async () => {
      try {
        return await job(() => this.#restarting.abort());
      } finally {
        this.#restarting = new AbortController();
      }
    });
  }
}

const RESTARTING = 'A backup is being restored, and the engine restarts with it. Try again afterwards';
