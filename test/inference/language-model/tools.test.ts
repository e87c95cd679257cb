import { describe, expect, it } from 'vitest';
import type { ToolUse } from '../../../src/inference/language-model.ts';
import { type Fault, ToolCalls } from '../../fakes/openai-server/script.ts';
import { BACKENDS, openLab, PEOPLE, TEXT } from './model-lab.ts';

const WEATHER = {
  name: 'weather',
  description: 'The weather of a place.',
  input: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
};
const offer = (more: Partial<ToolUse> = {}): { readonly tools: ToolUse } => ({
  tools: { offered: [WEATHER], rounds: [], mayAsk: true, ...more },
});
const round = {
  text: 'Let me look.',
  requests: [{ id: 'c1', name: 'weather', arguments: { place: 'Oslo' } }],
  results: ['Rain, 4 °C'],
};
type Body = Record<string, unknown> & { readonly messages: readonly Record<string, unknown>[] };

describe.each(Object.keys(BACKENDS))('tools of a model, by %s', (backend) => {
  it('are offered, and asked for several at once after some words', async () => {
    const asks = ['Oslo', 'Bergen'].map((place) => ({ name: 'weather', arguments: { place } }));
    await using lab = await openLab(backend, { server: { reply: () => new ToolCalls(asks, 'I look.') } });
    let shown = '';
    const reply = await lab.model.text(PEOPLE, TEXT, {
      ...offer(),
      onText: (piece) => {
        shown += piece;
      },
    });
    expect(reply).toMatchObject({ text: 'I look.', truncated: false });
    expect(shown).toBe('I look.');
    expect(reply.requests).toMatchObject(asks);
    expect(new Set(reply.requests!.map(({ id }) => id)).size).toBe(2);
    const { tools } = lab.server.requests[0]!.body as Body;
    expect(tools).toEqual([
      expect.objectContaining({
        function: expect.objectContaining({ name: 'weather', parameters: WEATHER.input }),
      }),
    ]);
  });

  it('get their results back beside what was asked for', async () => {
    await using lab = await openLab(backend, { server: { reply: () => 'It rains.' } });
    const reply = await lab.model.text(PEOPLE, TEXT, offer({ rounds: [round] }));
    expect(reply).toMatchObject({ text: 'It rains.', requests: [] });
    const { messages } = lab.server.requests[0]!.body as Body;
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(JSON.stringify(messages[2])).toContain('Oslo');
    expect(messages[3]).toMatchObject({ content: 'Rain, 4 °C' });
  });

  it('with arguments that were cut are none', async () => {
    const cut = new ToolCalls([{ name: 'weather', arguments: '{"place": "Os' }]);
    await using lab = await openLab(backend, { server: { reply: () => cut } });
    const { requests } = await lab.model.text(PEOPLE, TEXT, offer());
    // Ollama parses arguments itself.
    expect(requests).toMatchObject([
      { name: 'weather', arguments: backend === 'ollama' ? { text: '{"place": "Os' } : null },
    ]);
  });

  it('are left out where they are refused', async () => {
    await using lab = await openLab(backend, { server: { refuses: ['offers'], reply: () => 'Hello.' } });
    expect(await lab.model.text(PEOPLE, TEXT, offer())).toMatchObject({ text: 'Hello.', requests: [] });
    expect(lab.server.requests).toHaveLength(2);
    await expect(lab.model.text(PEOPLE, TEXT, offer({ rounds: [round] }))).rejects.toMatchObject({
      code: 'model-request-refused',
    });
  });
});

describe('tools', () => {
  it.each<[string, Fault]>([
    [
      'OpenRouter',
      { kind: 'refuse', status: 404, error: { message: 'No endpoints found that support tool use.' } },
    ],
    ['llama.cpp', { kind: 'refuse', status: 500, error: { message: 'tools param requires --jinja flag' } }],
    [
      'a context without room',
      {
        kind: 'refuse',
        status: 400,
        error: { message: "This model's maximum context length is 4096 tokens" },
      },
    ],
  ])('are left out where %s refuses them in its own way', async (_who, fault) => {
    await using lab = await openLab('openai', { server: { reply: () => 'Hello.' } });
    lab.server.enqueue({ fault });
    expect((await lab.model.text(PEOPLE, TEXT, offer())).text).toBe('Hello.');
    expect((lab.server.requests.at(-1)!.body as Body).tools).toBeUndefined();
  });

  it.each([
    ['openai', { tool_choice: 'none' }],
    ['ollama', {}],
  ])('end where the model is to answer: %s', async (backend, expected) => {
    await using lab = await openLab(backend, { server: { reply: () => 'It rains.' } });
    await lab.model.text(PEOPLE, TEXT, offer({ rounds: [round], mayAsk: false }));
    const body = lab.server.requests[0]!.body as Body;
    expect(body).toMatchObject(expected);
    if (backend === 'ollama') expect(body.tools ?? []).toEqual([]);
  });
});
