import { describe, expect, it } from 'vitest';
import { UsageMeter } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import type { Fault, FaultKind } from '../../fakes/openai-server/script.ts';
import { FOUND, type Lab, openLab, PEOPLE, TEXT } from './model-lab.ts';

/** Short only if a reply is held back: a busy machine may be slow with the others. */
const timeoutFor = (kind: FaultKind) => (kind === 'hang' || kind === 'drip' ? 600 : 20_000);

const FAULTS: Readonly<Record<FaultKind, Fault>> = {
  'rate-limit': { kind: 'rate-limit', retryAfter: '7' },
  'server-error': { kind: 'server-error' },
  refuse: { kind: 'refuse', status: 418, error: { message: 'I am a teapot', code: 'teapot' } },
  hang: { kind: 'hang' },
  drip: { kind: 'drip', bytes: 2, everyMs: 50 },
  reset: { kind: 'reset' },
  cut: { kind: 'cut' },
  'quiet-cut': { kind: 'quiet-cut' },
  'garbled-body': { kind: 'garbled-body' },
  'no-choices': { kind: 'no-choices' },
  'malformed-json': { kind: 'malformed-json' },
  'wrong-schema': { kind: 'wrong-schema' },
  refusal: { kind: 'refusal' },
  filtered: { kind: 'filtered' },
  truncated: { kind: 'truncated', part: 0.7 },
  empty: { kind: 'empty' },
  'no-usage': { kind: 'no-usage' },
};

/** How counted tokens compare with those that the server charged. */
type Counted = 'exactly' | 'by estimate, exactly' | 'the prompts exactly';
interface Expected {
  readonly outcome:
    | 'right'
    | 'right after repair'
    | 'whole items'
    | { readonly code: string; readonly reason?: string };
  readonly counted: Counted;
}

const right: Expected = { outcome: 'right', counted: 'exactly' };
const lost: Expected = { outcome: 'right', counted: 'the prompts exactly' };
const repaired: Expected = { outcome: 'right after repair', counted: 'exactly' };

/** The fault once, then a server that works. */
const ONCE: Readonly<Record<FaultKind, Expected>> = {
  'rate-limit': right,
  'server-error': right,
  // The model tries another strategy: it cannot know that this does not cause the rejection.
  refuse: right,
  hang: lost,
  drip: lost,
  reset: lost,
  cut: lost,
  'quiet-cut': lost,
  'garbled-body': lost,
  'no-choices': lost,
  'malformed-json': repaired,
  'wrong-schema': repaired,
  refusal: { outcome: { code: 'model-declined' }, counted: 'exactly' },
  filtered: { outcome: { code: 'model-declined' }, counted: 'exactly' },
  truncated: { outcome: 'whole items', counted: 'exactly' },
  empty: repaired,
  'no-usage': { outcome: 'right', counted: 'by estimate, exactly' },
};

const unavailable = (reason: string, counted: Counted = 'the prompts exactly'): Expected => ({
  outcome: { code: 'model-unavailable', reason },
  counted,
});
const malformed: Expected = { outcome: { code: 'malformed-reply' }, counted: 'exactly' };

/** The fault with every reply. */
const ALWAYS: Readonly<Record<FaultKind, Expected>> = {
  ...ONCE,
  'rate-limit': unavailable('rate-limited', 'exactly'),
  'server-error': unavailable('server-error', 'exactly'),
  refuse: { outcome: { code: 'model-request-refused' }, counted: 'exactly' },
  hang: unavailable('timeout'),
  drip: unavailable('timeout'),
  reset: unavailable('broken-reply'),
  cut: unavailable('broken-reply'),
  'quiet-cut': unavailable('broken-reply'),
  'garbled-body': unavailable('broken-reply'),
  'no-choices': unavailable('broken-reply'),
  'malformed-json': malformed,
  'wrong-schema': malformed,
  empty: malformed,
};

/**
 * Ollama has no refusals and filters (a refusal is prose, after which the next form is asked for; what is filtered is
 * empty), and no list of choices.
 */
const OLLAMA_ONCE = { ...ONCE, refusal: right, filtered: repaired, 'no-choices': right };
const OLLAMA_ALWAYS = { ...ALWAYS, refusal: malformed, filtered: malformed, 'no-choices': right };
const CASES = [
  ['openai', ONCE, ALWAYS],
  ['ollama', OLLAMA_ONCE, OLLAMA_ALWAYS],
] as const;
const KINDS = Object.keys(FAULTS) as FaultKind[];

async function check({ model, server }: Lab, { outcome, counted }: Expected): Promise<void> {
  const meter = new UsageMeter();
  const asked = model.structured(PEOPLE, TEXT, { meter });
  if (typeof outcome === 'object') await expect(asked).rejects.toMatchObject(outcome);
  else expect(await asked).toMatchObject(replyOf(outcome));
  const { total } = meter;
  expect(total.calls + total.failedCalls).toBe(server.requests.length);
  expect(total.promptTokens).toBe(server.charged.promptTokens);
  if (counted === 'the prompts exactly') {
    expect(total.completionTokens).toBeLessThanOrEqual(server.charged.completionTokens);
    expect(total.estimated).toBe(true);
  } else {
    expect(total.completionTokens).toBe(server.charged.completionTokens);
    expect(total.estimated).toBe(counted !== 'exactly');
  }
}

function replyOf(outcome: string) {
  if (outcome === 'whole items') return { value: { people: FOUND.people.slice(0, 1) }, truncated: true };
  return { value: FOUND, truncated: false, repaired: outcome === 'right after repair' };
}

for (const [backend, once, always] of CASES)
  describe(`a model over ${backend}`, () => {
    it.each(KINDS)('recovers from one %s', async (kind) => {
      await using lab = await openLab(backend, {
        timeout: timeoutFor(kind),
        server: { reply: () => FOUND },
      });
      lab.server.enqueue({ fault: FAULTS[kind] });
      await check(lab, once[kind]);
      if (kind === 'rate-limit') expect(lab.timing.slept[0]).toBeGreaterThanOrEqual(7000);
    });

    it.each(KINDS)('fails with a clear error on permanent %s', async (kind) => {
      const storm = { probability: 1, seed: 1, faults: [FAULTS[kind]] };
      const retry = { attempts: 2 };
      await using lab = await openLab(backend, {
        timeout: timeoutFor(kind),
        retry,
        server: { storm, reply: () => FOUND },
      });
      await check(lab, always[kind]);
    });
  });
