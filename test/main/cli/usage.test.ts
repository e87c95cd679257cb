import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CommandLab, LOCOMO } from './fake-terminal.ts';

const COMMANDS =
  'add import resume search ask explain tree hierarchy stats export restore token eval models llm config doctor demo'.split(
    ' ',
  );

describe('usage', () => {
  it('lists every command in the help', async () => {
    using lab = new CommandLab();
    const { exitCode, out, err } = await lab.run('--help');
    expect([exitCode, err]).toEqual([0, '']);
    for (const command of COMMANDS) expect(out).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  });

  it.each([...COMMANDS.map((name) => [name]), ['eval', 'retrieval'], ['eval', 'cost'], ['models', 'pull']])(
    'has help for %s %s',
    async (...argv) => {
      using lab = new CommandLab();
      const { exitCode, out, err } = await lab.run(...argv.filter(Boolean), '--help');
      expect([exitCode, err]).toEqual([0, '']);
      expect(out).toContain(`Usage: mnemis ${argv.filter(Boolean).join(' ')}`);
    },
  );

  it('describes a command that help names', async () => {
    using lab = new CommandLab();
    const { exitCode, out, err } = await lab.run('help', 'correct', 'fact');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('Usage: mnemis correct fact');
    expect((await lab.run('help')).out).toContain('Usage: mnemis [options]');
  });

  it.each(['--version', '-v', '-V'])('prints its version with %s', async (flag) => {
    using lab = new CommandLab();
    expect(await lab.run(flag)).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it('prints the help if no command is given', async () => {
    using lab = new CommandLab();
    expect(await lab.run()).toMatchObject({
      exitCode: 2,
      out: '',
      err: expect.stringContaining('Usage: mnemis'),
    });
  });

  it.each<[why: string, argv: string[], says: string]>([
    ['an unknown command', ['bogus'], "unknown command 'bogus'. Run"],
    ['a misspelt command', ['serch', 'a'], "unknown command 'serch'; did you mean search? Run"],
    ['help for an unknown command', ['help', 'nosuch'], "unknown command 'nosuch'. Run"],
    [
      'help for a misspelt subcommand',
      ['help', 'correct', 'fct'],
      "unknown command 'fct'; did you mean fact? Run",
    ],
    ['a misspelt flag', ['stats', '--scpe', 'a'], "unknown option '--scpe'; did you mean --scope? Run"],
    ['a flag that is like no other', ['stats', '--nope'], "unknown option '--nope'. Run"],
    ['an invalid time', ['changes', '--since', 'long ago'], '--since is not a time such as 2026-11-01'],
    [
      'a time of which a part is not read',
      ['search', 'a', '--as-of', 'yesterday at five'],
      '--as-of is not a',
    ],
    ['an empty text', ['add', ' '], 'The text is empty; nothing was stored'],
    ['no text', ['add'], 'Nothing was piped to standard input; nothing was stored'],
    ['a missing argument', ['search'], "missing required argument 'query'"],
    ['an unknown flag', ['stats', '--bad'], "unknown option '--bad'"],
    ['too many arguments', ['ask', 'a', 'b'], 'too many arguments'],
    ['a question without words', ['ask', ' '], 'It is empty'],
    ['a search without words', ['search', ''], 'It is empty'],
    ['a scope for what moves them all', ['reembed', '--scope', 'a'], "unknown option '--scope'"],
    ['a k that is no number', ['search', 'a', '--k', 'abc'], 'whole number'],
    [
      'a k that is too large',
      ['search', 'a', '--k', '101'],
      'k (flag --k) is not valid: it must be a whole number from 1 to 100',
    ],
    [
      'an unknown recipe',
      ['ask', 'a', '--recipe', 'nope'],
      'recipe (flag --recipe) is not valid: it must be one of: auto,',
    ],
    [
      'an unknown recipe of a paper',
      ['ask', 'a', '--recipe', 'gam-nope'],
      'no recipe named "gam-nope"; known: auto,',
    ],
    ['an unknown model', ['models', 'pull', 'nope'], 'There is no model named "nope"; known: all-minilm'],
    ['a model that is not here', ['models', 'remove', 'nope'], 'no pulled model named "nope"'],
    ['an empty scope', ['stats', '--scope', ''], 'scope (flag --scope) is not valid'],
    ['a scope that is too long', ['stats', '--scope', 'x'.repeat(201)], 'scope (flag --scope) is not valid'],
    ['an unknown format', ['import', 'a', '--format', 'nope'], 'text, locomo, longmemeval, hotpotqa'],
    ['an unknown data set', ['eval', 'retrieval', '--dataset', 'nope', '--data', 'a'], 'known: locomo,'],
    [
      'an unknown tier',
      ['eval', 'retrieval', '--dataset', 'locomo', '--data', 'a', '--tier', 'x'],
      'Allowed choices are local',
    ],
    [
      'two ways to name recipes',
      ['eval', 'retrieval', '--dataset', 'locomo', '--data', LOCOMO, '--recipe', 'a', '--recipes', 'b'],
      'exclude each other',
    ],
    [
      'no recipe',
      ['eval', 'retrieval', '--dataset', 'locomo', '--data', LOCOMO, '--recipes', ','],
      '--recipes is empty',
    ],
    [
      'a gold for another data set',
      ['eval', 'retrieval', '--dataset', 'hotpotqa', '--data', LOCOMO, '--gold', 'a'],
      '--gold needs --dataset locomo',
    ],
  ])('rejects %s with exit code 2, in words and in JSON', async (_why, argv, says) => {
    using lab = new CommandLab();
    const human = await lab.run(...argv);
    expect(human).toMatchObject({ exitCode: 2, out: '', err: expect.stringMatching(/^mnemis: /) });
    expect(human.err).toContain(says);
    const run = await lab.run(...argv, '--json');
    const { error } = run.json<{ error: { code: string; message: string } }>();
    expect(run.exitCode).toBe(2);
    expect(Object.keys(error)).toEqual(['code', 'message']);
    expect(run.err).toContain(error.message);
    expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);
  });
});
