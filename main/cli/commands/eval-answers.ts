import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { AnswerResult, AnswersPart, AnswersReport } from '../../../eval/answers-report.ts';
import { CaseClock } from '../../../eval/case-clock.ts';
import type { EvaluationDataset } from '../../../eval/datasets/dataset.ts';
import { DATASET_READERS } from '../../../eval/datasets/registry.ts';
import { evaluateAnswers } from '../../../eval/evaluate-answers.ts';
import { VERDICTS } from '../../../eval/judge-answer.ts';
import type { Judge } from '../../../eval/judges/judge.ts';
import { JUDGE_NAMES, judgeNamed } from '../../../eval/judges/registry.ts';
import { isSheet, sheetRows, writeSheet } from '../../../eval/judging-sheet.ts';
import { PAPER_RECIPES, paperRecipeNamed } from '../../../eval/papers/recipes.ts';
import type { AnswersSuite } from '../../../eval/suite.ts';
import { ANSWERERS, type Answerer } from '../../../src/answer/given-answer.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import {
  DEFAULT_LLM_PROFILE,
  DEFAULT_LOCAL_PROFILE,
  type IngestProfile,
} from '../../../src/ingest/profile.ts';
import { DEFAULT_RECIPE, RECIPE_NAMES } from '../../../src/retrieve/recipes/recipes.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { findProfile } from '../../papers.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { learningFlags, wholeNumber } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { loadEngine, settingsOf } from '../run-command.ts';
import { type DatasetFlags, inTemporaryFolder, ofOneDataset, readDataset, withLog } from './eval-data.ts';
import { printSuite, type SuiteFlags } from './eval-suite.ts';
import { absentSets } from './suite-table.ts';

interface AnswersFlags extends Partial<Config>, DatasetFlags {
  readonly answerer?: Answerer;
  /** True: the configured model judges. */
  readonly judge?: string | true;
  readonly judgeForm?: string;
  readonly limit?: number;
  readonly out?: string;
  readonly seed: number;
  readonly json?: boolean;
}

/** As they are written: `--suite` needs no data set. */
type WrittenFlags = Omit<AnswersFlags, 'dataset'> & SuiteFlags;

export function answersCommand(terminal: Terminal): Command {
  return learningFlags(
    new Command('answers')
      .description(
        'Ask a data set’s questions at the end of each conversation, as "mnemis ask" does, and score the answers.',
      )
      .option('--dataset <name>', `one of: ${DATASET_READERS.map(({ name }) => name).join(', ')}`)
      .option(
        '--data <file>',
        'the data set’s file, in its official format; "questions" and "paraphrases" need none',
      )
      .option(
        '--suite',
        'one table: the data sets in the folder --data and those that need none; --dataset may be a list',
      )
      .option('--recipe <name>', `how to search, one of: ${RECIPE_NAMES.join(', ')}`)
      .addOption(
        new Option(
          '--answerer <name>',
          'local quotes memory, llm asks the language model (default: as the tier)',
        ).choices(ANSWERERS),
      )
      .option('--judge [model]', 'the language model judges the answers; or another model of its provider')
      .option(
        '--judge-form <name>',
        `how the judge grades, one of: ${JUDGE_NAMES.join(', ')} (default: ours)`,
      )
      .option('--limit <number>', 'ask only the first questions of each conversation', wholeNumber)
      .option(
        '--out <path>',
        'a .csv or .jsonl file: answers in random order, to judge by hand; else a folder for raw answers and settings',
      )
      .option('--seed <number>', 'order of the answers to judge by hand', wholeNumber, 1)
      .option('--embedder <name>', 'the embedding model (default: the configured one)')
      .option('--gold <file>', 'corrected gold for LoCoMo (default: the official gold)')
      .option('--markdown <page>', 'with --suite: also replace the table between the marks of this page')
      .option('--json', 'print one JSON document'),
  )
    .addHelpText('after', HELP)
    .action(async (written: WrittenFlags) => {
      const console = new CommandConsole(terminal, written.json === true);
      if (written.suite === true) return printAnswersSuite(written, console);
      const flags = ofOneDataset(written);
      await cancellable(terminal, async (signal) => {
        const dataset = await readDataset(flags, console, signal);
        const { report, file } = await evaluate(dataset, flags, { console, signal });
        console.result(report, () => [
          ...describe(report, console),
          ...(file === null ? [] : ['', `${isSheet(file) ? 'to judge by hand' : 'raw answers'}: ${file}`]),
        ]);
      });
    });
}

