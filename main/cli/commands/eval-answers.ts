import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { ANSWERERS, type Answerer } from '../../../src/answer/given-answer.ts';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import { AnswerLog } from '../../../src/eval/answer-log.ts';
import type { AnswersPart, AnswersReport } from '../../../src/eval/answers-report.ts';
import type { EvaluationDataset } from '../../../src/eval/datasets/evaluation-dataset.ts';
import { readLocomoDataset } from '../../../src/eval/datasets/locomo-dataset.ts';
import { DATASET_READERS, datasetReaderNamed } from '../../../src/eval/datasets/registry.ts';
import { evaluateAnswers } from '../../../src/eval/evaluate-answers.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { DEFAULT_RECIPE, RECIPES, recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { type Config, resolveConfig } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { languageModelFlags } from '../language-model-flags.ts';
import { startProgress } from '../progress.ts';
import { mnemisVersion } from '../version.ts';
import { wholeNumber } from '../whole-number.ts';
import { cancellable, loadEngine } from '../with-memory.ts';

interface AnswersFlags extends Partial<Config> {
  readonly dataset: string;
  readonly data: string;
  readonly recipe?: string;
  readonly answerer: Answerer;
  readonly limit?: number;
  readonly out?: string;
  readonly gold?: string;
  readonly json?: boolean;
}

