import type { AIMessageChunk } from '@langchain/core/messages';
import type { ChatReply } from './chat-backend.ts';
import { finishReason, readMessage, textOf } from './read-message.ts';

/** Thrown inside only: a stream ended before the reply did. */
export class ReplyBrokenOff {}

/** Passes a stream's text on and gives the whole reply. */
export async function collectStream(
  stream: AsyncIterable<AIMessageChunk>,
  {
    onText,
    tellsItsEnd,
  }: { onText: (piece: string) => void /** The last chunk says why it is the last. */; tellsItsEnd: boolean },
): Promise<ChatReply> {
  const { concat } = await import('@langchain/core/utils/stream');
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) {
    whole = whole === undefined ? chunk : concat(whole, chunk);
    onText(textOf(chunk));
  }
  if (whole === undefined || (tellsItsEnd && finishReason(whole) === null)) throw new ReplyBrokenOff();
  return readMessage(whole);
}
