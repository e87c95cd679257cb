import { ChatOpenAI, OpenAIClient, OpenAIEmbeddings } from '@langchain/openai';
import { describe, expect, it } from 'vitest';
import type { ScriptedServerOptions } from '../../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';

async function open(options: ScriptedServerOptions = {}) {
  const server = await ScriptedOpenAiServer.start(options);
  const client = new OpenAIClient({
    baseURL: `${server.url}/v1`,
    apiKey: options.apiKey ?? 'any',
    maxRetries: 0,
  });
  return { server, client, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const messages = [{ role: 'user' as const, content: 'Hello there' }];

describe('ScriptedOpenAiServer, as OpenAI’s own client sees it', () => {
  it('plays the queue, then computes replies', async () => {
    await using lab = await open({
      reply: ({ messages: [message], number }) => `${number}: ${message!.content}`,
    });
    lab.server.enqueue({ says: 'first' }, { says: { a: 1 } });
    const ask = async () =>
      (await lab.client.chat.completions.create({ model: 'm', messages })).choices[0]!.message.content;
    expect([await ask(), await ask(), await ask()]).toEqual(['first', '{"a":1}', '2: Hello there']);
    expect(lab.server.requests.map(({ body }) => body.model)).toEqual(['m', 'm', 'm']);
  });

  it('streams with the usage last, and counts the same', async () => {
    await using lab = await open({ reply: () => 'some words of an answer that is not short' });
    const request = { model: 'm', messages } as const;
    const whole = await lab.client.chat.completions.create(request);
    const stream = await lab.client.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAIClient.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ choices: [choice] }) => choice?.delta.content ?? '').join('')).toBe(
      whole.choices[0]!.message.content,
    );
    expect(chunks.at(-1)!.usage).toEqual(whole.usage);
    expect(whole.usage).toEqual({ prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 });
    expect(lab.server.charged).toEqual({ promptTokens: 18, completionTokens: 18 });
  });

  it('calls tools', async () => {
    await using lab = await open({ reply: ({ schemaName }) => ({ called: schemaName }) });
    const tools = [{ type: 'function' as const, function: { name: 'find', parameters: { type: 'object' } } }];
    const { choices } = await lab.client.chat.completions.create({ model: 'm', messages, tools });
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ function: { name: 'find', arguments: '{"called":"find"}' } }],
      },
    });
  });

  it('lists models, and rejects unknown models, wrong keys, long prompts and other paths', async () => {
    await using lab = await open({ models: ['m'], apiKey: 'k', contextTokens: 50 });
    expect((await lab.client.models.list()).data.map(({ id }) => id)).toEqual(['m']);
    const ask = (model: string, content: string, apiKey = 'k') =>
      lab.client
        .withOptions({ apiKey })
        .chat.completions.create({ model, messages: [{ role: 'user', content }] });
    await expect(ask('m', 'short')).resolves.toMatchObject({ model: 'm' });
    await expect(ask('other', 'short')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
    await expect(ask('m', 'long '.repeat(60))).rejects.toMatchObject({ code: 'context_length_exceeded' });
    await expect(ask('m', 'short', 'wrong')).rejects.toMatchObject({ status: 401 });
    await expect(fetch(`${lab.server.url}/v2`)).resolves.toMatchObject({ status: 401 });
  });

  it('embeds deterministically, in numbers and in base64', async () => {
    await using lab = await open({ embeddingDimension: 16 });
    const configuration = { baseURL: `${lab.server.url}/v1` };
    const embeddings = new OpenAIEmbeddings({ model: 'e', apiKey: 'k', maxRetries: 0, configuration });
    const [one, two, three] = await embeddings.embedDocuments(['one', 'two', 'one']);
    expect(one).toHaveLength(16);
    expect(Math.hypot(...one!)).toBeCloseTo(1, 5);
    expect(three).toEqual(one);
    expect(two).not.toEqual(one);
    const { data } = await lab.client.embeddings.create({
      model: 'e',
      input: 'one',
      encoding_format: 'base64',
    });
    const bytes = Buffer.from(data[0]!.embedding as unknown as string, 'base64');
    expect(bytes.length).toBe(16 * 4);
  });

  it('chooses faults at random, reproducibly', async () => {
    const run = async (seed: number) => {
      const storm = {
        probability: 0.4,
        seed,
        faults: [{ kind: 'server-error' }, { kind: 'refusal' }],
      } as const;
      await using lab = await open({ storm });
      for (let request = 0; request < 30; request++)
        await lab.client.chat.completions.create({ model: 'm', messages }).catch(() => undefined);
      return lab.server.requests.map(({ fault }) => fault);
    };
    const faults = await run(7);
    expect(await run(7)).toEqual(faults);
    expect(await run(8)).not.toEqual(faults);
    expect(faults.filter((fault) => fault !== null).length).toBeGreaterThan(5);
    expect(new Set(faults)).toEqual(new Set([null, 'server-error', 'refusal']));
  });

  it('survives clients that send invalid requests or disconnect', async () => {
    await using lab = await open({ reply: () => 'fine' });
    await expect(
      fetch(`${lab.server.url}/v1/chat/completions`, { method: 'POST', body: '{' }),
    ).rejects.toThrow();
    const controller = new AbortController();
    lab.server.enqueue({ fault: { kind: 'hang' } });
    const left = lab.client.chat.completions.create({ model: 'm', messages }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    await expect(left).rejects.toThrow();
    await expect(lab.client.chat.completions.create({ model: 'm', messages })).resolves.toBeTruthy();
  });

  it('works with LangChain’s model, and closes with open requests', async () => {
    const { server } = await open({ reply: () => 'fine' });
    const configuration = { baseURL: `${server.url}/v1` };
    const model = new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, configuration });
    expect((await model.invoke('Hello')).content).toBe('fine');
    server.enqueue({ fault: { kind: 'hang' } });
    const hanging = model.invoke('Hello');
    setTimeout(() => void server[Symbol.asyncDispose](), 30);
    await expect(hanging).rejects.toThrow();
  });
});