export function answersCommand(terminal: Terminal): Command {
  return languageModelFlags(
    new Command('answers')
      .description(
        'Answers to a data set’s questions beside its gold, and how well memory knows when to abstain.',
      )
      .requiredOption('--dataset <name>', `one of: ${DATASET_READERS.map(({ name }) => name).join(', ')}`)
      .requiredOption('--data <file>', 'the data set’s file, in its official format')
      .option('--recipe <name>', `how to search, one of: ${RECIPES.map(({ name }) => name).join(', ')}`)
      .addOption(
        new Option('--answerer <name>', 'local quotes memory, llm has the language model answer')
          .choices(ANSWERERS)
          .default('local'),
      )
      .option('--limit <number>', 'questions of each conversation, the first ones', wholeNumber)
      .option('--out <folder>', 'where raw answers, settings and figures are kept as JSON lines')
      .option('--embedder <name>', 'what turns texts into vectors (default: the configured one)')
      .option('--gold <file>', 'corrections of LoCoMo’s gold; the official gold holds without it')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', '\nWhere a language model is set, it judges the answers too.')
    .action(async (flags: AnswersFlags) => {
      const console = new CommandConsole(terminal, flags.json === true);
      await cancellable(terminal, async (signal) => {
        const { report, file } = await evaluate(flags, console, signal);
        console.result(report, () => [
          ...describe(report, console),
          ...(file === null ? [] : ['', `raw answers: ${file}`]),
        ]);
      });
    });
}

async function evaluate(
  flags: AnswersFlags,
  console: CommandConsole,
  signal: AbortSignal,
): Promise<{ readonly report: AnswersReport; readonly file: string | null }> {
  const { answerer, limit } = flags;
  const recipe = recipeNamed(flags.recipe ?? DEFAULT_RECIPE);
  const config = configOf(flags, console);
  const model =
    config.llmProvider === 'none' && answerer === 'local'
      ? undefined
      : await configuredLanguageModel(config, console.terminal.env);
  const dataset = await readDataset(flags, console, signal);
  const log = await startLog(flags, { config, recipe, answerer, limit }, console);
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-eval-'));
  const questions = dataset.cases.reduce(
    (sum, each) => sum + Math.min(limit ?? Infinity, each.questions.length),
    0,
  );
  const progress = startProgress(console, 'Asking', questions);
  try {
    const { openMemory } = await loadEngine();
    const { engine, close } = await openMemory({ ...config, path: join(folder, 'eval.db') }, { signal });
    try {
      const report = await evaluateAnswers({
        ...{ engine, dataset, recipe, tier: 'local', answerer, model, limit, signal },
        budget: config.llmTokenBudget === undefined ? undefined : new TokenBudget(config.llmTokenBudget),
        onProgress: (done, _total, what) => progress.update(done, what),
        onResult: async (result) => log?.answer(result),
      });
      await log?.report(report);
      return { report, file: log?.file ?? null };
    } finally {
      await close();
    }
  } finally {
    progress.stop();
    await log?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function configOf(
  {
    dataset: _d,
    data: _f,
    recipe: _r,
    answerer: _a,
    limit: _l,
    out: _o,
    gold: _g,
    json: _j,
    ...flags
  }: AnswersFlags,
  { terminal }: CommandConsole,
): Config {
  return resolveConfig({ flags, environment: terminal.env, folder: terminal.cwd() }).values;
}

async function readDataset(
  { dataset, data, gold }: AnswersFlags,
  console: CommandConsole,
  signal: AbortSignal,
): Promise<EvaluationDataset> {
  const { terminal } = console;
  const file = resolve(terminal.cwd(), data);
  if (gold !== undefined && dataset !== 'locomo')
    throw new UsageError('--gold goes with --dataset locomo only');
  const read =
    gold === undefined
      ? await datasetReaderNamed(dataset).read(file, { signal })
      : await readLocomoDataset(file, { signal, gold: resolve(terminal.cwd(), gold) });
  for (const { where, reason } of read.rejected) console.note(`${where}: ${reason}; left out`);
  if (read.cases.length === 0)
    throw new FileUnreadableError(data, `it holds nothing that can be read as ${read.name}`);
  return read;
}

async function startLog(
  { out, dataset, data, gold }: AnswersFlags,
  { config, ...asked }: Readonly<Record<string, unknown>> & { readonly config: Config },
  { terminal }: CommandConsole,
): Promise<AnswerLog | null> {
  if (out === undefined) return null;
  const { embedder, embedderDimension, reranker, device, llmProvider, llmModel, llmBaseUrl } = config;
  return AnswerLog.create(resolve(terminal.cwd(), out), {
    version: mnemisVersion(),
    node: process.version,
    startedAt: new Date().toISOString(),
    configuration: {
      ...{ dataset, data, gold: gold ?? null, ...asked },
      ...{ embedder, embedderDimension, reranker, device, llmProvider, llmModel, llmBaseUrl },
    },
  });
}

const COLUMNS = ['F1', 'BLEU-1', 'ROUGE-1', 'ROUGE-2', 'ROUGE-L', 'exact', 'judge', 'no answer'];

function describe(report: AnswersReport, console: CommandConsole): string[] {
  const { dataset, tier, answerer, recipe, overall, ingest, perQuestion, usage, model } = report;
  const named = 'withoutCategory5' in report && '5' in report.byCategory;
  const parts: [string, AnswersPart][] = [
    ['all', overall],
    ...(named ? [['without 5', report.withoutCategory5] as [string, AnswersPart]] : []),
    ...Object.entries(report.byCategory).map(([name, part]): [string, AnswersPart] => [
      `category ${name}`,
      part,
    ]),
  ];
  return [
    console.style(
      'bold',
      `${dataset}, tier ${tier}, answerer ${answerer}, recipe ${recipe}: ${overall.questions} questions`,
    ),
    `ingested ${ingest.turns} turns in ${ingest.seconds.toFixed(1)} s; ${model === null ? 'no model calls' : model}`,
    '',
    row('in percent', ['questions', ...COLUMNS]),
    ...parts.map(([name, part]) => row(name, [String(part.questions), ...figures(part)])),
    '',
    `a question: ${figure(perQuestion.p50Ms)} ms (p95 ${figure(perQuestion.p95Ms)}), ${perQuestion.promptTokens} prompt tokens, ${perQuestion.completionTokens} completion tokens, ${usage.calls} calls in all`,
    ...abstentionTable(report),
    ...failures(report),
    ...(report.note === undefined ? [] : ['', console.style('dim', report.note)]),
  ];
}

function abstentionTable({ abstention }: AnswersReport): string[] {
  if (abstention === null) return [];
  const { answerable, unanswerable, used, separation, curve } = abstention;
  const point = ({ threshold, answered, abstained }: typeof used) =>
    row(threshold.toFixed(2), [figure(answered), figure(abstained)], 12);
  return [
    '',
    `how sure an answer must be, and what that comes to (separation ${figure(separation)} %, 50 is chance):`,
    row('threshold', ['answered', 'abstained'], 12),
    row('', [`of ${answerable}`, `of ${unanswerable}`], 12),
    ...curve.map(point),
    `used: ${used.threshold} – ${figure(used.answered)} % of the answerable answered, ${figure(used.abstained)} % of the others not`,
  ];
}

function failures({ failures: { answerer, judge } }: AnswersReport): string[] {
  return answerer + judge === 0
    ? []
    : ['', `the model failed: ${answerer} answers are memory’s own words instead, ${judge} were not judged`];
}

function figures(part: AnswersPart): string[] {
  return [
    part.f1,
    part.bleu1,
    part.rouge1,
    part.rouge2,
    part.rougeL,
    part.exactMatch,
    part.judge,
    part.noAnswerRate,
  ].map(figure);
}

function figure(value: number | null): string {
  return value === null ? '–' : value.toFixed(1);
}

function row(name: string, cells: readonly string[], width = 10): string {
  return name.padEnd(14) + cells.map((cell) => cell.padStart(width)).join('');
}
