import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnswersReport } from '../../eval/answers-report.ts';
import { DEFAULT_RECIPE } from '../../src/retrieve/recipes/recipes.ts';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';
import { CommandLab, LOCOMO } from '../main/cli/fake-terminal.ts';

const EVAL = ['eval', 'answers', '--dataset', 'locomo', '--data', LOCOMO];

describe('mnemis eval answers', () => {
  it('prints a table of scores and the whole abstention curve', async () => {
    using lab = new CommandLab();
    const { exitCode, out } = await lab.run(...EVAL);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^locomo, tier local, answerer local, recipe [\w-]+: \d+ questions\n/);
    const tables = out.split('\n\n').filter((block) => /^(?:in percent|evidence|context) /.test(block));
    expect(tables).toHaveLength(3);
    for (const table of tables) {
      const lines = table.split('\n');
      expect(lines.length).toBeGreaterThan(3);
      expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    }
    expect(out.match(/^[01]\.\d\d /gm)).toHaveLength(21);
    expect(out).toMatch(
      /\nthreshold in use: 0\.4 – answers [\d.]+ % of the answerable questions, abstains on [\d.]+ % of the others\n$/,
    );
  });

  it('saves raw answers, settings and figures, and no key', async () => {
    using lab = new CommandLab();
    lab.env.MNEMIS_LLM_API_KEY = 'sk-secret-1';
    const run = await lab.run(...EVAL, '--out', 'runs', '--limit', '3', '--json');
    const report = run.json<AnswersReport>();
    const [file, ...more] = readdirSync(join(lab.folder, 'runs'));
    expect(more).toEqual([]);
    const text = lab.read(join('runs', file!));
    expect(text + run.out + run.err).not.toContain('sk-secret-1');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ kind }) => kind)).toEqual([
      'run',
      ...Array.from({ length: report.overall.questions }, () => 'answer'),
      'report',
    ]);
    expect(lines[0]).toMatchObject({
      version: expect.stringMatching(/^\d/),
      node: process.version,
      configuration: {
        ...{ dataset: 'locomo', limit: 3, answerer: 'local', reranker: 'none' },
        recipe: { name: DEFAULT_RECIPE },
      },
    });
    expect(lines[1]).toMatchObject({
      ...{ question: expect.any(String), text: expect.any(String), milliseconds: expect.any(Number) },
      usage: { calls: 0 },
    });
    expect(lines.at(-1)).toEqual({ kind: 'report', ...report });
  });

  it('judges and answers with a configured model', async () => {
    await using server = await ScriptedOpenAiServer.start({
      reply: ({ messages }) =>
        messages.some(({ content }) => content.includes('verdict:'))
          ? { verdict: 'correct' }
          : 'HOLDS\nsoup [1]',
    });
    using lab = new CommandLab();
    const flags = [
      '--llm-provider',
      'openai-compatible',
      '--llm-model',
      'm',
      '--llm-base-url',
      `${server.url}/v1`,
    ];
    const run = await lab.run(...EVAL, '--answerer', 'llm', '--limit', '2', ...flags, '--json');
    expect(run.exitCode, run.err).toBe(0);
    const report = run.json<AnswersReport>();
    expect(report).toMatchObject({ answerer: 'llm', model: 'openai-compatible:m', abstention: null });
    expect(report.usage.calls).toBe(report.overall.questions);
    expect(report.overall.judge).not.toBeNull();
  });

  it.each<[flags: string[], code: string, exitCode: number]>([
    [['--data', 'missing.json'], 'file-unreadable', 1],
    [['--recipe', 'none'], 'unknown-name', 2],
    [['--answerer', 'llm'], 'invalid-setting', 2],
    [['--dataset', 'hotpotqa', '--gold', 'gold.json'], 'usage', 2],
    [['--out', '/proc/nowhere'], 'store-write', 1],
  ])('fails with %j', async (flags, code, exitCode) => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, ...flags, '--json');
    expect(run.json()).toMatchObject({ error: { code } });
    expect(run.exitCode).toBe(exitCode);
  });

  it('prints no figures after Ctrl-C', async () => {
    using lab = new CommandLab();
    const running = lab.run(...EVAL, '--json');
    const timer = setInterval(() => lab.signals.emit('SIGINT'), 1);
    const run = await running;
    clearInterval(timer);
    expect(run.exitCode).toBe(130);
    expect(run.json()).toMatchObject({ error: { code: 'cancelled' } });
  });
});
