import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  deviceFindings,
  localModelFindings,
  rerankerFindings,
} from '../../../../main/cli/doctor/findings.ts';
import { type ProbeResult, runProbe } from '../../../../main/cli/doctor/run-probe.ts';
import { resolveConfig } from '../../../../main/config.ts';
import { keepSpeed } from '../../../../src/inference/llama/kept-speed.ts';
import { closeModelHosts } from '../../../../src/inference/llama/model-hosts.ts';
import { CommandLab } from '../fake-terminal.ts';

const CRASH: ProbeResult = { answer: 'none', how: 'it was ended by SIGSEGV' };
const MEASURED: ProbeResult = {
  answer: 'devices',
  measurements: [
    { device: 'webgpu', state: 'crashed-before' },
    { device: 'cpu', state: 'works', startMs: 3, gigaflops: 20 },
  ],
};

/** Probes that end one after another as they are told, the last way for ever. */
function findings(device: string, ...results: readonly ProbeResult[]) {
  const { values } = resolveConfig({ flags: { device, path: 'x' }, environment: {}, folder: '/nowhere' });
  let probes = 0;
  const probe = async () => results[Math.min(probes++, results.length - 1)]!;
  using lab = new CommandLab();
  return deviceFindings(values, { terminal: terminalOf(lab), probe }).then((found) => ({ found, probes }));
}

function terminalOf({ env, folder }: CommandLab) {
  const nowhere = process.stderr;
  return {
    stdout: nowhere,
    stderr: nowhere,
    env: { ...env },
    cwd: () => folder,
    once: () => undefined,
    removeListener: () => undefined,
  };
}

describe('devices in doctor', () => {
  it('probes again after a probe crashed: the log then names the device', async () => {
    const { found, probes } = await findings('auto', CRASH, CRASH, MEASURED);
    expect(probes).toBe(3);
    expect(found).toEqual([
      { name: 'device webgpu', ok: true, detail: expect.stringContaining('to retry, delete') },
      { name: 'device cpu', ok: true, detail: 'starts in 3 ms, 20.0 gigaflops in float32' },
    ]);
    expect((await findings('webgpu', MEASURED)).found[0]?.ok).toBe(false);
  });

  it('gives up on a device that crashes every probe, and says how to reset it', async () => {
    const { found, probes } = await findings('auto', CRASH);
    expect(probes).toBeLessThan(10);
    expect(found).toEqual([
      { name: 'devices', ok: false, detail: 'could not be measured: it was ended by SIGSEGV' },
    ]);
  });

  it('reports a missing runtime only if an accelerator was requested', async () => {
    const missing: ProbeResult = { answer: 'error', code: 'runtime-missing', message: 'install it' };
    expect((await findings('auto', missing)).found).toEqual([
      { name: 'devices', ok: true, detail: 'install it' },
    ]);
    expect((await findings('cuda', missing)).found[0]?.ok).toBe(false);
  });

  it('does not wait for a probe that hangs', async () => {
    using lab = new CommandLab();
    const request = { ask: 'devices' as const, modelsFolder: lab.folder };
    const result = await runProbe(request, { terminal: terminalOf(lab), patience: 1 });
    expect(result).toEqual({ answer: 'none', how: 'no answer in 0.001 seconds' });
  });

  it('reports a model that the probe cannot open', async () => {
    using lab = new CommandLab();
    const result = await runProbe(
      { ask: 'embedder', name: 'bge-m3', modelsFolder: lab.folder, device: 'cpu' },
      { terminal: terminalOf(lab) },
    );
    expect(result).toMatchObject({ answer: 'error', code: 'model-missing' });
  });
});

describe('chat models in doctor', () => {
  it('loads the one that reranks', async () => {
    using lab = new CommandLab();
    const file = join(lab.folder, 'a.gguf');
    writeFileSync(file, 'weights');
    const flags = { modelsFolder: lab.folder, path: 'x', reranker: 'local:a.gguf' };
    const { values } = resolveConfig({ flags, environment: lab.env, folder: lab.folder });
    expect(values.reranker).toBe(`local:${file}`);
    const runtime = join(import.meta.dirname, '../../../inference/llama/scripted-runtime.ts');
    const roomy = { ...values, llmProvider: 'local' as const, llmContextTokens: 512 };
    expect(await rerankerFindings(roomy, { MNEMIS_LLAMA_RUNTIME: runtime })).toEqual([
      { name: 'reranker', ok: true, detail: 'local:a, opened on the CPU' },
    ]);
    expect(await rerankerFindings(roomy, { MNEMIS_LLAMA_RUNTIME: 'no-such-package' })).toMatchObject([
      { ok: false, detail: expect.stringContaining('npm install node-llama-cpp') },
    ]);
    await closeModelHosts();
  });

  it('says what runs them, which are here, what they need and how fast they were', async () => {
    using lab = new CommandLab();
    const { folder, env } = lab;
    const models = join(folder, 'models');
    const configOf = (flags: object) =>
      resolveConfig({ flags: { modelsFolder: models, path: 'x', ...flags }, environment: env, folder })
        .values;
    const runtime = { ...env, MNEMIS_LLAMA_RUNTIME: '/some/runtime.js' };
    expect(await localModelFindings(configOf({}), runtime)).toMatchObject([
      { name: 'model runtime', ok: true },
    ]);
    const missing = configOf({ llmModel: 'local:gemma-3-1b-it' });
    expect((await localModelFindings(missing, runtime))[1]).toEqual({
      ...{ name: 'chat model', ok: false },
      detail: 'gemma-3-1b-it is set and not here; fetch it with: mnemis models pull gemma-3-1b-it',
    });
    const home = join(models, 'gemma-3-1b-it');
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, 'gemma-3-1b-it-Q4_K_M.gguf'), 'weights');
    expect((await localModelFindings(missing, runtime))[1]?.detail).toContain('not measured');
    keepSpeed(home, {
      ...{ device: 'cpu', at: 1, memoryBytes: 1.2e9, promptTokensPerSecond: 132, replyTokensPerSecond: 13 },
    });
    expect((await localModelFindings(missing, runtime))[1]).toMatchObject({
      ok: true,
      detail: expect.stringMatching(
        /^gemma-3-1b-it: needs 1\.2 GB of memory, .* are free; last measured: reads 132, writes 13\.0 tokens/,
      ),
    });
    const file = await localModelFindings(configOf({ llmModel: 'local:/nowhere/x.gguf' }), runtime);
    expect(file.at(-1)).toEqual({ name: 'chat model', ok: false, detail: '/nowhere/x.gguf' });
  });
});
