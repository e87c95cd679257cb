import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../../main/cli/flags.ts';
import { inFolder, inProject, pack } from '../../scripts/consumer.ts';
import { calibrate } from '../calibration.ts';
import { packagesIn } from '../install.ts';
import type { Measured, Measurement, Message } from './measure.ts';
import { PEERS } from './peers.ts';
import { type Cell, type Installed, installTable, taskTable } from './report.ts';
import type { TaskName } from './task.ts';

/** Telemetry off, nothing written into the home directory, no advice among the progress. */
const ENVIRONMENT = { MEM0_TELEMETRY: 'False', LANGSMITH_TRACING: 'false', LANCEDB_LOG: 'error' };
const TSX = import.meta.resolve('tsx');

interface Options {
  readonly data?: string;
  readonly episodes: string;
  readonly searches: number;
  readonly peers: string;
  readonly batch: number;
  readonly minutes: number;
  readonly install: boolean;
  readonly json: boolean;
}

const program = new Command('compare')
  .description('Mnemis beside other libraries that remember texts: the same embedder, turns and questions')
  .option('--data <file>', 'conversations in LoCoMo’s format, for recall')
  .option(
    '--episodes <numbers>',
    'sizes of synthetic memories, separated by commas; "" for none',
    '1000,10000',
  )
  .option('--searches <number>', 'searches of a synthetic memory', wholeNumber, 200)
  .option('--peers <names>', 'separated by commas', [...PEERS.keys()].join(','))
  .option('--batch <number>', 'turns of each add', wholeNumber, 256)
  .option('--minutes <number>', 'time limit of each measurement', wholeNumber, 10)
  .option('--install', 'also install each library alone, from the registry, and measure it', false)
  .option('--json', 'one JSON document in place of tables', false)
  .action(async (options: Options) => {
    const { json, data } = options;
    const names = options.peers.split(',');
    const unknown = names.filter((name) => !PEERS.has(name));
    if (unknown.length > 0) program.error(`There are ${[...PEERS.keys()].join(', ')}, but no ${unknown}.`);
    if (data !== undefined && !existsSync(data)) process.stderr.write(`Skipped: there is no file ${data}.\n`);
    const tasks: TaskName[] = [
      ...(data !== undefined && existsSync(data) ? [{ data }] : []),
      ...options.episodes
        .split(',')
        .filter((size) => size !== '')
        .map((size) => ({ episodes: wholeNumber(size), searches: options.searches })),
    ];
    const results: { readonly task: TaskName; readonly cells: readonly Cell[] }[] = [];
    const calibration = await calibrate();
    for (const task of tasks) {
      const cells: Cell[] = [];
      for (const peer of names) cells.push({ peer, measured: await measureAlone(peer, task, options) });
      results.push({ task, cells });
    }
    const installed = await describe(names, options.install);
    if (json) {
      process.stdout.write(
        `${JSON.stringify({ batch: options.batch, calibration, results, installed }, null, 2)}\n`,
      );
      return;
    }
    const kernels = calibration.map(({ name, ms }) => `${name} ${ms.toFixed(1)} ms`).join(', ');
    process.stdout.write(`Calibration: ${kernels}. Adds of ${options.batch} turns.\n`);
    for (const { task, cells } of results)
      process.stdout.write(
        `\n${'data' in task ? task.data : `${task.episodes} turns`}\n\n${taskTable(cells)}\n`,
      );
    process.stdout.write(`\n${installTable(installed)}\n`);
  });

/** In a process of its own, so that its memory is the library's alone. */
function measureAlone(peer: string, task: TaskName, { batch, minutes }: Options): Promise<Cell['measured']> {
  return inFolder(async (folder) => {
    const measurement: Measurement = { peer, task, batch, folder };
    const child = fork(join(import.meta.dirname, 'measure.ts'), [JSON.stringify(measurement)], {
      execArgv: ['--import', TSX],
      env: { ...process.env, ...ENVIRONMENT, HOME: folder },
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    let measured: Measured | undefined;
    let [reached, isLate] = ['nothing yet', false];
    const limit = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, minutes * 60_000);
    const shown = setInterval(() => tell(peer, reached), 10_000);
    child.on('message', (message: Message) => {
      if ('measured' in message) ({ measured } = message);
      else ({ reached } = message);
    });
    await new Promise((ended) => child.once('exit', ended));
    clearTimeout(limit);
    clearInterval(shown);
    tell(peer, measured === undefined ? `ended after: ${reached}` : JSON.stringify(measured));
    if (measured !== undefined) return measured;
    return { missed: isLate ? `not within ${minutes} min (${reached})` : `failed (${reached})` };
  });
}

/** Versions and settings; on request also the size of each installation, without what install scripts make. */
async function describe(names: readonly string[], isInstalled: boolean): Promise<Installed[]> {
  const { dependencies } = readJson<{ dependencies: Record<string, string> }>(
    join(import.meta.dirname, 'package.json'),
  );
  const { version } = readJson<{ version: string }>(join(import.meta.dirname, '../../package.json'));
  return inFolder(async (folder) => {
    const tarball = isInstalled && names.some((name) => name.startsWith('mnemis')) ? pack(folder) : undefined;
    const installed: Installed[] = [];
    const sizes = new Map<string, ReturnType<typeof packagesIn>>();
    for (const peer of names) {
      const { packages, flags = [], settings, prepares, durable } = PEERS.get(peer)!;
      const named = packages.map((each) => [each, dependencies[each] ?? version] as const);
      const wanted = named.map(([each, pinned]) =>
        each === 'mnemis' ? (tarball ?? each) : `${each}@${pinned}`,
      );
      const key = [...wanted, ...flags].join(' ');
      if (isInstalled && !sizes.has(key))
        sizes.set(
          key,
          await inProject(wanted, [...flags, '--ignore-scripts'], (project) =>
            packagesIn(join(project, 'node_modules')),
          ),
        );
      const then = prepares === undefined ? '' : `; then ${prepares}`;
      installed.push({
        peer,
        versions: named.map(([each, pinned]) => `${each} ${pinned}`).join(', '),
        settings: `${settings}${then}; on disk: ${durable}`,
        ...sizes.get(key),
      });
    }
    return installed;
  });
}

function readJson<Content>(path: string): Content {
  return JSON.parse(readFileSync(path, 'utf8')) as Content;
}

function tell(peer: string, what: string): void {
  process.stderr.write(`${peer}: ${what}\n`);
}

await program.parseAsync();
