import { dirname } from 'node:path';
import { Command } from 'commander';
import { describeDifference } from '../../../src/errors/index.ts';
import type { CompareResult, CopyProgress, CopyResult } from '../../../src/files/copy/copy-event.ts';
import { givenPath } from '../../../src/store/given-path.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';
import { isDatabaseUrl, withoutPassword } from '../../../src/util/database-url.ts';
import { makeFolder } from '../../../src/util/files.ts';
import { isNothingThere } from '../../beside-memory.ts';
import { MemoryMissingError, UsageError } from '../../errors.ts';
import { CommandConsole, CommandFailed, cancellable, counted, type Terminal } from '../console.ts';
import { eraseAdvice } from '../erase-advice.ts';
import { startProgress } from '../progress.ts';
import { whenFree } from '../when-free.ts';

interface CopyFlags {
  readonly json?: boolean;
  readonly verifyOnly?: boolean;
}

export function copyCommand(terminal: Terminal): Command {
  return new Command('copy')
    .description(
      'Copy a whole memory into a new store of any kind, then compare every row. Run it again to continue after an interruption.',
    )
    .argument('<from>', 'the memory’s file, or its postgres:// URL')
    .argument('<to>', 'a new file (SQLite if it ends in .sqlite, else Kùzu), or the URL of an empty database')
    .option('--verify-only', 'only compare the two; change nothing')
    .option('--json', 'print one JSON document')
    .action(async (from: string, to: string, { verifyOnly = false, json = false }: CopyFlags) => {
      const console = new CommandConsole(terminal, json);
      const places = { from: placeOf(from, terminal), to: placeOf(to, terminal) };
      await cancellable(terminal, (signal) => {
        const command = { ...places, console, signal };
        return verifyOnly ? compare(command) : copy(command);
      });
    });
}

interface CopyCommand {
  /** Absolute paths or URLs. */
  readonly from: string;
  readonly to: string;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
}

/** @throws UsageError */
function placeOf(location: string, terminal: Terminal): string {
  if (isDatabaseUrl(location)) return location;
  if (location === ':memory:' || location === '')
    throw new UsageError('A copy needs the paths of files, or postgres:// URLs.');
  return givenPath(location, { folder: terminal.cwd(), environment: terminal.env });
}

async function copy(command: CopyCommand): Promise<void> {
  const { console, signal } = command;
  const { checkCopySource, copyMemory } = await import('../../../src/files/copy/copy-memory.ts');
  const { type: _, ...counts } = await withStores(command, {
    // Before the target is created.
    before: checkCopySource,
    run: (stores) => showing<CopyResult>(console, copyMemory({ ...stores, signal })),
  });
  const report = { ...placesOf(command), ...counts, seconds: rounded(counts.seconds) };
  console.result(report, () => describeCopy(report));
  if (report.removed > 0)
    console.note(
      `Words of the removed rows can remain on the target’s disk. To erase them: ${eraseAdvice(command.to)}`,
    );
}

