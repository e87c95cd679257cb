import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { wholeNumber } from '../main/cli/flags.ts';
import { loadOnnxRuntime } from '../src/inference/onnx/load-runtime.ts';
import { OnnxEmbedder } from '../src/inference/onnx/onnx-embedder.ts';
import { OnnxReranker } from '../src/inference/onnx/onnx-reranker.ts';
import type { Device } from '../src/inference/onnx/onnx-runtime.ts';
import type { EmbedderProfile, ModelProfile, RerankerProfile } from '../src/inference/onnx/profile.ts';
import { PROFILES } from '../src/inference/onnx/profiles.ts';
import { inTurns } from './onnx.ts';
import { benchEmbedder, benchReranker, benchTexts, writeBenchModel } from './onnx-model.ts';

/**
 * Embedders and rerankers on every installed accelerator, compared with the CPU. Needs no network: node --import tsx
 * bench/accelerators.ts [--models FOLDER] [--rows 32] [--tokens 128] [--json] FOLDER holds one folder per model, named
 * as `mnemis models list` names it; without it, models with random weights in MiniLM's shape are used. Each device runs
 * in a separate process, because its driver may crash.
 */
interface Options {
  readonly models?: string;
  readonly rows: number;
  readonly tokens: number;
  readonly rounds: number;
  readonly json?: boolean;
  /** Result of one process. */
  readonly device?: Device;
}

interface Result {
  readonly device: string;
  readonly model: string;
  readonly textsPerSecond?: number;
  readonly timesTheProcessor?: number;
  /** Largest difference of an embedder's vectors to those of the CPU. */
  readonly leastCosine?: number;
  /** Largest difference of a reranker's scores to those of the CPU. */
  readonly largestDifference?: number;
  readonly error?: string;
}

const RANDOM_PROFILES: readonly ModelProfile[] = [benchEmbedder, benchReranker];

const program = new Command('accelerators')
  .option('--models <folder>')
  .option('--rows <number>', 'texts', wholeNumber, 32)
  .option('--tokens <number>', 'tokens in each', wholeNumber, 128)
  .option('--rounds <number>', 'rounds', wholeNumber, 5)
  .option('--json')
  .option('--device <name>')
  .parse();
const options = program.opts<Options>();
if (options.device === undefined) await measureAll();
else process.stdout.write(JSON.stringify(await measureDevice(options.device)));

async function measureAll(): Promise<void> {
  const random = options.models === undefined ? writeRandomModels() : null;
  try {
    const folder = options.models ?? random!;
    const { version, backends } = await loadOnnxRuntime();
    const results = backends
      .filter(({ device, installed }) => installed && device !== 'cpu')
      .flatMap(({ device }) => measureInChild(device, folder));
    const missing = backends.filter(({ installed }) => !installed).map(({ device }) => device);
    print({
      runtime: version,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      missing,
      results,
    });
  } finally {
    if (random !== null) rmSync(random, { recursive: true, force: true });
  }
}

function measureInChild(device: Device, models: string): readonly Result[] {
  const { rows, tokens, rounds } = options;
  const flags = { device, models, rows, tokens, rounds };
  const argument = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawnSync(process.execPath, ['--import', 'tsx', import.meta.filename, ...argument], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.status === 0) return JSON.parse(child.stdout);
  return [{ device, model: 'all', error: `its process ended (${child.signal ?? child.status})` }];
}

async function measureDevice(device: Device): Promise<Result[]> {
  const results: Result[] = [];
  for (const profile of [...RANDOM_PROFILES, ...PROFILES]) {
    const folder = join(options.models!, profile.name);
    if (!existsSync(join(folder, 'tokenizer.json'))) continue;
    const result = await (profile.kind === 'embedder'
      ? compareEmbedder(profile, folder, device)
      : compareReranker(profile, folder, device)
    ).catch((error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }));
    results.push({ device, model: profile.name, ...result });
  }
  return results;
}

async function compareEmbedder(profile: EmbedderProfile, folder: string, device: Device) {
  await using reference = await OnnxEmbedder.load({ profile, folder, device: 'cpu' });
  await using embedder = await OnnxEmbedder.load({ profile, folder, device });
  const texts = benchTexts(options.rows, options.tokens);
  const embed = (by: OnnxEmbedder) => () => by.embed(texts, { as: 'passage' });
  const [expected, vectors] = [await embed(reference)(), await embed(embedder)()];
  const cosines = vectors.map((vector, row) =>
    vector.reduce((sum, value, at) => sum + value * expected[row]![at]!, 0),
  );
  return { ...(await speeds(embed(reference), embed(embedder))), leastCosine: Math.min(...cosines) };
}

async function compareReranker(profile: RerankerProfile, folder: string, device: Device) {
  await using reference = await OnnxReranker.load({ profile, folder, device: 'cpu' });
  await using reranker = await OnnxReranker.load({ profile, folder, device });
  const [query, ...documents] = benchTexts(options.rows + 1, Math.ceil(options.tokens / 2));
  const rerank = (by: OnnxReranker) => () => by.rerank(query!, documents);
  const [expected, scores] = [await rerank(reference)(), await rerank(reranker)()];
  const differences = scores.map((score, row) => Math.abs(score - expected[row]!));
  return {
    ...(await speeds(rerank(reference), rerank(reranker))),
    largestDifference: Math.max(...differences),
  };
}

async function speeds(processor: () => Promise<unknown>, accelerator: () => Promise<unknown>) {
  const [slow, fast] = await inTurns(options.rounds, [processor, accelerator]);
  return {
    textsPerSecond: (options.rows / fast!.median) * 1_000,
    timesTheProcessor: slow!.median / fast!.median,
  };
}

function writeRandomModels(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-accelerators-'));
  for (const [profile, head] of [
    [benchEmbedder, 'states'],
    [benchReranker, 'pair-logit'],
  ] as const)
    renameSync(writeBenchModel(head).path, join(folder, profile.name));
  return folder;
}

interface Report {
  readonly runtime: string;
  readonly node: string;
  readonly platform: string;
  /** Backends that the runtime supports and that are not installed. */
  readonly missing: readonly string[];
  readonly results: readonly Result[];
}

function print(report: Report): void {
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ ...report, rows: options.rows, tokens: options.tokens }, null, 2)}\n`,
    );
    return;
  }
  process.stdout.write(
    `onnxruntime ${report.runtime}, ${report.platform}; not installed: ${report.missing.join(', ')}\n`,
  );
  if (report.results.length === 0) process.stdout.write('no accelerator is installed here\n');
  for (const { device, model, ...figures } of report.results)
    process.stdout.write(`${device.padEnd(8)} ${model.padEnd(32)} ${describe(figures)}\n`);
}

function describe(figures: Omit<Result, 'device' | 'model'>): string {
  if (figures.error !== undefined) return figures.error;
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${Number(value).toPrecision(6)}`)
    .join('  ');
}
