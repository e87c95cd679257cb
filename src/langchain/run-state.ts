import type { BaseMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { MAX_CONTENT_LENGTH, type TurnInput } from '../model/turn-input.ts';

/**
 * The middleware's part of the thread's state: only ids and times, no text. It is private, so that no caller can set
 * it.
 */
export const runSchema = z.object({
  /** The scope of the run. */
  scope: z.string(),
  isPrivate: z.boolean(),
  /** Human messages without an answer when the run started. */
  asked: z.array(z.string()),
  /** The first message that is not yet stored; null if all are. */
  from: z.string().nullable(),
  startedAt: z.number(),
  /** Messages that are never stored. */
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
 * A run starts with the human messages after the last other message. It also stores messages that an interrupted run of
 * the same scope did not store, but not those of another scope.
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

/** The human messages that this run answers. */
export function questionsOf({ asked, never }: Run, messages: readonly BaseMessage[]): readonly BaseMessage[] {
  return messages.filter(({ id }) => id !== undefined && asked.includes(id) && !never.includes(id));
}

/** The messages to store now: those of people and the model since the last stored one, oldest first. */
export function messagesOf(run: Run, messages: readonly BaseMessage[]): readonly BaseMessage[] {
  if (run.from === null) return [];
  const start = messages.findIndex(({ id }) => id === run.from);
  // The thread may have been shortened since.
  const first = start >= 0 ? start : messages.findLastIndex(({ type }) => type === 'human');
  return messages.slice(Math.max(0, first)).filter(isSaid(run));
}

function isSaid({ never }: Run): (message: BaseMessage) => boolean {
  return ({ id, type, text, additional_kwargs: extra }) =>
    id !== undefined &&
    (type === 'human' || type === 'ai') &&
    text.trim() !== '' &&
    // Messages inserted by LangChain's own middleware, such as a summary of the thread.
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
  /** Name of the human, if the run sets it. */
  readonly speaker: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
}

export function sourceIdOf(thread: string, message: string): string {
  return `${thread}/${message}`;
}

/**
 * Converts messages to turns. Their keys derive from thread and message, so that none is stored twice. Turns of a model
 * have low trust.
 */
export function saidTurns(
  messages: readonly BaseMessage[],
  { thread, speaker, startedAt, endedAt }: SaidIn,
): TurnInput[] {
  return messages.flatMap((message) =>
    partsOf(message.text).map((content, part): TurnInput => {
      const id = sourceIdOf(thread, message.id!);
      const turn = { content, session: thread, source: SOURCE, sourceId: part === 0 ? id : `${id}/${part}` };
      if (message.type === 'ai')
        return { ...turn, role: 'assistant', speaker: 'assistant', trust: 'low', at: endedAt };
      return { ...turn, role: 'user', at: startedAt, ...(speaker === undefined ? {} : { speaker }) };
    }),
  );
}

/** A message that is longer than a turn may be becomes several turns. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += MAX_CONTENT_LENGTH)
    parts.push(text.slice(at, at + MAX_CONTENT_LENGTH).toWellFormed());
  return parts.filter((part) => part.trim() !== '');
}
