import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { InvalidInputError } from '../../src/errors/index.ts';
import { follow } from '../../src/util/follow.ts';

/** Writes a text, piece by piece. */
export type Writer = (onText: (piece: string) => void) => Promise<void>;

/**
 * An answer in the form of a chat model, so that every stream mode of LangGraph shows its pieces as one message with the
 * answer's id. The pieces are final: the model behind the answer is not streamed itself, because its citations are not
 * numbered yet.
 */
export class StreamedAnswer extends BaseChatModel {
  readonly #id: string;
  readonly #write: Writer;

  constructor(id: string, write: Writer) {
    super({});
    this.#id = id;
    this.#write = write;
  }

  _llmType(): string {
    return 'mnemis';
  }

  async _generate(): Promise<ChatResult> {
    throw new InvalidInputError('An answer is streamed once, and cannot be generated');
  }

  override async *_streamResponseChunks(
    _messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    for await (const text of follow<string>(this.#write)) {
      const chunk = new ChatGenerationChunk({
        text,
        message: new AIMessageChunk({ id: this.#id, content: text }),
      });
      yield chunk;
      await runManager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}
