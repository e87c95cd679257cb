import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CaseClock } from '../../../eval/case-clock.ts';
import { readLocomoDataset } from '../../../eval/datasets/locomo.ts';
import { judgeNamed } from '../../../eval/judges/registry.ts';
import { answerRehearsals } from '../../../eval/rehearsal/answer-rehearsals.ts';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { KeptReplies } from '../../../eval/run/kept-replies.ts';
import { KeptResults } from '../../../eval/run/kept-results.ts';
import { priceOf } from '../../../eval/run/price.ts';
import { csvOf, reportOf } from '../../../eval/run/report.ts';
import {
  type EvaluationRun,
  EvaluationStoppedError,
  runEvaluation,
} from '../../../eval/run/run-evaluation.ts';
import { parseSpec, rowsOf, type SpecRow } from '../../../eval/run/spec.ts';
import { Mnemis } from '../../../src/engine.ts';
import {
  BudgetExhaustedError,
  CancelledError,
  ModelMissingError,
  StoreClosedError,
} from '../../../src/errors/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { LOCOMO } from '../../main/cli/fake-terminal.ts';
import { inTier } from '../../tier.ts';

const folder = freshFolder();
let labs = 0;

const ROWS: SpecRow[] = [
  { label: 'plain', recipe: 'BM25' },
  { label: 'rules', recipe: 'auto', answerer: 'none', context: 'mnemis' },
  { label: 'model', profile: 'memorai-paper', recipe: 'memorai-paper', context: 'memorai', judge: 'locomo' },
  { label: 'same memory', profile: 'memorai-paper', recipe: 'system1-paper', context: 'turns', k: 5 },
];

/** Runs in a folder: what an earlier one kept is there. */
class Lab {
  readonly folder = join(folder, `${++labs}`);
  readonly opened: string[] = [];
  asked = 0;
  /** After so many requests the model refuses its key. */
  refusesAfter = Number.POSITIVE_INFINITY;

  async run(rows: SpecRow[], more: Partial<EvaluationRun> = {}) {
    const run = await this.prepare(rows, more);
    try {
      const { lines, skipped } = await runEvaluation(run);
      const spec = parseSpec({ name: 'lab', rows });
      return { lines, skipped, csv: withoutTimes(csvOf(reportOf(spec, lines, { ...NOTHING, skipped }))) };
    } finally {
      await run.results.close();
      await run.replies?.close();
    }
  }

  async prepare(rows: SpecRow[], more: Partial<EvaluationRun> = {}): Promise<EvaluationRun> {
    const dataset = await readLocomoDataset(LOCOMO);
    const replies = await KeptReplies.open(join(this.folder, 'replies.jsonl'));
    const model = () =>
      new RehearsalModel({
        rehearsals: answerRehearsals(),
        through: (backend) =>
          replies.through({
            ...backend,
            ask: async (request) => {
              this.#count();
              return backend.ask(request);
            },
            stream: async (request, onText) => {
              this.#count();
              return backend.stream(request, onText);
            },
          }),
      });
    return {
      dataset,
      rows: rowsOf(parseSpec({ name: 'lab', rows })),
      seeds: [42],
      setting: {
        ...{ version: '1', data: 'd', embedder: 'static', reranker: 'none' },
        ...{ model: 'rehearsal', judgeModel: 'rehearsal' },
      },
      results: await KeptResults.open(join(this.folder, 'answers.jsonl')),
      replies,
      openMemory: async ({ name, profile, reranker = 'none', needsModel }) => {
        if (reranker !== 'none')
          throw new ModelMissingError(reranker, 'models', ['model.onnx'], 'mnemis models pull');
        this.opened.push(name);
        const clock = new CaseClock();
        const engine = await Mnemis.open({
          ...{ path: join(this.folder, name), clock: clock.now, profile, automatic: false },
          ...(needsModel && { languageModel: model() }),
        });
        return { engine, clock, close: () => engine.close() };
      },
      embedder: async () => new HashingEmbedder({ analyze }),
      judgeOf: (name) => judgeNamed(name),
      judgeModel: async () => model(),
      concurrency: 3,
      ...more,
    };
  }

  #count(): void {
    if (this.asked >= this.refusesAfter) throw Object.assign(new Error('refused'), { status: 401 });
    this.asked += 1;
  }
}
const NOTHING = { setting: {}, memories: [] };

/** Times and tokens of a context differ from run to run, or with the ids in it. */
function withoutTimes(csv: string): string {
  return csv
    .split('\n')
    .filter((line) => !/,(?:ms|PageRank ms),/.test(line))
    .join('\n');
}

/** Each opens several memories. */
const whole = inTier({ fast: it.skip, slow: it });