const HELP = `
--recipe takes those of the papers too: ${PAPER_RECIPES.map(({ name }) => name).join(', ')}

The tier is local unless --tier or --profile says otherwise, whatever the settings say.

evidence, in percent of the questions that have an answer and evidence turns:
  at 1 quote, at 3  answered, and the first quote (one of the first three) holds an evidence turn
  whole, partial    the quotes hold all (some) of the evidence turns
  wrong             answered, but no quote holds an evidence turn
  others decl.      the share of the questions without an answer that were declined
context: evidence turns in what the answer is composed from, as turns, and as turns or through facts;
  whole: the share of the questions that have all of theirs in it, as turns`;

/** Each data set is read by a memory and a token budget of its own. */
async function printAnswersSuite(written: WrittenFlags, console: CommandConsole): Promise<void> {
  await printSuite(written, console, {
    mark: 'answers',
    async run({ datasets, skipped }, signal): Promise<AnswersSuite> {
      const sets: AnswersReport[] = [];
      for (const dataset of datasets) {
        const flags = { ...written, dataset: dataset.name };
        const { report } = await evaluate(dataset, flags, { console, signal });
        sets.push(report);
      }
      return { sets, skipped };
    },
    tableOf: ({ sets, skipped }) => ({
      head: ['data set', 'answerable', ...QUOTE_COLUMNS, ...CONTEXT_COLUMNS],
      lines: sets.map(({ dataset, overall }) => [
        `${dataset} (${overall.questions})`,
        String(overall.quotes.answerable),
        ...quoteCells(overall),
        ...contextCells(overall),
      ]),
      names: 1,
      notes: [
        'In percent; beside a data set, its questions. At 1 quote to declined: evidence in the answers to the answerable ones. Others decl.: the questions without an answer that were declined. Turns, or facts: recall of evidence in the context.',
        ...absentSets({ skipped }),
      ],
    }),
  });
}

interface Setup {
  readonly profile: IngestProfile;
  readonly answerer: Answerer;
  /** Reads turns, if the profile's tier is llm, and answers, if the answerer is. */
  readonly model: LanguageModel | undefined;
  readonly judge: LanguageModel | undefined;
  readonly judgeForm: Judge | undefined;
}

/** The named profile, else that of the tier. @throws UsageError if they contradict each other. */
export async function profileAsked({
  tier,
  profile: name,
}: Pick<Partial<Config>, 'tier' | 'profile'>): Promise<IngestProfile> {
  const profile = await findProfile(name ?? (tier === 'llm' ? DEFAULT_LLM_PROFILE : DEFAULT_LOCAL_PROFILE));
  if (tier !== undefined && tier !== profile.tier)
    throw new UsageError(
      `--tier ${tier} does not go with --profile ${profile.name}, which is ${profile.tier}`,
    );
  return profile;
}

async function setUp(
  { answerer, judge: judging, judgeForm: form, ...asked }: AnswersFlags,
  config: Config,
  { env, cwd }: Terminal,
): Promise<Setup> {
  if (form !== undefined && judging === undefined) throw new UsageError('--judge-form needs --judge');
  const profile = await profileAsked(asked);
  const settled = { profile, answerer: answerer ?? profile.tier };
  const isUsed = profile.tier === 'llm' || settled.answerer === 'llm';
  return {
    ...settled,
    judgeForm: form === undefined ? undefined : await judgeNamed(form, (path) => resolve(cwd(), path)),
    model: isUsed ? await configuredLanguageModel(config, env) : undefined,
    judge:
      judging === undefined
        ? undefined
        : await configuredLanguageModel(judging === true ? config : { ...config, llmModel: judging }, env),
  };
}

