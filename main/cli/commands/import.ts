import { createWriteStream } from 'node:fs';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { CancelledError, FileUnreadableError } from '../../../src/errors/index.ts';
import {
  BRANCHES,
  DATE_ORDERS,
  type Importer,
  type ImportSettings,
  readSettings,
} from '../../../src/importers/importer.ts';
import { type ImportPlan, planImport } from '../../../src/importers/plan-import.ts';
import { IMPORTERS, importerNamed } from '../../../src/importers/registry.ts';
import { reasonOf, unreadable } from '../../../src/importers/unreadable.ts';
import type { Config } from '../../config.ts';
import { CommandConsole, CommandFailed, cancellable, counted, type Terminal } from '../console.ts';
import { describeEnriched, describeGrouped } from '../enrichment.ts';
import { type CommonFlags, commonFlags, learningFlags } from '../flags.ts';
import {
  describeFolder,
  describeOutcomes,
  describePending,
  describeUnread,
  hasFailed,
  importFolder,
  namesOf,
  taskOf,
} from '../import-folder.ts';
import { type ImportReport, type ImportTask, runImport } from '../import-task.ts';
import { type ClientCommand, withClient } from '../run-command.ts';
import { standardInput } from '../standard-input.ts';
import { describeLeftOut, describePrice, pricesOf } from './import-price.ts';

type ImportFlags = CommonFlags &
  Partial<Config> &
  ImportSettings & { readonly format?: string; readonly dryRun?: boolean; readonly enrich: boolean };

export function importCommand(terminal: Terminal): Command {
  const formats = IMPORTERS.map(({ name, description }) => `  ${name.padEnd(14)}${description}`);
  return learningFlags(commonFlags(new Command('import')))
    .description(
      'Import the turns of a file: store them all, then read them for facts. Run it again to continue after an interruption.',
    )
    .argument(
      '<file>',
      'a file, a zip archive, a folder with exports of any formats, or "-" for standard input',
    )
    .option(
      '--format <name>',
      `the file’s format, if not detected by its content: ${[...IMPORTERS.map(({ name }) => name), ...DATASETS].join(', ')}`,
    )
    .option('--dry-run', 'store nothing; print what the import would add and cost in calls and tokens')
    .option('--no-enrich', 'only store the turns; "mnemis resume" reads them for facts later')
    .option('--me <name>', 'your name in these chats')
    .option('--time-zone <name>', 'for times without a zone, such as Europe/Oslo (default: UTC)')
    .addOption(new Option('--date-order <order>', 'how dates such as 03/04/24 are read').choices(DATE_ORDERS))
    .option(
      '--date-format <form>',
      'the form of dates and times in a chat of an unknown form, such as "D.M.YYYY H:mm" (YYYY YY M D H h m s a; * is any text without digits)',
    )
    .addOption(
      new Option('--branches <which>', 'branches to import of chats with edited messages').choices(BRANCHES),
    )
    .option('--include-temporary', 'also read chats that are marked as temporary or as not to be remembered')
    .option('--conversation <name>', 'name of a chat or document whose file has none')
    .addHelpText(
      'after',
      `\nFormats:\n${formats.join('\n')}\n  ${DATASETS.join(', ')}: data sets, as for "mnemis eval"`,
    )
    .action(async (file: string, given: ImportFlags) => {
      const { format, dryRun = false, enrich, settings, flags } = parted(given);
      const importers = await allImporters();
      const named = format === undefined ? null : importerNamed(format, importers); // check the command line before the file
      await withSource(terminal, file, async ({ path, name }) => {
        readSettings(settings);
        const plan = named === null ? await recognized(terminal, path, importers) : onlyPart(named, path);
        const tasks = plan.parts.map((part) => ({ ...taskOf(part, settings), name }));
        const source = { plan, tasks, file: file === '-' ? file : path };
        if (dryRun) return showPrices(terminal, flags, source);
        const purpose = enrich ? 'learn' : 'use'; // storing turns needs no language model
        await withClient(terminal, { ...flags, access: 'writes', purpose }, (command) =>
          plan.isFolder ? importAll(command, source, enrich) : importOne(command, source, enrich),
        );
      });
    });
}

interface ImportSource {
  readonly plan: ImportPlan;
  readonly tasks: readonly ImportTask[];
  /** What reports call it. */
  readonly file: string;
}

async function importOne(command: ClientCommand, { tasks, file }: ImportSource, enrich: boolean) {
  const report = await runImport(command, { ...tasks[0]!, file }, { enrich });
  command.console.result(report, () => describe(report, command));
  if (report.read > 0 && report.read === report.rejected) throw new CommandFailed();
}

