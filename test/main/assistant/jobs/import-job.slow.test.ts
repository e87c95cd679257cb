import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AppLab, chatLines } from './app-lab.ts';

describe('an import job over restarts and faults', () => {
  let lab: AppLab;
  afterEach(() => lab[Symbol.asyncDispose]());

  it('pauses, resumes after the app was opened again, and stores each turn once', async () => {
    lab = await AppLab.open();
    await lab.upload('u', 'chat.jsonl', chatLines(1_500));
    await lab.client.startImport({ job: 'j', upload: 'u', scope: 'ana' });
    await lab.until('j', ({ counts }) => (counts.added ?? 0) > 0);
    const paused = await lab.client.controlJob({ job: 'j', action: 'pause' });
    expect(paused).toMatchObject({ state: 'paused', secondsToGo: null, endedAt: null });
    const { added = 0 } = paused.counts;
    expect(added).toBeGreaterThan(0);
    expect(added).toBeLessThan(1_500);
    expect((await lab.client.stats({ scope: 'ana' })).episode).toBe(added);
    await lab.reopen();
    expect(await lab.client.jobs({})).toEqual({ items: [paused] });
    await lab.client.controlJob({ job: 'j', action: 'resume' });
    const shares: number[] = [];
    const ended = await lab.until('j', ({ share }) => shares.push(share) < 0);
    expect(ended).toMatchObject({
      ...{ state: 'done', problem: null },
      counts: { added: 1_500, known: 0, read: 1_500, pending: 0, consolidated: 1_500 },
    });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect((await lab.client.stats({ scope: 'ana' })).episode).toBe(1_500);
  });

  it('tells every window now and then while it runs, so that none must follow it', async () => {
    lab = await AppLab.open();
    await lab.upload('u', 'chat.jsonl', chatLines(1_000));
    const stop = new AbortController();
    const told: number[] = [];
    const following = (async () => {
      for await (const event of lab.client.appEvents({}, { signal: stop.signal }))
        if (event.type === 'job') told.push(performance.now());
    })().catch(() => undefined);
    const started = performance.now();
    await lab.client.startImport({ job: 'j', upload: 'u', scope: 'ana' });
    const steps: number[] = [];
    await lab.until('j', () => steps.push(performance.now()) < 0);
    const seconds = (performance.now() - started) / 1_000;
    stop.abort();
    await following;
    // Beside those of its beginning and its end: at most two a second, and soon after each step.
    expect(told.length).toBeLessThan(2 * seconds + 5);
    expect(steps.length).toBeGreaterThan(5);
    for (const step of steps) {
      const soon = Math.min(...told.filter((at) => at >= step - 100)) - step;
      expect(soon).toBeLessThan(5_000);
    }
  });

  it('continues by itself when the app is opened again', async () => {
    lab = await AppLab.open();
    await lab.upload('u', 'chat.jsonl', chatLines(800));
    await lab.client.startImport({ job: 'j', upload: 'u', scope: 'ana', enrich: false });
    await lab.until('j', ({ counts }) => (counts.added ?? 0) > 0);
    await lab.reopen();
    const ended = await lab.until('j');
    expect(ended).toMatchObject({ state: 'done', counts: { added: 800, pending: 800 } });
    expect((await lab.client.stats({ scope: 'ana' })).episode).toBe(800);
  });

  it('fails where the upload is gone, and can be tried again after a passing fault', async () => {
    lab = await AppLab.open();
    const { client, engine } = lab;
    await lab.upload('u', 'chat.jsonl', chatLines(20));
    const scope = engine.scope('ana');
    const add = Object.getPrototypeOf(scope).import;
    Object.defineProperty(scope, 'import', {
      configurable: true,
      value: () => {
        throw new RangeError('Note 3: Ana visited');
      },
    });
    await client.startImport({ job: 'j', upload: 'u', scope: 'ana' });
    const failed = await lab.until('j');
    expect(failed).toMatchObject({ state: 'failed' });
    expect(failed.problem).toMatch(/unexpected fault.*It stored no turns\.$/);
    expect(JSON.stringify([failed, lab.warnings])).not.toContain('Ana visited');
    Object.defineProperty(scope, 'import', { configurable: true, value: add });
    expect(await client.controlJob({ job: 'j', action: 'resume' })).toMatchObject({ problem: null });
    expect(await lab.until('j')).toMatchObject({ state: 'done', counts: { added: 20 } });
    await lab.upload('v', 'chat.jsonl', chatLines(20));
    await client.controlJob({
      job: (await client.startImport({ job: 'k', upload: 'v', scope: 'ana' })).id,
      action: 'pause',
    });
    await rm(join(lab.uploads, 'v'));
    await client.controlJob({ job: 'k', action: 'resume' });
    expect(await lab.until('k')).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining('Upload the file again'),
    });
  });

  it('leaves the process responsive: requests are answered quickly meanwhile', async () => {
    lab = await AppLab.open();
    const measure = async (isEnough: (times: readonly number[]) => boolean) => {
      const times: number[] = [];
      while (!isEnough(times)) {
        const started = performance.now();
        await lab.client.health({});
        await new Promise((resolve) => setTimeout(resolve, 5));
        times.push(performance.now() - started - 5);
      }
      return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
    };
    const idle = await measure((times) => times.length === 200);
    await lab.upload('u', 'chat.jsonl', chatLines(2_500));
    await lab.client.startImport({ job: 'j', upload: 'u', scope: 'ana' });
    let isDone = false;
    const ended = lab.until('j').finally(() => {
      isDone = true;
    });
    const busy = await measure(() => isDone);
    expect((await ended).state).toBe('done');
    console.log(`health during an import: p95 ${busy.toFixed(1)} ms, idle ${idle.toFixed(1)} ms`);
    expect(busy).toBeLessThan(250 + 10 * idle);
  });
});