async function evaluate(
  dataset: EvaluationDataset,
  flags: AnswersFlags,
  { console, signal }: { readonly console: CommandConsole; readonly signal: AbortSignal },
): Promise<{ readonly report: AnswersReport; readonly file: string | null }> {
  const { limit, dataset: name, data = null, gold = null, out, seed } = flags;
  const recipe = paperRecipeNamed(flags.recipe ?? DEFAULT_RECIPE);
  const config = configOf(flags, console);
  const { profile, answerer, model, judge, judgeForm } = await setUp(flags, config, console.terminal);
  const path = out === undefined ? null : resolve(console.terminal.cwd(), out);
  const sheet = path !== null && isSheet(path) ? path : null;
  const { embedder, embedderDimension, reranker, device, llmProvider, llmModel, llmBaseUrl } = config;
  const raw = {
    kind: 'answers',
    folder: sheet === null ? path : null,
    configuration: {
      dataset: name,
      data,
      gold,
      recipe,
      profile: profile.name,
      answerer,
      limit,
      embedder,
      embedderDimension,
      reranker,
      device,
      llmProvider,
      llmModel,
      llmBaseUrl,
      judge: judge?.name ?? null,
      judgeForm: judgeForm?.name,
    },
  };
  return withLog(raw, async (log) => {
    const questions = dataset.cases.reduce(
      (sum, each) => sum + Math.min(limit ?? Infinity, each.questions.length),
      0,
    );
    const progress = startProgress(console, 'Asking', questions);
    const results: AnswerResult[] = [];
    const report = await inTemporaryFolder(async (folder) => {
      const { openMemory } = await loadEngine();
      const clock = new CaseClock();
      const override = { clock: clock.now, profile, ...(model && { languageModel: model }) };
      const { engine, close } = await openMemory(
        { ...config, path: join(folder, 'eval.db') },
        { signal, override },
      );
      try {
        return await evaluateAnswers({
          engine,
          clock,
          dataset,
          recipe,
          answerer,
          limit,
          signal,
          model: model?.name,
          judge,
          judgeForm,
          budget: config.llmTokenBudget === undefined ? undefined : new TokenBudget(config.llmTokenBudget),
          onProgress: (done, _total, what) => progress.update(done, what),
          onResult: async (result) => {
            results.push(result);
            await log?.append(answerLine(result));
          },
        });
      } finally {
        await close();
      }
    }).finally(() => progress.stop());
    await log?.append({ kind: 'report', ...report });
    if (sheet !== null) await writeSheet(sheet, sheetRows(dataset, results, seed));
    return { report, file: sheet ?? log?.file ?? null };
  });
}

function answerLine({ question, plain: _, ...result }: AnswerResult) {
  const { id, category, text, answer: gold, evidenceTurns } = question;
  return { kind: 'answer', id, category, question: text, gold, evidenceTurns, ...result };
}

/** The settings, with the flags that are none of the evaluation's own. */
function configOf(
  flags: AnswersFlags & Pick<SuiteFlags, 'suite' | 'markdown'>,
  { terminal }: CommandConsole,
): Config {
  const { dataset: _d, data: _f, answerer: _a, judge: _j, judgeForm: _jf, limit: _l, ...more } = flags;
  const { out: _o, seed: _s, gold: _g, json: _n, recipe: _r, tier: _t, profile: _p, ...rest } = more;
  const { suite: _u, markdown: _m, ...settings } = rest;
  return settingsOf(terminal, settings).values;
}

const COLUMNS = ['F1', 'BLEU-1', 'ROUGE-1', 'ROUGE-2', 'ROUGE-L', 'exact', 'no answer'];

