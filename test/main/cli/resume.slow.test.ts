import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { CommandLab, LOCOMO, TURNS } from './fake-terminal.ts';

interface Stats {
  readonly episodes: number;
  readonly segments: number;
  readonly facts: number;
  readonly pending: number;
  readonly setAside: number;
  readonly failures: readonly { readonly session: string; readonly turns: number }[];
}
const statsOf = async (lab: CommandLab) => (await lab.run('stats', '--json')).json<Stats>();
const importing = (lab: CommandLab) => ['import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl'];

/** A lab whose three turns are stored, and wait. */
async function waitingLab(): Promise<CommandLab> {
  const lab = new CommandLab();
  const run = await lab.run(...importing(lab), '--no-enrich');
  expect(run).toMatchObject({ exitCode: 0, err: '' });
  expect(run.out).toMatch(
    /: 3 new, 0 already known\n3 turns wait to be read for facts: run "mnemis resume"\n$/,
  );
  return lab;
}

describe('mnemis import --no-enrich', () => {
  it('stores turns that are searchable at once and wait for consolidation', async () => {
    using lab = await waitingLab();
    expect((await lab.run('search', 'Miso')).out).toContain('I adopted a grey cat called Miso.');
    expect(await statsOf(lab)).toMatchObject({ episodes: 3, segments: 0, facts: 0, pending: 3 });
    expect((await lab.run('stats')).out).toContain('  waiting     3 turns ("mnemis resume" reads them)\n');
    // Neither of them has read what waits.
    expect(await statsOf(lab)).toMatchObject({ segments: 0, pending: 3 });
  });
});

it.each([
  ['--tier', 'llm'],
  ['--profile', 'mnemis-paper'],
])(
  'mnemis import --no-enrich with a tier that needs a language model needs none for %s %s',
  async (...llm) => {
    using lab = new CommandLab();
    const run = await lab.run(...importing(lab), '--no-enrich', '--json', ...llm);
    expect(run.exitCode, run.out).toBe(0);
    expect(run.json()).toMatchObject({
      profile: llm[0] === '--tier' ? 'default' : 'mnemis-paper',
      added: 3,
      pending: 3,
    });
    expect(await statsOf(lab)).toMatchObject({ episodes: 3, segments: 0, pending: 3 });
    // What reads them still needs one.
    expect((await lab.run('resume', ...llm)).exitCode).not.toBe(0);
  },
);

describe('mnemis resume', () => {
  it('consolidates waiting turns, reports the result, and then finds nothing to do', async () => {
    using lab = await waitingLab();
    const run = await lab.run('resume');
    expect(run).toMatchObject({ exitCode: 0, err: '' });
    expect(run.out).toMatch(
      /^3 turns read for facts in [\d.]+ s; none waits\n2 topic segments, \d+ new entities, \d+ new facts\n\d+ new categories; "mnemis tree" shows them\n$/,
    );
    const stats = await statsOf(lab);
    expect(stats).toMatchObject({ segments: 2, pending: 0, setAside: 0 });
    expect(stats.facts).toBeGreaterThan(0);
    expect((await lab.run('resume', '--json')).json()).toMatchObject({
      consolidated: 0,
      segments: 0,
      pending: 0,
      usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
    });
  });

  it('gives the same as an import that consolidates at once', async () => {
    using waiting = await waitingLab();
    using whole = new CommandLab();
    await waiting.run('resume');
    await whole.run(...importing(whole));
    const counts = async (lab: CommandLab) => ({ ...(await statsOf(lab)), path: '' });
    expect(await counts(waiting)).toEqual(await counts(whole));
  });

  it('sets aside what a model cannot read, says why, and reads it with --retry', async () => {
    await using server = await ScriptedOpenAiServer.start({ reply: () => 'I would rather not.' });
    using lab = await waitingLab();
    const model = ['--llm-provider', 'openai-compatible', '--llm-model', 'm'];
    const llm = ['--tier', 'llm', ...model, '--llm-base-url', `${server.url}/v1`];
    const run = await lab.run('resume', ...llm);
    expect(run.exitCode, run.err).toBe(0);
    expect(run.out).toContain(
      '3 turns set aside, because reading them failed; "mnemis stats" shows the reason',
    );
    expect(await statsOf(lab)).toMatchObject({ pending: 0, setAside: 3 });
    const { out } = await lab.run('stats');
    expect(out).toContain('  waiting     none; 3 set aside ("mnemis resume --retry" retries them)\n');
    expect(out).toMatch(/\n {4}2 turns of session "s1", after 2 attempts: \S/);
    expect(out).not.toContain('rather not');
    // Without a model, and without --retry, they stay where they are.
    await lab.run('resume');
    expect(await statsOf(lab)).toMatchObject({ setAside: 3 });
    // The local tier can read them.
    expect((await lab.run('resume', '--retry', '--json')).json()).toMatchObject({ consolidated: 3 });
    expect(await statsOf(lab)).toMatchObject({ pending: 0, setAside: 0, failures: [], segments: 2 });
  });

  it('keeps to the token budget: nothing is lost, the rest waits', async () => {
    await using server = await ScriptedOpenAiServer.start({ reply: () => 'no' });
    using lab = await waitingLab();
    const model = ['--llm-provider', 'openai-compatible', '--llm-model', 'm'];
    const llm = ['--tier', 'llm', ...model, '--llm-base-url', `${server.url}/v1`];
    const run = await lab.run('resume', ...llm, '--llm-token-budget', '10', '--json');
    expect(run.exitCode).toBe(1);
    expect(run.json()).toMatchObject({ error: { code: 'budget-exhausted' } });
    expect(server.requests).toHaveLength(0);
    expect(await statsOf(lab)).toMatchObject({ episodes: 3, pending: 3, setAside: 0 });
  });
});

