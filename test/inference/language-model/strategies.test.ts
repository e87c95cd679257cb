import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openAiBackend } from '../../../src/inference/language-model/backends/openai.ts';
import { ChatLanguageModel } from '../../../src/inference/language-model/chat-language-model.ts';
import type { ChatAsked } from '../../fakes/openai-server/script.ts';
import { BACKENDS, FakeTiming, FOUND, openLab, PEOPLE, TEXT } from './model-lab.ts';

type Body = Record<string, unknown> & { messages: { role: string; content: string }[] };
const bodies = (lab: { server: { requests: readonly { body: unknown }[] } }) =>
  lab.server.requests.map(({ body }) => body as Body);

describe('asking with a schema', () => {
  it.each(Object.keys(BACKENDS))(
    'falls back to a strategy that the server supports, and remembers it: %s',
    async (backend) => {
      for (const [refuses, strategy, refusals] of [
        [[], 'schema', 0],
        [['schema'], 'tool', 1],
        [['schema', 'tool'], 'json', 2],
        [['schema', 'tool', 'json'], 'plain', 3],
      ] as const) {
        await using lab = await openLab(backend, { server: { refuses, reply: () => FOUND } });
        const first = await lab.model.structured(PEOPLE, TEXT);
        const second = await lab.model.structured({ ...PEOPLE, name: 'another' }, TEXT);
        expect([first.strategy, second.strategy]).toEqual([strategy, strategy]);
        expect([first.usage.failedCalls, second.usage.failedCalls]).toEqual([refusals, 0]);
        expect(first.value).toEqual(FOUND);
      }
    },
  );

  it.each(Object.keys(BACKENDS))(
    'goes on where a server answers in prose to what it does not know: %s',
    async (backend) => {
      const reply = ({ messages }: ChatAsked) =>
        messages[0]!.content.includes('JSON Schema') ? FOUND : 'Ann is a violinist.';
      await using lab = await openLab(backend, { server: { reply, refuses: ['tool'] } });
      const first = await lab.model.structured(PEOPLE, TEXT);
      expect(first).toMatchObject({ value: FOUND, repaired: false, strategy: 'json' });
      const asked = lab.server.requests.length;
      expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ strategy: 'json' });
      expect(lab.server.requests.length).toBe(asked + 1);
    },
  );

  it('prose in a form that the server heeds changes no form, and costs one repair', async () => {
    let isProse = false;
    const reply = ({ messages }: ChatAsked) =>
      isProse && messages.length === 2 ? 'I would rather not say.' : FOUND;
    await using lab = await openLab('openai', { server: { reply } });
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ strategy: 'schema' });
    isProse = true;
    for (let call = 0; call < 3; call += 1)
      expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ strategy: 'schema', repaired: true });
    expect(lab.server.requests).toHaveLength(7);
  });

  it('a model that only talks costs two forms and a repair', async () => {
    await using lab = await openLab('openai', { server: { reply: () => 'I have read it.' } });
    await expect(lab.model.structured(PEOPLE, TEXT)).rejects.toMatchObject({ code: 'malformed-reply' });
    expect(lab.server.requests).toHaveLength(3);
  });

  it('remembers a rejected schema for its prompt only', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    const error = { message: "Invalid schema for response_format 'list-people'", code: null };
    lab.server.enqueue({ fault: { kind: 'refuse', status: 400, error } });
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ strategy: 'tool' });
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ strategy: 'tool' });
    expect(await lab.model.structured({ ...PEOPLE, name: 'another' }, TEXT)).toMatchObject({
      strategy: 'schema',
    });
  });

  it('remembers nothing about a rejection that no strategy avoids', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    const refuse = { fault: { kind: 'refuse', status: 422, error: { code: 'Some Prose' } } } as const;
    lab.server.enqueue(refuse, refuse, refuse, refuse);
    await expect(lab.model.structured(PEOPLE, TEXT)).rejects.toMatchObject({
      code: 'model-request-refused',
      status: 422,
      providerCode: null,
    });
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ strategy: 'schema' });
  });

  it('omits the temperature if the model rejects one, from then on', async () => {
    await using lab = await openLab('openai', { server: { refuses: ['sampling'], reply: () => FOUND } });
    await lab.model.structured(PEOPLE, TEXT);
    await lab.model.text(PEOPLE, TEXT);
    expect(bodies(lab).map(({ temperature, seed }) => [temperature, seed])).toEqual([
      [0, 42],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('falls back to a tool call if a client discards truncated replies', async () => {
    await using lab = await openLab('chat-model', { server: { reply: () => FOUND } });
    const cut = { fault: { kind: 'truncated', part: 0.7 } } as const;
    lab.server.enqueue(cut, cut);
    const reply = await lab.model.structured(PEOPLE, TEXT);
    expect(reply).toMatchObject({ strategy: 'tool', truncated: true, value: { people: [FOUND.people[0]] } });
    expect(reply.usage).toMatchObject({ calls: 2, promptTokens: lab.server.charged.promptTokens });
  });

  it('accepts text instead of a requested tool call', async () => {
    await using lab = await openLab('openai', { strategies: ['tool'] });
    lab.server.enqueue({ says: '', fault: { kind: 'empty' } });
    const reply = await lab.model.structured(PEOPLE, TEXT).catch((error: unknown) => error);
    expect(reply).toMatchObject({ value: { people: [] }, repaired: true });
  });
});

describe('the request', () => {
  it('OpenAI: schema, temperature 0, seed 42, the key, nothing else from the environment', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    await lab.model.structured(PEOPLE, TEXT);
    const { body, headers } = lab.server.requests[0]!;
    expect(body).toMatchObject({
      model: 'test-model',
      temperature: 0,
      seed: 42,
      response_format: { type: 'json_schema', json_schema: { name: 'list-people', strict: true } },
      messages: [
        { role: 'system', content: 'List the people in the text.' },
        { role: 'user', content: TEXT },
      ],
    });
    expect(headers.authorization).toMatch(/^Bearer sk-test/);
    expect(headers['openai-organization']).toBeUndefined();
  });

  it('OpenAI: a required tool call', async () => {
    await using lab = await openLab('openai', { strategies: ['tool'], server: { reply: () => FOUND } });
    await lab.model.structured(PEOPLE, TEXT);
    expect(bodies(lab)[0]).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'list-people' } },
      tools: [{ type: 'function', function: { name: 'list-people', strict: true } }],
    });
  });

  it('Ollama: the format, and a context that fits the prompt', async () => {
    await using lab = await openLab('ollama', { server: { reply: () => FOUND } });
    await lab.model.structured(PEOPLE, TEXT);
    expect(bodies(lab)[0]).toMatchObject({
      format: { type: 'object', required: ['people'] },
      options: { num_ctx: 8192, num_predict: 4096, temperature: 0, seed: 42 },
    });
  });

  it('plain: the schema in the system message', async () => {
    await using lab = await openLab('openai', { strategies: ['plain'], server: { reply: () => FOUND } });
    await lab.model.structured(PEOPLE, TEXT);
    expect(bodies(lab)[0]!.messages[0]!.content).toMatch(
      /^List the people.*JSON Schema:\n\{"type":"object"/s,
    );
    expect(bodies(lab)[0]!.response_format).toBeUndefined();
  });

  it('does not send the key of another provider to a server without one', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    vi.stubEnv('OPENAI_API_KEY', 'sk-of-another-provider');
    vi.stubEnv('OPENAI_ORG_ID', 'org-of-another-provider');
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-of-another-provider');
    try {
      const backend = openAiBackend({ model: 'test-model', baseUrl: `${lab.server.url}/v1` });
      await new ChatLanguageModel(backend, { timing: new FakeTiming() }).structured(PEOPLE, TEXT);
    } finally {
      vi.unstubAllEnvs();
    }
    expect(JSON.stringify(lab.server.requests)).not.toContain('another-provider');
  });
});

