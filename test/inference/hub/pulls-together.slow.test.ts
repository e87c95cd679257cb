import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../../child-program.ts';
import { HubLab, WEIGHTS } from './hub-lab.ts';

const SCRIPT = join(import.meta.dirname, '../../fixtures/hub/pull.ts');
const MODEL = 'onnx/model.onnx';
const WHOLE = ['mnemis-model.json', MODEL, 'tokenizer.json'];

function pullElsewhere(lab: HubLab): { child: ChildProcess; ended: Promise<string> } {
  const child = spawn(process.execPath, [...programArguments(SCRIPT), lab.hub.url, lab.folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  child.stdout?.on('data', (data) => {
    out += data;
  });
  return { child, ended: new Promise((resolve) => child.on('close', () => resolve(out))) };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(5);
}

describe('concurrent pulls of one model', () => {
  it('in one process: the second waits, and finds the files complete', async () => {
    await using lab = await HubLab.start();
    const waits: number[] = [];
    await Promise.all([1, 2, 3].map((which) => lab.pull({ onWait: () => void waits.push(which) })));
    expect(waits).toHaveLength(2);
    expect(lab.hub.requestsFor(MODEL)).toHaveLength(2); // the redirect and the file, once
    expect(lab.files()).toEqual(WHOLE);
  });

  it('in two processes: both succeed, with one copy of the files', async () => {
    await using lab = await HubLab.start();
    const runs = await Promise.all([pullElsewhere(lab).ended, pullElsewhere(lab).ended]);
    for (const out of runs) expect(out).toMatch(/done$/);
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.files()).toEqual(WHOLE);
  });

  it('continues where a killed process stopped, once its lock is stale', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'hang', after: 2_000_000 });
    const { child, ended } = pullElsewhere(lab);
    await until(() => lab.hub.requestsFor(MODEL).length === 2 && existsSync(join(lab.home, '.parts')));
    await wait(300); // bytes of the part are on their way
    child.kill('SIGKILL');
    expect(await ended).not.toContain('done');
    expect(lab.has('.pulling')).toBe(true);
    await lab.pull();
    expect(lab.hub.requestsFor(MODEL).at(-1)?.headers.range).toMatch(/^bytes=[1-9]\d*-$/);
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.files()).toEqual(WHOLE);
  });

  it('writes nothing after another pull has taken over', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'hang', after: 1_000 });
    const { child, ended } = pullElsewhere(lab);
    await until(() => lab.hub.requestsFor(MODEL).length === 2);
    child.kill('SIGSTOP'); // as when a lid is closed
    await lab.pull();
    child.kill('SIGCONT');
    expect(await ended).not.toContain('done');
    expect(child.exitCode).toBe(1);
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
    expect(lab.files()).toEqual(WHOLE);
  });
});

describe('a pull that is cancelled', () => {
  it('keeps the partial file and explains how to resume', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'hang', after: 2_000_000 });
    const controller = new AbortController();
    const running = lab.pull({
      signal: controller.signal,
      onProgress: ({ file, fileDone }) => {
        if (file === MODEL && fileDone > 1_000_000) controller.abort();
      },
    });
    await expect(running).rejects.toMatchObject({
      code: 'cancelled',
      message: expect.stringContaining('kept, and the same command goes on'),
    });
    expect(lab.has('.pulling')).toBe(false);
    await lab.pull();
    expect(Number(/\d+/.exec(lab.hub.requestsFor(MODEL).at(-1)!.headers.range!))).toBeGreaterThan(1_000_000);
    expect(lab.read(MODEL).equals(WEIGHTS)).toBe(true);
  });

  it('stops while it waits for another, and before it begins', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail('tokenizer.json', { kind: 'hang', after: 0 });
    const [first, second] = [new AbortController(), new AbortController()];
    const holder = lab.pull({ signal: first.signal });
    await until(() => lab.has('.pulling'));
    const waiting = lab.pull({ signal: second.signal, onWait: () => second.abort() });
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    first.abort();
    await expect(holder).rejects.toMatchObject({ code: 'cancelled' });
    await expect(lab.pull({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('stops during the pause between two attempts', async () => {
    await using lab = await HubLab.start();
    lab.hub.fail(MODEL, { kind: 'status', status: 429, retryAfter: 3_600 });
    const controller = new AbortController();
    lab.hub.onFile = () => setTimeout(() => controller.abort(), 50);
    await expect(lab.pull({ signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
  });
});
