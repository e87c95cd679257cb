import { join } from 'node:path';
import { CaseClock } from '../../../eval/case-clock.ts';
import { readLocomoDataset } from '../../../eval/datasets/locomo.ts';
import { digestsOfJudges, judgeNamed } from '../../../eval/judges/registry.ts';
import { answerRehearsals } from '../../../eval/rehearsal/answer-rehearsals.ts';
import { RehearsalModel } from '../../../eval/rehearsal/rehearsal-model.ts';
import { KeptReplies } from '../../../eval/run/kept-replies.ts';
import { KeptResults } from '../../../eval/run/kept-results.ts';
import { csvOf, reportOf } from '../../../eval/run/report.ts';
import { type EvaluationRun, runEvaluation } from '../../../eval/run/run-evaluation.ts';
import { parseSpec, rowsOf, type SpecRow } from '../../../eval/run/spec.ts';
import { Mnemis } from '../../../src/engine.ts';
import { ModelMissingError } from '../../../src/errors/index.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { LOCOMO } from '../../main/cli/fake-terminal.ts';

const folder = freshFolder();
let labs = 0;

export const ROWS: SpecRow[] = [
  { label: 'plain', recipe: 'BM25' },
  { label: 'rules', recipe: 'auto', answerer: 'none', context: 'mnemis' },
  { label: 'model', profile: 'memorai-paper', recipe: 'memorai-paper', context: 'memorai', judge: 'locomo' },
  { label: 'same memory', profile: 'memorai-paper', recipe: 'system1-paper', context: 'turns', k: 5 },
];

/** Runs in a folder: what an earlier one kept is there. */
export class Lab {
  readonly folder = join(folder, `${++labs}`);
  readonly opened: string[] = [];
  readonly pathOf = (name: string): string => join(this.folder, name);
  asked = 0;
  /** Whether the model, in its part and after so many requests, refuses its key. */
  refuses: (part: 'memory' | 'judge', asked: number) => boolean = () => false;

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
    const model = (part: 'memory' | 'judge') =>
      new RehearsalModel({
        rehearsals: answerRehearsals(),
        through: (backend) =>
          replies.through({
            ...backend,
            ask: async (request) => {
              this.#count(part);
              return backend.ask(request);
            },
            stream: async (request, onText) => {
              this.#count(part);
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
        judgeFiles: await digestsOfJudges(
          rows.map(({ judge = null }) => judge),
          this.pathOf,
        ),
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
          ...(needsModel && { languageModel: model('memory') }),
        });
        return { engine, clock, close: () => engine.close() };
      },
      embedder: async () => new HashingEmbedder({ analyze }),
      judgeOf: (name) => judgeNamed(name, this.pathOf),
      judgeModel: async () => model('judge'),
      concurrency: 3,
      ...more,
    };
  }

  #count(part: 'memory' | 'judge'): void {
    if (this.refuses(part, this.asked)) throw Object.assign(new Error('refused'), { status: 401 });
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
