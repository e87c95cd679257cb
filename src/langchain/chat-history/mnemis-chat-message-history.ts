import { randomUUID } from 'node:crypto';
import { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import { InvalidInputError } from '../../errors/index.ts';
import { hasCode, MnemisError } from '../../errors/mnemis-error.ts';
import type { TurnInput } from '../../model/turn-input.ts';
import { describeIssues } from '../../util/describe-issues.ts';
import { type MessageTurnOptions, messageOf, type StoredTurn, turnOf } from './message-turn.ts';

/** What a history needs of a scope; `MemoryScope` is one. */
export interface HistoryMemory extends Pick<MemoryScope, 'add' | 'forget'> {
  /** The turns of a session as they stand, in its order. */
  turns(session: string): Promise<readonly StoredTurn[]>;
}

/** Which conversation of whose memory, and what its two sides are called there. */
export interface MnemisChatMessageHistoryOptions {
  /** Whose memory the conversation becomes. */
  readonly memory: HistoryMemory;
  /** Which conversation: 1 to 500 characters, without white space at its ends. */
  readonly session: string;
  /** What the user is called in memory. Default: `user`. */
  readonly speaker?: string;
  /** What the assistant is called in memory. Default: `assistant`. */
  readonly assistant?: string;
  /** When a message was said, as `at` of a turn; for conversations of long ago. Default: now. */
  readonly at?: (message: BaseMessage) => TurnInput['at'];
  /** As that of `Mnemis.open`, for what a message has besides its text. Default true. */
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
 * One conversation of one scope as LangChain's chat history. Each message is a turn of memory: once an add resolves it is
 * on disk and found by every search of the scope, and facts are read from it. Messages come back as they were: text,
 * blocks, ids, names, tool calls and what providers add (docs/langchain.md says what does not). Turns that somebody else
 * added to the session are part of it.
 *
 * @throws InvalidInputError for options that are none.
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

  /** In the order of the conversation. Those whose text was removed by a retention rule are left out. */
  override async getMessages(): Promise<BaseMessage[]> {
    const turns = await this.#memory.turns(this.#session);
    return turns.flatMap((turn) => messageOf(turn) ?? []);
  }

  override addMessage(message: BaseMessage): Promise<void> {
    return this.addMessages([message]);
  }

  /**
   * Appends them in one step, with nobody else's between them. One with an id that is there already, in the same words,
   * is not added again.
   *
   * @throws MessagesRefusedError for those that memory does not take; the others are stored. DiskFullError,
   *   StoreWriteError: none is.
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
   * Forgets the session: its turns, and all that rests on them alone. The file keeps the words until `compact`
   * (docs/forgetting.md). This history may be told them again; others are refused the same messages by the same ids, so
   * that whoever copies a conversation once more does not bring it back.
   */
  override async clear(): Promise<void> {
    this.#turns = { ...this.#turns, generation: randomUUID() };
    const isEmpty = async () => (await this.#memory.turns(this.#session)).length === 0;
    if (await isEmpty()) return;
    try {
      await this.#memory.forget({ session: this.#session });
    } catch (error) {
      if (!InvalidInputError.isInstance(error) || !(await isEmpty())) throw error; // else somebody was quicker
    }
  }
}

/** Messages of a chat history that memory does not take; the others of the call are stored. */
export class MessagesRefusedError extends MnemisError {
  static readonly code = 'messages-refused';
  static override readonly isInstance = hasCode<MessagesRefusedError>(MessagesRefusedError.code);
  /** Why, each reason once: a rule of the user's, or what is wrong with a message. */
  readonly reasons: readonly string[];

  constructor(refused: number, reasons: readonly string[]) {
    const each = [...new Set(reasons)];
    super({
      code: MessagesRefusedError.code,
      message: `Memory did not take ${refused} of the messages (${each.join('; ')}). The others are stored; leave these out.`,
    });
    this.reasons = each;
  }
}
