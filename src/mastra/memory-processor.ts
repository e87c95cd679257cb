import { AgentMemory, userOf } from '../agent-memory/agent-memory.ts';
import type { MemoryMiddlewareOptions, MiddlewareMemory } from '../agent-memory/agent-memory-options.ts';
import { askedIn } from '../agent-memory/asked.ts';
import { readRunOptions } from '../agent-memory/run-options.ts';
import type { PromptMessage } from '../ai-sdk/prompt-messages.ts';
import { recallInto } from '../ai-sdk/recall-into.ts';
import { type Message, saidTurns } from './said-turns.ts';

/** The request context of a run, as far as it is read. */
interface RequestContext {
  get(key: string): unknown;
}

/** What every hook gets of its run. */
interface Hook {
  readonly requestContext?: RequestContext | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** The memory and the conversation of a run. */
interface Run {
  readonly memory: MiddlewareMemory;
  readonly session: string;
  readonly user: string | undefined;
  readonly isPrivate: boolean;
}

/** A processor for `inputProcessors` and `outputProcessors` of an agent of Mastra. */
export interface MemoryProcessor {
  readonly id: 'mnemis-memory';
  /** Finds out whose run it is. */
  processInputStep(
    step: Hook & { readonly messages: readonly Message[]; readonly state: Record<string, unknown> },
  ): undefined;
  /** Puts what memory holds into the prompt of one call; nothing of it stays in the thread. */
  processLLMRequest(
    // biome-ignore lint/suspicious/noExplicitAny: the prompt of the AI SDK, passed on.
    request: Hook & { readonly prompt: any; readonly state: Record<string, unknown> },
    // biome-ignore lint/suspicious/noExplicitAny: as above.
  ): Promise<{ prompt: any } | undefined>;
  /** Stores what the user and the agent said. */
  processOutputResult<Output extends Message>(
    output: Hook & {
      readonly messages: Output[];
      readonly messageList: { readonly get: { readonly all: { db(): readonly Message[] } } };
    },
  ): Promise<Output[]>;
  /** Resolves when all pending turns are stored, or their failures reported to `onError`. */
  settled(): Promise<void>;
}

/**
 * Memory for an agent of Mastra: one processor, given both as `inputProcessors` and as `outputProcessors`. Before each
 * call of the model it inserts relevant memories for the user's message: within a token budget, fenced as data, without
 * what the prompt contains, and never into the thread. When the run ends, streamed or not, it stores the user's message
 * and the agent's text, after the processors before it, in the background: await `settled()` before you close the
 * engine. A failure of memory goes to `onError` and does not break the run.
 *
 * The run's `resource` is the user and its `thread` the conversation. Where an agent has no memory of Mastra's own,
 * `requestContext.set('mnemis', { userId, session })` says both; `private: true` there excludes a run from memory.
 *
 * @throws InvalidInputError for invalid options, of the run too; in a run, MissingUserError if a required user is
 * missing.
 */
export function memoryProcessor(options: MemoryMiddlewareOptions): MemoryProcessor {
  const agent = new AgentMemory(options);
  const runOf = ({ requestContext }: Hook, messages: readonly Message[]): Run => {
    const given = readRunOptions(requestContext?.get('mnemis'), 'mnemis of the request context');
    const { server, message } = placesOf(requestContext, messages);
    const user = userOf(server.resource ?? given.userId ?? message.resource);
    const session = server.thread ?? given.session ?? message.thread ?? SOURCE;
    return { memory: agent.memoryOf(user), session, user, isPrivate: given.private };
  };
  return {
    id: 'mnemis-memory',
    processInputStep: (step) => {
      step.state[RUN] = runOf(step, step.messages);
      return undefined;
    },
    processLLMRequest: async ({ prompt, state, abortSignal: signal }) => {
      const { memory, session, isPrivate } = state[RUN] as Run;
      if (isPrivate) return undefined;
      return {
        prompt: await recallInto(prompt as readonly PromptMessage[], agent, { memory, session, signal }),
      };
    },
    processOutputResult: async (output) => {
      const all = output.messageList.get.all.db();
      const { memory, session, user, isPrivate } = runOf(output, all);
      if (!isPrivate && agent.settings.remember) {
        const speaker = agent.settings.speakerOf(user);
        const said = [...askedIn(all), ...output.messages.filter(({ role }) => role === 'assistant')];
        await agent.remember(memory, saidTurns(said, { session, speaker, source: SOURCE }));
      }
      return output.messages;
    },
    settled: () => agent.settled(),
  };
}

/**
 * The user and the conversation as Mastra names them. What its server sets counts first: only those keys of a request
 * context are closed to the clients of a server.
 */
function placesOf(context: RequestContext | undefined, messages: readonly Message[]) {
  const last = askedIn(messages).at(-1);
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined);
  return {
    server: {
      resource: text(context?.get('mastra__resourceId')),
      thread: text(context?.get('mastra__threadId')),
    },
    message: { resource: text(last?.resourceId), thread: text(last?.threadId) },
  };
}

/** `source` of the turns that are remembered, and the session of runs without a thread. */
const SOURCE = 'mastra';
/** Where the state of a request has its run. */
const RUN = 'mnemis';
