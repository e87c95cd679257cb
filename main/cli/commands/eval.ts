import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { EvaluationDataset } from '../../../eval/datasets/dataset.ts';
import { DATASET_READERS } from '../../../eval/datasets/registry.ts';
import {
  evaluateRetrieval,
  type RetrievalReport,
  type RetrievalResult,
} from '../../../eval/evaluate-retrieval.ts';
import { EVERY_RECIPE, paperRecipeNamed } from '../../../eval/papers/recipes.ts';
import type { RunLog } from '../../../eval/run-log.ts';
import type { OpenOptions } from '../../../src/engine/open-options.ts';
import { DEFAULT_LOCAL_PROFILE } from '../../../src/ingest/profile.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { DEFAULT_RECIPE } from '../../../src/retrieve/recipes/recipes.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { configuredLanguageModel } from '../../language-model.ts';
import { findProfile } from '../../papers.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { startProgress } from '../progress.ts';
import { loadEngine, settingsOf } from '../run-command.ts';
import { answersCommand } from './eval-answers.ts';
import { costCommand } from './eval-cost.ts';
import {
  type DatasetFlags,
  inTemporaryFolder,
  type LogSettings,
  namesIn,
  ofOneDataset,
  readDataset,
  withLog,
} from './eval-data.ts';
import { factsCommand } from './eval-facts.ts';
import { runCommand } from './eval-run.ts';
import { printRetrievalSuite, type SuiteFlags } from './eval-suite.ts';
import { describeReports } from './retrieval-tables.ts';

