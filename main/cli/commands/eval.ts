import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import type { EvaluationDataset } from '../../../src/eval/datasets/evaluation-dataset.ts';
import { readLocomoDataset } from '../../../src/eval/datasets/locomo-dataset.ts';
import { DATASET_READERS, datasetReaderNamed } from '../../../src/eval/datasets/registry.ts';
import { evaluateRetrieval } from '../../../src/eval/evaluate-retrieval.ts';
import type { RetrievalReport } from '../../../src/eval/retrieval-report.ts';
import { DEFAULT_RECIPE, RECIPES, recipeNamed } from '../../../src/retrieve/recipes/recipes.ts';
import { type Config, resolveConfig } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { startProgress } from '../progress.ts';
import { cancellable, loadEngine } from '../with-memory.ts';
import { answersCommand } from './eval-answers.ts';
import { costCommand } from './eval-cost.ts';

interface RetrievalFlags {
  readonly dataset: string;
  readonly data: string;
  readonly recipe?: string;
  readonly recipes?: string;
  readonly tier: string;
  readonly embedder?: string;
  readonly facts: 'none' | 'dataset';
  readonly gold?: string;
  readonly json?: boolean;
}

export function evalCommand(terminal: Terminal): Command {
  return new Command('eval')
    .description('Measure memory methods on a data set that you bring.')
    .addCommand(retrievalCommand(terminal))
    .addCommand(answersCommand(terminal))
    .addCommand(costCommand(terminal));
}

function retrievalCommand(terminal: Terminal): Command {
  const recipes = RECIPES.map(({ name, description }) => `  ${name.padEnd(17)}${description}`);
  return new Command('retrieval')
    .description('Recall of evidence turns and sessions, each conversation in a scope of its own.')
    .requiredOption('--dataset <name>', `one of: ${DATASET_READERS.map(({ name }) => name).join(', ')}`)
    .requiredOption('--data <file>', 'the data set’s file, in its official format')
    .option('--recipe <name>', `how to search (default: ${DEFAULT_RECIPE})`)
    .option('--recipes <a,b>', 'several recipes on one ingestion; --json then prints a list')
    .addOption(new Option('--tier <name>', 'who does the work').choices(['local']).default('local'))
    .option('--embedder <name>', 'what turns texts into vectors (default: the configured one)')
    .addOption(
      new Option('--facts <which>', '"dataset" adds the facts that the data set brings along')
        .choices(['none', 'dataset'])
        .default('none'),
    )
    .option('--gold <file>', 'corrections of LoCoMo’s gold; the official gold holds without it')
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nRecipes:\n${recipes.join('\n')}`)
    .action(async (flags: RetrievalFlags) => {
      const console = new CommandConsole(terminal, flags.json === true);
      await cancellable(terminal, async (signal) => {
        const reports = await evaluate(flags, console, signal);
        const single = flags.recipes === undefined ? reports[0] : reports;
        console.result(single, () => describe(reports, console));
      });
    });
}

async function evaluate(
  flags: RetrievalFlags,
  console: CommandConsole,
  signal: AbortSignal,
): Promise<RetrievalReport[]> {
  const recipes = recipesOf(flags);
  const config = configOf(flags, console);
  const dataset = await readDataset(flags, console, signal);
  for (const { where, reason } of dataset.rejected) console.note(`${where}: ${reason}; left out`);
  if (dataset.cases.length === 0)
    throw new FileUnreadableError(flags.data, `it holds nothing that can be read as ${dataset.name}`);
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-eval-'));
  const progress = startProgress(console, 'Evaluating', dataset.cases.length);
  try {
    const { openMemory } = await loadEngine();
    const { engine, close } = await openMemory({ ...config, path: join(folder, 'eval.db') }, { signal });
    try {
      const onProgress = (done: number, _total: number, what: string) => progress.update(done, what);
      const { tier, facts } = flags;
      return await evaluateRetrieval({ engine, dataset, recipes, tier, facts, signal, onProgress });
    } finally {
      await close();
    }
  } finally {
    progress.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function configOf({ embedder }: RetrievalFlags, { terminal }: CommandConsole): Config {
  const flags = embedder === undefined ? {} : { embedder };
  return resolveConfig({ flags, environment: terminal.env, folder: terminal.cwd() }).values;
}

function recipesOf({ recipe, recipes }: RetrievalFlags) {
  if (recipe !== undefined && recipes !== undefined)
    throw new UsageError('--recipe and --recipes exclude each other');
  const names = (recipes ?? recipe ?? DEFAULT_RECIPE).split(',').map((name) => name.trim());
  const asked = [...new Set(names)].filter((name) => name !== '');
  if (asked.length === 0) throw new UsageError('--recipes names no recipe');
  return asked.map(recipeNamed);
}

async function readDataset(
  { dataset, data, gold }: RetrievalFlags,
  { terminal }: CommandConsole,
  signal: AbortSignal,
): Promise<EvaluationDataset> {
  const file = resolve(terminal.cwd(), data);
  if (gold === undefined) return datasetReaderNamed(dataset).read(file, { signal });
  if (dataset !== 'locomo') throw new UsageError('--gold goes with --dataset locomo only');
  return readLocomoDataset(file, { signal, gold: resolve(terminal.cwd(), gold) });
}

function describe(reports: readonly RetrievalReport[], console: CommandConsole): string[] {
  const [first] = reports;
  if (first === undefined) return [];
  const { ingest } = first;
  return [
    console.style('bold', `${first.dataset}, tier ${first.tier}: ${first.questions} questions with evidence`),
    `ingested ${ingest.turns} turns in ${ingest.seconds.toFixed(1)} s (${ingest.turnsPerSecond}/s), no model calls`,
    '',
    row('recall in percent', ['turn@3', '@5', '@10', '@20', 'session@3', '@5', '@10', 'p50 ms', 'p95 ms']),
    ...reports.map(({ recipe, turnRecall: turn, sessionRecall: session, search }) =>
      row(recipe, [
        ...[turn['3'], turn['5'], turn['10'], turn['20'], session['3'], session['5'], session['10']],
        ...[search.p50Ms, search.p95Ms],
      ]),
    ),
    '',
    ...categoryTable(reports),
    ...(first.note === undefined ? [] : ['', console.style('dim', first.note)]),
  ];
}

function categoryTable(reports: readonly RetrievalReport[]): string[] {
  const tables = reports.map(({ recipe, byCategory, withoutCategory5 }) => {
    const parts = '5' in byCategory ? { ...byCategory, 'without 5': withoutCategory5 } : byCategory;
    return { recipe, parts };
  });
  const names = Object.keys(tables[0]!.parts);
  const widths = names.map((name) => Math.max(10, name.length + 2));
  return [
    row('turn recall@10 by category', names, widths),
    ...tables.map(({ recipe, parts }) =>
      row(
        recipe,
        Object.values(parts).map((part) => part.turnRecall['10']),
        widths,
      ),
    ),
  ];
}

function row(
  name: string,
  cells: readonly (string | number | null)[],
  widths: readonly number[] = [],
): string {
  const text = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(1) : (cell ?? '–')));
  return name.padEnd(28) + text.map((cell, column) => cell.padStart(widths[column] ?? 10)).join('');
}
