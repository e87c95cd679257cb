import type { BaseMessage } from '@langchain/core/messages';
import { InvalidInputError } from '../../src/errors/index.ts';
import { roughTokens } from '../../src/inference/language-model/tokens/count-tokens.ts';
import type { Attachment } from '../../src/model/nodes.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';
import { clip } from '../../src/prompts/as-data.ts';
import { writtenAt } from '../../src/util/speaker-clock.ts';
import type { ChatMessage } from './chat-with-memory-prompt.ts';

/** One message and its answer. */
export interface Exchange {
  readonly thread: string;
  /** Id of the user's message; the answer's id is derived from it. */
  readonly messageId: string;
  readonly speaker?: string | undefined;
  readonly question: string;
  readonly askedAt: number;
  /** Of the question. */
  readonly attachments?: readonly Attachment[] | undefined;
  readonly answer: string;
  readonly answeredAt: number;
  /** How far the user's clock was ahead of UTC, in milliseconds: "today" is the day that it showed. */
  readonly offset: number;
}

export const SOURCE = 'assistant';
/** In characters; a search costs more with each word. */
const LONGEST_SEARCHED = 4_000;
/** Maximum tokens of the earlier conversation in the model's prompt. */
const EARLIER_TOKENS = 1_000;

/** @throws InvalidInputError if there is no user message with text. */
export function lastQuestion(messages: readonly BaseMessage[]): {
  readonly id: string;
  readonly text: string;
} {
  const message = messages.findLast((each) => each.type === 'human');
  const text = message?.text.trim() ?? '';
  if (message?.id === undefined || text === '')
    throw new InvalidInputError('The assistant needs a user message that contains text');
  return { id: message.id, text };
}

/** The latest messages before the given one, within the token limit. */
export function earlierThan(id: string, messages: readonly BaseMessage[]): readonly ChatMessage[] {
  const place = messages.findIndex((message) => message.id === id);
  const earlier: ChatMessage[] = [];
  let left = EARLIER_TOKENS;
  for (const message of messages.slice(0, Math.max(0, place)).toReversed()) {
    if (message.type !== 'human' && message.type !== 'ai') continue;
    left -= roughTokens(message.text);
    if (left < 0) break;
    earlier.unshift({ by: message.type === 'human' ? 'user' : 'assistant', text: message.text });
  }
  return earlier;
}

/** The text of the answer to a message; empty before there is one. */
export function answerTo(messageId: string, messages: readonly BaseMessage[]): string {
  return messages.findLast(({ id }) => id === answerIdFor(messageId))?.text ?? '';
}

/** What is searched for a message: of a long one its beginning and end, where people say what they want. */
export function searchableText(text: string): string {
  return clip(text, LONGEST_SEARCHED);
}

export function answerIdFor(messageId: string): string {
  return `${messageId}-answer`;
}

/** Names the turns of an exchange in memory: of its question and of its answer. */
export function sourceIdsOf(thread: string, messageId: string): readonly [question: string, answer: string] {
  return [`${thread}/${messageId}`, `${thread}/${answerIdFor(messageId)}`];
}

/**
 * Both turns of the exchange. Their keys are derived from thread and message, so that a resumed run adds nothing
 * twice. The assistant's turn has low trust: its words are not acted on like a person's.
 */
export function turnsOf(exchange: Exchange): readonly [question: TurnInput, answer: TurnInput] {
  const { thread, messageId, speaker, question, askedAt, attachments, answer, answeredAt, offset } = exchange;
  const common = { session: thread, source: SOURCE };
  const [ofQuestion, ofAnswer] = sourceIdsOf(thread, messageId);
  return [
    {
      ...common,
      content: question,
      role: 'user',
      at: writtenAt({ validAt: askedAt, offset }),
      sourceId: ofQuestion,
      ...(speaker === undefined ? {} : { speaker }),
      ...(attachments === undefined ? {} : { attachments: [...attachments] }),
    },
    {
      ...common,
      content: answer,
      role: 'assistant',
      at: writtenAt({ validAt: answeredAt, offset }),
      speaker: 'assistant',
      trust: 'low',
      sourceId: ofAnswer,
    },
  ];
}