function describe(report: AnswersReport, console: CommandConsole): string[] {
  const { dataset, tier, profile, answerer, recipe, overall, ingest, perQuestion, usage, model } = report;
  const { judge, judgeForm } = report;
  const named = 'withoutCategory5' in report && '5' in report.byCategory;
  const parts: [string, AnswersPart][] = [
    ['all', overall],
    ...(named ? [['without 5', report.withoutCategory5] as [string, AnswersPart]] : []),
    ...Object.entries(report.byCategory).map(([name, part]): [string, AnswersPart] => [
      `category ${name}`,
      part,
    ]),
  ];
  return aligned([
    console.style(
      'bold',
      `${dataset}, tier ${tier} (profile ${profile}), answerer ${answerer}, recipe ${recipe}: ${overall.questions} questions`,
    ),
    `ingested ${ingest.turns} turns in ${ingest.seconds.toFixed(1)} s${ingest.usage.calls === 0 ? '' : ` with ${ingest.usage.calls} calls, ${ingest.usage.promptTokens} prompt tokens, ${ingest.usage.completionTokens} completion tokens`}${ingest.setAside === 0 ? '' : `, ${ingest.setAside} turns set aside`}; ${[model ?? 'no model answers', ...(judge === null ? [] : [`judged by ${judge} (${judgeForm})`])].join(', ')}`,
    '',
    row('in percent', ['questions', ...COLUMNS]),
    ...parts.map(([name, part]) => row(name, [String(part.questions), ...figures(part)])),
    '',
    row('evidence', ['answerable', ...QUOTE_COLUMNS], 14),
    ...parts.map(([name, part]) => row(name, [String(part.quotes.answerable), ...quoteCells(part)], 14)),
    '',
    ...judgeTable(parts),
    row('context', CONTEXT_COLUMNS, 12),
    ...parts.map(([name, part]) => row(name, contextCells(part), 12)),
    '',
    `a question: ${figure(perQuestion.p50Ms)} ms (p95 ${figure(perQuestion.p95Ms)}), ${perQuestion.promptTokens} prompt tokens, ${perQuestion.completionTokens} completion tokens, ${usage.calls} calls in all`,
    ...abstentionTable(report),
    ...failures(report),
    ...(report.note === undefined ? [] : ['', console.style('dim', report.note)]),
  ]);
}

function abstentionTable({ abstention }: AnswersReport): (string | Row)[] {
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
  return [part.f1, part.bleu1, part.rouge1, part.rouge2, part.rougeL, part.exactMatch, part.noAnswerRate].map(
    figure,
  );
}

/** Of the answerable questions; the last column is of the others. */
const QUOTE_COLUMNS = ['at 1 quote', 'at 3', 'whole', 'partial', 'wrong', 'declined', 'others decl.'];

function quoteCells({ quotes }: AnswersPart): string[] {
  const { evidenceAt1, evidenceAt3, whole, partial, wrong, declined, unanswerableDeclined } = quotes;
  return [evidenceAt1, evidenceAt3, whole, partial, wrong, declined, unanswerableDeclined].map(figure);
}

/** Empty without a judge. */
function judgeTable(parts: readonly (readonly [string, AnswersPart])[]): (string | Row)[] {
  if (parts.every(([, { judge }]) => judge === null)) return [];
  const columns = [...VERDICTS, 'score'] as const;
  const cells = ({ judge }: AnswersPart) => columns.map((column) => figure(judge?.[column] ?? null));
  return [row('judged', columns, 12), ...parts.map(([name, part]) => row(name, cells(part), 12)), ''];
}

const CONTEXT_COLUMNS = ['turns', 'whole', 'or facts', 'tokens', '# turns', '# facts', '# entities'];

function contextCells({ context: { turns, whole, turnsOrFacts, tokens, sources } }: AnswersPart): string[] {
  const { episodes = null, facts = null, entities = null } = sources ?? {};
  return [turns, whole, turnsOrFacts, tokens, episodes, facts, entities].map(figure);
}

function figure(value: number | null): string {
  return value === null ? '–' : value.toFixed(1);
}

interface Row {
  readonly name: string;
  readonly cells: readonly string[];
  readonly width: number;
}

function row(name: string, cells: readonly string[], width = 10): Row {
  return { name, cells, width };
}

/** The rows as text; the names of all tables have the width of the longest. */
function aligned(lines: readonly (string | Row)[]): string[] {
  const longest = Math.max(14, ...lines.map((line) => (typeof line === 'string' ? 0 : line.name.length)));
  return lines.map((line) =>
    typeof line === 'string'
      ? line
      : line.name.padEnd(longest) + line.cells.map((cell) => cell.padStart(line.width)).join(''),
  );
}
