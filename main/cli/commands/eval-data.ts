import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { EvaluationDataset } from '../../../eval/datasets/dataset.ts';
import { readLocomoDataset } from '../../../eval/datasets/locomo.ts';
import { datasetReaderNamed } from '../../../eval/datasets/registry.ts';
import { RunLog } from '../../../eval/run-log.ts';
import { FileUnreadableError } from '../../../src/errors/index.ts';
import { UsageError } from '../../errors.ts';
import { mnemisVersion } from '../../version.ts';
import type { CommandConsole } from '../console.ts';

/** The flags that name an evaluation's data. */
export interface DatasetFlags {
  readonly dataset: string;
  /** May be missing for a data set that ships with the package. */
  readonly data?: string | undefined;
  readonly gold?: string | undefined;
}

/** The names of a flag's list "a,b", each once. @throws UsageError if there is none. */
export function namesIn(flag: string, list: string): string[] {
  const names = [...new Set(list.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0) throw new UsageError(`${flag} is empty`);
  return names;
}

/** The flags of a run without `--suite`. @throws UsageError if they name no data set, or what only a suite has. */
export function ofOneDataset<Flags extends { readonly dataset?: string; readonly markdown?: string }>({
  dataset,
  markdown,
  ...flags
}: Flags): Omit<Flags, 'dataset' | 'markdown'> & Pick<DatasetFlags, 'dataset'> {
  if (markdown !== undefined) throw new UsageError('--markdown needs --suite');
  if (dataset === undefined) throw new UsageError('--dataset <name> is missing, or --suite');
  return { ...flags, dataset };
}

/** Reads the data set and prints each rejected record. @throws FileUnreadableError if no case can be read. */
export async function readDataset(
  flags: DatasetFlags,
  console: CommandConsole,
  signal: AbortSignal,
): Promise<EvaluationDataset> {
  const { dataset, data, gold } = flags;
  if (gold !== undefined && dataset !== 'locomo') throw new UsageError('--gold needs --dataset locomo');
  const read = await readFrom(flags, console.terminal.cwd(), signal);
  for (const { where, reason } of read.rejected) console.note(`${where}: ${reason}; skipped`);
  if (read.cases.length === 0)
    throw new FileUnreadableError(data ?? dataset, `it has no records in the ${read.name} format`);
  return read;
}

async function readFrom(
  { dataset, data, gold }: DatasetFlags,
  folder: string,
  signal: AbortSignal,
): Promise<EvaluationDataset> {
  const reader = datasetReaderNamed(dataset);
  if (data === undefined) {
    if (reader.readBundled === undefined)
      throw new UsageError(`--data <file> is missing: the data set ${dataset} is not part of the package`);
    return reader.readBundled({ signal });
  }
  const file = resolve(folder, data);
  return gold === undefined
    ? reader.read(file, { signal })
    : readLocomoDataset(file, { signal, gold: resolve(folder, gold) });
}

/** Where raw results are written, and the settings written with them. */
export interface LogSettings {
  /** First word of the file's name. */
  readonly kind: string;
  /** Null: no log is written. */
  readonly folder: string | null;
  readonly configuration: Readonly<Record<string, unknown>>;
}

/** Writes what `run` appends; the file gets its final name only when the run succeeds. */
export async function withLog<T>(
  { kind, folder, configuration }: LogSettings,
  run: (log: RunLog | null) => Promise<T>,
): Promise<T> {
  if (folder === null) return run(null);
  const log = await RunLog.create(folder, kind, {
    version: mnemisVersion(),
    node: process.version,
    startedAt: new Date().toISOString(),
    configuration,
  });
  try {
    const result = await run(log);
    await log.finish();
    return result;
  } finally {
    await log.close();
  }
}

/** Creates a folder for a run's memories and removes it afterwards. */
export async function inTemporaryFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-eval-'));
  try {
    return await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
