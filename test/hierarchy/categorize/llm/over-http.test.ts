import { describe, expect, it } from 'vitest';
import { LlmCategorizer } from '../../../../src/hierarchy/categorize/llm/llm-categorizer.ts';
import { LlmCategorySummarizer } from '../../../../src/hierarchy/describe/llm-category-summarizer.ts';
import { expectForm, requestOf } from '../../../contract/categorizer.ts';
import type { ChatAsked } from '../../../fakes/openai-server/script.ts';
import { openLab } from '../../../inference/language-model/model-lab.ts';
import { layerNode, readPrompt } from './layer-nodes.ts';

const CITIES = ['Oslo', 'Rome', 'Paris', 'Bergen', 'Lisbon', 'Vienna'].map((name) =>
  layerNode(name, { tags: ['place'] }),
);

/** Groups all shown nodes as cities. */
function say({ messages }: ChatAsked) {
  const [system = '', user = ''] = messages.map(({ content }) => content);
  if (system.includes('You sum up')) return { summaries: [{ category: 1, summary: 'Six cities.' }] };
  const { nodes } = readPrompt({ system, user });
  return { categories: [{ category: 'Cities', tags: ['town'], nodes: nodes.map((_, at) => at + 1) }] };
}

describe.each(['openai', 'ollama', 'chat-model'])('the hierarchy over HTTP: %s', (backend) => {
  it('sends the schema, and counts the usage that the server reports', async () => {
    await using lab = await openLab(backend, { server: { reply: say } });
    const result = await new LlmCategorizer(lab.model).categorize(requestOf(CITIES));
    expect(result.categories).toEqual([
      { name: 'Cities', tags: ['town'], nodes: CITIES.map(({ id }) => id) },
    ]);
    expect(result.usage).toMatchObject({ calls: 1, ...lab.server.charged });
    const children = CITIES.map(({ name }) => ({ name, summary: '' }));
    const summaries = await new LlmCategorySummarizer(lab.model).describe([{ name: 'Cities', children }]);
    expect(summaries).toEqual(['Six cities.']);
  });

  it('recovers from faults: refusals, truncated, garbled and malformed replies', async () => {
    await using lab = await openLab(backend, { server: { reply: say } });
    lab.server.enqueue(
      { fault: { kind: 'rate-limit', retryAfter: '1' } },
      { fault: { kind: 'server-error' } },
      { fault: { kind: 'malformed-json' } },
    );
    const request = requestOf(CITIES);
    const first = await new LlmCategorizer(lab.model).categorize(request);
    expect(first.categories[0]?.nodes).toHaveLength(6);
    lab.server.enqueue({ fault: { kind: 'truncated', part: 0.1 } });
    const cut = await new LlmCategorizer(lab.model).categorize(request);
    expectForm(cut, request);
    expect(cut.categories[0]?.nodes).toHaveLength(6);
    const bad = { fault: { kind: 'wrong-schema' } } as const;
    lab.server.enqueue(bad, bad);
    const malformed = await new LlmCategorizer(lab.model).categorize(request);
    expect(malformed.categories.length).toBeLessThanOrEqual(1);
    expectForm(malformed, request);
  });

  it('halves batches that the server rejects as too long', async () => {
    await using lab = await openLab(backend, { server: { reply: say, contextTokens: 620 } });
    const many = Array.from({ length: 50 }, (_, at) => layerNode(`a long name of a town, number ${at}`));
    const { categories, usage } = await new LlmCategorizer(lab.model).categorize(requestOf(many));
    expect(categories[0]?.nodes).toHaveLength(50);
    expect(usage.calls).toBeGreaterThan(2);
  });
});
