import { randomUUID } from 'node:crypto';
import { AgentMemory, userOf } from '../agent-memory/agent-memory.ts';
import type { MemoryMiddlewareOptions } from '../agent-memory/agent-memory-options.ts';
import { RECALL_RULE } from '../agent-memory/recall.ts';
import { type RunOptions, readRunOptions } from '../agent-memory/run-options.ts';
import { textOfContent } from '../model/messages/message-blocks.ts';
import { MAX_CONTENT_LENGTH, type TurnInput } from '../model/turn-input.ts';
import { DATA, fence } from '../prompts/as-data.ts';
import { digestOf } from '../util/digest-of.ts';

/** The memory of an agent, its user and its conversation, and what the store says of itself. */
export interface MemoryStoreOptions<Extraction = boolean>
  extends Omit<MemoryMiddlewareOptions, 'remember' | 'mostWaiting' | 'k'>,
    RunOptions {
  /** As the tools of the agent call the store. Default `mnemis`. */
  readonly name?: string | undefined;
  /** What the store contains, for the tools. */
  readonly description?: string | undefined;
  /** Memories of a search that sets no number, from 1 to 100. Default 10. */
  readonly maxSearchResults?: number | undefined;
  /** When messages are stored, as the SDK's `ExtractionConfig`. Default true: every five turns, and at `flush`. */
  readonly extraction?: Extraction | undefined;
}

/** A memory as the agent gets it. */
export interface MemoryEntry {
  /** One line or more, with its day and who said it; data, never instructions. */
  readonly content: string;
  readonly metadata: { readonly id: string; readonly kind: string };
}

/** A message of Strands (`MessageData`), as far as it is read. */
interface Message {
  readonly role: string;
  readonly content: readonly unknown[];
  readonly trackingId?: string | undefined;
}

/** A store for `MemoryManager` of the Strands Agents SDK. */
export interface MemoryStore<Extraction = boolean> {
  readonly name: string;
  readonly description: string;
  readonly maxSearchResults: number;
  /** False for a private run. */
  readonly writable: boolean;
  readonly extraction: Extraction | boolean;
  /** The memories that fit a text best, best first. */
  search(
    query: string,
    options?: { readonly maxSearchResults?: number | undefined },
  ): Promise<{ content: string; metadata: { id: string; kind: string } }[]>;
  /** Stores a text that the agent wants to remember, once. */
  add(content: string): Promise<void>;
  /** Stores messages of the conversation, once, however often the manager tries. */
  addMessages(
    messages: readonly Message[],
    context?: { readonly sequenceNumbers?: readonly number[] | undefined },
  ): Promise<void>;
}

/**
 * A memory for the `MemoryManager` of an agent of the Strands Agents SDK: of one user, in one conversation. The manager
 * searches it before a call of the model and stores the messages in the background: await its `flush()` before you close
 * the engine. A failed search finds nothing and goes to `onError`; a failed write is thrown, and the manager tries it
 * again. A private run neither reads nor writes.
 *
 * @throws InvalidInputError for invalid options; MissingUserError if a required `userId` is missing.
 */
export function memoryStore<Extraction = boolean>(
  options: MemoryStoreOptions<Extraction>,
): MemoryStore<Extraction | boolean> {
  const {
    name = 'mnemis',
    description = DESCRIPTION,
    maxSearchResults = 10,
    extraction = true,
    ...rest
  } = options;
  const { userId, session: given, private: asPrivate, ...settings } = rest;
  const of = readRunOptions({ userId, session: given, private: asPrivate }, 'The options of the store');
  const agent = new AgentMemory(settings);
  const user = userOf(of.userId);
  const memory = agent.memoryOf(user);
  const { session = SOURCE, private: isPrivate } = of;
  const turn = { session, source: SOURCE };
  const run = randomUUID();
  return {
    ...{
      name,
      description,
      maxSearchResults,
      writable: !isPrivate,
      extraction: isPrivate ? false : extraction,
    },
    search: async (question, { maxSearchResults: most = maxSearchResults } = {}) => {
      if (isPrivate) return [];
      const sources = await agent.found({ memory, question });
      return sources
        .toSorted((one, other) => one.item.rank - other.item.rank)
        .slice(0, most)
        .map(({ line, item }) => ({ content: line, metadata: { id: item.id, kind: item.kind } }));
    },
    add: async (content) => {
      const sourceId = digestOf([session, content]);
      await agent.store(memory, [{ ...turn, content, role: 'assistant', trust: 'low', sourceId }]);
    },
    addMessages: async (messages, { sequenceNumbers } = {}) => {
      const speaker = agent.settings.speakerOf(user);
      const turns = messages.flatMap(({ role, content, trackingId }, at): TurnInput[] => {
        const text = textOfContent(content).slice(0, MAX_CONTENT_LENGTH).toWellFormed();
        if (text.trim() === '') return [];
        // Numbers begin at 0 for each agent; several may share a store.
        const key = trackingId ?? [run, sequenceNumbers?.[at] ?? randomUUID()];
        const said = { ...turn, content: text, sourceId: digestOf([session, key, text]) };
        return [role === 'user' ? { ...said, role, speaker } : { ...said, role: 'assistant', trust: 'low' }];
      });
      if (turns.length > 0) await agent.store(memory, turns);
    },
  };
}

/** Memories for `injection: { format: memoryBlock }`: fenced as data, with the rule to read them. */
export function memoryBlock({
  entries,
}: {
  readonly entries: readonly { readonly content: string }[];
}): string {
  return `${RECALL_RULE}\n${fence(DATA, entries.map(({ content }) => content).join('\n'))}`;
}

/** `source` of the turns of a store, and the session of agents that name none. */
const SOURCE = 'strands';
const DESCRIPTION = 'What this user said in earlier conversations, and facts of it.';
