import { textOfContent } from '../model/messages/message-blocks.ts';
import { MAX_CONTENT_LENGTH, type TurnInput } from '../model/turn-input.ts';

/** A message of Mastra (`MastraDBMessage`), as far as it is read. */
export interface Message {
  readonly id: string;
  readonly role: string;
  readonly content: { readonly parts?: readonly unknown[] | undefined; readonly content?: unknown };
  readonly threadId?: string | undefined;
  readonly resourceId?: string | undefined;
}

/** The turns of messages: the text of each, once, however often a run hands them over. A model's have low trust. */
export function saidTurns(
  messages: readonly Message[],
  of: { readonly session: string; readonly speaker: string | undefined; readonly source: string },
): readonly TurnInput[] {
  const { session, speaker, source } = of;
  return messages.flatMap(({ id, role, content: { parts, content } }): TurnInput[] => {
    const text = textOfContent(parts ?? content);
    if (text.trim() === '') return [];
    const words = text.slice(0, MAX_CONTENT_LENGTH).toWellFormed();
    const turn = { content: words, session, source, sourceId: `${session}/${id}` };
    return [role === 'user' ? { ...turn, role, speaker } : { ...turn, role: 'assistant', trust: 'low' }];
  });
}
