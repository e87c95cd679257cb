// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shells write their variables like this
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { CommandLab } from './fake-terminal.ts';

/** What bash offers for the last word. */
function offered(script: string, ...words: readonly string[]): string[] {
  const program = [
    script,
    'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _mnemis',
    'printf "%s\\n" "${COMPREPLY[@]}"',
  ];
  const out = execFileSync('bash', ['-c', program.join('\n'), 'bash', 'mnemis', ...words], {
    encoding: 'utf8',
  });
  return out.split('\n').filter(Boolean);
}

describe('mnemis completion', () => {
  it('completes commands, subcommands, flags and their values in bash', async () => {
    using lab = new CommandLab();
    const { exitCode, out, err } = await lab.run('completion', 'bash');
    expect([exitCode, err]).toEqual([0, '']);
    expect(offered(out, 'sea')).toEqual(['search']);
    expect(offered(out, '')).toEqual(expect.arrayContaining(['add', 'ask', 'completion', 'eval']));
    expect(offered(out, 'hierarchy', '')).toEqual(['status', 'update', 'rebuild', 'refresh']);
    expect(offered(out, 'eval', 're')).toEqual(['retrieval']);
    expect(offered(out, 'search', '--kn')).toEqual(['--known-at']);
    expect(offered(out, 'add', '--role', 'a')).toEqual(['assistant']);
    expect(offered(out, '--scope', 'work', 'search', 'owls', '--he')).toEqual(['--help']);
    expect(offered(out, 'export', '')).toEqual([]); // so that bash offers files
  });

  it.each(['zsh', 'fish'])('names every command and flag for %s, with what it does', async (shell) => {
    using lab = new CommandLab();
    const { out } = await lab.run('completion', shell);
    for (const word of ['rebuild', 'known-at', 'cut-log', 'Browse the entities of a scope by category'])
      expect(out).toContain(word);
    expect(out.split("'").length % 2).toBe(1); // quotes are closed
  });

  it('knows these shells alone', async () => {
    using lab = new CommandLab();
    const { exitCode, err } = await lab.run('completion', 'tcsh');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
  });
});
