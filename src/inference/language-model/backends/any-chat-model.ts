import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import type { AIMessage } from '@langchain/core/messages';
import type { ReplyShape } from '../reading/reply-shape.ts';
import {
  type ChatBackend,
  type ChatRequest,
  collectStream,
  functionsOf,
  messagesOf,
  ReplyThrownAway,
  readMessage,
  UNSTREAMED,
} from './chat-backend.ts';

const METHODS = { schema: 'jsonSchema', tool: 'functionCalling', json: 'jsonMode' } as const;

/**
 * A chat model of the caller, with the caller's temperature, seed, limits and key. Create it with
 * `maxRetries: 0`, or its retries multiply with those of Mnemis.
 */
export function anyChatModelBackend(model: BaseChatModel, name: string): ChatBackend {
  return {
    name,
    callsTools: model.bindTools !== undefined,
    ask: async (request) => readMessage(await ask(model, request)),
    stream: async (request, onText) =>
      collectStream(
        await withTools(model, request).stream(messagesOf(request), {
          signal: request.signal,
          ...UNSTREAMED,
        }),
        {
          onText,
          statesFinishReason: false,
        },
      ),
  };
}

/** Some providers refuse results of tools that are not offered, so these stay where the model is to end. */
function withTools(model: BaseChatModel, { tools }: ChatRequest) {
  return tools === undefined ? model : (model.bindTools?.(functionsOf(tools)) ?? model);
}

async function ask(model: BaseChatModel, request: ChatRequest): Promise<AIMessage> {
  const { form, signal } = request;
  if (form === null || form.strategy === 'plain')
    return model.invoke(messagesOf(request), { signal, ...UNSTREAMED });
  const structured = bind(model, form.shape, METHODS[form.strategy]);
  const reply = await structured.invoke(messagesOf(request), { signal, ...UNSTREAMED }).catch(rethrowUnread);
  const { AIMessage } = await import('@langchain/core/messages');
  if (!AIMessage.isInstance(reply.raw)) throw new ReplyThrownAway();
  return reply.raw;
}

/** Some models parse every reply, even if asked for the raw one. */
function rethrowUnread(error: unknown): never {
  const unread =
    error instanceof SyntaxError || (error instanceof Error && error.name === 'OutputParserException');
  throw unread ? new ReplyThrownAway() : error;
}

/** A model without this strategy throws here, before anything is sent. */
function bind(model: BaseChatModel, shape: ReplyShape, method: (typeof METHODS)[keyof typeof METHODS]) {
  try {
    return model.withStructuredOutput({ ...shape.schema }, { name: shape.name, method, includeRaw: true });
  } catch {
    throw { status: 501, message: `no structured output by ${method}`, param: 'response_format' };
  }
}