describe('mnemis import --dry-run', () => {
  it('stores nothing, and reports the result of an import', async () => {
    using lab = new CommandLab();
    const run = await lab.run(...importing(lab), '--dry-run');
    expect(run).toMatchObject({ exitCode: 0, err: '' });
    expect(run.out).toMatch(
      /^3 turns in the file: 3 new, 0 already known; nothing was stored\nFrom 2024-01-05 to 2024-03-05, in 2 conversations, \d+ bytes\nSpeakers: Ana \(2\), Ben \(1\)\nProfile "local": no language model calls\nWith --tier llm \(profile "default"\): about /,
    );
    expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);
  });

  it('reports how many turns already wait and would be read too', async () => {
    using lab = await waitingLab();
    const more = [...TURNS, { ...TURNS[2]!, index: 1, content: 'I like it here.' }];
    const price = ['import', lab.file('more.jsonl', more), '--format', 'jsonl', '--dry-run'];
    expect((await lab.run(...price, '--json')).json()).toMatchObject({ new: 1, known: 3, pending: 3 });
    expect((await lab.run(...price)).out).toMatch(
      /^4 turns in the file: 1 new, 3 already known[\s\S]*3 turns already wait and are also read; they are not in this price\n$/,
    );
    expect((await lab.run(...price, '--scope', 'other', '--json')).json()).toMatchObject({ pending: 0 });
    expect(await statsOf(lab)).toMatchObject({ episodes: 3, pending: 3 });
  });

  it('accounts for known turns, and estimates the others without a model', async () => {
    using lab = new CommandLab();
    await lab.run('import', lab.file('first.jsonl', TURNS.slice(0, 2)), '--format', 'jsonl');
    const price = async (...more: string[]) =>
      (await lab.run(...importing(lab), '--dry-run', '--json', ...more)).json<{
        calls: number;
        promptTokens: number;
        byStage: Record<string, { calls: number }>;
      }>();
    expect(await price()).toMatchObject({ profile: 'local', turns: 3, new: 1, known: 2, calls: 0 });
    const dear = await price('--tier', 'llm');
    expect(dear).toMatchObject({ profile: 'default', new: 1, sessions: 1, rehearsed: 1 });
    expect(dear.calls).toBeGreaterThan(0);
    expect(dear.promptTokens).toBeGreaterThan(100);
    const byStage = Object.values(dear.byStage).reduce((sum, { calls }) => sum + calls, 0);
    expect(byStage).toBe(dear.calls);
    expect(await statsOf(lab)).toMatchObject({ episodes: 2 });
  });
});

it('mnemis eval cost rehearses a profile on a data set and prints calls and tokens', async () => {
  using lab = new CommandLab();
  const argv = ['eval', 'cost', '--dataset', 'locomo', '--data', LOCOMO];
  const run = await lab.run(...argv, '--profile', 'default', '--json');
  expect(run.exitCode, run.err).toBe(0);
  const cost = run.json<{ calls: number; perSession: { calls: number } }>();
  expect(cost).toMatchObject({ profile: 'default', turns: 7 });
  expect(cost.calls).toBeGreaterThan(0);
  const { out } = await lab.run(...argv, '--profile', 'local');
  expect(out).toMatch(/^profile local: \d+ sessions, 7 turns\n/);
  expect((await lab.run(...argv, '--profile', 'nope')).exitCode).toBe(2);
});
