/** Measures one group of figures in a process of its own, and prints them as JSON. */
import { spawnSync } from 'node:child_process';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Mnemis } from '../../src/engine.ts';
import { previewImport } from '../../src/importers/preview-import.ts';
import { whatsAppImporter } from '../../src/importers/whatsapp/whatsapp.ts';
import { inBatches } from '../../src/util/collections.ts';
import { syntheticQuestions, syntheticTurns } from '../synthetic-turns.ts';
import { inTemporaryFolder, SCOPE } from '../temporary-memory.ts';
import type { Figure, FigureGroup } from './figures.ts';
import { type Kernel, processorMs, timeKernel } from './kernels.ts';

/** Consolidating costs most, so fewer turns are consolidated than searched. */
const [STORED, CONSOLIDATED, PER_ADD, QUESTIONS, LINES] = [2_000, 300, 10, 60, 5_000];
const DIST = join(import.meta.dirname, '../../dist');

const figures: Partial<Record<Figure, number>> = {};

/** Processor time of the work, as a multiple of that of the kernel before and after it. */
async function measure<T>(figure: Figure | null, kernel: Kernel, work: () => Promise<T>): Promise<T> {
  const first = timeKernel(kernel);
  const before = process.cpuUsage();
  const result = await work();
  const spent = processorMs(before);
  if (figure !== null) figures[figure] = (2 * spent) / (first + timeKernel(kernel));
  return result;
}

async function measureStore(name: 'kuzu' | 'sqlite', file: string): Promise<void> {
  const path = name === 'kuzu' ? file : file.replace(/\.db$/, '.sqlite');
  const kernel = name === 'kuzu' ? 'text' : 'sqlite';
  const open = () => Mnemis.open({ path, automatic: false });
  const openAndSearch = async () => {
    const engine = await open();
    await engine.scope(SCOPE).search('anything at all');
    return engine;
  };
  const turns = [...syntheticTurns(STORED)];
  let engine = await open();
  const stored = engine.scope('stored');
  await measure(`${name}: add turns`, kernel, async () => {
    for (const some of inBatches(turns, PER_ADD)) await stored.add(some);
  });
  const questions = syntheticQuestions(QUESTIONS + 20);
  for (const question of questions.slice(QUESTIONS)) await stored.search(question);
  await measure(`${name}: search`, kernel, async () => {
    for (const question of questions.slice(0, QUESTIONS)) await stored.search(question);
  });
  let memory = engine.scope(SCOPE);
  await memory.add(turns.slice(0, CONSOLIDATED));
  await measure(`${name}: consolidate`, kernel, () => memory.flush());
  figures[`${name}: memory, bytes`] = process.memoryUsage.rss();
  await engine.close();
  engine = await measure(`${name}: open with its snapshot`, kernel, openAndSearch);
  await engine.close();
  await rm(`${path}.indexes`, { recursive: true });
  engine = await measure(`${name}: open without its snapshot`, kernel, openAndSearch);
  memory = engine.scope(SCOPE);
  const middle = await memory.search('anything at all', { limit: 1 });
  await measure(`${name}: forget a turn`, kernel, () => memory.forget({ episode: middle.items[0]!.id }));
  await engine.compact();
  await engine.close();
  figures[`${name}: file, bytes a turn`] = (await bytesBeside(path)) / (STORED + CONSOLIDATED);
}

/** All files of a memory, without the snapshots of its indexes. */
async function bytesBeside(path: string): Promise<number> {
  const names = (await readdir(dirname(path))).map((name) => join(dirname(path), name));
  const sizes = await Promise.all(names.map((name) => stat(name)));
  return sizes.reduce((sum, each) => sum + (each.isFile() ? each.size : 0), 0);
}

async function measurePreview(file: string): Promise<void> {
  const path = join(dirname(file), 'WhatsApp Chat with Ada.txt');
  const start = Date.UTC(2024, 0, 1);
  const lines = [...syntheticTurns(LINES)].map(({ speaker, content }, at) => {
    const [date, time] = new Date(start + at * 600_000).toISOString().slice(0, 19).split('T');
    return `[${date}, ${time}] ${speaker}: ${content}`;
  });
  await writeFile(path, lines.join('\n'));
  await measure(null, 'text', () => previewImport(whatsAppImporter, path));
  await measure('preview 5,000 lines', 'text', () => previewImport(whatsAppImporter, path));
}

/** Milliseconds of processor time of a process. */
function timeProcess(argv: readonly string[]): number {
  const report = `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write('\\n' + (user + system)); })`;
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(report)}`];
  const { stderr, status } = spawnSync(process.execPath, [...preload, ...argv], { encoding: 'utf8' });
  if (status !== 0) throw new TypeError(`A process failed: ${stderr}`);
  return Number(stderr.slice(stderr.lastIndexOf('\n'))) / 1000;
}

/** The least processor time of a process, as a multiple of that of a process that does nothing. */
function measureProcess(figure: Figure, argv: readonly string[]): void {
  const times = [1, 2, 3].map(() => [timeProcess(['--eval', '']), timeProcess(argv)] as const);
  const least = (of: 0 | 1) => Math.min(...times.map((each) => each[of]));
  figures[figure] = least(1) / least(0);
}

async function measureProcesses(file: string): Promise<void> {
  const path = file.replace(/\.db$/, '.sqlite');
  const index = pathToFileURL(join(DIST, 'src/index.js')).href;
  measureProcess('import the package', ['--input-type=module', '--eval', `import ${JSON.stringify(index)}`]);
  const engine = await Mnemis.open({ path, automatic: false });
  await engine.scope(SCOPE).add([...syntheticTurns(100)]);
  await engine.scope(SCOPE).flush();
  await engine.close();
  const cli = join(DIST, 'main/cli/main.js');
  const question = 'What did Ada repair?';
  measureProcess('ask a warm file', [cli, 'ask', question, '--path', path, '--scope', SCOPE]);
}

const group = process.argv[2] as FigureGroup;
await inTemporaryFolder(async (file) => {
  if (group === 'kuzu' || group === 'sqlite') await measureStore(group, file);
  else if (group === 'preview') await measurePreview(file);
  else await measureProcesses(file);
});
process.stdout.write(JSON.stringify(figures));
