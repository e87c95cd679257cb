import type { Worker } from 'node:worker_threads';
import { CancelledError } from '../../../errors/index.ts';
import { startThread } from '../../../util/start-thread.ts';
import type { TurnToRead } from '../extractor.ts';
import { KeptReadings } from '../kept-readings.ts';
import type { CheckedReading, ReadOptions, SegmentReader } from '../segment-reader.ts';
import type { NameAnswer, ReadReply, ReadRequest, ReadSegment, ThreadSettings } from './messages.ts';

/**
 * Reads segments in a worker thread, by the rules of `LocalSegmentReader`, so that reading and writing use two cores.
 *
 * Reading asks which names memory knows. The thread answers from the names at its start and those that it has read; the
 * caller's `known` is compared with every answer, and where one differs the segments are read again on this thread. So
 * the result is that of the other reader. If the thread fails, the other reader does all the work.
 */
export class ThreadReader implements SegmentReader {
  readonly #inline: SegmentReader;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { readonly resolve: (reply: ReadReply | null) => void }>();
  #corrections: NameAnswer[] = [];
  #number = 0;
  #isOver = false;

  private constructor(inline: SegmentReader, worker: Worker) {
    this.#inline = inline;
    this.#worker = worker;
    this.#worker.unref();
    this.#worker.on('message', (reply: ReadReply) => this.#settle(reply.number, reply));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  /**
   * Null if no thread can be started: the process may not, or the system has no room for one.
   *
   * @param inline The reader with the same rules on this thread.
   */
  static start(inline: SegmentReader, settings: ThreadSettings): ThreadReader | null {
    try {
      return new ThreadReader(inline, startThread('reading-thread', import.meta.url, settings));
    } catch {
      return null;
    }
  }

  async read(
    segments: readonly (readonly TurnToRead[])[],
    options: ReadOptions,
  ): Promise<readonly CheckedReading[]> {
    const keep = this.#inline instanceof KeptReadings ? this.#inline.begin() : null;
    const reply = this.#isOver ? null : await this.#ask(segments, options.signal);
    if (options.signal?.aborted) throw new CancelledError('no segment was read', options.signal.reason);
    if (reply === null || 'failure' in reply) return this.#inline.read(segments, options);
    const wrong = this.#wrongAnswers(reply.segments, options.known);
    if (wrong.length > 0) {
      this.#corrections.push(...wrong);
      return this.#inline.read(segments, options);
    }
    for (const [at, { reading, asked }] of reply.segments.entries())
      keep?.(segments[at]!, { reading, asked: new Map(asked) });
    return reply.segments.map(({ reading }) => reading);
  }

  /** Names of one segment count as known in those after it. Returns the right answers. */
  #wrongAnswers(segments: readonly ReadSegment[], known: ReadOptions['known']): NameAnswer[] {
    const named = new Set<string>();
    const wrong: NameAnswer[] = [];
    for (const { reading, asked } of segments) {
      for (const [name, answer] of asked) {
        const isKnown = named.has(name.toLowerCase()) || known(name);
        if (isKnown !== answer) wrong.push([name, isKnown]);
      }
      for (const { name } of reading.extraction.entities) named.add(name.toLowerCase());
    }
    return wrong;
  }

  /** Ends the thread; what it was asked is read on this thread. */
  async close(): Promise<void> {
    this.#end();
    await this.#worker.terminate();
  }

  #ask(segments: ReadRequest['segments'], signal: AbortSignal | undefined): Promise<ReadReply | null> {
    const number = ++this.#number;
    const corrections = this.#corrections;
    this.#corrections = [];
    return new Promise((resolve) => {
      const cancel = () => this.#settle(number, null);
      signal?.addEventListener('abort', cancel, { once: true });
      const settled = (reply: ReadReply | null) => {
        signal?.removeEventListener('abort', cancel);
        resolve(reply);
      };
      this.#waiting.set(number, { resolve: settled });
      this.#worker.ref();
      this.#worker.postMessage({ number, segments, corrections } satisfies ReadRequest);
    });
  }

  #settle(number: number, reply: ReadReply | null): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) this.#worker.unref();
    waiting?.resolve(reply);
  }

  #end(): void {
    this.#isOver = true;
    for (const number of [...this.#waiting.keys()]) this.#settle(number, null);
  }
}
