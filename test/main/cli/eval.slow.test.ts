import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { CommandLab, LOCOMO } from './fake-terminal.ts';

const EVAL = ['eval', 'retrieval', '--dataset', 'locomo', '--data', LOCOMO];
const recall = expect.toSatisfy((value: unknown) => typeof value === 'number' && value >= 0 && value <= 100);
const number = expect.any(Number);
const ended = expect.objectContaining({
  found: recall,
  nothing: recall,
  skipped: recall,
  late: 0,
  failed: 0,
});

describe('mnemis eval retrieval', () => {
  it('prints exactly the agreed keys', async () => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, '--json');
    expect(run.exitCode).toBe(0);
    // On a slow machine a line tells how far it is.
    expect(run.err.replaceAll(/^Evaluating: .*\n/gm, '')).toBe(
      'conversation 1, observation 3: names no turn of the conversation; skipped\n',
    );
    expect(run.json()).toEqual({
      dataset: 'locomo',
      recipe: 'auto',
      tier: 'local',
      questions: 6,
      turnRecall: { '3': recall, '5': recall, '10': recall, '20': recall, '30': recall, '50': recall },
      sessionRecall: { '3': recall, '5': recall, '10': recall },
      withoutCategory5: { questions: 4, turnRecall: { '10': recall } },
      byCategory: expect.objectContaining({ '5': { questions: 2, turnRecall: { '10': recall } } }),
      ingest: { turns: 7, seconds: number, turnsPerSecond: number },
      search: { p50Ms: number, p95Ms: number },
      routes: { system1: ended, system2: ended, traversal: ended },
      system2HitRate: recall,
      noAnswerRate: recall,
      pagerankMs: null,
      subgraphCoverage: null,
      usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
    });
  });

  it('compares recipes on one ingestion, each once', async () => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, '--recipes', 'system1,system1-paper,system1', '--json');
    const reports = run.json<{ recipe: string; questions: number }[]>();
    expect(reports.map(({ recipe, questions }) => [recipe, questions])).toEqual([
      ['system1', 6],
      ['system1-paper', 6],
    ]);
  });

  it('searches other wordings of each question, which the configured model writes', async () => {
    await using server = await ScriptedOpenAiServer.start({ reply: () => ({ wordings: ['it was in May'] }) });
    using lab = new CommandLab();
    lab.env.MNEMIS_LLM_PROVIDER = 'openai-compatible';
    lab.env.MNEMIS_LLM_MODEL = 'm';
    lab.env.MNEMIS_LLM_BASE_URL = `${server.url}/v1`;
    const run = await lab.run(...EVAL, '--rewrite', '--recipe', 'system1', '--json');
    expect(run.json()).toMatchObject({ tier: 'local', questions: 6, usage: { calls: number } });
    expect(run.json<{ usage: { calls: number } }>().usage.calls).toBe(server.requests.length);
    expect(server.requests.length).toBeGreaterThan(0);
  });

  it('prints aligned tables', async () => {
    using lab = new CommandLab();
    const { out } = await lab.run(...EVAL, '--recipes', 'system1,system1-rag');
    const lines = out.split('\n');
    expect(lines[0]).toBe('locomo, tier local: 6 questions with evidence');
    expect(lines[1]).toMatch(/^ingested 7 turns in \d+\.\d s \([\d.]+\/s\), no model calls$/);
    const [recalls, categories] = [lines.slice(3, 6), lines.slice(7, 10)];
    for (const table of [recalls, categories]) expect(new Set(table.map((line) => line.length)).size).toBe(1);
    expect(categories[0]).toMatch(/ 1 .* 5 .*without 5$/);
  });

  it('uses the facts of the data set', async () => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, '--facts', 'dataset', '--recipe', 'system1-graph', '--json');
    expect(run.json()).toMatchObject({ recipe: 'system1-graph', questions: 6 });
  });

  it('changes the gold by an audit file only', async () => {
    using lab = new CommandLab();
    const gold = lab.file(
      'gold.json',
      JSON.stringify([
        {
          question_id: 'locomo_0_qa4',
          sample_id: 'conv-1',
          question: 'Would Ana like fish?',
          correct_evidence: ['D1:1'],
        },
      ]),
    );
    const run = await lab.run(...EVAL, '--gold', gold, '--json');
    expect(run.exitCode, run.err).toBe(0);
    expect(run.json()).toMatchObject({ questions: 7 });
  });

  it.each([
    [['--data', 'missing.json'], 'there is no such file'],
    [['--data', '.'], 'it is a directory'],
    [['--data', 'text.txt'], 'it is not JSON'],
    [['--gold', 'missing.json'], 'there is no such file'],
    [['--dataset', 'longmemeval'], 'it has no records in the longmemeval format'],
  ])('fails with %s: %s', async (flags, reason) => {
    using lab = new CommandLab();
    lab.file('text.txt', 'secretword');
    const run = await lab.run(...EVAL, ...flags, '--json');
    expect(run.exitCode).toBe(1);
    expect(run.json()).toEqual({
      error: { code: 'file-unreadable', message: expect.stringContaining(reason) },
    });
    expect(run.out + run.err).not.toContain('secretword');
  });

  it.each([
    [
      ['--recipes', 'system1,memorai'],
      ['report', 'report'],
    ],
  ])('writes the settings, every question and the figures of %s', async (flags, last) => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, ...flags, '--out', 'raw/runs', '--json');
    expect(run.exitCode, run.err).toBe(0);
    const [file, ...others] = readdirSync(join(lab.folder, 'raw/runs'));
    expect(others).toEqual([]);
    expect(file).toMatch(/^retrieval-.*Z\.jsonl$/);
    const lines = lab
      .read(`raw/runs/${file}`)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({
      kind: 'run',
      version: expect.any(String),
      node: process.version,
      configuration: { dataset: 'locomo', embedder: 'static', reranker: 'none' },
    });
    const questions = lines.filter(({ kind }) => kind === 'question');
    expect(questions.length).toBeGreaterThan(6);
    expect(questions[0]).toMatchObject({
      profile: 'local',
      id: expect.any(String),
      rankedTurns: expect.any(Array),
      routes: [{ end: expect.any(String) }],
      usage: { calls: 0 },
    });
    expect(lines.slice(1 + questions.length).map(({ kind }) => kind)).toEqual(last);
  });

  it('writes partial results under another name after Ctrl-C', async () => {
    using lab = new CommandLab();
    const running = lab.run(...EVAL, '--recipes', 'system1,auto,everything', '--out', 'raw', '--json');
    const timer = setInterval(() => {
      const files = existsSync(join(lab.folder, 'raw')) ? readdirSync(join(lab.folder, 'raw')) : [];
      if (files.length > 0) lab.signals.emit('SIGINT');
    }, 5);
    const run = await running;
    clearInterval(timer);
    expect(run.exitCode).toBe(130);
    expect(readdirSync(join(lab.folder, 'raw'))).toEqual([expect.stringMatching(/\.jsonl\.part$/)]);
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
