import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureDevices } from '../../../src/inference/models/measure-devices.ts';
import type { Device } from '../../../src/inference/onnx/onnx-runtime.ts';
import { programArguments } from '../../child-program.ts';
import { scriptedRuntime } from '../../fakes/onnx/scripted-runtime.ts';

describe('measureDevices', () => {
  it('measures the devices that start and says why others do not', async () => {
    const runtime = await scriptedRuntime({ cuda: 'throws', dml: 'miscalculates', webgpu: 'works' });
    const [cuda, dml, webgpu, cpu] = await measureDevices({ runtime });
    expect(cuda).toEqual({ device: 'cuda', state: 'failed', reason: 'no adapter for cuda' });
    expect(dml).toEqual({ device: 'dml', state: 'failed', reason: 'it computed a wrong product' });
    for (const measured of [webgpu, cpu]) expect(measured).toMatchObject({ state: 'works' });
  });

  it('lists the real runtime’s backends, the processor working', async () => {
    const own = join(import.meta.dirname, 'measure-in-child.ts');
    const { status, stdout } = spawnSync(process.execPath, programArguments(own), { encoding: 'utf8' });
    expect(status).toBe(0);
    const cpu = JSON.parse(stdout).find(({ device }: { device: Device }) => device === 'cpu');
    expect(cpu.state).toBe('works');
    expect(cpu.gigaflops).toBeGreaterThan(0);
  });
});
