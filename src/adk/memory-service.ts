import { AgentMemory, userOf } from '../agent-memory/agent-memory.ts';
import type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
import { RECALL_RULE } from '../agent-memory/recall.ts';
import { textOfContent } from '../model/messages/message-blocks.ts';
import { MAX_CONTENT_LENGTH, type TurnInput } from '../model/turn-input.ts';
import { DATA, fence } from '../prompts/as-data.ts';

/** The memory of the agents, and how much of it a search gives. */
export interface MemoryServiceOptions
  extends Omit<MemoryMiddlewareOptions, 'remember' | 'mostWaiting' | 'scopeOf'> {
  /** The name of the scope of a user of an app. Default: `appName/userId`. */
  readonly scopeOf?: ((userId: string, appName: string) => string) | undefined;
}

/** A session of ADK (`Session`), as far as it is read. */
interface Session {
  readonly id: string;
  readonly appName: string;
  readonly userId: string;
  readonly events: readonly {
    readonly id: string;
    readonly author?: string | undefined;
    readonly content?: { readonly parts?: readonly unknown[] | undefined } | undefined;
    readonly timestamp: number;
    readonly partial?: boolean | undefined;
  }[];
}

/** A memory as ADK takes it. */
interface FoundMemory {
  /** Fenced as data, with its day and who said it. */
  content: { role: string; parts: { text: string }[] };
  /** When it was said (ISO 8601); absent of a summary. */
  timestamp?: string;
}

/** A `memoryService` for a `Runner` of the Agent Development Kit (`BaseMemoryService`). */
export interface MemoryService {
  /**
   * Stores what the user and the agents said in a session; what is stored already stays as it is.
   *
   * @throws MissingUserError; DiskFullError, StoreWriteError: nothing of the session is stored; call it again.
   */
  addSessionToMemory(session: Session): Promise<void>;
  /**
   * What memory holds on a text; nothing where memory fails, which `onError` gets.
   *
   * @throws MissingUserError
   */
  searchMemory(request: {
    readonly appName: string;
    readonly userId: string;
    readonly query: string;
  }): Promise<{ memories: FoundMemory[] }>;
}

/**
 * Memory for agents of Google's Agent Development Kit. `PRELOAD_MEMORY` and `LOAD_MEMORY` among the agent's tools search
 * it; `addSessionToMemory` stores a session, of which each event is stored once, however often it is given. Put
 * `MEMORY_RULE` into the instruction of the agent: stored text is data, never instructions.
 *
 * @throws InvalidInputError for invalid options.
 */
export function memoryService({
  // An app's name with a slash is no other app with another user.
  scopeOf = (userId, appName) => `${encodeURIComponent(appName)}/${userId}`,
  ...options
}: MemoryServiceOptions): MemoryService {
  const agent = new AgentMemory(options);
  const memoryFor = (userId: string, appName: string) => {
    const user = userOf(userId);
    return agent.memoryOf(user === undefined ? undefined : scopeOf(user, appName));
  };
  return {
    addSessionToMemory: async ({ id, appName, userId, events }) => {
      const speaker = agent.settings.speakerOf(userId);
      const turns = events.flatMap(({ id: event, author, content, timestamp, partial }): TurnInput[] => {
        const text = textOfContent(content?.parts).slice(0, MAX_CONTENT_LENGTH).toWellFormed();
        if (text.trim() === '' || partial === true) return [];
        const said = {
          content: text,
          session: id,
          source: SOURCE,
          sourceId: `${id}/${event}`,
          at: timestamp,
        };
        if (author === 'user') return [{ ...said, role: 'user', speaker }];
        return [{ ...said, role: 'assistant', trust: 'low', speaker: author }];
      });
      if (turns.length > 0) await agent.store(memoryFor(userId, appName), turns);
    },
    searchMemory: async ({ appName, userId, query: question }) => {
      const sources = await agent.found({ memory: memoryFor(userId, appName), question });
      return {
        memories: sources.map(({ line, item }) => ({
          content: { role: 'user', parts: [{ text: fence(DATA, line) }] },
          ...(item.kind === 'episode' ? { timestamp: new Date(item.validAt).toISOString() } : {}),
        })),
      };
    },
  };
}

/** For the instruction of an agent: how to read what memory holds. */
export const MEMORY_RULE: string = RECALL_RULE;

/** `source` of the turns of a service. */
const SOURCE = 'adk';
