import { randomUUID } from 'node:crypto';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import { InvalidInputError } from '../../errors/index.ts';
import { defineError } from '../../errors/mnemis-error.ts';
import type { TurnInput } from '../../model/turn-input.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { type MessageTurnOptions, messageOf, type StoredTurn, turnOf } from './message-turn.ts';

/** What a history needs of a scope; `MemoryScope` is one. */
export interface HistoryMemory extends Pick<MemoryScope, 'add' | 'forget'> {
  /** The current turns of a session, in order. */
  turns(session: string): Promise<readonly StoredTurn[]>;
}

/** The scope and the session of the conversation, and the names of its two speakers. */
export interface MnemisChatMessageHistoryOptions {
  /** The scope that stores the conversation. */
  readonly memory: HistoryMemory;
  /** Name of the conversation: 1 to 500 characters, without white space at its ends. */
  readonly session: string;
  /** Name of the user in memory. Default: `user`. */
  readonly speaker?: string;
  /** Name of the assistant in memory. Default: `assistant`. */
  readonly assistant?: string;
  /** Time of a message, as `at` of a turn, for imported conversations. Default: now. */
  readonly at?: (message: BaseMessage) => TurnInput['at'];
  /** As `redactSecrets` of `Mnemis.open`, for the parts of a message other than its text. Default true. */
  readonly redactSecrets?: boolean;
}

const label = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => text === text.trim() && text.isWellFormed(), 'has white space at its ends');
const anything = z.unknown().optional();
const optionsSchema = z.strictObject({
  memory: z.custom((value) => typeof Object(value).turns === 'function', 'is no scope of a memory'),
  session: label,
  speaker: label.optional(),
  assistant: label.optional(),
  at: anything,
  redactSecrets: z.boolean().optional(),
});

/**
 * One conversation of one scope as LangChain's chat history. Each message is a turn of memory: once an add resolves it
 * is on disk and found by every search of the scope, and facts are read from it. Messages are restored completely:
 * text, blocks, ids, names, tool calls and fields of providers (docs/langchain.md lists the exceptions). Turns that
 * others added to the session are part of it.
 *
 * @throws InvalidInputError for invalid options.
 */
export class MnemisChatMessageHistory extends BaseListChatMessageHistory {
  override readonly lc_namespace = ['mnemis', 'chat_history'];
  readonly #memory: HistoryMemory;
  readonly #session: string;
  #turns: MessageTurnOptions;

  constructor(options: MnemisChatMessageHistoryOptions) {
    super();
    const parsed = optionsSchema.safeParse(options);
    if (!parsed.success)
      throw new InvalidInputError(
        `The chat history cannot use these options: ${describeIssues(parsed.error, Object.keys(optionsSchema.shape))}`,
      );
    const { memory, session, speaker = 'user', assistant = 'assistant' } = options;
    const { at = () => Date.now(), redactSecrets = true } = options;
    this.#memory = memory;
    this.#session = session;
    this.#turns = { session, speakers: { user: speaker, assistant }, at, redactSecrets, generation: '' };
  }

  /** In the order of the conversation. Omits messages whose text retention removed. */
  override async getMessages(): Promise<BaseMessage[]> {
    const turns = await this.#memory.turns(this.#session);
    return turns.flatMap((turn) => messageOf(turn) ?? []);
  }

  override addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  /**
   * Appends the messages in one step, without messages of others between them. Skips a message whose id and text are
   * already stored.
   *
   * @throws MessagesRefusedError for messages that memory rejects; the others are stored. DiskFullError,
   * StoreWriteError: none is stored.
   */
  override async addMessages(messages: readonly BaseMessage[]): Promise<void> {
    const turns = messages.map((message) => turnOf(message, this.#turns));
    const fit = turns.filter((turn) => turn !== null);
    const reasons = turns.flatMap((turn) =>
      turn === null ? ['it is no message of a conversation, or too large'] : [],
    );
    if (fit.length > 0) {
      const { outcomes } = await this.#memory.add(fit);
      for (const outcome of outcomes) if (outcome.status === 'rejected') reasons.push(outcome.reason);
    }
    if (reasons.length > 0) throw new MessagesRefusedError(reasons.length, reasons);
  }

  /**
   * Forgets the session: its turns and everything derived from them alone. The file keeps the text until `compact`,
   * a database server until VACUUM FULL (docs/forgetting.md). This history accepts the same messages again; other histories reject messages with the same
   * ids, so that copying a conversation again does not restore it.
   */
  override async clear(): Promise<void> {
    this.#turns = { ...this.#turns, generation: randomUUID() };
    const isEmpty = async () => (await this.#memory.turns(this.#session)).length === 0;
    if (await isEmpty()) return;
    try {
      await this.#memory.forget({ session: this.#session });
    } catch (error) {
      if (!InvalidInputError.isInstance(error) || !(await isEmpty())) throw error; // otherwise another caller added it first
    }
  }
}

/** Memory rejected messages of a chat history; the others of the call are stored. */
export class MessagesRefusedError extends defineError(
  'messages-refused',
  (refused: number, reasons: readonly string[]) => {
    const each = [...new Set(reasons)];
    return {
      message: `Memory did not take ${refused} of the messages (${each.join('; ')}). The others are stored; leave these out.`,

      /** The distinct reasons: a rule of the user, or an invalid message. */
      reasons: each,
    };
  },
) {}