describe('an evaluation', () => {
  it('asks every question of every line, and asks nothing again', async () => {
    const lab = new Lab();
    const first = await lab.run(ROWS);
    const questions = first.lines[0]!.answers.length;
    expect(questions).toBeGreaterThan(5);
    expect(first.lines.map(({ answers }) => answers.length)).toEqual(Array(4).fill(questions));
    expect(first.csv).toMatch(/^lab,model,memorai-paper,memorai-paper,.*,locomo,\d+,judge,\d/m);
    expect(first.csv).toMatch(/^lab,plain,none,BM25,filled,none,,\d+,turn@10,/m);
    const { asked, opened } = lab;
    expect(asked).toBeGreaterThan(20);
    // Each of the two memories: once to read, once to ask.
    expect(opened).toHaveLength(4);
    expect(new Set(opened).size).toBe(2);
    const second = await lab.run(ROWS);
    expect(second).toEqual(first);
    expect([lab.asked, lab.opened.length]).toEqual([asked, 4]);
  });

  whole('goes on with further lines and questions over the same memory', async () => {
    const lab = new Lab();
    await lab.run(ROWS.slice(2, 3));
    const { asked } = lab;
    const prepared = await lab.prepare(ROWS.slice(2));
    const price = await priceOf(prepared);
    await prepared.results.close();
    await prepared.replies?.close();
    expect(price.parts.map(({ what }) => what)).toEqual(['answers']);
    const { lines } = await lab.run(ROWS.slice(2));
    // Only the answers of the second line: a question without a word of memory needs none.
    expect(lab.asked - asked).toBeGreaterThan(0);
    expect(lab.asked - asked).toBeLessThanOrEqual(lines[1]!.answers.length);
  });

  whole('that is cancelled keeps what is done, says so, and ends with the same table', async () => {
    const [undisturbed, lab] = [new Lab(), new Lab()];
    const expected = await undisturbed.run(ROWS);
    for (const after of [1, 2, 9, 14]) {
      const stop = new AbortController();
      let told = 0;
      const cancelled = lab.run(ROWS, {
        signal: stop.signal,
        onProgress: () => {
          if (++told === after) stop.abort();
        },
      });
      await expect(cancelled).rejects.toSatisfy(CancelledError.isInstance);
      await expect(cancelled).rejects.toThrow(
        /\d+ of 28 questions are done and kept; the same command goes on/,
      );
    }
    expect((await lab.run(ROWS)).csv).toBe(expected.csv);
    expect(lab.asked).toBe(undisturbed.asked);
  });

  whole('ends when its token budget is used, and goes on with another', async () => {
    const lab = new Lab();
    const run = lab.run(ROWS, { budget: new TokenBudget(12_000) });
    await expect(run).rejects.toSatisfy(BudgetExhaustedError.isInstance);
    const { lines } = await lab.run(ROWS);
    expect(new Set(lines.map(({ answers }) => answers.length)).size).toBe(1);
  });

  it('leaves out lines whose model is missing, and says why', async () => {
    const rows = [
      ...ROWS.slice(1, 2),
      { label: 'reranked', reranker: 'qwen3-reranker-8b', answerer: 'none' as const },
    ];
    const { lines, skipped } = await new Lab().run(rows);
    expect(lines.map(({ row }) => row.label)).toEqual(['rules']);
    expect(skipped).toEqual([{ label: 'reranked', reason: expect.stringContaining('mnemis models pull') }]);
  });

  it('ends with any other error', async () => {
    const openMemory = async () => {
      throw new StoreClosedError();
    };
    await expect(new Lab().run(ROWS, { openMemory })).rejects.toSatisfy(StoreClosedError.isInstance);
  });

  whole('ends when the model refuses, keeps no answer without it, and goes on later', async () => {
    const [undisturbed, lab] = [new Lab(), new Lab()];
    const expected = await undisturbed.run(ROWS);
    lab.refusesAfter = undisturbed.asked - 5;
    const run = lab.run(ROWS);
    await expect(run).rejects.toSatisfy(EvaluationStoppedError.isInstance);
    await expect(run).rejects.toThrow(/model-key.*is kept/);
    lab.refusesAfter = Number.POSITIVE_INFINITY;
    expect((await lab.run(ROWS)).csv).toBe(expected.csv);
  });

  whole('answers each question once with each seed', async () => {
    const lab = new Lab();
    const { lines } = await lab.run(ROWS.slice(2, 3), { seeds: [1, 2] });
    const seeds = lines[0]!.answers.map(({ seed }) => seed);
    expect(seeds.slice(0, 4)).toEqual([1, 2, 1, 2]);
  });
});