interface RetrievalFlags extends DatasetFlags {
  readonly recipe?: string;
  readonly recipes?: string;
  readonly tier: string;
  readonly embedder?: string;
  readonly facts: 'none' | 'dataset';
  readonly rewrite?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/** As they are written: `--suite` needs no data set. */
type WrittenFlags = Omit<RetrievalFlags, 'dataset'> & SuiteFlags;

interface PreparedRun {
  readonly config: Config;
  readonly dataset: EvaluationDataset;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
  readonly raw: LogSettings;
}

/** Adds the subcommands of `eval`: data sets, metrics and the recipes of the papers are loaded only for them. */
export function addEvaluations(command: Command, terminal: Terminal): void {
  command
    .addCommand(retrievalCommand(terminal))
    .addCommand(answersCommand(terminal))
    .addCommand(factsCommand(terminal))
    .addCommand(runCommand(terminal))
    .addCommand(costCommand(terminal));
}

function retrievalCommand(terminal: Terminal): Command {
  const recipes = EVERY_RECIPE.map(({ name, description }) => `  ${name.padEnd(36)}${description}`);
  return new Command('retrieval')
    .description('Measure recall of evidence turns and sessions; each conversation has its own scope.')
    .option('--dataset <name>', `one of: ${DATASET_READERS.map(({ name }) => name).join(', ')}`)
    .option(
      '--data <file>',
      'the data set’s file, in its official format; "questions" and "paraphrases" need none',
    )
    .option(
      '--suite',
      'one table: the data sets in the folder --data and those that need none, beside plain BM25 and cosines; --dataset and --embedder may be lists',
    )
    .option('--recipe <name>', `the search recipe (default: ${DEFAULT_RECIPE})`)
    .option('--recipes <a,b>', 'several recipes on one ingestion; --json then prints an array')
    .addOption(new Option('--tier <name>', 'who reads turns for facts').choices(['local']).default('local'))
    .option('--embedder <name>', 'the embedding model (default: the configured one)')
    .addOption(
      new Option('--facts <which>', '"dataset" adds the facts in the data set')
        .choices(['none', 'dataset'])
        .default('none'),
    )
    .option('--rewrite', 'search other wordings of each question too, by the configured language model')
    .option('--gold <file>', 'corrected gold for LoCoMo (default: the official gold)')
    .option('--out <folder>', 'folder for settings, raw results and metrics, as JSON lines')
    .option('--markdown <page>', 'with --suite: also replace the table between the marks of this page')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nRecipes:\n${recipes.join('\n')}`)
    .action(async (written: WrittenFlags) => {
      const console = new CommandConsole(terminal, written.json === true);
      if (written.suite === true) return printRetrievalSuite(written, recipesOf(written), console);
      const flags = ofOneDataset(written);
      await cancellable(terminal, (signal) => printReports(flags, console, signal));
    });
}

async function printReports(
  flags: RetrievalFlags,
  console: CommandConsole,
  signal: AbortSignal,
): Promise<void> {
  const recipes = recipesOf(flags);
  const asked = await prepare(flags, { recipes: recipes.map(({ name }) => name) }, { console, signal });
  const { reports, file } = await withLog(asked.raw, async (log) => {
    const written = await evaluate(recipes, flags, { ...asked, log });
    for (const report of written) await log?.append({ kind: 'report', ...report });
    return { reports: written, file: log?.file };
  });
  const single = flags.recipes === undefined ? reports[0] : reports;
  console.result(single, () => [...describeReports(reports, console), ...whereRaw(file)]);
}

function whereRaw(file: string | undefined): string[] {
  return file === undefined ? [] : ['', `raw results: ${file}`];
}

/** Prepares what both kinds of run need: the data set, the settings and the log's header. */
async function prepare(
  flags: RetrievalFlags,
  what: Readonly<Record<string, unknown>>,
  { console, signal }: { readonly console: CommandConsole; readonly signal: AbortSignal },
): Promise<PreparedRun> {
  const config = configOf(flags, console);
  const dataset = await readDataset(flags, console, signal);
  const { dataset: name, data = null, gold = null, tier, facts, rewrite = false, out } = flags;
  const { embedder, embedderDimension = null, reranker, device } = config;
  return {
    config,
    dataset,
    console,
    signal,
    raw: {
      kind: 'retrieval',
      folder: out === undefined ? null : resolve(console.terminal.cwd(), out),
      configuration: {
        dataset: name,
        data,
        gold,
        tier,
        facts,
        rewrite,
        ...what,
        embedder,
        embedderDimension,
        reranker,
        device,
      },
    },
  };
}

async function evaluate(
  recipes: readonly Recipe[],
  { tier, facts, rewrite }: RetrievalFlags,
  { config, dataset, console, signal, log }: PreparedRun & { readonly log: RunLog | null },
): Promise<RetrievalReport[]> {
  const progress = startProgress(console, 'Evaluating', dataset.cases.length);
  return inTemporaryFolder(async (folder) => {
    const { openMemory } = await loadEngine();
    const override = rewrite ? await rewriter(config, console.terminal) : {};
    const { engine, close } = await openMemory(
      { ...config, path: join(folder, 'eval.db') },
      { signal, override },
    );
    try {
      const { profile } = engine.describeIngestion();
      return await evaluateRetrieval({
        engine,
        dataset,
        recipes,
        tier,
        facts,
        rewrite,
        signal,
        onProgress: (done, _total, what) => progress.update(done, what),
        onResult: async (recipe, result) => log?.append(questionLine(result, { profile, recipe })),
      });
    } finally {
      await close();
    }
  }).finally(() => progress.stop());
}

/** The model that rewrites questions; it reads no turns. */
async function rewriter(config: Config, { env }: Terminal): Promise<Partial<OpenOptions>> {
  return {
    profile: await findProfile(DEFAULT_LOCAL_PROFILE),
    languageModel: await configuredLanguageModel(config, env),
  };
}

function questionLine(
  { question, ...result }: RetrievalResult,
  asked: { readonly profile: string; readonly recipe: string },
) {
  const { id, category, text, evidenceTurns, evidenceSessions } = question;
  return {
    kind: 'question',
    ...asked,
    id,
    category,
    question: text,
    evidenceTurns,
    evidenceSessions,
    ...result,
  };
}

function configOf({ embedder }: RetrievalFlags, { terminal }: CommandConsole): Config {
  const flags = embedder === undefined ? {} : { embedder };
  return settingsOf(terminal, flags).values;
}

function recipesOf({ recipe, recipes }: Pick<RetrievalFlags, 'recipe' | 'recipes'>): Recipe[] {
  if (recipe !== undefined && recipes !== undefined)
    throw new UsageError('--recipe and --recipes exclude each other');
  return namesIn('--recipes', recipes ?? recipe ?? DEFAULT_RECIPE).map(paperRecipeNamed);
}
