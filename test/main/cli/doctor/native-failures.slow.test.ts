import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../../../child-program.ts';
import { smallEmbedder } from '../../../fakes/small-models.ts';
import { type CommandLab, filledLab, MAIN, ROOT } from '../fake-terminal.ts';

const WITHOUT_ONNX = pathToFileURL(join(ROOT, 'test/fixtures/main/without-onnx.mjs')).href;

interface Report {
  readonly findings: readonly { name: string; ok: boolean; detail: string }[];
}

function withoutOnnx(lab: CommandLab, ...argv: readonly string[]) {
  return spawnSync(process.execPath, ['--import', WITHOUT_ONNX, ...programArguments(MAIN), ...argv], {
    cwd: ROOT,
    env: { ...process.env, ...lab.env },
    encoding: 'utf8',
  });
}

it.skipIf(process.platform === 'win32')(
  'a probe whose process dies is reported, and the other devices are examined',
  async () => {
    using lab = await filledLab();
    lab.env.NODE_OPTIONS = '--import data:text/javascript,process.abort()';
    const run = await lab.run('doctor', '--json');
    expect(run.exitCode).toBe(1);
    const { findings } = run.json<Report>();
    expect(findings.find(({ name }) => name === 'devices')).toEqual({
      name: 'devices',
      ok: false,
      detail: expect.stringMatching(/^could not be measured: it was ended by SIG/),
    });
    expect(findings.find(({ name }) => name === 'memory')?.ok).toBe(true);
  },
);

describe('without onnxruntime-node', () => {
  it('everything but ONNX models works, and the error says what to install', async () => {
    using lab = await filledLab();
    const search = withoutOnnx(lab, 'search', 'kiln');
    expect(search).toMatchObject({ status: 0, stderr: '' });
    lab.env.NODE_OPTIONS = `--import ${WITHOUT_ONNX}`; // for the probe
    const doctor = await lab.run('doctor', '--json');
    expect(doctor.exitCode, doctor.out).toBe(0);
    const devices = doctor.json<Report>().findings.find(({ name }) => name === 'devices');
    expect(devices?.detail).toContain('npm install onnxruntime-node');

    for (const [path, content] of Object.entries(smallEmbedder())) {
      const file = join(lab.folder, 'models/all-minilm-l6-v2', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    lab.env.MNEMIS_EMBEDDER = 'all-minilm-l6-v2';
    const refused = withoutOnnx(lab, 'search', 'kiln');
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('(288 MB) with: npm install onnxruntime-node --ignore-scripts (add -g');
  });
});
