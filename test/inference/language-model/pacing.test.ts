import { describe, expect, it } from 'vitest';
import {
  AdaptiveLimiter,
  RateWindow,
  REAL_TIMING,
} from '../../../src/inference/language-model/calling/pacing.ts';
import {
  DEFAULT_RETRY_POLICY,
  waitBeforeRetry,
} from '../../../src/inference/language-model/calling/retry-policy.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { readRetryAfter } from '../../../src/inference/retry-after.ts';
import { FakeTiming, FOUND, openLab, PEOPLE, TEXT } from './model-lab.ts';

const never = new AbortController().signal;
/** About 900 tokens; the default estimate for a reply is 256. */
const LONG = 'one more word '.repeat(300);

describe('waiting before a retry', () => {
  it('doubles its bound, waits a random part of it, and gives up', () => {
    const waits = (random: number) =>
      [1, 2, 3, 4, 5, 6].map((attempt) =>
        waitBeforeRetry(DEFAULT_RETRY_POLICY, { attempt, retryAfter: null }, () => random),
      );
    expect(waits(1)).toEqual([500, 1000, 2000, 4000, 8000, null]);
    expect(waits(0)).toEqual([0, 0, 0, 0, 0, null]);
    const policy = { ...DEFAULT_RETRY_POLICY, attempts: 100 };
    expect(waitBeforeRetry(policy, { attempt: 99, retryAfter: null }, () => 1)).toBe(30_000);
  });

  it('waits at least as long as the server asked, and not indefinitely', () => {
    const wait = (retryAfter: number) =>
      waitBeforeRetry(DEFAULT_RETRY_POLICY, { attempt: 1, retryAfter }, () => 0.5);
    expect(wait(9000)).toBe(9250);
    expect(wait(0)).toBe(250);
    expect(wait(120_001)).toBeNull();
  });

  it.each<[headers: Record<string, string>, milliseconds: number | null]>([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after-ms': '40', 'retry-after': '3' }, 40],
    [{ 'retry-after': 'Mon, 01 Jan 2024 00:00:20 GMT' }, 20_000],
    [{ 'retry-after': 'Sun, 31 Dec 2023 00:00:00 GMT' }, 0],
    [{ 'retry-after': '-5' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '' }, null],
    [{ 'retry-after': '1e99' }, null],
    [{ 'retry-after': '99999999999999999999' }, 86_400_000],
    [{}, null],
  ])('reads %j', (headers, milliseconds) => {
    expect(readRetryAfter(new Headers(headers), new FakeTiming().now)).toBe(milliseconds);
  });

  it.each([
    ['seconds', { retryAfter: '5' }, 5000],
    ['milliseconds', { retryAfterMs: '1500' }, 1500],
    ['a date', { retryAfter: 'Mon, 01 Jan 2024 00:00:09 GMT' }, 9000],
  ])('respects the delay that the server asks for in %s', async (_what, headers, least) => {
    for (const backend of ['openai', 'ollama']) {
      await using lab = await openLab(backend, { server: { reply: () => FOUND } });
      lab.server.enqueue({ fault: { kind: 'rate-limit', ...headers } });
      expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ value: FOUND });
      expect(lab.timing.slept).toEqual([least + 250]);
    }
  });

  it('delays every call of the model, not only the rejected one', async () => {
    const wait = 300;
    await using lab = await openLab('openai', {
      concurrency: 1,
      timing: REAL_TIMING,
      server: { reply: () => FOUND },
    });
    lab.server.enqueue({ fault: { kind: 'rate-limit', retryAfterMs: String(wait) } });
    await Promise.all([lab.model.structured(PEOPLE, TEXT), lab.model.structured(PEOPLE, 'another')]);
    const [refused, next] = lab.server.requests;
    expect(next!.arrived - refused!.arrived).toBeGreaterThanOrEqual(wait);
  });

  it('reports the delay if a server asks for too much', async () => {
    await using lab = await openLab('openai');
    lab.server.enqueue({ fault: { kind: 'rate-limit', retryAfter: '3600' } });
    await expect(lab.model.structured(PEOPLE, TEXT)).rejects.toMatchObject({
      code: 'model-unavailable',
      reason: 'rate-limited',
      attempts: 1,
      retryAfter: 3_600_000,
    });
  });

  it('sends such a server nothing for that time, and fails calls in between at once', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    lab.server.enqueue({ fault: { kind: 'rate-limit', retryAfter: '3600' } });
    for (let call = 0; call < 3; call++)
      await expect(lab.model.structured(PEOPLE, TEXT)).rejects.toMatchObject({
        code: 'model-unavailable',
        reason: 'rate-limited',
        retryAfter: 3_600_000,
      });
    expect([lab.timing.slept, lab.server.requests.length]).toEqual([[], 1]);
    await lab.timing.sleep(3_599_000);
    expect(await lab.model.structured(PEOPLE, TEXT)).toMatchObject({ value: FOUND });
    expect(lab.timing.slept).toEqual([3_599_000, 1000]);
  });

  it('really sleeps, and wakes on a cancel', async () => {
    const controller = new AbortController();
    const started = performance.now();
    await REAL_TIMING.sleep(20);
    expect(performance.now() - started).toBeGreaterThanOrEqual(19);
    const long = REAL_TIMING.sleep(60_000, controller.signal);
    controller.abort();
    await long;
    await REAL_TIMING.sleep(60_000, controller.signal);
  });
});

