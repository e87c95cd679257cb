import { describe, expect, it } from 'vitest';
import { CommandLab, LOCOMO } from './fake-terminal.ts';

const EVAL = ['eval', 'retrieval', '--dataset', 'locomo', '--data', LOCOMO];
const recall = expect.toSatisfy((value: unknown) => typeof value === 'number' && value >= 0 && value <= 100);
const number = expect.any(Number);

describe('mnemis eval retrieval', () => {
  it('prints exactly the agreed keys', { timeout: 60_000 }, async () => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, '--json');
    expect(run.exitCode).toBe(0);
    // On a slow machine a line tells how far it is.
    expect(run.err.replaceAll(/^Evaluating: .*\n/gm, '')).toBe(
      'conversation 1, observation 3: names no turn of the conversation; left out\n',
    );
    expect(run.json()).toEqual({
      dataset: 'locomo',
      recipe: 'system1',
      tier: 'local',
      questions: 6,
      turnRecall: { '3': recall, '5': recall, '10': recall, '20': recall },
      sessionRecall: { '3': recall, '5': recall, '10': recall },
      withoutCategory5: { questions: 4, turnRecall: { '10': recall } },
      byCategory: expect.objectContaining({ '5': { questions: 2, turnRecall: { '10': recall } } }),
      ingest: { turns: 7, seconds: number, turnsPerSecond: number },
      search: { p50Ms: number, p95Ms: number },
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

  it('prints tables whose columns line up', async () => {
    using lab = new CommandLab();
    const { out } = await lab.run(...EVAL, '--recipes', 'system1,system1-rag');
    const lines = out.split('\n');
    expect(lines[0]).toBe('locomo, tier local: 6 questions with evidence');
    expect(lines[1]).toMatch(/^ingested 7 turns in \d+\.\d s \([\d.]+\/s\), no model calls$/);
    const [recalls, categories] = [lines.slice(3, 6), lines.slice(7, 10)];
    for (const table of [recalls, categories]) expect(new Set(table.map((line) => line.length)).size).toBe(1);
    expect(categories[0]).toMatch(/ 1 .* 5 .*without 5$/);
  });

  it('takes the facts of the data set', async () => {
    using lab = new CommandLab();
    const run = await lab.run(...EVAL, '--facts', 'dataset', '--recipe', 'system1-graph', '--json');
    expect(run.json()).toMatchObject({ recipe: 'system1-graph', questions: 6 });
  });

  it('corrects the gold by an audit file only', async () => {
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
    [['--dataset', 'longmemeval'], 'it holds nothing that can be read as longmemeval'],
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
