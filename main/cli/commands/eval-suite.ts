import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { EvaluationDataset } from '../../../eval/datasets/dataset.ts';
import { DATASET_READERS, datasetReaderNamed } from '../../../eval/datasets/registry.ts';
import { INTERVALS } from '../../../eval/metrics/estimate.ts';
import { runSuite, type SuiteEmbedder, type SuiteReport, type SuiteSet } from '../../../eval/suite.ts';
import { unreadable } from '../../../src/importers/unreadable.ts';
import type { OpenedEmbedder } from '../../../src/inference/models/open-models.ts';
import { DEFAULT_LOCAL_PROFILE, profileNamed } from '../../../src/ingest/profile.ts';
import type { Recipe } from '../../../src/retrieve/recipes/recipe.ts';
import { UsageError } from '../../errors.ts';
import { type CommandConsole, cancellable } from '../console.ts';
import { startProgress } from '../progress.ts';
import { settingsOf } from '../run-command.ts';
import { inTemporaryFolder, namesIn, readDataset } from './eval-data.ts';
import { openRun } from './eval-memory.ts';
import { retrievalTable, type SuiteTable, tableInLines, tableInMarkdown } from './suite-table.ts';
import { aroundTable, replaceTable } from './table-of-page.ts';

/** The flags of a suite, and those that exclude it. */
export interface SuiteFlags {
  readonly suite?: boolean;
  /** Names, as a,b. Default: all data sets. */
  readonly dataset?: string;
  /** A folder of data sets. */
  readonly data?: string;
  /** Names, as a,b. */
  readonly embedder?: string;
  /** A page of documentation. */
  readonly markdown?: string;
  readonly facts?: string;
  readonly gold?: string;
  readonly out?: string;
}

/** What runs on the data sets of a suite. */
interface Suite<Report> {
  /** Names the comments around the table of a page. */
  readonly mark: 'suite' | 'answers';
  run(sets: SetsOfSuite, signal: AbortSignal): Promise<Report>;
  tableOf(report: Report): SuiteTable;
}

export async function printRetrievalSuite(
  flags: SuiteFlags,
  recipes: readonly Recipe[],
  console: CommandConsole,
): Promise<void> {
  const run = async ({ datasets, skipped }: SetsOfSuite, signal: AbortSignal): Promise<SuiteReport> => ({
    sets: await runSets(datasets, recipes, { flags, console, signal }),
    skipped,
    intervals: INTERVALS,
  });
  await printSuite(flags, console, { mark: 'suite', run, tableOf: retrievalTable });
}

/** Prints one table over the data sets of the flags, and writes it into their page. */
export async function printSuite<Report>(
  flags: SuiteFlags,
  console: CommandConsole,
  { mark, run, tableOf }: Suite<Report>,
): Promise<void> {
  refuseOthers(flags);
  const { markdown } = flags;
  const page = markdown === undefined ? null : resolve(console.terminal.cwd(), markdown);
  if (page !== null) await aroundTable(page, mark); // a page without marks is reported before the run
  await cancellable(console.terminal, async (signal) => {
    const report = await run(await readSets(flags, console, signal), signal);
    if (page !== null) await replaceTable(page, mark, tableInMarkdown(tableOf(report)));
    console.result(report, () => tableInLines(tableOf(report), console));
  });
}

function refuseOthers({ facts, gold, out }: SuiteFlags): void {
  if ([gold, out].some((flag) => flag !== undefined) || facts === 'dataset')
    throw new UsageError('--suite excludes --facts, --gold and --out');
}

interface SetsOfSuite extends Pick<SuiteReport, 'skipped'> {
  readonly datasets: readonly EvaluationDataset[];
}

async function readSets(
  { dataset: asked, data }: SuiteFlags,
  console: CommandConsole,
  signal: AbortSignal,
): Promise<SetsOfSuite> {
  const readers =
    asked === undefined
      ? DATASET_READERS.filter(({ heldOut, onlyNamed }) => !heldOut && !onlyNamed)
      : namesIn('--dataset', asked).map(datasetReaderNamed);
  const folder = data === undefined ? null : resolve(console.terminal.cwd(), data);
  const paths = folder === null ? [] : await pathsIn(folder);
  const [datasets, skipped]: [EvaluationDataset[], { name: string; reason: string }[]] = [[], []];
  for (const { name, readBundled, fileName } of readers) {
    const path = paths.find((each) => fileName?.test(each));
    if (readBundled === undefined && path === undefined) {
      const reason = data === undefined ? '--data names no folder' : `${data} has no file with its name`;
      skipped.push({ name, reason });
      console.note(`${name}: ${reason}; skipped`);
    } else {
      const file = path === undefined ? {} : { data: resolve(folder!, path) };
      datasets.push(await readDataset({ dataset: name, ...file }, console, signal));
    }
  }
  if (datasets.length === 0) throw new UsageError('No data set was found: --data names a folder of them');
  return { datasets, skipped };
}

/** Files and folders below the folder, with "/" between names: files of JSON first, in the order of their names. */
async function pathsIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true }).catch((cause: unknown) => {
    throw unreadable(folder, cause);
  });
  const rank = (path: string) => (path.endsWith('.json') ? 0 : 1);
  return found
    .map((path) => path.replaceAll('\\', '/'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en', { numeric: true }));
}

async function runSets(
  datasets: readonly EvaluationDataset[],
  recipes: readonly Recipe[],
  { flags, console, signal }: { flags: SuiteFlags; console: CommandConsole; signal: AbortSignal },
): Promise<SuiteSet[]> {
  const configured = settingsOf(console.terminal, {}).values.embedder;
  const names = namesIn('--embedder', flags.embedder ?? configured);
  const opened: OpenedEmbedder[] = [];
  const turns = datasets.flatMap(({ cases }) => cases).reduce((sum, each) => sum + each.turns.length, 0);
  const progress = startProgress(console, 'Evaluating', names.length * turns);
  const { openEmbedder } = await import('../../../src/inference/models/open-models.ts');
  try {
    return await inTemporaryFolder(async (folder) => {
      const embedders: SuiteEmbedder[] = [];
      for (const name of names) {
        const config = settingsOf(console.terminal, { embedder: name }).values;
        const { embedderDimension: dimension, modelsFolder, device } = config;
        const embedder = await openEmbedder({ name, dimension, modelsFolder, device, signal });
        opened.push(embedder);
        const setting = { config, embedder, folder, environment: console.terminal.env, signal };
        const open = () => openRun(profileNamed(DEFAULT_LOCAL_PROFILE), setting);
        embedders.push({ name, embedder, open });
      }
      const onProgress = (done: number, _total: number, what: string) => progress.update(done, what);
      return runSuite({ datasets, embedders, recipes, signal, onProgress });
    });
  } finally {
    progress.stop();
    for (const embedder of opened) await embedder.close();
  }
}
