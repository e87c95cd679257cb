import { LRUCache } from 'lru-cache';
import type { ContextSource } from '../answer/memory-context.ts';
import { CancelledError, MnemisError } from '../errors/index.ts';
import { defineError } from '../errors/mnemis-error.ts';
import type { TurnInput } from '../model/turn-input.ts';
import { BackgroundJobs } from '../util/serial-queue.ts';
import {
  type MemoryMiddlewareOptions,
  type MiddlewareMemory,
  type MiddlewareSettings,
  readMiddlewareOptions,
} from './agent-memory-options.ts';
import { found, type RecallRequest, recalledText } from './recall.ts';

/**
 * Number of runs whose recalled text is cached between model calls, and for how long: a run may resume days later, when
 * some of that text has been forgotten.
 */
const MOST_RUNS = 256;
const KEPT_MILLISECONDS = 60_000;

/** Recalls and remembers for the runs of an agent, whatever runs it. A failure of memory does not break a run. */
export class AgentMemory<Memory extends MiddlewareMemory = MiddlewareMemory> {
  readonly settings: MiddlewareSettings;
  readonly #writes: BackgroundJobs;
  /** By run: a run searches once, for all its model calls. */
  readonly #recalled = new LRUCache<string, { readonly text: Promise<string | null> }>({
    max: MOST_RUNS,
    ttl: KEPT_MILLISECONDS,
  });

  /** @throws InvalidInputError */
  constructor(options: MemoryMiddlewareOptions) {
    this.settings = readMiddlewareOptions(options);
    this.#writes = new BackgroundJobs(this.settings.mostWaiting, (error) => this.tell(error));
  }

  settled(): Promise<void> {
    return this.#writes.settled();
  }

  /** @throws MissingUserError: there is no default memory for a run without a user. */
  memoryOf(user: string | undefined): Memory {
    const { engine, memory, scopeOf } = this.settings;
    if (memory !== undefined) return memory as Memory;
    if (user === undefined || engine === undefined) throw new MissingUserError();
    return engine.scope(scopeOf(user)) as Memory;
  }

  /** What the model gets before the user's message; null if memory has nothing. `run` is the key of the run. */
  recalled(run: string, request: RecallRequest): Promise<string | null> {
    const known = this.#recalled.get(run)?.text;
    if (known !== undefined) return known;
    const text = this.recall(request, () => this.ended(run));
    this.#recalled.set(run, { text });
    return text;
  }

  /** As `recalled`, for a framework that asks once in a run. */
  async recall(request: RecallRequest, onFailure?: () => void): Promise<string | null> {
    return recalledText(await this.found(request, onFailure));
  }

  /** What memory holds, for a framework that puts it into the prompt itself; nothing where memory fails. */
  async found(request: RecallRequest, onFailure?: () => void): Promise<readonly ContextSource[]> {
    try {
      return await found(request, this.settings);
    } catch (error) {
      onFailure?.();
      if (CancelledError.isInstance(error) || request.signal?.aborted) throw error;
      this.tell(error);
      return [];
    }
  }

  /** The run asks no more. */
  ended(run: string): void {
    this.#recalled.delete(run);
  }

  /** Stores turns of a run in the background. */
  async remember(memory: MiddlewareMemory, turns: readonly TurnInput[]): Promise<void> {
    if (turns.length > 0) await this.#writes.begin(() => this.store(memory, turns));
  }

  /** Stores turns of a run, and warns of those that memory rejects. */
  async store(memory: Pick<MiddlewareMemory, 'add'>, turns: readonly TurnInput[]): Promise<void> {
    const { rejected, notStored } = await memory.add(turns);
    if (rejected === 0) return;
    const reasons = new Set(
      notStored.flatMap(({ status, reason }) => (status === 'rejected' ? [reason] : [])),
    );
    this.#warn(
      `${rejected} of the ${turns.length} turns of a run were rejected (${[...reasons].join('; ')}); the others are stored.`,
    );
  }

  /** Reports a failure that does not break the run. An error in `onError` itself must not either. */
  tell(error: unknown): void {
    const { onError } = this.settings;
    try {
      if (onError !== undefined) onError(error);
      else
        this.#warn(
          `Memory failed in a run: ${MnemisError.isInstance(error) ? error.message : 'unexpectedly'}`,
        );
    } catch {
      // Ignored: there is no other place to report it.
    }
  }

  #warn(message: string): void {
    const { logger } = this.settings;
    if (logger === undefined) process.emitWarning(message, 'MnemisWarning');
    else logger.warn(message);
  }
}

/** A user as a run names it; databases number their users. */
export function userOf(given: unknown): string | undefined {
  const user = typeof given === 'number' && Number.isFinite(given) ? String(given) : given;
  return typeof user === 'string' && user.trim() !== '' ? user : undefined;
}

/** A run does not name the user whose memory it may read and write. */
export class MissingUserError extends defineError('missing-user', () => ({
  message:
    'The run does not name its user, so no memory was read and nothing was stored. Name the user with each run, as docs/agents.md shows for each framework, or give all runs one `memory`.',
})) {}
