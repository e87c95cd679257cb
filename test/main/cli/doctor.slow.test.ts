import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { smallEmbedder } from '../../fakes/small-models.ts';
import { CommandLab, filledLab, whileHeld } from './fake-terminal.ts';

interface Report {
  readonly healthy: boolean;
  readonly findings: readonly { name: string; ok: boolean; detail: string }[];
}

async function diagnose(lab: CommandLab, ...flags: string[]) {
  const run = await lab.run('doctor', '--json', ...flags);
  const { healthy, findings } = run.json<Report>();
  return {
    exitCode: run.exitCode,
    healthy,
    findings,
    memory: findings.find(({ name }) => name === 'memory'),
    embedder: findings.find(({ name }) => name === 'embedder'),
  };
}

describe('mnemis doctor', () => {
  it('reports a healthy memory as healthy', async () => {
    using lab = await filledLab();
    const { exitCode, healthy, findings } = await diagnose(lab);
    expect([exitCode, healthy]).toEqual([0, true]);
    const names = findings.map(({ name }) => name).filter((name) => !name.startsWith('device '));
    expect(names).toEqual([
      'versions',
      'platform',
      'vector kernel',
      'models',
      'model runtime',
      'embedder',
      'memory',
      'scope',
      'disk',
    ]);
    const detail = (name: string) => findings.find((finding) => finding.name === name)?.detail;
    expect(detail('scope')).toContain('"default": 3 episodes');
    expect(detail('memory')).toContain('as configured');
    expect(detail('device cpu')).toMatch(/starts in \d+ ms, [\d.]+ gigaflops/);
    expect((await lab.run('doctor', '--no-devices')).out).toMatch(/^(ok {3}.{16} .+\n){9}$/);
  });

  it('reports a missing memory as one not yet created', async () => {
    using lab = new CommandLab();
    const { exitCode, memory } = await diagnose(lab);
    expect([exitCode, memory?.ok]).toEqual([0, true]);
    expect(memory?.detail).toContain('does not exist yet');
  });

  it('opens an empty database where there is no memory, and reports one that cannot be opened', async () => {
    using lab = new CommandLab();
    const database = async () => {
      const { exitCode, findings } = await diagnose(lab, '--no-devices');
      return [exitCode, findings.find(({ name }) => name === 'database')];
    };
    expect(await database()).toEqual([
      0,
      {
        name: 'database',
        ok: true,
        detail: expect.stringMatching(/^kuzu, schema \d+: an empty one was created/),
      },
    ]);
    const { TMPDIR } = process.env;
    try {
      process.env.TMPDIR = join(lab.folder, 'none');
      const detail = 'it cannot be opened (ENOENT)';
      expect(await database()).toEqual([1, { name: 'database', ok: false, detail }]);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });

  it('measures the configured model in a process of its own, and opens the memory with it', async () => {
    using lab = await filledLab();
    lab.env.MNEMIS_EMBEDDER = 'all-minilm-l6-v2';
    const missing = await diagnose(lab);
    expect(missing.exitCode).toBe(1);
    expect(missing.embedder).toMatchObject({
      ok: false,
      detail: expect.stringContaining('mnemis models pull all-minilm-l6-v2'),
    });
    expect(missing.memory).toMatchObject({ ok: false, detail: expect.stringContaining('was not opened') });
    for (const [path, content] of Object.entries(smallEmbedder())) {
      const file = join(lab.folder, 'models/all-minilm-l6-v2', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    const { embedder, findings } = await diagnose(lab);
    expect(embedder).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/^all-minilm-l6-v2, 384 numbers, \d+ short texts per second on cpu/),
    });
    expect(findings.find(({ name }) => name === 'vectors')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('mnemis reembed'),
    });
    lab.env.MNEMIS_PATH = join(lab.folder, 'other.db');
    await lab.run('import', join(lab.folder, 'turns.jsonl'), '--format', 'jsonl');
    const moved = await diagnose(lab, '--no-devices');
    expect(moved.memory).toMatchObject({ ok: true, detail: expect.stringContaining('all-minilm-l6-v2') });
    expect(moved.healthy).toBe(true);
  });

  it('opens the configured reranker', async () => {
    using lab = new CommandLab();
    lab.env.MNEMIS_RERANKER = 'ms-marco-minilm-l-6-v2';
    const { exitCode, findings } = await diagnose(lab, '--no-devices');
    expect(exitCode).toBe(1);
    expect(findings.find(({ name }) => name === 'reranker')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('mnemis models pull ms-marco-minilm-l-6-v2'),
    });
  });

  it('reports a requested device that does not start, and no other', async () => {
    using lab = new CommandLab();
    lab.env.MNEMIS_DEVICE = 'cuda';
    const { findings } = await diagnose(lab);
    const devices = findings.filter(({ name }) => name.startsWith('device '));
    const works = ({ detail }: { detail: string }) => detail.startsWith('starts in');
    for (const device of devices) expect(device.ok).toBe(works(device) || device.name !== 'device cuda');
    expect(devices.map(({ name }) => name)).toContain('device cpu');
  });

  it.each([
    ['no database', 'secretword', 'not a Mnemis database'],
    ['empty', '', 'it is empty'],
  ])('reports a file that is %s', async (_what, content, finding) => {
    using lab = new CommandLab();
    const flags = ['--no-devices', '--path', lab.file('bad.db', content)];
    const { exitCode, healthy, memory } = await diagnose(lab, ...flags);
    expect([exitCode, healthy, memory?.ok]).toEqual([1, false, false]);
    expect(memory?.detail).toContain(finding);
    expect(lab.read('bad.db')).toBe(content);
  });

  it('names the process that holds a locked file', async () => {
    using lab = await filledLab();
    await whileHeld(lab, async (holder) => {
      const { exitCode, memory } = await diagnose(lab);
      expect([exitCode, memory?.ok]).toEqual([1, false]);
      expect(memory?.detail).toContain(`pid ${holder.pid}`);
    });
  });
});
