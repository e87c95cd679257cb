import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnswersReport } from '../../eval/answers-report.ts';
import type { SheetRow } from '../../eval/judging-sheet.ts';
import { PAPER_RECIPES } from '../../eval/papers/recipes.ts';
import { DEFAULT_RECIPE } from '../../src/retrieve/recipes/recipes.ts';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';
import { CommandLab, LOCOMO } from '../main/cli/fake-terminal.ts';

const EVAL = ['eval', 'answers', '--dataset', 'locomo', '--data', LOCOMO];

describe('mnemis eval answers', () => {
  it('prints a table of scores and the whole abstention curve', async () => {
    using lab = new CommandLab();
    const { exitCode, out } = await lab.run(...EVAL);
    expect(exitCode).toBe(0);
    expect(out).toMatch(
      /^locomo, tier local \(profile local\), answerer local, recipe [\w-]+: \d+ questions\n/,
    );
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
        ...{ dataset: 'locomo', limit: 3, profile: 'local', answerer: 'local', reranker: 'none' },
        recipe: { name: DEFAULT_RECIPE },
      },
    });
    expect(lines[1]).toMatchObject({
      ...{ question: expect.any(String), text: expect.any(String), milliseconds: expect.any(Number) },
      usage: { calls: 0 },
    });
    expect(lines.at(-1)).toEqual({ kind: 'report', ...report });
  });

  it('reads, answers and judges with configured models', async () => {
    await using server = await ScriptedOpenAiServer.start({
      reply: ({ messages }) => {
        const has = (words: string) => messages.some(({ content }) => content.includes(words));
        if (has('verdict is one word')) return { verdict: 'partly' };
        return has('Your first line is one word') ? 'HOLDS\nsoup [1]' : {};
      },
    });
    using lab = new CommandLab();
    const flags = [
      ...['--llm-provider', 'openai-compatible', '--llm-model', 'm', '--llm-base-url', `${server.url}/v1`],
      ...['--tier', 'llm', '--profile', 'default', '--judge', 'other'],
    ];
    const run = await lab.run(...EVAL, '--limit', '2', ...flags, '--json');
    expect(run.exitCode, run.err).toBe(0);
    const report = run.json<AnswersReport>();
    expect(report).toMatchObject({ tier: 'llm', profile: 'default', answerer: 'llm', abstention: null });
    expect(report).toMatchObject({ model: 'openai-compatible:m', judge: 'openai-compatible:other' });
    expect(report.ingest.usage.calls).toBeGreaterThan(0);
    expect(report.usage.calls).toBeGreaterThanOrEqual(report.overall.questions);
    expect(report.overall.judge?.partly).toBeGreaterThan(0);
    expect(report.judgeUsage.calls).toBeGreaterThan(0);
  });

  it.each([
    ['longmemeval', { right: 'yes' }],
    ['file:own.txt', 'Reasoning: both name it.\nCORRECT'],
  ])('judges in the form %s, and fills the sheet with its verdicts', async (form, said) => {
    await using server = await ScriptedOpenAiServer.start({ reply: () => said });
    using lab = new CommandLab();
    lab.file('own.txt', '{question}: {gold} or {answer}?');
    const run = await lab.run(
      ...[...EVAL, '--limit', '3', '--judge', '--judge-form', form, '--out', 'sheet.jsonl', '--json'],
      ...['--llm-provider', 'openai-compatible', '--llm-model', 'm', '--llm-base-url', `${server.url}/v1`],
    );
    expect(run.exitCode, run.err).toBe(0);
    const report = run.json<AnswersReport>();
    expect(report.judgeForm).toBe(form);
    const { right, declined, score } = report.overall.judge!;
    expect(right).toBeGreaterThan(0);
    expect([score, right! + declined!]).toEqual([right, 100]);
    const rows = lab.read('sheet.jsonl').trim().split('\n');
    const verdicts = rows.map((row) => (JSON.parse(row) as SheetRow).verdict);
    expect(verdicts).toContain('right');
    expect(verdicts.filter((verdict) => verdict === 'right').length / verdicts.length).toBeCloseTo(
      right! / 100,
    );
  });

  it('lists the recipes of the papers', async () => {
    using lab = new CommandLab();
    const { out } = await lab.run('eval', 'answers', '--help');
    for (const { name } of PAPER_RECIPES) expect(out).toContain(name);
  });

  it.each(['csv', 'jsonl'])(
    'writes answers to judge by hand as %s, in an order of the seed',
    async (ending) => {
      using lab = new CommandLab();
      const sheet = async (seed: string) => {
        const run = await lab.run(...EVAL, '--out', `sheets/${seed}.${ending}`, '--seed', seed);
        expect(run.out).toContain('to judge by hand: ');
        return lab.read(`sheets/${seed}.${ending}`);
      };
      const [first, second] = [await sheet('1'), await sheet('2')];
      const lines = (text: string) => text.trim().split('\n');
      if (ending === 'csv')
        expect(lines(first)[0]).toBe('id,question,earlier,gold,answer,quotes,evidence,verdict');
      else {
        const rows = lines(first).map((line) => JSON.parse(line) as SheetRow);
        expect(rows.every(({ verdict }) => verdict === '')).toBe(true);
        expect(rows.some(({ evidence }) => /^\d{4}-\d\d-\d\d, \w+: /.test(evidence[0] ?? ''))).toBe(true);
        expect(first).not.toMatch(/confidence|local|category/);
      }
      expect(second).not.toBe(first);
      expect(lines(second).toSorted()).toEqual(lines(first).toSorted());
    },
  );

  it.each<[flags: string[], code: string, exitCode: number]>([
    [['--data', 'missing.json'], 'file-unreadable', 1],
    [['--recipe', 'none'], 'unknown-name', 2],
    [['--answerer', 'llm'], 'invalid-setting', 2],
    [['--judge'], 'invalid-setting', 2],
    [['--judge-form', 'locomo'], 'usage', 2],
    [['--judge', '--judge-form', 'squad'], 'unknown-name', 2],
    [['--judge', '--judge-form', 'file:none.txt'], 'file-unreadable', 1],
    [['--tier', 'local', '--profile', 'default'], 'usage', 2],
    [['--profile', 'nameless'], 'unknown-name', 2],
    [['--dataset', 'hotpotqa', '--gold', 'gold.json'], 'usage', 2],
    [['--out', '/proc/nowhere'], 'store-write', 1],
  ])('fails with %j', async (flags, code, exitCode) => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, ...flags, '--json');
    expect(run.json()).toMatchObject({ error: { code } });
    expect(run.exitCode).toBe(exitCode);
  });

  it('needs a file for a data set that is not part of the package', async () => {
    using lab = new CommandLab();
    const run = await lab.run('eval', 'answers', '--dataset', 'locomo', '--json');
    expect(run.json()).toMatchObject({ error: { code: 'usage' } });
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
