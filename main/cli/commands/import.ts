import { access, constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { type ImportCounts, type ImportEvent, NO_TURNS } from '../../../src/engine/import-turns.ts';
import type { EnrichmentReport } from '../../../src/engine/ingestion/enrichment-report.ts';
import { CancelledError } from '../../../src/errors/index.ts';
import { detectFormat } from '../../../src/importers/detect-format.ts';
import {
  BRANCHES,
  DATE_ORDERS,
  type Importer,
  type ImportSettings,
  readSettings,
} from '../../../src/importers/importer.ts';
import { type LeftOutCount, PreviewTally } from '../../../src/importers/preview-import.ts';
import { IMPORTERS, importerNamed } from '../../../src/importers/registry.ts';
import { unreadable } from '../../../src/importers/unreadable.ts';
import { NO_MODEL_USAGE } from '../../../src/inference/language-model/tokens/usage-meter.ts';
import { importInParts } from '../../client/import-in-parts.ts';
import { withBudget } from '../../client/with-budget.ts';
import { type Config, configuredProfileName } from '../../config.ts';
import { addGivenFacts, type GivenFacts } from '../../import/given-facts.ts';
import { shareEnriched, shareStored } from '../../import/import-share.ts';
import { CommandFailed, counted, type Terminal } from '../console.ts';
import {
  describeEnriched,
  describeEnriching,
  describeGrouped,
  stagesReport,
  usageReport,
} from '../enrichment.ts';
import { type CommonFlags, commonFlags, learningFlags } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { type ClientCommand, withClient } from '../run-command.ts';
import { describeLeftOut, describePrice, type ImportTask, priceOf } from './import-price.ts';

/** The most rejected records to print; the rest are only counted. */
const REJECTIONS_SHOWN = 20;

type ImportFlags = CommonFlags &
  Partial<Config> &
  ImportSettings & { readonly format?: string; readonly dryRun?: boolean; readonly enrich: boolean };

interface ImportReport extends ImportCounts {
  readonly hierarchy: EnrichmentReport['hierarchy'];
  readonly file: string;
  readonly format: string;
  readonly profile: string;
  readonly seconds: number;
  readonly turnsPerSecond: number;
  readonly usage: ReturnType<typeof usageReport>;
  readonly byStage: ReturnType<typeof stagesReport>;
  readonly rejections: readonly { readonly where: string; readonly reason: string }[];
  /** Records skipped on purpose, by reason. */
  readonly leftOut: readonly LeftOutCount[];
  /** Assumptions of the reader, such as a date order. */
  readonly notes: readonly string[];
  /** Null if the format has no statements. */
  readonly givenFacts: GivenFacts | null;
}

export function importCommand(terminal: Terminal): Command {
  const formats = IMPORTERS.map(({ name, description }) => `  ${name.padEnd(14)}${description}`);
  return learningFlags(commonFlags(new Command('import')))
    .description(
      'Import the turns of a file: store them all, then read them for facts. Run it again to continue after an interruption.',
    )
    .argument('<file>', 'the file to read; some formats also accept a zip archive or a folder')
    .option(
      '--format <name>',
      `the file’s format, if not detected by its content: ${[...IMPORTERS.map(({ name }) => name), ...DATASETS].join(', ')}`,
    )
    .option('--dry-run', 'store nothing; print what the import would add and cost in calls and tokens')
    .option('--no-enrich', 'only store the turns; "mnemis resume" reads them for facts later')
    .option('--me <name>', 'your name in these chats')
    .option('--time-zone <name>', 'for times without a zone, such as Europe/Oslo (default: UTC)')
    .addOption(new Option('--date-order <order>', 'how dates such as 03/04/24 are read').choices(DATE_ORDERS))
    .addOption(
      new Option('--branches <which>', 'branches to import of chats with edited messages').choices(BRANCHES),
    )
    .option('--conversation <name>', 'name of a chat or document whose file has none')
    .addHelpText(
      'after',
      `\nFormats:\n${formats.join('\n')}\n  ${DATASETS.join(', ')}: data sets, as for "mnemis eval"`,
    )
    .action(async (file: string, given: ImportFlags) => {
      const { format, dryRun = false, enrich, settings, flags } = parted(given);
      const path = resolve(terminal.cwd(), file);
      const importers = await allImporters();
      const named = format === undefined ? undefined : importerNamed(format, importers); // check the command line before the file
      await access(path, constants.R_OK).catch((cause: unknown) => {
        throw unreadable(path, cause); // before the memory is created
      });
      readSettings(settings);
      const importer = named ?? (await detectedImporter(terminal, path, importers));
      const task = { importer, file: path, settings };
      if (dryRun) {
        const { price, console } = await priceOf(terminal, flags, task);
        console.result(price, () => describePrice(price));
        return;
      }
      const purpose = enrich ? 'learn' : 'use'; // storing turns needs no language model
      await withClient(terminal, { ...flags, access: 'writes', purpose }, async (command) => {
        const report = await runImport(command, { ...task, enrich });
        command.console.result(report, () => describe(report, command));
        if (report.read > 0 && report.read === report.rejected) throw new CommandFailed();
      });
    });
}

/** The flags of the import only, without the settings of Mnemis. */
function parted({
  branches,
  conversation,
  dateOrder,
  dryRun,
  enrich,
  format,
  me,
  timeZone,
  ...flags
}: ImportFlags) {
  const settings: ImportSettings = { branches, conversation, dateOrder, me, timeZone };
  return { format, dryRun, enrich, settings, flags };
}

/** Data sets of the papers, loaded only by an import or an evaluation. */
const DATASETS = ['locomo', 'longmemeval', 'hotpotqa'];

async function allImporters(): Promise<readonly Importer[]> {
  const { DATASET_IMPORTERS } = await import('../../../eval/datasets/registry.ts');
  return [...IMPORTERS, ...DATASET_IMPORTERS];
}

async function detectedImporter(
  terminal: Terminal,
  path: string,
  importers: readonly Importer[],
): Promise<Importer> {
  const { because, importer } = await detectFormat(path, importers);
  terminal.stderr.write(`Format: ${importer.name}, since ${because}; use --format to choose another\n`);
  return importer;
}

async function runImport(
  command: ClientCommand,
  { importer, file, settings, enrich }: ImportTask & { enrich: boolean },
): Promise<ImportReport> {
  const { client, memory, config, console, signal } = command;
  const profile =
    memory === null ? (await client.health({})).ingestion.profile : configuredProfileName(config);
  const rejections: { where: string; reason: string }[] = [];
  let [counts, usage, seconds, share] = [NO_TURNS, NO_MODEL_USAGE, 0, 0];
  let hierarchy: EnrichmentReport['hierarchy'] = null;
  let byStage: EnrichmentReport['byStage'] = {};
  let givenFacts: GivenFacts | null = null;
  let failure: unknown = null;
  const progress = startProgress(console, 'Importing', 100);
  const tally = new PreviewTally();
  const records = importer.read(file, {
    signal,
    settings,
    ...tally.listeners,
    onProgress: ({ done, total }) => {
      share = total === null || total === 0 ? 0 : done / total;
    },
  });
  try {
    for await (const event of eventsOf(command, records, enrich)) {
      if (event.type === 'rejected') {
        rejections.push({ where: event.where, reason: event.reason });
        continue;
      }
      ({ counts, usage, seconds } = event);
      if (event.type === 'done') {
        ({ hierarchy, byStage } = event);
        continue;
      }
      if (event.phase === 'storing')
        progress.update(
          100 * shareStored(share),
          `${counts.read} turns stored, ${Math.round(counts.read / seconds)}/s`,
        );
      else progress.update(100 * shareEnriched(counts), describeEnriching(event, console.terminal));
    }
    if (importer.facts !== undefined)
      givenFacts = await addGivenFacts(importer.facts(file, { signal, settings }), {
        add: (facts) => client.addFacts({ scope: command.config.scope, facts }, { signal }),
        onRejected: (rejection) => rejections.push(rejection),
      });
  } catch (error) {
    failure = error;
    throw withAdvice(error, counts);
  } finally {
    progress.stop(); // before the next line is printed: output would break the bar
    if (failure !== null && counts.pending > 0 && !CancelledError.isInstance(failure))
      console.note(
        `The turns are stored and searchable; ${counts.pending} wait to be read for facts ("mnemis resume" reads them). It stopped because:`,
      );
    for (const note of tally.notes) console.note(`${note}.`);
    for (const { where, reason } of rejections.slice(0, REJECTIONS_SHOWN))
      console.note(`${where}: ${reason}; skipped`);
    const hidden = rejections.length - REJECTIONS_SHOWN;
    if (hidden > 0) console.note(`${hidden} more were skipped; --json lists all`);
  }
  const { leftOut, notes } = tally;
  return {
    file,
    format: importer.name,
    profile,
    ...counts,
    hierarchy,
    seconds: Math.round(seconds * 1000) / 1000,
    turnsPerSecond: seconds === 0 ? 0 : Math.round((counts.read / seconds) * 10) / 10,
    usage: usageReport(usage),
    byStage: stagesReport(byStage),
    rejections,
    leftOut,
    notes,
    givenFacts,
  };
}

function eventsOf(
  { client, memory, config: { scope, llmTokenBudget: tokenBudget }, signal }: ClientCommand,
  records: ReturnType<Importer['read']>,
  enrich: boolean,
): AsyncIterable<ImportEvent> {
  if (memory === null) return importInParts(client, records, { scope, enrich, tokenBudget, signal });
  return memory.import(records, { ...withBudget({ tokenBudget }, { signal }), enrich });
}

/** Replaces the cancellation of a reader or a model call, which does not know what was stored. */
function withAdvice(error: unknown, { added, superseding, consolidated }: ImportCounts): unknown {
  const kept = `${counted(added + superseding, 'turn')} stored and kept`;
  if (CancelledError.isInstance(error))
    return new CancelledError(
      consolidated > 0
        ? `${kept}, ${consolidated} of them read for facts; "mnemis resume" continues`
        : `${kept}; import the same file again to continue`,
      error,
    );
  return error;
}

function describe(report: ImportReport, { config, console }: ClientCommand): string[] {
  const parts = [
    `${report.added} new`,
    `${report.known} already known`,
    ...(report.superseding > 0 ? [`${report.superseding} new versions`] : []),
    ...(report.rejected > 0 ? [console.style('yellow', `${report.rejected} skipped`)] : []),
  ];
  return [
    `${counted(report.read, 'turn')} read into scope "${config.scope}" in ${report.seconds.toFixed(1)} s (${report.turnsPerSecond} turns/s): ${parts.join(', ')}`,
    ...describeLeftOut(report.leftOut),
    ...(report.givenFacts === null
      ? []
      : [
          `${counted(report.givenFacts.added, 'statement')} from the file added, ${report.givenFacts.known} already known`,
        ]),
    ...describeEnriched(report, report),
    ...describeGrouped(report.hierarchy),
    ...(report.pending > 0
      ? [`${counted(report.pending, 'turn')} wait to be read for facts: run "mnemis resume"`]
      : []),
    ...(report.read === 0 ? [console.style('yellow', 'The file holds no turns.')] : []),
  ];
}
