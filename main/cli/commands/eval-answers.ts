import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { AnswerResult, AnswersPart, AnswersReport } from '../../../eval/answers-report.ts';
import { CaseClock } from '../../../eval/case-clock.ts';
import { DATASET_READERS } from '../../../eval/datasets/registry.ts';
import { evaluateAnswers } from '../../../eval/evaluate-answers.ts';
import { paperRecipeNamed } from '../../../eval/papers/recipes.ts';
import { ANSWERERS, type Answerer } from '../../../src/answer/given-answer.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import { DEFAULT_LOCAL_PROFILE } from '../../../src/ingest/profile.ts';
import { DEFAULT_RECIPE, RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import type { Config } from '../../config.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { languageModelFlags, wholeNumber } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { cancellable, loadEngine, settingsOf } from '../run-command.ts';
import { type DatasetFlags, inTemporaryFolder, readDataset, withLog } from './eval-run.ts';

interface AnswersFlags extends Partial<Config>, DatasetFlags {
  readonly recipe?: string;
  readonly answerer: Answerer;
  readonly limit?: number;
  readonly out?: string;
  readonly json?: boolean;
}

export function answersCommand(terminal: Terminal): Command {
  return languageModelFlags(
    new Command('answers')
      .description(
        'Score answers to a data set’s questions against its gold answers, and how well memory abstains.',
      )
      .requiredOption('--dataset <name>', `one of: ${DATASET_READERS.map(({ name }) => name).join(', ')}`)
      .requiredOption('--data <file>', 'the data set’s file, in its official format')
      .option('--recipe <name>', `how to search, one of: ${RECIPE_NAMES.join(', ')}`)
      .addOption(
        new Option('--answerer <name>', 'local quotes memory, llm asks the language model')
          .choices(ANSWERERS)
          .default('local'),
      )
      .option('--limit <number>', 'ask only the first questions of each conversation', wholeNumber)
      .option('--out <folder>', 'folder for raw answers, settings and results, as JSON lines')
      .option('--embedder <name>', 'the embedding model (default: the configured one)')
      .option('--gold <file>', 'corrected gold for LoCoMo (default: the official gold)')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', '\nIf a language model is configured, it also judges the answers.')
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
  const { answerer, limit, dataset: name, data, gold = null, out } = flags;
  const recipe = paperRecipeNamed(flags.recipe ?? DEFAULT_RECIPE);
  const config = configOf(flags, console);
  const model =
    config.llmProvider === 'none' && answerer === 'local'
      ? undefined
      : await configuredLanguageModel(config, console.terminal.env);
  // A local answer is to be without any model, also where one judges it.
  const reader = answerer === 'llm' ? model : undefined;
  const dataset = await readDataset(flags, console, signal);
  const { embedder, embedderDimension, reranker, device, llmProvider, llmModel, llmBaseUrl } = config;
  const raw = {
    kind: 'answers',
    folder: out === undefined ? null : resolve(console.terminal.cwd(), out),
    configuration: {
      ...{ dataset: name, data, gold, recipe, answerer, limit },
      ...{ embedder, embedderDimension, reranker, device, llmProvider, llmModel, llmBaseUrl },
    },
  };
  return withLog(raw, async (log) => {
    const questions = dataset.cases.reduce(
      (sum, each) => sum + Math.min(limit ?? Infinity, each.questions.length),
      0,
    );
    const progress = startProgress(console, 'Asking', questions);
    const report = await inTemporaryFolder(async (folder) => {
      const { openMemory } = await loadEngine();
      const clock = new CaseClock();
      const answering = reader === undefined ? {} : { languageModel: reader };
      const override = { clock: clock.now, profile: DEFAULT_LOCAL_PROFILE, ...answering };
      const { engine, close } = await openMemory(
        { ...config, path: join(folder, 'eval.db') },
        { signal, override },
      );
      try {
        return await evaluateAnswers({
          ...{ engine, clock, dataset, recipe, tier: 'local', answerer, limit, signal },
          ...{ model: reader?.name, judge: model },
          budget: config.llmTokenBudget === undefined ? undefined : new TokenBudget(config.llmTokenBudget),
          onProgress: (done, _total, what) => progress.update(done, what),
          onResult: async (result) => log?.append(answerLine(result)),
        });
      } finally {
        await close();
      }
    }).finally(() => progress.stop());
    await log?.append({ kind: 'report', ...report });
    return { report, file: log?.file ?? null };
  });
}

/** One answer's line in the log. */
function answerLine({ question, plain: _, ...result }: AnswerResult) {
  const { id, category, text, answer: gold, evidenceTurns } = question;
  return { kind: 'answer', id, category, question: text, gold, evidenceTurns, ...result };
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
  return settingsOf(terminal, flags).values;
}

const COLUMNS = ['F1', 'BLEU-1', 'ROUGE-1', 'ROUGE-2', 'ROUGE-L', 'exact', 'judge', 'no answer'];

function describe(report: AnswersReport, console: CommandConsole): string[] {
  const { dataset, tier, answerer, recipe, overall, ingest, perQuestion, usage, model, judge } = report;
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
    `ingested ${ingest.turns} turns in ${ingest.seconds.toFixed(1)} s; ${[model ?? 'no model answers', ...(judge === null ? [] : [`judged by ${judge}`])].join(', ')}`,
    '',
    row('in percent', ['questions', ...COLUMNS]),
    ...parts.map(([name, part]) => row(name, [String(part.questions), ...figures(part)])),
    '',
    row('evidence', ['answerable', ...QUOTE_COLUMNS], 12),
    ...parts.map(([name, part]) => row(name, [String(part.quotes.answerable), ...quoteCells(part)], 12)),
    '',
    row('context', CONTEXT_COLUMNS, 12),
    ...parts.map(([name, part]) => row(name, contextCells(part), 12)),
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
    `answers and abstentions by confidence threshold (separation ${figure(separation)} %, 50 is chance):`,
    row('threshold', ['answered', 'abstained'], 12),
    row('', [`of ${answerable}`, `of ${unanswerable}`], 12),
    ...curve.map(point),
    `threshold in use: ${used.threshold} – answers ${figure(used.answered)} % of the answerable questions, abstains on ${figure(used.abstained)} % of the others`,
  ];
}

function failures({ failures: { answerer, judge } }: AnswersReport): string[] {
  return answerer + judge === 0
    ? []
    : ['', `the model failed: ${answerer} answers quote memory instead, ${judge} were not judged`];
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

/** Of the answerable questions; the last column is of the others. */
const QUOTE_COLUMNS = ['at 1 quote', 'at 3', 'whole', 'partial', 'wrong', 'declined', 'others decl.'];

function quoteCells({ quotes }: AnswersPart): string[] {
  const { evidenceAt1, evidenceAt3, whole, partial, wrong, declined, unanswerableDeclined } = quotes;
  return [evidenceAt1, evidenceAt3, whole, partial, wrong, declined, unanswerableDeclined].map(figure);
}

const CONTEXT_COLUMNS = ['turns', 'or facts', 'tokens', '# turns', '# facts', '# entities'];

function contextCells({ context: { turns, turnsOrFacts, tokens, sources } }: AnswersPart): string[] {
  const { episodes = null, facts = null, entities = null } = sources ?? {};
  return [turns, turnsOrFacts, tokens, episodes, facts, entities].map(figure);
}

function figure(value: number | null): string {
  return value === null ? '–' : value.toFixed(1);
}

function row(name: string, cells: readonly string[], width = 10): string {
  return name.padEnd(14) + cells.map((cell) => cell.padStart(width)).join('');
}
