import { AgentMemory, userOf } from '../agent-memory/agent-memory.ts';
import type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
import { askedIn } from '../agent-memory/asked.ts';
import { RECALL_RULE } from '../agent-memory/recall.ts';
import { type RunOptions, readRunOptions } from '../agent-memory/run-options.ts';
import { MnemisSession, type SessionMemory } from './mnemis-session.ts';
import { type Item, SOURCE, textOf } from './session-items.ts';

/** The memory of the agents, how much of it the model gets, and how their conversations are kept. */
export interface AgentMemoryOptions
  extends Omit<MemoryMiddlewareOptions, 'engine' | 'memory' | 'remember' | 'mostWaiting'> {
  /** Each run names its user and uses that user's scope. Set this or `memory`. */
  readonly engine?: { scope(name: string): SessionMemory } | undefined;
  /** One memory for the runs of all users. */
  readonly memory?: SessionMemory | undefined;
  /** As `redactSecrets` of `Mnemis.open`, for the parts of an item other than its text. Default true. */
  readonly redactSecrets?: boolean | undefined;
}

/** The user and the conversation of a run. */
export interface AgentRunOptions extends RunOptions {
  /** Cancels the recall; give the run the same one. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of `run`; none for a private run. */
export interface MemoryRunOptions {
  readonly session?: MnemisSession;
  /** Puts what memory holds before the new items. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of items, passed on.
  readonly sessionInputCallback?: (history: any[], added: any[]) => Promise<any[]>;
}

/** Gives runs of agents their memory. */
export interface MemoryOfAgents {
  /**
   * `run(agent, input, memory.runOptions({ userId, session }))`. Default session: `openai-agents`. A private run gets
   * no options: it neither reads nor writes, and has no history.
   *
   * @throws InvalidInputError; MissingUserError if a required `userId` is missing.
   */
  runOptions(of?: AgentRunOptions): MemoryRunOptions;
}

/**
 * Memory for agents of the OpenAI Agents SDK. Before a run it inserts relevant memories for the user's message: within a
 * token budget, fenced as data, without what the conversation contains, and never into the conversation. The SDK keeps
 * the conversation in the session, streamed or not. A failure of the recall goes to `onError` and does not break the run.
 *
 * @throws InvalidInputError for invalid options.
 */
export function agentMemory({ redactSecrets = true, ...options }: AgentMemoryOptions): MemoryOfAgents {
  const agent = new AgentMemory<SessionMemory>(options);
  return {
    runOptions: ({ signal, ...of } = {}) => {
      const { userId, session = SOURCE, private: isPrivate } = readRunOptions(of, 'The options of a run');
      const user = userOf(userId);
      const memory = agent.memoryOf(user);
      if (isPrivate) return {};
      const speaker = agent.settings.speakerOf(user);
      return {
        session: new MnemisSession({ memory, session, speaker, redactSecrets }, agent),
        sessionInputCallback: async (history: readonly Item[], added: readonly Item[]) => {
          const asked = askedIn(added);
          const seen = new Set([...history, ...added].map((item) => textOf(item).trim()));
          const recalled = await agent.recall({
            ...{ memory, question: asked.map(textOf).join('\n'), signal },
            isInPrompt: ({ content }) => seen.has(content.trim()),
          });
          if (recalled === null) return [...history, ...added];
          const place = added.indexOf(asked[0]!);
          return [
            { type: 'message', role: 'system', content: RECALL_RULE },
            ...[...history, ...added.slice(0, place)],
            { type: 'message', role: 'user', content: recalled },
            ...added.slice(place),
          ];
        },
      };
    },
  };
}
