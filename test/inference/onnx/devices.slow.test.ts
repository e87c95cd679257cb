import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { measureDevices } from '../../../src/inference/models/measure-devices.ts';
import { OnnxEmbedder } from '../../../src/inference/onnx/onnx-embedder.ts';
import type { Device, DeviceChoice } from '../../../src/inference/onnx/onnx-runtime.ts';
import { programArguments } from '../../child-program.ts';
import { type Behaviour, type ScriptedRuntime, scriptedRuntime } from '../../fakes/onnx/scripted-runtime.ts';
import { tinyEmbedderProfile as profile, tinyEncoder } from '../../fakes/onnx/tiny-models.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = tinyEncoder().write();
const scratch = freshFolder();
const deviceLog = join(scratch, 'state/devices.json');
let warnings: string[] = [];

beforeEach(() => {
  rmSync(join(scratch, 'state'), { recursive: true, force: true });
  warnings = [];
});
afterAll(() => {
  folder.remove();
});

async function load(
  runtime: ScriptedRuntime,
  device: DeviceChoice,
  options: { readonly deviceLog?: string; readonly signal?: AbortSignal } = { deviceLog },
): Promise<Device> {
  const logger = { warn: (message: string) => warnings.push(message) };
  const common = { profile, folder: folder.path, selfCheck: 'skip', runtime, device, logger } as const;
  await using embedder = await OnnxEmbedder.load({ ...common, ...options });
  return embedder.device;
}

describe('auto', () => {
  it('uses the first accelerator that works, without a message', async () => {
    const runtime = await scriptedRuntime({ cuda: 'works', webgpu: 'works' });
    expect(await load(runtime, 'auto')).toBe('cuda');
    expect(warnings).toEqual([]);
    expect(runtime.opened).not.toContain('webgpu');
  });

  it('falls back to the processor with a single warning', async () => {
    const runtime = await scriptedRuntime({
      cuda: 'throws',
      dml: 'fails in the first run',
      webgpu: 'miscalculates',
    });
    expect(await load(runtime, 'auto')).toBe('cpu');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/cuda: no adapter for cuda; dml: device lost; webgpu: /);
  });

  it('does not retry a failed device, nor warn again', async () => {
    await load(await scriptedRuntime({ webgpu: 'throws' }), 'auto');
    const again = await scriptedRuntime({ webgpu: 'works' });
    expect(await load(again, 'auto')).toBe('cpu');
    expect(again.opened).not.toContain('webgpu');
    expect(warnings).toHaveLength(1);
  });

  it('retries with another version of the runtime', async () => {
    await load(await scriptedRuntime({ webgpu: 'throws' }), 'auto');
    expect(await load(await scriptedRuntime({ webgpu: 'works' }, '1.0.1'), 'auto')).toBe('webgpu');
  });

  it('skips an accelerator that is slower than the processor (a graphics card in software)', async () => {
    expect(await load(await scriptedRuntime({ webgpu: 'is slow' }), 'auto')).toBe('cpu');
    expect(warnings[0]).toContain('slower than the processor');
  });

  it('does not measure a faster device again, but notices if it fails now', async () => {
    await load(await scriptedRuntime({ webgpu: 'works' }), 'auto');
    const known = await scriptedRuntime({ webgpu: 'works' });
    expect(await load(known, 'auto')).toBe('webgpu');
    expect(known.opened).toEqual(['webgpu']);
    expect(await load(await scriptedRuntime({ webgpu: 'throws' }), 'auto')).toBe('cpu');
    expect(warnings).toHaveLength(1);
  });

  it('tries devices each time without a log', async () => {
    for (let start = 0; start < 2; start++)
      expect(await load(await scriptedRuntime({ webgpu: 'throws' }), 'auto', {})).toBe('cpu');
    expect(warnings).toHaveLength(2);
  });

  it.each(['', '{"version":1', '{"version":99}', '[]'])('a damaged log is ignored: %j', async (text) => {
    await load(await scriptedRuntime({ webgpu: 'throws' }), 'auto');
    writeFileSync(deviceLog, text);
    expect(await load(await scriptedRuntime({ webgpu: 'works' }), 'auto')).toBe('webgpu');
    expect(JSON.parse(readFileSync(deviceLog, 'utf8'))).toMatchObject({ version: 1, runtime: '1.0.0' });
  });

  it('works if the log cannot be written', async () => {
    const runtime = await scriptedRuntime({ webgpu: 'throws' });
    expect(await load(runtime, 'auto', { deviceLog: '/proc/nowhere/devices.json' })).toBe('cpu');
  });

  it('two concurrent loads in one process are not mistaken for a crash', async () => {
    const loads = [1, 2, 3].map(async () => load(await scriptedRuntime({ webgpu: 'works' }), 'auto'));
    expect(await Promise.all(loads)).toEqual(['webgpu', 'webgpu', 'webgpu']);
  });

  it('a cancelled load records nothing about the device', async () => {
    const runtime = await scriptedRuntime({ webgpu: 'works' });
    const cancelled = load(runtime, 'auto', { deviceLog, signal: AbortSignal.abort() });
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    expect(await load(runtime, 'auto')).toBe('webgpu');
  });
});

