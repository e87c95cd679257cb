import type { BaseMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { CancelledError, MnemisError } from '../../errors/index.ts';
import { defineError } from '../../errors/mnemis-error.ts';
import { BackgroundJobs } from '../../util/serial-queue.ts';
import {
  type MemoryMiddlewareOptions,
  type MiddlewareMemory,
  type MiddlewareSettings,
  readMiddlewareOptions,
} from './middleware-options.ts';
import { RECALL_RULE, recall, withRecalled } from './recall.ts';
import { beginRun, messagesOf, NO_THREAD, questionsOf, type Run, runSchema, saidTurns } from './run-state.ts';

/** Checked here, because Zod's error would give no advice. */
const contextSchema = z.object({
  /** The user whose memory the run reads and writes; required unless the middleware has one `memory` for all. */
  userId: z.custom<string>(() => true).optional(),
  /** True for a run that neither reads nor writes memory. */
  private: z.custom<boolean>(() => true).optional(),
});
type Context = z.output<typeof contextSchema>;

const stateSchema = z.object({ _mnemisRun: runSchema.optional() });

/** What a hook receives about the run. */
interface Runtime {
  readonly context?: Context | undefined;
  readonly configurable?: { readonly thread_id?: unknown } | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Number of runs whose recalled text is cached between model calls, and for how long: a run may resume days later, when
 * some of that text has been forgotten.
 */
const MOST_RUNS = 256;
const KEPT_MILLISECONDS = 60_000;

/**
 * Memory for an agent made with `createAgent`. Before each model call it inserts relevant memories for the user's
 * message: within a token budget, fenced as data, without what the thread contains, and never into the thread's
 * messages. After the agent it stores the turns of the run in the background: await `settled()` before you close the
 * engine. A failure of memory goes to `onError` and does not break the run.
 *
 * @throws InvalidInputError for invalid options. In a run: MissingUserError if a required `userId` is missing;
 * ForeignRunError if it is resumed for another user.
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions) {
  const memory = new AgentMemory(readMiddlewareOptions(options));
  const middleware = createMiddleware({
    name: 'MnemisMemory',
    contextSchema,
    stateSchema,
    beforeAgent: (state, runtime) => ({
      _mnemisRun: memory.begin(state.messages, runtime, state._mnemisRun),
    }),
    wrapModelCall: async (request, handler) => {
      const { messages, runtime, state, systemMessage } = request;
      const run = state._mnemisRun;
      const recalled = await memory.recalled(messages, runtime, run);
      if (recalled === null || run === undefined) return handler(request);
      return handler({
        ...request,
        messages: withRecalled(messages, recalled, questionsOf(run, messages)),
        systemMessage: systemMessage.concat(systemMessage.text === '' ? RECALL_RULE : `\n\n${RECALL_RULE}`),
      });
    },
    afterAgent: async (state, runtime) => {
      await memory.remember(state.messages, runtime, state._mnemisRun);
      if (state._mnemisRun === undefined) return;
      return { _mnemisRun: { ...state._mnemisRun, from: null } };
    },
  });
  return Object.assign(middleware, {
    /** Resolves when all pending turns are stored, or their failures reported to `onError`. */
    settled: () => memory.settled(),
  });
}