async function importAll(command: ClientCommand, { plan, tasks, file }: ImportSource, enrich: boolean) {
  const report = await importFolder(command, { folder: file, plan, tasks, enrich });
  command.console.result(report, () => describeFolder(report, command));
  if (hasFailed(report)) throw new CommandFailed();
}

async function showPrices(
  terminal: Terminal,
  flags: CommonFlags & Partial<Config>,
  { plan, tasks, file }: ImportSource,
): Promise<void> {
  const { prices, console } = await pricesOf(terminal, flags, tasks);
  const { isFolder, parts, unrecognized, others } = plan;
  console.result(isFolder ? { file, imports: prices, unrecognized, others } : prices[0], () => [
    ...prices.flatMap((price, at) => [
      ...(isFolder ? [console.style('bold', `${price.preview.format}: ${namesOf(parts[at]!.files)}`)] : []),
      ...describePrice(price),
    ]),
    ...describeUnread(plan, console),
  ]);
}

/** The flags of the import only, without the settings of Mnemis. */
function parted({
  branches,
  conversation,
  dateFormat,
  dateOrder,
  dryRun,
  enrich,
  format,
  includeTemporary,
  me,
  timeZone,
  ...flags
}: ImportFlags) {
  const settings: ImportSettings = {
    branches,
    conversation,
    dateFormat,
    dateOrder,
    includeTemporary,
    me,
    timeZone,
  };
  return { format, dryRun, enrich, settings, flags };
}

/** Data sets of the papers, loaded only by an import or an evaluation. */
const DATASETS = ['locomo', 'longmemeval', 'hotpotqa'];

async function allImporters(): Promise<readonly Importer[]> {
  const { DATASET_IMPORTERS } = await import('../../../eval/datasets/registry.ts');
  return [...IMPORTERS, ...DATASET_IMPORTERS];
}

/** Finds what to import, and says which formats were recognized, and why. */
async function recognized(
  terminal: Terminal,
  path: string,
  importers: readonly Importer[],
): Promise<ImportPlan> {
  const plan = await planImport(path, importers);
  const console = new CommandConsole(terminal, false);
  for (const { importer, because, files } of plan.parts)
    console.note(
      plan.isFolder
        ? `${namesOf(files)}: ${importer.name}, since ${because}`
        : `Format: ${importer.name}, since ${because}; use --format to choose another`,
    );
  return plan;
}

function onlyPart(importer: Importer, path: string): ImportPlan {
  const part = { importer, because: 'it was chosen', path, only: null, files: [path] };
  return { isFolder: false, parts: [part], unrecognized: [], others: 0 };
}

/** A cancel ends the wait for input too, so that the temporary file is removed. */
async function keepInput(terminal: Terminal, path: string): Promise<void> {
  await cancellable(terminal, async (signal) => {
    const input = Readable.from(standardInput(terminal));
    await pipeline(input, createWriteStream(path, { mode: 0o600 }), { signal }).catch((error: unknown) => {
      throw signal.aborted ? new CancelledError('nothing was stored', error) : error;
    });
  });
}

/** What "-" is called in messages. */
const STANDARD_INPUT = 'Standard input';

/**
 * Runs the import of a file that can be read. Standard input ("-") is kept in a temporary file meanwhile: a format is
 * recognized by reading the beginning twice.
 */
async function withSource(
  terminal: Terminal,
  file: string,
  run: (source: { readonly path: string; readonly name: string | undefined }) => Promise<void>,
): Promise<void> {
  if (file !== '-') {
    const path = resolve(terminal.cwd(), file);
    await access(path, constants.R_OK).catch((cause: unknown) => {
      throw unreadable(path, cause); // before the memory is created
    });
    return run({ path, name: undefined });
  }
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-import-'));
  const path = join(folder, 'standard-input');
  try {
    await keepInput(terminal, path);
    await run({ path, name: 'standard-input' });
  } catch (error) {
    if (!FileUnreadableError.isInstance(error)) throw error;
    throw new FileUnreadableError(STANDARD_INPUT, reasonOf(path, error), error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function describe(report: ImportReport, { config, console }: ClientCommand): string[] {
  return [
    `${counted(report.read, 'turn')} read into scope "${config.scope}" in ${report.seconds.toFixed(1)} s (${report.turnsPerSecond} turns/s): ${describeOutcomes(report, console)}`,
    ...describeLeftOut(report.leftOut),
    ...(report.givenFacts === null
      ? []
      : [
          `${counted(report.givenFacts.added, 'statement')} from the file added, ${report.givenFacts.known} already known`,
        ]),
    ...describeEnriched(report, report),
    ...describeGrouped(report.hierarchy),
    ...describePending(report),
    ...(report.read === 0 ? [console.style('yellow', 'The file holds no turns.')] : []),
  ];
}
