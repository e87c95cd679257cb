import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { ChatOpenAI } from '@langchain/openai';

/**
 * The chat model of the examples: any OpenAI-compatible one that the environment names, else a script, so that every
 * example runs without a key and without a network.
 *
 * @param script - what the scripted model says, in turn.
 */
export function chatModel(script: string[]): BaseChatModel {
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL, MODEL: model = 'gpt-5-mini' } = process.env;
  if (apiKey === undefined) return new FakeListChatModel({ responses: script });
  return new ChatOpenAI({ model, apiKey, configuration: { baseURL } });
}
