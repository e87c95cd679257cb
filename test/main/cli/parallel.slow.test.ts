import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { CommandConsole } from '../../../main/cli/console.ts';
import { whenFree } from '../../../main/cli/when-free.ts';
import { programArguments } from '../../child-program.ts';
import { filledLab, MAIN, startProgram, whileHeld } from './fake-terminal.ts';

async function outcome(child: ChildProcess): Promise<{ code: unknown; out: string; err: string }> {
  let [out, err] = ['', ''];
  child.stdout!.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

describe('commands that need the same memory at once', () => {
  it('all succeed without a server: they take turns', async () => {
    using lab = await filledLab();
    const note = { content: 'My kiln broke.', speaker: 'Ben', session: 's3', index: 0, at: '2024-04-05' };
    lab.file('more.jsonl', [note]);
    const commands = [
      ['ask', 'Where did Ana move?'],
      ['search', 'kiln', '--json'],
      ['import', 'more.jsonl', '--format', 'jsonl'],
      ['stats'],
      ['tree'],
      ['verify'],
      ['backup', 'one.mnemis-backup'],
    ];
    const program = programArguments(MAIN);
    const runs = await Promise.all(commands.map((argv) => outcome(startProgram(lab, ...program, ...argv))));
    expect(runs.map(({ code, err }, at) => [commands[at]![0], code, code === 0 ? '' : err])).toEqual(
      commands.map(([name]) => [name, 0, '']),
    );
    expect(runs[0]!.out).toContain('Lisbon');
    expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 4 });
  });

  it('wait for another program to close it, and name it and the server where it does not', async () => {
    using lab = await filledLab();
    const path = lab.env.MNEMIS_PATH!;
    let notes = '';
    const stderr = { write: (text: string) => (notes += text) } as unknown as NodeJS.WritableStream;
    const terminal = {
      stdout: stderr,
      stderr,
      env: {},
      cwd: () => lab.folder,
      once() {},
      removeListener() {},
    };
    const console = new CommandConsole(terminal, false);
    const { signal } = new AbortController();
    const open = (options: { patience?: number; signal?: AbortSignal }) =>
      whenFree(async () => 'opened', { path, console, signal, ...options });
    await whileHeld(lab, async (holder) => {
      const busy = await open({ patience: 1_500 }).catch((error) => error);
      expect(busy).toMatchObject({ code: 'database-locked' });
      expect(busy.message).toContain(
        `the process with pid ${holder.pid}, still after 2 s; nothing was changed.`,
      );
      expect(busy.message).toContain('"mnemis server start"');
      expect(notes).toContain(`open in the process with pid ${holder.pid}; waiting for at most 2 s`);
      await expect(open({ signal: AbortSignal.timeout(10) })).rejects.toMatchObject({ code: 'cancelled' });
      const waiting = open({});
      holder.kill('SIGKILL'); // and its lock remains
      expect(await waiting).toBe('opened');
    });
  });
});
