import { describe, expect, it } from 'vitest';
import { Mnemis } from '../../../src/engine.ts';
import { CommandLab, filledLab } from './fake-terminal.ts';

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
  };
}

describe('mnemis doctor', () => {
  it('finds a healthy memory healthy', async () => {
    using lab = await filledLab();
    const { exitCode, healthy, findings } = await diagnose(lab);
    expect([exitCode, healthy]).toEqual([0, true]);
    expect(findings.map(({ name }) => name)).toEqual([
      'versions',
      'platform',
      'vector kernel',
      'embedder',
      'memory',
      'scope',
      'disk',
    ]);
    expect(findings[5]?.detail).toContain('"default": 3 episodes');
    expect((await lab.run('doctor')).out).toMatch(/^(ok {3}.{16} .+\n){7}$/);
  });

  it('takes a missing memory for one that is still to come', async () => {
    using lab = new CommandLab();
    const { exitCode, memory } = await diagnose(lab);
    expect([exitCode, memory?.ok]).toEqual([0, true]);
    expect(memory?.detail).toContain('does not exist yet');
  });

  it.each([
    ['no database', 'secretword', 'not a Mnemis database'],
    ['empty', '', 'it is empty'],
  ])('finds a file that is %s bad', async (_what, content, finding) => {
    using lab = new CommandLab();
    const { exitCode, healthy, memory } = await diagnose(lab, '--path', lab.file('bad.db', content));
    expect([exitCode, healthy, memory?.ok]).toEqual([1, false, false]);
    expect(memory?.detail).toContain(finding);
    expect(lab.read('bad.db')).toBe(content);
  });

  it('names who holds a locked file, as the other commands do', async () => {
    using lab = await filledLab();
    const holder = await Mnemis.open({ path: lab.env.MNEMIS_PATH! });
    try {
      const { exitCode, memory } = await diagnose(lab);
      expect([exitCode, memory?.ok]).toEqual([1, false]);
      expect(memory?.detail).toContain(`pid ${process.pid}`);
      const search = await lab.run('search', 'cat', '--json');
      expect(search.exitCode).toBe(1);
      expect(search.json()).toMatchObject({ error: { code: 'database-locked' } });
    } finally {
      await holder.close();
    }
  });
});
