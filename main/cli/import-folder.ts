import type { ImportCounts } from '../../src/engine/import-turns.ts';
import { FileUnreadableError } from '../../src/errors/index.ts';
import type { ImportSettings } from '../../src/importers/importer.ts';
import type { ImportPart, ImportPlan } from '../../src/importers/plan-import.ts';
import { reasonOf } from '../../src/importers/unreadable.ts';
import { type CommandConsole, counted } from './console.ts';
import { describeEnriched, describeGrouped } from './enrichment.ts';
import { enrichStored, type ImportReport, type ImportTask, profileOf, runImport } from './import-task.ts';
import type { ClientCommand } from './run-command.ts';

const NAMES_SHOWN = 4;
const UNRECOGNIZED_SHOWN = 20;

type Totals = Pick<ImportCounts, 'read' | 'added' | 'known' | 'superseding' | 'rejected'>;

/** The import of a folder: the sums, and a report for each format. */
export interface FolderReport
  extends ImportCounts,
    Pick<ImportReport, 'hierarchy' | 'usage' | 'byStage' | 'dropped'> {
  readonly file: string;
  readonly profile: string;
  readonly seconds: number;
  readonly imports: readonly (ImportReport & Pick<ImportPart, 'files'>)[];
  /** Parts of which nothing could be read. */
  readonly failed: readonly (Pick<ImportPart, 'files'> & {
    readonly format: string;
    readonly reason: string;
  })[];
  readonly unrecognized: ImportPlan['unrecognized'];
  /** Number of other files, such as pictures. */
  readonly others: number;
}

interface FolderImport {
  readonly folder: string;
  readonly plan: ImportPlan;
  readonly tasks: readonly ImportTask[];
  readonly enrich: boolean;
}

/** The part as a task; reports name it by its file, or by the folder. */
export function taskOf({ importer, path, only, files }: ImportPart, settings: ImportSettings): ImportTask {
  return { importer, path, only, file: only === null ? files[0]! : path, settings };
}

/** Stores the turns of all parts, then reads them for facts. A part that cannot be read does not stop the others. */
export async function importFolder(
  command: ClientCommand,
  { folder, plan, tasks, enrich }: FolderImport,
): Promise<FolderReport> {
  const started = performance.now();
  const imports: (ImportReport & Pick<ImportPart, 'files'>)[] = [];
  const failed: FolderReport['failed'][number][] = [];
  for (const [at, part] of plan.parts.entries()) {
    const { added, superseding } = totalsOf(imports);
    const among = part.files.length === 1 ? part.files[0] : undefined; // else the places name the files
    const options = { enrich: false, among, storedBefore: added + superseding };
    try {
      imports.push({ ...(await runImport(command, tasks[at]!, options)), files: part.files });
    } catch (error) {
      if (!FileUnreadableError.isInstance(error)) throw error;
      failed.push({ files: part.files, format: part.importer.name, reason: reasonOf(part.path, error) });
    }
  }
  const enriched = enrich ? await enrichStored(command) : null;
  const { read, added, known, superseding, rejected } = totalsOf(imports);
  const last = enriched ?? imports.at(-1);
  return {
    file: folder,
    profile: await profileOf(command),
    read,
    added,
    known,
    superseding,
    rejected,
    pending: last?.pending ?? 0,
    consolidated: enriched?.consolidated ?? 0,
    segments: enriched?.segments ?? 0,
    entities: enriched?.entities ?? 0,
    facts: enriched?.facts ?? 0,
    repeated: enriched?.repeated ?? 0,
    outdated: enriched?.outdated ?? 0,
    setAside: enriched?.setAside ?? 0,
    hierarchy: enriched?.hierarchy ?? null,
    usage: enriched?.usage ?? { calls: 0, promptTokens: 0, completionTokens: 0 },
    byStage: enriched?.byStage ?? {},
    dropped: enriched?.dropped ?? [],
    seconds: Math.round(performance.now() - started) / 1000,
    imports,
    failed,
    unrecognized: plan.unrecognized,
    others: plan.others,
  };
}

function totalsOf(reports: readonly Totals[]): Totals {
  const sum = (key: keyof Totals) => reports.reduce((total, report) => total + report[key], 0);
  return {
    read: sum('read'),
    added: sum('added'),
    known: sum('known'),
    superseding: sum('superseding'),
    rejected: sum('rejected'),
  };
}

/** Whether something that was recognized could not be imported. */
export function hasFailed({ failed, imports }: FolderReport): boolean {
  return failed.length > 0 || imports.some(({ read, rejected }) => read > 0 && read === rejected);
}

export function describeFolder(report: FolderReport, { config, console }: ClientCommand): string[] {
  const width = Math.max(...[...report.imports, ...report.failed].map(({ format }) => format.length));
  return [
    ...report.imports.flatMap((each) => [
      `${console.style('bold', each.format.padEnd(width))}  ${namesOf(each.files)}: ${counted(each.read, 'turn')} read, ${describeOutcomes(each, console)}`,
      ...each.leftOut.map(({ count, reason }) => `  skipped ${count} × ${reason}`),
    ]),
    ...report.failed.map(({ files, format, reason }) =>
      console.style('red', `${format.padEnd(width)}  ${namesOf(files)}: failed: ${reason}`),
    ),
    ...describeUnread(report, console),
    `${counted(report.read, 'turn')} read into scope "${config.scope}" in ${report.seconds.toFixed(1)} s: ${describeOutcomes(report, console)}`,
    ...describeEnriched(report, report),
    ...describeGrouped(report.hierarchy),
    ...describePending(report),
  ];
}

export function describeUnread(
  { unrecognized, others }: Pick<ImportPlan, 'unrecognized' | 'others'>,
  console: CommandConsole,
): string[] {
  const more = unrecognized.length - UNRECOGNIZED_SHOWN;
  return [
    ...unrecognized
      .slice(0, UNRECOGNIZED_SHOWN)
      .map(({ name, reason }) => console.style('yellow', `Not imported: ${name} (${reason})`)),
    ...(more > 0 ? [`Not imported: ${more} more; --json lists all`] : []),
    ...(others > 0 ? [`${counted(others, 'other file')}, such as pictures, not read`] : []),
  ];
}

/** "38 new, 2 already known". */
export function describeOutcomes(
  { added, known, superseding, rejected }: Omit<Totals, 'read'>,
  console: CommandConsole,
): string {
  return [
    `${added} new`,
    `${known} already known`,
    ...(superseding > 0 ? [`${superseding} new versions`] : []),
    ...(rejected > 0 ? [console.style('yellow', `${rejected} skipped`)] : []),
  ].join(', ');
}

export function describePending({ pending }: Pick<ImportCounts, 'pending'>): string[] {
  if (pending === 0) return [];
  return [
    `${counted(pending, 'turn')} ${pending === 1 ? 'waits' : 'wait'} to be read for facts: run "mnemis resume"`,
  ];
}

/** "chat.jsonl", or "3 files (a.md, b.md, c.md)". */
export function namesOf(files: readonly string[]): string {
  if (files.length === 1) return files[0]!;
  const more = files.length > NAMES_SHOWN ? ', …' : '';
  return `${files.length} files (${files.slice(0, NAMES_SHOWN).join(', ')}${more})`;
}
