import type { BaseMessage } from '@langchain/core/messages';
import type { TurnInput } from '../../model/turn-input.ts';

/** `source` of the turns that the middleware remembers. */
export const SOURCE = 'langchain-agent';
/** Session of runs without a thread. */
export const NO_THREAD = 'agent';

export interface SaidIn {
  readonly thread: string;
  /** Who the human is, where the run says so. */
  readonly speaker: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
}

export function sourceIdOf(thread: string, message: string): string {
  return `${thread}/${message}`;
}

/**
 * Messages as turns; their keys follow from thread and message, so that none is added twice. What a model said is not
 * acted on as what people say is: its trust is low.
 */
export function saidTurns(
  messages: readonly BaseMessage[],
  { thread, speaker, startedAt, endedAt }: SaidIn,
): TurnInput[] {
  return messages.map((message): TurnInput => {
    const turn = {
      content: message.text,
      session: thread,
      source: SOURCE,
      sourceId: sourceIdOf(thread, message.id!),
    };
    if (message.type === 'ai')
      return { ...turn, role: 'assistant', speaker: 'assistant', trust: 'low', at: endedAt };
    return { ...turn, role: 'user', at: startedAt, ...(speaker === undefined ? {} : { speaker }) };
  });
}
