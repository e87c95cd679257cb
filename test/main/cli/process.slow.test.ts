import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../../child-program.ts';
import { CommandLab, filledLab, MAIN, ROOT } from './fake-terminal.ts';

const MNEMIS = `"${process.execPath}" "${programArguments(MAIN).join('" "')}"`;

function shell(lab: CommandLab, script: string) {
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', script], {
    cwd: ROOT,
    env: { ...process.env, ...lab.env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the mnemis process', () => {
  it('shows the demo: five answers, the last a "not enough"', () => {
    using lab = new CommandLab();
    const { status, stdout, stderr } = shell(lab, `${MNEMIS} demo --json`);
    // On a slow machine a line tells how far it is.
    expect([status, stderr.replaceAll(/^Remembering: .*\n/gm, '')]).toEqual([0, '']);
    const { turns, answers } = JSON.parse(stdout);
    expect(turns).toBeGreaterThan(50);
    expect(answers.map((answer: { answered: boolean }) => answer.answered)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
  });

  it('ignores a reader that closes the pipe', async () => {
    using lab = await filledLab();
    const piped = shell(lab, `${MNEMIS} search "Where did Ana move?" --json | head -c 1`);
    expect(piped).toEqual({ status: 0, stdout: '{', stderr: '' });
  });

  it('ends with the exit code of the command', () => {
    using lab = new CommandLab();
    expect(shell(lab, `${MNEMIS} bogus`)).toMatchObject({ status: 2, stdout: '' });
    expect(shell(lab, `${MNEMIS} stats`)).toMatchObject({ status: 1, stdout: '' });
  });

  it.skipIf(process.platform !== 'linux')(
    'reports that the output cannot be written (Linux: /dev/full)',
    async () => {
      using lab = await filledLab();
      const { status, stderr } = shell(lab, `${MNEMIS} stats > /dev/full`);
      expect([status, stderr]).toEqual([1, 'mnemis: The output could not be written (ENOSPC).\n']);
    },
  );
});
