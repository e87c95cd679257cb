import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { anyChatModelBackend } from '../../../src/inference/language-model/backends/any-chat-model.ts';
import type { ChatBackend } from '../../../src/inference/language-model/backends/chat-backend.ts';
import { ollamaBackend } from '../../../src/inference/language-model/backends/ollama.ts';
import { openAiBackend } from '../../../src/inference/language-model/backends/openai.ts';
import type { Timing } from '../../../src/inference/language-model/calling/pacing.ts';
import {
  ChatLanguageModel,
  type ChatLanguageModelOptions,
} from '../../../src/inference/language-model/chat-language-model.ts';
import type { Prompt } from '../../../src/model/prompt.ts';
import type { ScriptedServerOptions } from '../../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { counter } from '../../fakes/openai-server/tokens.ts';

export const KEY = 'sk-test-3f1c9d77aa';

/** The supported protocols. */
export const BACKENDS: Readonly<Record<string, (server: ScriptedOpenAiServer) => ChatBackend>> = {
  openai: ({ url }) => openAiBackend({ model: 'test-model', baseUrl: `${url}/v1`, apiKey: KEY }),
  ollama: ({ url }) => ollamaBackend({ model: 'test-model', baseUrl: url, apiKey: KEY, contextTokens: 8192 }),
  'chat-model': ({ url }) =>
    anyChatModelBackend(
      new ChatOpenAI({
        model: 'test-model',
        apiKey: KEY,
        maxRetries: 0,
        temperature: 0,
        configuration: { baseURL: `${url}/v1` },
      }),
      'chat-model:test-model',
    ),
};

/** A clock that only advances by sleeping, and randomness that is always 0.5. */
export class FakeTiming implements Timing {
  readonly slept: number[] = [];
  #now = Date.UTC(2024, 0, 1);
  readonly now = () => this.#now;
  readonly random = () => 0.5;
  readonly sleep = async (milliseconds: number) => {
    this.slept.push(milliseconds);
    this.#now += milliseconds;
  };
}

export interface Lab extends AsyncDisposable {
  readonly server: ScriptedOpenAiServer;
  readonly model: ChatLanguageModel;
  readonly timing: FakeTiming;
}

/** A scripted server and a model that calls it and never waits. */
export async function openLab(
  backend: string,
  { server: script, ...options }: ChatLanguageModelOptions & { readonly server?: ScriptedServerOptions } = {},
): Promise<Lab> {
  // Loading the vocabulary must not count towards the first request's deadline.
  await counter.count('warm');
  const server = await ScriptedOpenAiServer.start(script);
  const timing = new FakeTiming();
  const model = new ChatLanguageModel(BACKENDS[backend]!(server), { timing, counter, ...options });
  return { server, model, timing, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

export interface Person {
  readonly name: string;
  readonly age?: number | undefined;
}

export const PEOPLE = {
  name: 'list-people',
  version: 1,
  schema: z.object({
    people: z.array(z.object({ name: z.string(), age: z.number().optional() })).default([]),
  }),
  render: (text: string) => ({ system: 'List the people in the text.', user: text }),
} satisfies Prompt<string, { people: Person[] }>;

export const TEXT = 'Ann, who is 41, met Bob the violinist.';
export const FOUND = { people: [{ name: 'Ann', age: 41 }, { name: 'Bob' }] };