describe('the repair round', () => {
  it('sends the reply, its errors, and the source text', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    lab.server.enqueue({ says: { people: [{ name: 7 }] } });
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ value: FOUND, repaired: true });
    const { messages } = bodies(lab)[1]!;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[2]!.content).toBe('{"people":[{"name":7}]}');
    expect(messages[3]!.content).toContain('- people.0.name: Invalid input: expected string');
  });

  it('sends broken JSON without the source text', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    lab.server.enqueue({ says: '{"people": [{"name" => "Ann"}]}' });
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ value: FOUND, repaired: true });
    expect(JSON.stringify(bodies(lab)[1]!.messages)).not.toContain('violinist');
  });

  it('does not retry a reply that was truncated before its first complete item', async () => {
    const schema = z.object({ people: PEOPLE.schema, summary: z.string() });
    await using lab = await openLab('openai', { server: { reply: () => ({ people: FOUND, summary: 'x' }) } });
    lab.server.enqueue({ fault: { kind: 'truncated', part: 0.5 } });
    await expect(lab.model.structured({ ...PEOPLE, schema }, TEXT)).rejects.toMatchObject({
      code: 'malformed-reply',
      truncated: true,
    });
    expect(lab.server.requests).toHaveLength(1);
  });
});

describe('errors that are not retried', () => {
  it.each<[what: string, status: number, error: Record<string, unknown>, code: string]>([
    ['a wrong key', 401, { message: 'Incorrect API key provided: sk-te***aa' }, 'model-key'],
    ['a key without rights', 403, { message: 'No.' }, 'model-key'],
    [
      'an empty account',
      429,
      { message: 'You exceeded your current quota', code: 'insufficient_quota' },
      'model-quota',
    ],
    ['an unpaid account', 402, { message: 'Pay.' }, 'model-quota'],
    ['an unknown model', 404, { message: 'No such model', code: 'model_not_found' }, 'unknown-model'],
    ['a long prompt', 400, { message: 'Too much', code: 'context_length_exceeded' }, 'context-too-long'],
    [
      'a long prompt for llama.cpp',
      400,
      { message: 'the request exceeds the available context size', type: 'exceed_context_size_error' },
      'context-too-long',
    ],
    ['a body that is too large', 413, { message: 'Payload too large' }, 'context-too-long'],
    ['a filter', 400, { message: 'The response was filtered', code: 'content_filter' }, 'model-declined'],
  ])('%s', async (_what, status, error, code) => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    lab.server.enqueue({ fault: { kind: 'refuse', status, error } });
    await expect(lab.model.structured(PEOPLE, TEXT)).rejects.toMatchObject({ code });
    expect(lab.server.requests).toHaveLength(1);
    expect(lab.timing.slept).toEqual([]);
  });

  it('a prompt that leaves no room for its reply in the context is not sent', async () => {
    await using lab = await openLab('openai', { contextTokens: 700, server: { reply: () => FOUND } });
    await expect(lab.model.structured(PEOPLE, 'word '.repeat(600))).rejects.toMatchObject({
      code: 'context-too-long',
    });
    expect(lab.server.requests).toHaveLength(0);
    expect(await lab.model.structured(PEOPLE, 'word '.repeat(200))).toMatchObject({ value: FOUND });
  });

  it('a schema that is not an object schema is not sent', async () => {
    await using lab = await openLab('openai');
    const schema = z.array(z.string());
    await expect(lab.model.structured({ ...PEOPLE, schema }, TEXT)).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(lab.server.requests).toHaveLength(0);
  });

  it.each(['openai', 'ollama'])('an unreachable server: %s', async (backend) => {
    const lab = await openLab(backend, { retry: { attempts: 2 } });
    await lab[Symbol.asyncDispose]();
    await expect(lab.model.structured(PEOPLE, TEXT)).rejects.toMatchObject({
      code: 'model-unavailable',
      reason: 'unreachable',
      attempts: 2,
    });
  });
});