class AgentMemory {
  readonly #settings: MiddlewareSettings;
  readonly #writes: BackgroundJobs;
  /** By run: a run searches once, for all its model calls. */
  readonly #recalled = new LRUCache<string, { readonly text: Promise<string | null> }>({
    max: MOST_RUNS,
    ttl: KEPT_MILLISECONDS,
  });

  constructor(settings: MiddlewareSettings) {
    this.#settings = settings;
    this.#writes = new BackgroundJobs(settings.mostWaiting, (error) => this.#tell(error));
  }

  settled(): Promise<void> {
    return this.#writes.settled();
  }

  begin(messages: readonly BaseMessage[], runtime: Runtime, before: Run | undefined): Run {
    const scope = this.#memoryOf(runtime).name;
    const isPrivate = saysPrivate(runtime);
    return beginRun({ messages, scope, isPrivate, now: this.#settings.clock() }, before);
  }

  async recalled(
    messages: readonly BaseMessage[],
    runtime: Runtime,
    run: Run | undefined,
  ): Promise<string | null> {
    const memory = this.#memoryFor(runtime, run);
    if (run === undefined || run.isPrivate || saysPrivate(runtime)) return null;
    const key = keyOf(run, runtime);
    const known = this.#recalled.get(key)?.text;
    if (known !== undefined) return known;
    const text = this.#recall(
      {
        memory,
        inView: messages,
        thread: threadOf(runtime),
        signal: runtime.signal,
        question: questionsOf(run, messages)
          .map((message) => message.text)
          .join('\n'),
      },
      () => this.#recalled.delete(key),
    );
    this.#recalled.set(key, { text });
    return text;
  }

  async remember(messages: readonly BaseMessage[], runtime: Runtime, run: Run | undefined): Promise<void> {
    const memory = this.#memoryFor(runtime, run);
    if (run === undefined) return;
    this.#recalled.delete(keyOf(run, runtime));
    const said = this.#settings.remember && !saysPrivate(runtime) ? messagesOf(run, messages) : [];
    if (said.length === 0) return;
    const turns = saidTurns(said, {
      thread: threadOf(runtime),
      speaker: this.#settings.speakerOf(userOf(runtime)),
      startedAt: run.startedAt,
      endedAt: this.#settings.clock(),
    });
    await this.#writes.begin(async () => {
      const { rejected, notStored } = await memory.add(turns);
      if (rejected === 0) return;
      const reasons = new Set(
        notStored.flatMap(({ status, reason }) => (status === 'rejected' ? [reason] : [])),
      );
      this.#warn(
        `${rejected} of the ${turns.length} turns of a run were rejected (${[...reasons].join('; ')}); the others are stored.`,
      );
    });
  }

  async #recall(request: Parameters<typeof recall>[0], failed: () => void): Promise<string | null> {
    try {
      return await recall(request, this.#settings);
    } catch (error) {
      failed();
      if (CancelledError.isInstance(error) || request.signal?.aborted) throw error;
      this.#tell(error);
      return null;
    }
  }

  /** @throws MissingUserError, ForeignRunError */
  #memoryFor(runtime: Runtime, run: Run | undefined): MiddlewareMemory {
    const memory = this.#memoryOf(runtime);
    if (run !== undefined && run.scope !== memory.name) throw new ForeignRunError();
    return memory;
  }

  /** @throws MissingUserError: there is no default memory for a run without a user. */
  #memoryOf(runtime: Runtime): MiddlewareMemory {
    const { engine, memory, scopeOf } = this.#settings;
    if (memory !== undefined) return memory;
    const user = userOf(runtime);
    if (user === undefined || engine === undefined) throw new MissingUserError();
    return engine.scope(scopeOf(user));
  }

  /** An error in `onError` itself must not fail the background work. */
  #tell(error: unknown): void {
    const { onError } = this.#settings;
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
    const { logger } = this.#settings;
    if (logger === undefined) process.emitWarning(message, 'MnemisWarning');
    else logger.warn(message);
  }
}

function keyOf(run: Run, runtime: Runtime): string {
  return JSON.stringify([run.scope, threadOf(runtime), run.asked, run.startedAt]);
}

function userOf({ context }: Runtime): string | undefined {
  const given: unknown = context?.userId;
  // Databases number their users.
  const user = typeof given === 'number' && Number.isFinite(given) ? String(given) : given;
  return typeof user === 'string' && user.trim() !== '' ? user : undefined;
}

/** Any value except false means true. */
function saysPrivate({ context }: Runtime): boolean {
  return context?.private !== undefined && context.private !== false;
}

function threadOf({ configurable }: Runtime): string {
  const thread = configurable?.thread_id;
  return typeof thread === 'string' && thread !== '' ? thread : NO_THREAD;
}

/** A run is resumed for another user than the one it started for. */
export class ForeignRunError extends defineError('foreign-run', () => ({
  message:
    'The run was started for another user than the one it is resumed for, so no memory was read and nothing was stored. Resume it with the userId that it was started with.',
})) {}

/** A run does not name the user whose memory it may read and write. */
export class MissingUserError extends defineError('missing-user', () => ({
  message:
    'The run does not name its user, so no memory was read and nothing was stored. Name the user with each run: agent.invoke(input, { context: { userId: … } }).',
})) {}
