import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { programArguments } from '../../child-program.ts';

/** Vulkan in software, from Debian's `chromium`; a machine with a graphics card does not need it. */
const SOFTWARE_DRIVER = '/usr/lib/chromium/vk_swiftshader_icd.json';

it('WebGPU computes the same vectors and scores as the processor', { timeout: 60_000 }, ({ skip }) => {
  const script = join(import.meta.dirname, 'webgpu-in-child.ts');
  const driver = existsSync(SOFTWARE_DRIVER) ? { VK_ICD_FILENAMES: SOFTWARE_DRIVER } : {};
  const { status, signal, stdout } = spawnSync(process.execPath, programArguments(script), {
    encoding: 'utf8',
    env: { ...driver, ...process.env },
    timeout: 50_000,
  });
  // A driver that crashes its process is treated as absent.
  if (status !== 0) return skip(`the attempt ended its process (${signal ?? status})`);
  const { unavailable, vectors, scores } = JSON.parse(stdout);
  if (unavailable !== undefined) return skip(unavailable);
  const [processor, accelerator] = vectors as [number[][], number[][]];
  for (const [row, vector] of processor.entries())
    expect(vector.reduce((sum, value, at) => sum + value * accelerator[row]![at]!, 0)).toBeGreaterThan(
      0.9999,
    );
  for (const [row, score] of (scores[0] as number[]).entries())
    expect(Math.abs(scores[1][row] - score)).toBeLessThan(1e-3);
});
