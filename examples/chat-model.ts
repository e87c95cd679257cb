import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { ChatOpenAI } from '@langchain/openai';

/**
 * The chat model of the examples: an OpenAI-compatible one set in the environment, else a script, so that every example
 * runs without a key and a network.
 *
 * @param script - the replies of the scripted model, in order.
 */
export function chatModel(script: string[]): BaseChatModel {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, MODEL: model = 'gpt-5-mini' } = process.env;
  if (apiKey === undefined) return new FakeListChatModel({ responses: script });
  return new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
}
