import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../main/config.ts';
import { configuredLanguageModel } from '../../../main/language-model.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { AppLab } from './app-lab.ts';

/** A memory whose turns a language model reads. */
describe('the app with a model that reads turns', () => {
  let server: ScriptedOpenAiServer;
  let lab: AppLab;
  beforeAll(async () => {
    server = await ScriptedOpenAiServer.start({
      guessesTokens: true,
      reply: ({ stream }) => (stream ? 'You live in Lisbon [1].' : {}),
    });
  });
  beforeEach(async () => {
    server.requests.length = 0;
    const model = {
      llmProvider: 'openai-compatible' as const,
      ...{ llmModel: 'reader', llmBaseUrl: `${server.url}/v1` },
    };
    const { values } = resolveConfig({ flags: {}, environment: {}, folder: '/' });
    const languageModel = await configuredLanguageModel({ ...values, ...model }, {});
    lab = await AppLab.open({ config: model, engine: { languageModel } });
    expect(lab.engine.describeIngestion().tier).toBe('llm');
  });
  afterEach(() => lab[Symbol.asyncDispose]());
  afterAll(() => server[Symbol.asyncDispose]());

  const logged = () => lab.store.file.all('SELECT * FROM usage_day ORDER BY purpose');
  const charged = (purpose: 'chat' | 'reading') => {
    const isChat = (body: unknown) => JSON.stringify(body).includes('You are the assistant');
    const asked = server.requests.filter(({ body }) => isChat(body) === (purpose === 'chat'));
    const sum = (of: (tokens: { promptTokens: number; completionTokens: number }) => number) =>
      asked.reduce((total, request) => total + of(request.charged!), 0);
    return {
      ...{ purpose, model: 'reader', calls: asked.length },
      prompt_tokens: sum(({ promptTokens }) => promptTokens),
      completion_tokens: sum(({ completionTokens }) => completionTokens),
    };
  };

  it('logs what a chat and the reading after it used, each once', async () => {
    await lab.chat('I moved to Lisbon.');
    await lab.app.reading.settled();
    expect(charged('reading').calls).toBeGreaterThan(0);
    expect(logged()).toMatchObject([charged('chat'), charged('reading')]);
  });

  it('logs what an import used, once', async () => {
    const text = JSON.stringify({ content: 'I moved to Lisbon.', session: 's', at: '2024-01-01' });
    await lab.client.beginUpload({ upload: 'u', name: 'chat.jsonl', bytes: text.length });
    await lab.client.uploadPart({ upload: 'u', offset: 0, data: Buffer.from(text).toString('base64') });
    await lab.client.startImport({ job: 'j', upload: 'u', scope: 'default' });
    let counts: Readonly<Record<string, number>> = {};
    for await (const job of lab.client.followJob({ job: 'j' })) ({ counts } = job);
    const used = charged('reading');
    expect(used.calls).toBeGreaterThan(0);
    expect(logged()).toMatchObject([used]);
    expect(counts).toMatchObject({ calls: used.calls, tokens: used.prompt_tokens + used.completion_tokens });
  });

  it('has the sample read by rules: no word of it is sent', async () => {
    const { turns } = await lab.client.sample({});
    expect(turns).toBeGreaterThan(90);
    expect(server.requests).toEqual([]);
    const { fact, enrichment } = await lab.client.stats({ scope: 'sample' });
    expect(enrichment.pending).toBe(0);
    expect(fact).toBeGreaterThan(50);
  });
});