describe('AdaptiveLimiter', () => {
  const places = (limiter: AdaptiveLimiter) => limiter.concurrency;

  it('halves once per wave of rejections, and grows by one after as many successes as slots', () => {
    const limiter = new AdaptiveLimiter(8);
    limiter.throttled(0);
    limiter.throttled(0);
    expect(places(limiter)).toBe(4);
    limiter.throttled(1);
    limiter.throttled(2);
    limiter.throttled(3);
    expect(places(limiter)).toBe(1);
    limiter.succeeded();
    expect(places(limiter)).toBe(2);
    limiter.succeeded();
    expect(places(limiter)).toBe(2);
    for (let success = 0; success < 100; success++) limiter.succeeded();
    expect(places(limiter)).toBe(8);
  });

  it('removes a cancelled job from the queue, and does not affect a running one', async () => {
    const limiter = new AdaptiveLimiter(1);
    const controller = new AbortController();
    let finish = () => {};
    const running = limiter.run(
      () =>
        new Promise<string>((resolve) => {
          finish = () => resolve('ran to its end');
        }),
      controller.signal,
    );
    let started = false;
    const waiting = limiter.run(async () => {
      started = true;
    }, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toThrow();
    finish();
    expect(await running).toBe('ran to its end');
    expect(started).toBe(false);
    expect(await limiter.run(async () => 'next', never)).toBe('next');
  });

  it('limits open requests, and lowers the limit once the server rejects', async () => {
    await using lab = await openLab('openai', {
      concurrency: 6,
      retry: { attempts: 1 },
      server: { latency: 120, reply: () => FOUND },
    });
    const ask = (calls: number) =>
      Promise.allSettled(Array.from({ length: calls }, () => lab.model.structured(PEOPLE, TEXT)));
    await ask(24);
    expect(lab.server.mostUnderWay).toBe(6);
    lab.server.enqueue(...Array.from({ length: 6 }, () => ({ fault: { kind: 'rate-limit' } as const })));
    await ask(6);
    lab.server.clear();
    const outcomes = await ask(6);
    expect(outcomes.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect([3, 4]).toContain(lab.server.mostUnderWay);
  });
});

describe('RateWindow', () => {
  it('limits requests in every minute', async () => {
    const timing = new FakeTiming();
    const started = timing.now();
    const window = new RateWindow({ requestsPerMinute: 3 }, timing);
    const times: number[] = [];
    for (let request = 0; request < 8; request++) {
      await window.enter(1, never);
      times.push(timing.now() - started);
    }
    expect(times).toEqual([0, 0, 0, 60_000, 60_000, 60_000, 120_000, 120_000]);
  });

  it('limits tokens in every minute, and lets one larger request run alone', async () => {
    const timing = new FakeTiming();
    const started = timing.now();
    const window = new RateWindow({ tokensPerMinute: 100 }, timing);
    const times: number[] = [];
    for (const tokens of [60, 40, 1, 500, 100]) {
      await window.enter(tokens, never);
      times.push(timing.now() - started);
    }
    expect(times).toEqual([0, 0, 60_000, 120_000, 180_000]);
  });

  it('counts the actual usage of a request, not its estimate', async () => {
    await using lab = await openLab('openai', { tokensPerMinute: 1000, server: { reply: () => LONG } });
    const started = lab.timing.now();
    const waited: number[] = [];
    for (let call = 0; call < 3; call++) {
      const { usage } = await lab.model.text(PEOPLE, TEXT);
      expect(usage.promptTokens + usage.completionTokens).toBeGreaterThan(900);
      waited.push(lab.timing.now() - started);
    }
    expect(waited).toEqual([0, 60_000, 120_000]);
  });

  it('returns when it is cancelled', async () => {
    const controller = new AbortController();
    const window = new RateWindow({ requestsPerMinute: 1 }, REAL_TIMING);
    await window.enter(1, controller.signal);
    const waiting = window.enter(1, controller.signal);
    controller.abort();
    await waiting;
  });
});

describe('TokenBudget', () => {
  it('waits near its end for open requests, then grants or rejects', async () => {
    const budget = new TokenBudget(100);
    const first = await budget.reserve(60);
    const second = budget.reserve(60);
    let waits = true;
    void second.then(() => {
      waits = false;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(waits).toBe(true);
    first.settle(30);
    first.settle(30);
    (await second).settle(70);
    expect([budget.spent, budget.exhausted]).toEqual([100, false]);
    await expect(budget.reserve(1)).rejects.toMatchObject({
      code: 'budget-exhausted',
      limit: 100,
      spent: 100,
    });
    expect(budget.exhausted).toBe(true);
  });

  it('rejects all waiting requests once one does not fit', async () => {
    const budget = new TokenBudget(100);
    const first = await budget.reserve(90);
    const waiting = [budget.reserve(20), budget.reserve(30)];
    const outcomes = Promise.allSettled(waiting);
    first.settle(95);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(budget.reserve(1)).rejects.toMatchObject({ code: 'budget-exhausted' });
  });

  it('stops waiting when it is cancelled', async () => {
    const budget = new TokenBudget(100);
    await budget.reserve(90);
    const controller = new AbortController();
    const waiting = budget.reserve(50, controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });

  it.each([0, -1, Number.NaN])('rejects a limit of %d', (limit) => {
    expect(() => new TokenBudget(limit)).toThrow(expect.objectContaining({ code: 'invalid-input' }));
  });

  it('releases the reservation of a failed request', async () => {
    await using lab = await openLab('openai', { server: { reply: () => FOUND } });
    const budget = new TokenBudget(10_000);
    lab.server.enqueue({ fault: { kind: 'server-error' } }, { fault: { kind: 'refuse', status: 404 } });
    await expect(lab.model.structured(PEOPLE, TEXT, { budget })).rejects.toMatchObject({
      code: 'unknown-model',
    });
    expect(budget.spent).toBe(0);
    (await budget.reserve(10_000)).settle(0);
  });
});

describe('cancelling', () => {
  it.each(['openai', 'ollama', 'chat-model'])('ends waiting and open calls: %s', async (backend) => {
    await using lab = await openLab(backend, { concurrency: 2, server: { reply: () => FOUND } });
    for (let call = 0; call < 8; call++) lab.server.enqueue({ fault: { kind: 'hang' } });
    const controller = new AbortController();
    const calls = Array.from({ length: 8 }, () =>
      lab.model.structured(PEOPLE, TEXT, { signal: controller.signal }),
    );
    const other = lab.model.structured(PEOPLE, TEXT);
    while (lab.server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    for (const outcome of await Promise.allSettled(calls))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'cancelled' } });
    expect(lab.server.requests.length).toBeLessThanOrEqual(4);
    // The server is notified, too: only the call that was not cancelled is still open.
    while (lab.server.underWay > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    void other.catch(() => undefined);
  });

  it('one call does not affect the others: Ollama', async () => {
    await using lab = await openLab('ollama', { server: { latency: 60, reply: () => FOUND } });
    const controller = new AbortController();
    const cancelled = lab.model.structured(PEOPLE, TEXT, { signal: controller.signal });
    const kept = lab.model.structured(PEOPLE, TEXT);
    while (lab.server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect(await kept).toMatchObject({ value: FOUND, usage: { calls: 1 } });
  });

  it('ends the wait before a retry', async () => {
    const controller = new AbortController();
    await using lab = await openLab('openai', { timing: REAL_TIMING });
    lab.server.enqueue({ fault: { kind: 'rate-limit', retryAfter: '60' } });
    const call = lab.model.structured(PEOPLE, TEXT, { signal: controller.signal });
    while (lab.server.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    setTimeout(() => controller.abort(), 50);
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });
});
