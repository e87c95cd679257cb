import { describe, expect, it } from 'vitest';
import { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { Fault } from '../../fakes/openai-server/script.ts';
import { openLab, PEOPLE } from './model-lab.ts';

const FAULTS: readonly Fault[] = [
  { kind: 'rate-limit', retryAfter: '1' },
  { kind: 'server-error', status: 503 },
  { kind: 'reset' },
  { kind: 'cut' },
  { kind: 'garbled-body' },
  { kind: 'malformed-json' },
  { kind: 'wrong-schema' },
  { kind: 'empty' },
  { kind: 'no-usage' },
];

describe.each(['openai', 'ollama'])('with a fault in every third reply, over %s', (backend) => {
  it('each of 200 calls gets its own correct reply, or a typed error; every token is counted', async () => {
    const storm = { probability: 0.3, seed: 42, faults: FAULTS };
    const reply = ({ messages }: { messages: readonly { content: string }[] }) => {
      // A repair request still contains the first question.
      const name = /person-\d+/.exec(messages.map(({ content }) => content).join('\n'))?.[0] ?? 'lost';
      return { people: [{ name }] };
    };
    await using lab = await openLab(backend, { concurrency: 16, server: { storm, reply } });
    const meter = new UsageMeter();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, at) => lab.model.structured(PEOPLE, `person-${at}`, { meter })),
    );
    let done = 0;
    for (const [at, outcome] of outcomes.entries())
      if (outcome.status === 'fulfilled') {
        expect(outcome.value.value).toEqual({ people: [{ name: `person-${at}` }] });
        done++;
      } else expect(outcome.reason).toMatchObject({ code: 'malformed-reply' });
    expect(done).toBeGreaterThan(180);
    const { total } = meter;
    expect(total.calls + total.failedCalls).toBe(lab.server.requests.length);
    expect(total.promptTokens).toBe(lab.server.charged.promptTokens);
    const lost = lab.server.requests.filter(({ fault }) => fault === 'cut' || fault === 'garbled-body');
    const unseen = lost.reduce((sum, { charged }) => sum + (charged?.completionTokens ?? 0), 0);
    expect(total.completionTokens).toBe(lab.server.charged.completionTokens - unseen);
  });
});
