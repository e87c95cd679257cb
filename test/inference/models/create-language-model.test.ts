import { SimpleChatModel } from '@langchain/core/language_models/chat_models';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { ChatOpenAI } from '@langchain/openai';
import { describe, expect, it } from 'vitest';
import {
  checkLanguageModel,
  createLanguageModel,
  type LanguageModelSettings,
  languageModelFrom,
} from '../../../src/inference/models/create-language-model.ts';
import type { ComputedReply } from '../../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { KEY, PEOPLE, TEXT } from '../language-model/model-lab.ts';

class DeafChatModel extends SimpleChatModel {
  _llmType(): string {
    return 'deaf';
  }

  _call(): Promise<string> {
    return new Promise(() => undefined);
  }
}

const reply: ComputedReply = () => ({ city: 'Oslo' });

describe('createLanguageModel', () => {
  it.each<[settings: Omit<LanguageModelSettings, 'baseUrl'>, path: string]>([
    [{ provider: 'openai', model: 'gpt-5-mini', apiKey: KEY }, '/v1'],
    [{ provider: 'openai-compatible', model: 'org/model-7b' }, '/v1'],
    [{ provider: 'ollama', model: 'qwen3:8b', contextTokens: 4096 }, ''],
  ])('is ready for %j', async (settings, path) => {
    await using server = await ScriptedOpenAiServer.start({ reply });
    const model = createLanguageModel({ ...settings, baseUrl: `${server.url}${path}` });
    expect(model.name).toBe(`${settings.provider}:${settings.model}`);
    expect(await checkLanguageModel(model)).toMatchObject({
      model: model.name,
      strategy: 'schema',
      correct: true,
      repaired: false,
      usage: { calls: 1, estimated: false },
    });
    expect(server.requests[0]!.body.model).toBe(settings.model);
  });

  it('gives Ollama a context length of its own, and others no unknown option', () => {
    expect(createLanguageModel({ provider: 'ollama', model: 'm' }).contextTokens).toBe(8192);
    const compatible = { provider: 'openai-compatible', model: 'm', baseUrl: 'http://localhost/v1' } as const;
    expect(createLanguageModel(compatible).contextTokens).toBeNull();
  });

  it.each<[what: string, settings: object, code: string]>([
    ['no key for OpenAI', { provider: 'openai', model: 'm' }, 'model-key'],
    ['no base URL', { provider: 'openai-compatible', model: 'm' }, 'invalid-input'],
    ['no model', { provider: 'ollama', model: ' ' }, 'invalid-input'],
    ['an unknown provider', { provider: 'nobody', model: 'm' }, 'invalid-input'],
    ['an unknown setting', { provider: 'ollama', model: 'm', numCtx: 5 }, 'invalid-input'],
    ['a key of two lines', { provider: 'ollama', model: 'm', apiKey: `${KEY}\nx` }, 'invalid-input'],
    ['a key with an accent', { provider: 'ollama', model: 'm', apiKey: `${KEY}é` }, 'invalid-input'],
    ['no concurrency', { provider: 'ollama', model: 'm', concurrency: 0 }, 'invalid-input'],
    [
      'a password in the URL',
      { provider: 'ollama', model: 'm', baseUrl: `http://me:${KEY}@h` },
      'invalid-input',
    ],
  ])('rejects %s, without revealing secrets', (_what, settings, code) => {
    const make = () => createLanguageModel(settings as LanguageModelSettings);
    expect(make).toThrow(expect.objectContaining({ code }));
    expect(make).not.toThrow(KEY);
  });
});

describe('languageModelFrom', () => {
  it('works on a chat model that supports only text', async () => {
    const chatModel = new FakeListChatModel({
      responses: ['Sure!\n```json\n{"people":[{"name":"Ann"}]}\n```'],
    });
    const model = languageModelFrom(chatModel);
    expect(model.name).toBe('langchain:fake-list');
    expect(await model.structured(PEOPLE, TEXT)).toMatchObject({
      strategy: 'plain',
      value: { people: [{ name: 'Ann' }] },
      usage: { calls: 4, estimated: true },
    });
  });

  it('works on a provider’s own class', async () => {
    await using server = await ScriptedOpenAiServer.start({ reply });
    const configuration = { baseURL: `${server.url}/v1` };
    const chatModel = new ChatOpenAI({ model: 'm', apiKey: KEY, maxRetries: 0, configuration });
    const model = languageModelFrom(chatModel, { name: 'mine:m' });
    expect(await checkLanguageModel(model)).toMatchObject({
      model: 'mine:m',
      strategy: 'schema',
      correct: true,
    });
  });

  it('needs a strategy', () => {
    const chatModel = new FakeListChatModel({ responses: [] });
    expect(() => languageModelFrom(chatModel, { strategies: [] })).toThrow(
      expect.objectContaining({ code: 'invalid-input' }),
    );
  });

  it('abandons a model that ignores both signal and timeout', async () => {
    const options = { timeout: 50, retry: { attempts: 1 } };
    const model = languageModelFrom(new DeafChatModel({}), options);
    const failed = { code: 'model-unavailable', reason: 'timeout' };
    await expect(model.text(PEOPLE, TEXT)).rejects.toMatchObject(failed);
    const controller = new AbortController();
    const patient = languageModelFrom(new DeafChatModel({}));
    const cancelled = patient.text(PEOPLE, TEXT, { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('reports a wrong answer', async () => {
    const chatModel = new FakeListChatModel({ responses: ['{"city":"Paris"}'] });
    expect(await checkLanguageModel(languageModelFrom(chatModel))).toMatchObject({ correct: false });
  });
});