describe('a device requested by name', () => {
  it.each(['throws', 'fails in the first run', 'miscalculates'] as const)(
    'one that %s is an error, and no other device is tried',
    async (behaviour) => {
      const runtime = await scriptedRuntime({ cuda: behaviour });
      await expect(load(runtime, 'cuda')).rejects.toMatchObject({
        code: expect.stringMatching(/^(device-failed|model-fault)$/),
      });
      expect(runtime.opened).toEqual(['cuda']);
      expect(warnings).toEqual([]);
    },
  );

  it('one that the runtime does not support is an error', async () => {
    await expect(load(await scriptedRuntime({}), 'coreml')).rejects.toMatchObject({ code: 'device-failed' });
  });

  it('one that threw before may be requested again', async () => {
    await expect(load(await scriptedRuntime({ webgpu: 'throws' }), 'webgpu')).rejects.toBeDefined();
    expect(await load(await scriptedRuntime({ webgpu: 'works' }), 'webgpu')).toBe('webgpu');
  });
});

describe('a device that crashes the process', () => {
  function child(choice: DeviceChoice, behaviour: Behaviour) {
    const script = join(import.meta.dirname, 'load-in-child.ts');
    const argument = [...programArguments(script), folder.path, deviceLog, choice, behaviour];
    const { signal, stdout, stderr } = spawnSync(process.execPath, argument, { encoding: 'utf8' });
    return { signal, result: stdout === '' ? null : JSON.parse(stdout), stderr };
  }

  it.each(['kills', 'aborts'] as const)('%s: crashes once', (behaviour) => {
    expect(child('auto', behaviour).signal).toMatch(/^SIG(KILL|ABRT)$/);
    const second = child('auto', behaviour);
    expect(second).toMatchObject({ signal: null, result: { device: 'cpu', opened: ['cpu'] } });
    expect(second.result.warnings).toHaveLength(1);
    expect(child('auto', behaviour).result).toMatchObject({ device: 'cpu', opened: ['cpu'], warnings: [] });
  });

  it('is rejected when requested by name, and the error explains how to retry', () => {
    expect(child('webgpu', 'kills').signal).toBe('SIGKILL');
    const { result } = child('webgpu', 'kills');
    expect(result).toMatchObject({ code: 'device-failed', opened: [] });
    expect(result.message).toContain(deviceLog);
    rmSync(deviceLog);
    expect(child('webgpu', 'works').result).toMatchObject({ device: 'webgpu' });
  });

  it('is not measured again', async () => {
    expect(child('auto', 'kills').signal).toBe('SIGKILL');
    const runtime = await scriptedRuntime({ webgpu: 'kills' });
    expect(await measureDevices({ runtime, deviceLog })).toContainEqual({
      device: 'webgpu',
      state: 'crashed-before',
    });
  });
});
