import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { TurnInput } from '../../model/turn-input.ts';

/**
 * What the middleware keeps in the thread's state, as ids and times alone: no text of anybody. It is private, so that no
 * caller can set it.
 */
export const runSchema = z.object({
  /** Whose memory the run is about. */
  scope: z.string(),
  isPrivate: z.boolean(),
  /** Human messages that nobody had answered when the run began. */
  asked: z.array(z.string()),
  /** The first message that is yet to be remembered; null when all are. */
  from: z.string().nullable(),
  startedAt: z.number(),
  /** Messages that never are. */
  never: z.array(z.string()),
});
export type Run = z.output<typeof runSchema>;

interface RunStart {
  readonly messages: readonly BaseMessage[];
  readonly scope: string;
  readonly isPrivate: boolean;
  readonly now: number;
}

/**
 * A run comes with the human messages after the last that anybody else wrote. What an earlier one of the same scope left
 * behind when it broke off is remembered with it; what one of another scope did is not.
 */
export function beginRun({ messages, scope, isPrivate, now }: RunStart, before: Run | undefined): Run {
  const asked = trailingHuman(messages).flatMap(({ id }) => id ?? []);
  const isOld = (id: string) => before?.asked.includes(id) ?? false;
  const isForeign = before !== undefined && before.scope !== scope;
  const never = [...(before?.never ?? []), ...asked.filter((id) => (isOld(id) ? isForeign : isPrivate))];
  const leftBehind = isForeign || before?.isPrivate ? null : (before?.from ?? null);
  const first = asked.find((id) => !never.includes(id)) ?? null;
  return { scope, isPrivate, asked, never, from: isPrivate ? null : (leftBehind ?? first), startedAt: now };
}

/** Those of the messages that ask something of this run. */
export function questionsOf({ asked, never }: Run, messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.filter(({ id }) => id !== undefined && asked.includes(id) && !never.includes(id));
}

/** What is to be remembered now: what people and the model said since, oldest first. */
export function messagesOf(run: Run, messages: readonly BaseMessage[]): readonly BaseMessage[] {
  if (run.from === null) return [];
  const start = messages.findIndex(({ id }) => id === run.from);
  // The thread may have been cut short meanwhile.
  const first = start >= 0 ? start : messages.findLastIndex(({ type }) => type === 'human');
  return messages.slice(Math.max(0, first)).filter(isSaid(run));
}

function isSaid({ never }: Run): (message: BaseMessage) => boolean {
  return ({ id, type, text, additional_kwargs: extra }) =>
    id !== undefined &&
    (type === 'human' || type === 'ai') &&
    text.trim() !== '' &&
    // Whatever LangChain's middleware puts in, such as a summary of the thread.
    extra.lc_source === undefined &&
    !never.includes(id);
}

function trailingHuman(messages: readonly BaseMessage[]): readonly BaseMessage[] {
  const last = messages.findLastIndex(({ type }) => type !== 'human' && type !== 'system');
  return messages.slice(last + 1).filter(({ type }) => type === 'human');
}

/** `source` of the turns that the middleware remembers. */
export const SOURCE = 'langchain-agent';
/** Session of runs without a thread. */
export const NO_THREAD = 'agent';

interface SaidIn {
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
