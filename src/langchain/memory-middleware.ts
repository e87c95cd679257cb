import type { BaseMessage } from '@langchain/core/messages';
import { createMiddleware } from 'langchain';
import { z } from 'zod';
import { AgentMemory, userOf } from '../agent-memory/agent-memory.ts';
import type { MemoryMiddlewareOptions, MiddlewareMemory } from '../agent-memory/agent-memory-options.ts';
import { RECALL_RULE } from '../agent-memory/recall.ts';
import { defineError } from '../errors/mnemis-error.ts';
import { isAmong, tracedContext, withRecalled } from './recall.ts';
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
 * Memory for an agent made with `createAgent`. Before each model call it inserts relevant memories for the user's
 * message: within a token budget, fenced as data, without what the thread contains, and never into the thread's
 * messages. After the agent it stores the turns of the run in the background: await `settled()` before you close the
 * engine. A failure of memory goes to `onError` and does not break the run.
 *
 * @throws InvalidInputError for invalid options. In a run: MissingUserError if a required `userId` is missing;
 * ForeignRunError if it is resumed for another user.
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions) {
  const memory = new MemoryOfRuns(new AgentMemory(options));
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
    settled: () => memory.agent.settled(),
  });
}

class MemoryOfRuns {
  readonly agent: AgentMemory;

  constructor(agent: AgentMemory) {
    this.agent = agent;
  }

  begin(messages: readonly BaseMessage[], runtime: Runtime, before: Run | undefined): Run {
    const scope = this.#memoryFor(runtime, undefined).name;
    const isPrivate = saysPrivate(runtime);
    return beginRun({ messages, scope, isPrivate, now: this.agent.settings.clock() }, before);
  }

  async recalled(
    messages: readonly BaseMessage[],
    runtime: Runtime,
    run: Run | undefined,
  ): Promise<string | null> {
    const memory = this.#memoryFor(runtime, run);
    if (run === undefined || run.isPrivate || saysPrivate(runtime)) return null;
    return this.agent.recalled(keyOf(run, runtime), {
      memory,
      isInPrompt: isAmong(messages, threadOf(runtime)),
      signal: runtime.signal,
      contextOf: tracedContext,
      question: questionsOf(run, messages)
        .map((message) => message.text)
        .join('\n'),
    });
  }

  async remember(messages: readonly BaseMessage[], runtime: Runtime, run: Run | undefined): Promise<void> {
    const memory = this.#memoryFor(runtime, run);
    if (run === undefined) return;
    this.agent.ended(keyOf(run, runtime));
    const { remember, speakerOf, clock } = this.agent.settings;
    const said = remember && !saysPrivate(runtime) ? messagesOf(run, messages) : [];
    const turns = saidTurns(said, {
      thread: threadOf(runtime),
      speaker: speakerOf(userOf(runtime.context?.userId)),
      startedAt: run.startedAt,
      endedAt: clock(),
    });
    await this.agent.remember(memory, turns);
  }

  /** @throws MissingUserError, ForeignRunError */
  #memoryFor({ context }: Runtime, run: Run | undefined): MiddlewareMemory {
    const memory = this.agent.memoryOf(userOf(context?.userId));
    if (run !== undefined && run.scope !== memory.name) throw new ForeignRunError();
    return memory;
  }
}

function keyOf(run: Run, runtime: Runtime): string {
  return JSON.stringify([run.scope, threadOf(runtime), run.asked, run.startedAt]);
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
