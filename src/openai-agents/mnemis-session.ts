import { z } from 'zod';
import type { AgentMemory } from '../agent-memory/agent-memory.ts';
import type { MemoryScope } from '../engine/memory-scope.ts';
import { InvalidInputError } from '../errors/index.ts';
import { describeIssues } from '../util/describe-issues.ts';
import { isKept, itemSchema, itemsOf, type KeptItem, type StoredTurn, turnsOf } from './session-items.ts';

/** What a session needs of a scope; `MemoryScope` is one. */
export interface SessionMemory extends Pick<MemoryScope, 'name' | 'context' | 'add' | 'forget'> {
  /** The current turns of a session, in order. */
  turns(session: string): Promise<readonly StoredTurn[]>;
}

/** The conversation that a session keeps. */
interface Conversation {
  readonly memory: SessionMemory;
  readonly session: string;
  readonly speaker: string | undefined;
  readonly redactSecrets: boolean;
}

const itemsSchema = z.array(itemSchema);

/**
 * A conversation of one scope as `Session` of the OpenAI Agents SDK. Every item comes back as it was given, calls of
 * tools and their results too; what people and the model say is memory, of which facts are read from the former. Turns
 * that others added to the conversation are part of it. Failures of the store are thrown: an item is kept once `addItems`
 * resolves.
 */
export class MnemisSession {
  readonly #of: Conversation;
  readonly #agent: Pick<AgentMemory, 'store'>;

  /** @internal */
  constructor(of: Conversation, agent: Pick<AgentMemory, 'store'>) {
    this.#of = of;
    this.#agent = agent;
  }

  /** The name of the conversation. */
  async getSessionId(): Promise<string> {
    return this.#of.session;
  }

  /**
   * The last `limit` items in order; without it, all.
   *
   * @throws StoreReadError
   */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of items, which it gave to `addItems`.
  async getItems(limit?: number): Promise<any[]> {
    const items = (await this.#kept()).map(({ item }) => item);
    if (limit === undefined) return items;
    return limit <= 0 ? [] : items.slice(-limit);
  }

  /**
   * Appends items in one step, without items of others between them. Leaves out what memory itself had added to the
   * input of the model. A message that a rule of the user refuses is left out with a warning.
   *
   * @throws InvalidInputError for something that is no item; DiskFullError, StoreWriteError: none is stored.
   */
  async addItems(items: readonly unknown[]): Promise<void> {
    const parsed = itemsSchema.safeParse(items);
    if (!parsed.success)
      throw new InvalidInputError(`The items of the session: ${describeIssues(parsed.error)}`);
    const { memory, session, speaker, redactSecrets: redacts } = this.#of;
    const turns = parsed.data.filter(isKept).flatMap((item) => turnsOf(item, { session, speaker, redacts }));
    if (turns.length > 0) await this.#agent.store(memory, turns);
  }

  /**
   * Forgets the last item, and returns it.
   *
   * @throws ForgettingStoppedError
   */
  // biome-ignore lint/suspicious/noExplicitAny: as of `getItems`.
  async popItem(): Promise<any> {
    const last = (await this.#kept()).at(-1);
    if (last === undefined) return undefined;
    await this.#of.memory.forget({ episodes: last.turns });
    return last.item;
  }

  /**
   * Forgets the conversation: its turns and everything derived from them alone.
   *
   * @throws ForgettingStoppedError
   */
  async clearSession(): Promise<void> {
    const { memory, session } = this.#of;
    const isEmpty = async () => (await memory.turns(session)).length === 0;
    if (await isEmpty()) return;
    try {
      await memory.forget({ session });
    } catch (error) {
      if (!InvalidInputError.isInstance(error) || !(await isEmpty())) throw error; // otherwise another caller cleared it first
    }
  }

  async #kept(): Promise<readonly KeptItem[]> {
    return itemsOf(await this.#of.memory.turns(this.#of.session));
  }
}
