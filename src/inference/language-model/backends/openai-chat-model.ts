import type { AIMessage } from '@langchain/core/messages';
import type { ChatOpenAICompletions, OpenAIClient } from '@langchain/openai';

type Streaming = OpenAIClient.Chat.ChatCompletionCreateParamsStreaming;
type NonStreaming = OpenAIClient.Chat.ChatCompletionCreateParamsNonStreaming;
type Options = Parameters<ChatOpenAICompletions['completionWithRetry']>[1];

/** The message field for tool arguments, which LangChain would drop, or parse and warn about. */
const TOOL_ARGUMENTS = 'raw_tool_arguments';

/** Where servers put a model's reasoning: vLLM, LM Studio and others, under one of two names. */
interface Reasoned {
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
}

/**
 * LangChain's OpenAI model without its parsing of structured replies: the client's parser discards a
 * truncated reply together with its usage, and the message's parser loses refusals.
 */
export async function openAiChatModel(): Promise<typeof ChatOpenAICompletions> {
  const [library, { AIMessage }] = await Promise.all([
    import('@langchain/openai'),
    import('@langchain/core/messages'),
  ]);
  return class OpenAiChatModel extends library.ChatOpenAICompletions {
    override completionWithRetry(
      request: Streaming,
      options?: Options,
    ): Promise<AsyncIterable<OpenAIClient.Chat.ChatCompletionChunk>>;
    override completionWithRetry(
      request: NonStreaming,
      options?: Options,
    ): Promise<OpenAIClient.Chat.ChatCompletion>;
    override async completionWithRetry(
      request: Streaming | NonStreaming,
      options?: Options,
    ): Promise<AsyncIterable<OpenAIClient.Chat.ChatCompletionChunk> | OpenAIClient.Chat.ChatCompletion> {
      const clientOptions = this._getClientOptions(options);
      return this.client.chat.completions.create(request, clientOptions);
    }

    override _convertCompletionsMessageToBaseMessage(
      message: OpenAIClient.Chat.ChatCompletionMessage & Reasoned,
    ): AIMessage {
      const [call] = message.tool_calls ?? [];
      const toolArguments = call?.type === 'function' ? { [TOOL_ARGUMENTS]: call.function.arguments } : {};
      const reasoning = message.reasoning_content ?? message.reasoning;
      return new AIMessage({
        content: message.content ?? '',
        additional_kwargs: {
          ...toolArguments,
          ...(message.refusal ? { refusal: message.refusal } : {}),
          ...(reasoning ? { reasoning_content: reasoning } : {}),
        },
      });
    }
  };
}
