import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { KeptAnswer } from '../../../eval/run/kept-results.ts';
import { figuresOfLine } from '../../../eval/run/metrics.ts';
import { csvOf, markdownOf, reportOf, writeReport } from '../../../eval/run/report.ts';
import { parseSpec, rowsOf } from '../../../eval/run/spec.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();

const answer = (scope: string, id: string, figures: KeptAnswer['figures']): KeptAnswer => ({
  ...{ kind: 'answer', row: 'r', seed: 42, scope, id, category: '1', question: 'q', gold: 'g', answer: 'a' },
  ...{ verdict: null, evidenceTurns: [], rankedTurns: [], contextTurns: [], figures, notes: [] },
});
const ANSWERS = [
  answer('a', '1', { 'turn@10': 1, judge: 1, ms: 10, 'prompt tokens': 100 }),
  answer('a', '2', { 'turn@10': 0, judge: 0.5, ms: 30, 'prompt tokens': 200 }),
  answer('b', '1', { 'turn@10': 1, ms: 20 }),
];
const spec = parseSpec({
  ...{ name: 'small', title: 'A <small> table', note: 'A note.' },
  rows: [
    { label: 'one, "two"', recipe: 'auto', answerer: 'llm', judge: 'ours', paper: { judge: 93.3 } },
    { label: '=three|four', recipe: 'system1' },
  ],
});
const [first, second] = rowsOf(spec);
const report = reportOf(
  spec,
  [
    { row: first!, answers: ANSWERS },
    { row: second!, answers: ANSWERS.slice(0, 1) },
  ],
  {
    setting: { model: 'none' },
    skipped: [{ label: 'five', reason: 'It is not there.' }],
    memories: [
      {
        ...{ name: 'local.db', profile: 'local', turns: 9, seconds: 1.4, setAside: 0 },
        usage: { calls: 3, promptTokens: 40, completionTokens: 5 },
      },
    ],
  },
);

describe('the figures of a line', () => {
  it('are means in percent with intervals over conversations, medians of times, means of numbers', () => {
    const figures = figuresOfLine(ANSWERS);
    expect([...figures.keys()]).toEqual(['turn@10', 'judge', 'prompt tokens', 'ms']);
    expect(figures.get('turn@10')).toMatchObject({ mean: 66.67 });
    // Whole conversations are drawn: twice the one with half, or twice the one with all.
    expect(figures.get('turn@10')).toMatchObject({ low: 50, high: 100 });
    expect(figures.get('judge')).toMatchObject({ mean: 75, low: 50, high: 100 });
    expect(figures.get('ms')).toEqual({ mean: 20, low: null, high: null });
    expect(figures.get('prompt tokens')).toEqual({ mean: 150, low: null, high: null });
  });
});

describe('a report', () => {
  it('puts the paper’s figures beside ours, in Markdown', () => {
    const text = markdownOf(report);
    expect(text).toContain('# A <small> table');
    expect(text).toMatch(/^\| line \| questions \| turn@10 \| judge \| paper \| prompt tokens \| ms \|$/m);
    expect(text).toMatch(
      /^\| one, "two" \| 3 \| 66\.7 \(50\.0–100\.0\) \| 75\.0 \(50\.0–100\.0\) \| 93\.3 \| 150\.0 \| 20\.0 \|$/m,
    );
    expect(text).toMatch(/^\| =three\\\|four \| 1 \| .* \| – \|/m);
    expect(text).toMatch(/^skipped: five\. It is not there\.$/m);
    expect(text).toMatch(/^\| local \| 9 \| 1 \| 0 \| 3 \| 40 \| 5 \|$/m);
  });

  it('has a line for each metric in CSV', () => {
    const lines = csvOf(report).trimEnd().split('\n');
    expect(lines[0]).toBe(
      'table,line,profile,recipe,context,answerer,judge,questions,metric,value,low,high,paper',
    );
    expect(lines).toContain('small,"one, ""two""",local,auto,filled,llm,ours,3,judge,75,50,100,93.3');
    expect(lines).toContain('small,"one, ""two""",local,auto,filled,llm,ours,3,ms,20,,,');
    expect(lines).toHaveLength(1 + 4 + 4);
  });

  it('is written with plots, and again without a change', async () => {
    const files = await writeReport(join(folder, 'out'), report);
    expect(files.map((file) => file.split('/').at(-1))).toEqual([
      ...['table.json', 'table.csv', 'table.md', 'turn-10.svg', 'judge.svg'],
    ]);
    expect(JSON.parse(readFileSync(files[0]!, 'utf8'))).toMatchObject({ name: 'small', lines: [{}, {}] });
    const plot = readFileSync(files[4]!, 'utf8');
    expect(plot).toContain('<title>A &lt;small&gt; table: judge</title>');
    expect(plot).toContain('75.0 (paper 93.3)');
    expect(plot.match(/<path /g)).toHaveLength(3); // two intervals, and the paper's mark
    const before = files.map((file) => readFileSync(file, 'utf8'));
    await writeReport(join(folder, 'out'), report);
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(before);
  });
});