async function compare(command: CopyCommand): Promise<void> {
  const { console, signal, to } = command;
  if (!isDatabaseUrl(to) && isNothingThere(to)) throw new MemoryMissingError(to);
  const { compareMemories } = await import('../../../src/files/copy/copy-memory.ts');
  const { type: _, ...result } = await withStores(command, {
    run: (stores) => showing<CompareResult>(console, compareMemories({ ...stores, signal })),
  });
  const report = { ...placesOf(command), ...result, seconds: rounded(result.seconds) };
  console.result(report, () => describeComparison(report));
  if (!result.equal || result.unfinished) throw new CommandFailed();
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** As they may be printed. */
const placesOf = ({ from, to }: CopyCommand) => ({ from: withoutPassword(from), to: withoutPassword(to) });

interface StoreJob<T> {
  readonly before?: (from: GraphStore) => Promise<void>;
  readonly run: (stores: { readonly from: GraphStore; readonly to: GraphStore }) => Promise<T>;
}

async function withStores<T>(command: CopyCommand, { before, run }: StoreJob<T>): Promise<T> {
  const { from, to } = command;
  if (!isDatabaseUrl(from) && isNothingThere(from)) throw new MemoryMissingError(from);
  if (await isSamePlace(from, to)) throw new UsageError('FROM and TO name the same memory; name another TO.');
  const source = await open(from, command);
  try {
    await before?.(source);
    if (!isDatabaseUrl(to)) await makeFolder(dirname(to));
    const target = await open(to, command);
    try {
      return await run({ from: source, to: target });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Two URLs of one database under different names are found once they are open. */
async function isSamePlace(from: string, to: string): Promise<boolean> {
  if (isDatabaseUrl(from) || isDatabaseUrl(to)) return withoutPassword(from) === withoutPassword(to);
  const { realPath } = await import('../../../src/store/memory-file.ts');
  return from === to || (!isNothingThere(to) && realPath(from) === realPath(to));
}

/** Waits for a file that another command has open; several processes can use a database server. */
async function open(location: string, { console, signal }: CopyCommand): Promise<GraphStore> {
  const { openStoreAt } = await import('../../../src/files/open-store.ts');
  if (isDatabaseUrl(location)) return openStoreAt(location);
  return whenFree(() => openStoreAt(location), { path: location, console, signal });
}

const STEPS = { copy: 'Copying', verify: 'Comparing' } as const;

/** Shows one progress bar for each step, because they differ in speed. Returns the last event. */
async function showing<Result extends { readonly type: 'done' }>(
  console: CommandConsole,
  events: AsyncIterable<CopyProgress | Result>,
): Promise<Result> {
  let bar: ReturnType<typeof startProgress> | undefined;
  let first: CopyProgress | undefined;
  let result: Result | undefined;
  try {
    for await (const event of events) {
      if (event.type === 'done') {
        result = event;
        continue;
      }
      if (first?.step !== event.step) {
        bar?.stop();
        bar = startProgress(console, STEPS[event.step], 100);
        first = event;
      }
      bar?.update((100 * event.done) / Math.max(1, event.total), describeProgress(first, event));
    }
  } finally {
    bar?.stop(); // before the next line is printed: output would break the bar
  }
  return result!; // the stream ends with `done` or throws
}

function describeProgress(first: CopyProgress, { done, total, seconds }: CopyProgress): string {
  const elapsed = seconds - first.seconds;
  const rate =
    elapsed > 0 ? `, ${Math.round((done - first.done) / elapsed).toLocaleString('en')} rows/s` : '';
  return `${done} of ${total} rows${rate}`;
}

type CopyReport = Omit<CopyResult, 'type'> & ReturnType<typeof placesOf>;

function describeCopy({ from, to, scopes, rows, relationships, ...done }: CopyReport): string[] {
  const there = rows + relationships - done.copied;
  const parts = [
    ...(there > 0 ? [`${there.toLocaleString('en')} were there already`] : []),
    ...(done.updated > 0 ? [`${done.updated.toLocaleString('en')} updated`] : []),
    ...(done.removed > 0 ? [`${done.removed.toLocaleString('en')} removed again`] : []),
  ];
  return [
    `Copied ${counted(scopes, 'scope')} from ${from} to ${to} in ${done.seconds.toFixed(1)} s: ${counted(rows, 'row')} and ${counted(relationships, 'relationship')}${parts.length === 0 ? '' : ` (${parts.join(', ')})`}. Every one was read again and equals the source, which is unchanged.`,
  ];
}

type Comparison = Omit<CompareResult, 'type'> & ReturnType<typeof placesOf>;

function describeComparison(report: Comparison): string[] {
  const { from, to, scopes, rows, relationships } = report;
  if (report.equal && !report.unfinished)
    return [
      `${to} equals ${from}: ${counted(scopes, 'scope')}, ${counted(rows, 'row')} and ${counted(relationships, 'relationship')} compared`,
    ];
  return [
    ...(report.unfinished
      ? [`${to} is an unfinished copy; complete it by the same "mnemis copy" as before.`]
      : []),
    ...(report.equal ? [] : [`${to} differs from ${from}:`]),
    ...(report.sameEmbedder ? [] : ['  the vectors are of another embedder']),
    ...report.differences.map((difference) => `  ${describeDifference(difference)}`),
  ];
}
