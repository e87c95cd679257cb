import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { EmbeddingMismatchError, MnemisError, RuntimeMissingError } from '../../../src/errors/index.ts';
import { LLAMA_RUNTIME } from '../../../src/inference/llama/model-host.ts';
import { listModels } from '../../../src/inference/models/model-catalogue.ts';
import { isBundled } from '../../../src/inference/models/model-reference.ts';
import { deviceLogIn, openEmbedder } from '../../../src/inference/models/open-models.ts';
import { isDatabaseUrl, withoutPassword } from '../../../src/util/database-url.ts';
import { localModels } from '../../assistant/settings/local-models.ts';
import { besideMemory, hasFiles } from '../../beside-memory.ts';
import { localClient } from '../../client/local-client.ts';
import type { Config } from '../../config.ts';
import type { LocalModel, MemoryClient } from '../../contract.ts';
import type { OpenMemoryOptions } from '../../open-memory.ts';
import { configuredReranker } from '../../reranker.ts';
import type { CommandConsole, Terminal } from '../console.ts';
import { loadEngine, throughEngine } from '../run-command.ts';
import { whenFree } from '../when-free.ts';
import { type Measurement, type ProbeRequest, type ProbeResult, runProbe } from './run-probe.ts';

export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Each probe that crashes records one device in the log, and the next probe skips it. */
const MOST_PROBES = 6;

type Probe = (request: ProbeRequest) => Promise<ProbeResult>;

/**
 * Measures each accelerator. A failing one is no defect, because models then run on the CPU, unless it is the
 * configured device.
 */
export async function deviceFindings(
  { modelsFolder, device }: Config,
  { terminal, probe = (request) => runProbe(request, { terminal }) }: { terminal: Terminal; probe?: Probe },
): Promise<Finding[]> {
  const result = await measure(modelsFolder, probe);
  if (result.answer === 'devices')
    return result.measurements.map((measurement) => describe(measurement, device, modelsFolder));
  const asked = device !== 'auto' && device !== 'cpu';
  if (result.answer === 'error' && result.code === RuntimeMissingError.code)
    return [{ name: 'devices', ok: !asked, detail: result.message }];
  const how = result.answer === 'none' ? result.how : 'the probe failed';
  return [{ name: 'devices', ok: false, detail: `could not be measured: ${how}` }];
}

async function measure(modelsFolder: string, probe: Probe): Promise<ProbeResult> {
  let result: ProbeResult = { answer: 'none', how: 'it was not attempted' };
  for (let attempt = 0; result.answer === 'none' && attempt < MOST_PROBES; attempt += 1)
    result = await probe({ ask: 'devices', modelsFolder });
  return result;
}

function describe(measurement: Measurement, asked: string, modelsFolder: string): Finding {
  const { device, state } = measurement;
  const ok = state === 'works' || device !== asked;
  return { name: `device ${device}`, ok, detail: detailOf(measurement, modelsFolder) };
}

function detailOf(measurement: Measurement, modelsFolder: string): string {
  switch (measurement.state) {
    case 'works':
      return `starts in ${measurement.startMs.toFixed(0)} ms, ${measurement.gigaflops.toFixed(1)} gigaflops in float32`;
    case 'failed':
      return `does not start: ${measurement.reason}`;
    case 'not-installed':
      return 'its libraries are not installed';
    case 'crashed-before':
      return `skipped, because it crashed its process; to retry, delete ${deviceLogIn(modelsFolder)}`;
  }
}

/** A diagnosis names another program that has the memory open, rather than waits for it as other commands do. */
const PATIENCE_MILLISECONDS = 5_000;

/**
 * Asks the engine that serves the memory; without one, opens the memory with the configured embedder on the CPU: vectors
 * are the same on every device, and no driver can crash this process. Where there is no memory yet, opens an empty one
 * in a temporary folder, so that a database that cannot be loaded is found before the first import.
 */
export async function memoryFindings(
  config: Config,
  { embedder, console, signal }: { embedder: Finding; console: CommandConsole; signal: AbortSignal },
): Promise<Finding[]> {
  const { path } = config;
  const environment = console.terminal.env;
  const isThere = isDatabaseUrl(path) || (path !== ':memory:' && existsSync(path));
  if (!isThere) return [...absentMemory(path), await attempt('database', () => openEmpty(config))];
  const warnings: string[] = [];
  try {
    return await throughEngine<Finding[]>(besideMemory(path, environment), {
      shared: ({ client }) => inspect(client, config),
      own: async () => {
        if (!embedder.ok) return [notOpened(path)];
        const logger = { warn: (message: string) => void warnings.push(message) };
        const open = () => inspectFile({ ...config, device: 'cpu' }, { logger, signal, environment });
        return [
          ...(await whenFree(open, { path, console, signal, patience: PATIENCE_MILLISECONDS })),
          ...warnings.map(warning),
        ];
      },
    });
  } catch (error) {
    const name = EmbeddingMismatchError.isInstance(error) ? 'vectors' : 'memory';
    return [{ name, ok: false, detail: reasonOf(error) }];
  }
}

function absentMemory(path: string): Finding[] {
  if (path === ':memory:') return [];
  return [{ name: 'memory', ok: true, detail: `${path} does not exist yet; the first import creates it` }];
}

function notOpened(path: string): Finding {
  const detail = `${withoutPassword(path)} was not opened, because its embedder cannot be opened`;
  return { name: 'memory', ok: false, detail };
}

function warning(detail: string): Finding {
  return { name: 'vectors', ok: true, detail };
}

async function openEmpty(config: Config): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-doctor-'));
  try {
    const { openMemory } = await loadEngine();
    const empty = { ...config, path: join(folder, 'memory.db') };
    const { engine, close } = await openMemory(empty, { purpose: 'count' });
    const { backend, schemaVersion } = engine.describe();
    await close();
    return `${backend}, schema ${schemaVersion}: an empty one was created, opened and removed`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function inspectFile(
  config: Config,
  options: Pick<OpenMemoryOptions, 'logger' | 'signal' | 'environment'>,
): Promise<Finding[]> {
  const { openMemory } = await loadEngine();
  const { engine, close } = await openMemory(config, options);
  try {
    return await inspect(localClient(engine), config);
  } finally {
    await close();
  }
}

async function inspect(client: MemoryClient, { path, scope }: Config): Promise<Finding[]> {
  const started = performance.now();
  const counts = await client.stats({ scope });
  await client.search({ scope, query: 'health' });
  const took = `read in ${(performance.now() - started).toFixed(0)} ms`;
  const { pid, version, backend, schemaVersion, embedder } = await client.health({});
  const isServed = pid !== process.pid;
  const vectors =
    embedder === null
      ? 'no vectors'
      : `vectors of ${embedder.model}, ${embedder.dimension} numbers${isServed ? '' : ', as configured'}`;
  const served = isServed ? `served by the engine with pid ${pid}, version ${version}: ` : '';
  return [
    {
      name: 'memory',
      ok: true,
      detail: `${withoutPassword(path)}: ${served}${backend}, schema ${schemaVersion}, ${vectors}`,
    },
    {
      name: 'scope',
      ok: true,
      detail: `"${scope}": ${counts.episode} episodes, ${counts.fact} facts, ${took}`,
    },
    ...(hasFiles(path) ? [await diskSpace(path)] : []),
  ];
}

/** Compaction and checkpoints rewrite the file, so they need its size as free space. */
async function diskSpace(path: string): Promise<Finding> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(path), statfs(dirname(path))]);
  const free = bavail * bsize;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    name: 'disk',
    ok: free > size,
    detail: `file ${megabytes(size)}, ${megabytes(free)} free${free > size ? '' : ': free some space'}`,
  };
}

/** The installed models among those that Mnemis supports, without chat models. */
export async function modelsFinding({ modelsFolder }: Config): Promise<Finding> {
  const here = (await listModels(modelsFolder)).flatMap(({ name, kind, variants }) =>
    variants
      .filter(({ installed }) => installed && kind !== 'chat')
      .map(({ precision, selfCheckedOn }) =>
        selfCheckedOn.length === 0
          ? `${name}:${precision} (not self-checked)`
          : `${name}:${precision} (self-checked on ${selfCheckedOn.join(', ')})`,
      ),
  );
  const detail = here.length === 0 ? 'none; "mnemis models list" shows available models' : here.join(', ');
  return { name: 'models', ok: true, detail: `${modelsFolder}: ${detail}` };
}

/** What runs chat models on this computer, and those that are here, with what they need; loads none. */
export async function localModelFindings(config: Config, environment: Terminal['env']): Promise<Finding[]> {
  const { runtime, machine, items } = await localModels(config, environment);
  const isWanted = config.llmProvider === 'local';
  const state = runtime.isInstalled
    ? `${LLAMA_RUNTIME} ${runtime.version ?? '(another package is named)'}`
    : `not installed; to run chat models on this computer: ${runtime.command}`;
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  const models = items.filter(({ isInstalled, isUsed }) => isInstalled || isUsed);
  const speedOf = ({ speed }: LocalModel) =>
    speed === null
      ? `not measured (mnemis models bench)`
      : `last measured: reads ${speed.promptTokensPerSecond?.toFixed(0)}, writes ${speed.replyTokensPerSecond?.toFixed(1)} tokens per second in ${gigabytes(speed.memoryBytes)}`;
  return [
    { name: 'model runtime', ok: runtime.isInstalled || !isWanted, detail: state },
    ...models.map((model) => ({
      name: 'chat model',
      ok: model.isInstalled && model.fit !== 'memory',
      detail: model.isInstalled
        ? `${model.name}: needs ${gigabytes(model.memoryBytes)} of memory, ${gigabytes(machine.freeMemory)} of ${gigabytes(machine.memory)} are free; ${speedOf(model)}`
        : `${model.name} is set and not here; fetch it with: mnemis models pull ${model.name}`,
    })),
    ...(isWanted && config.llmModel?.endsWith('.gguf')
      ? [{ name: 'chat model', ok: existsSync(config.llmModel), detail: config.llmModel }]
      : []),
  ];
}

/** Opens the configured embedder: in a separate process if it runs on a device, else on the CPU. */
export async function embedderFinding(
  config: Config,
  { terminal, devices }: { readonly terminal: Terminal; readonly devices: boolean },
): Promise<Finding> {
  return isBundled(config.embedder) || !devices ? embedderHere(config) : embedderInProbe(config, terminal);
}

async function embedderHere(config: Config): Promise<Finding> {
  return attempt('embedder', async () => {
    const { embedder: name, embedderDimension: dimension, modelsFolder } = config;
    await using embedder = await openEmbedder({ name, dimension, modelsFolder, device: 'cpu' });
    return `${embedder.fingerprint.model}, ${embedder.fingerprint.dimension} numbers, on the CPU`;
  });
}

async function embedderInProbe(config: Config, terminal: Terminal): Promise<Finding> {
  const { embedder, embedderDimension: dimension, modelsFolder, device } = config;
  const result = await runProbe(
    { ask: 'embedder', name: embedder, dimension, modelsFolder, device },
    { terminal },
  );
  if (result.answer !== 'embedder') {
    const detail = result.answer === 'error' ? result.message : `${embedder} was not opened`;
    return {
      name: 'embedder',
      ok: false,
      detail: result.answer === 'none' ? `${detail}: ${result.how}` : detail,
    };
  }
  const speed = `${result.textsPerSecond.toFixed(0)} short texts per second on ${result.device}`;
  const detail = [`${result.model}, ${result.dimension} numbers, ${speed}`, ...result.warnings].join('; ');
  return { name: 'embedder', ok: true, detail };
}

export async function rerankerFindings(
  config: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  if (config.reranker === 'none') return [];
  const finding = await attempt('reranker', async () => {
    await using reranker = await configuredReranker({ ...config, device: 'cpu' }, environment);
    // A chat model is loaded by its first call.
    await reranker!.rerank('Who moved?', ['Ann moved to Oslo.']);
    return `${reranker!.model}, opened on the ${reranker!.device === 'cpu' ? 'CPU' : reranker!.device}`;
  });
  return [finding];
}

async function attempt(name: string, open: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, detail: await open() };
  } catch (error) {
    return { name, ok: false, detail: reasonOf(error) };
  }
}

/** Of Node.js, for a package that is not installed or not whole, as after an installation without its scripts. */
const NOT_LOADED = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED'];

/** @throws the error itself if it has no code that says what failed. */
function reasonOf(error: unknown): string {
  if (MnemisError.isInstance(error)) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '') throw error;
  return NOT_LOADED.includes(code)
    ? `a package of mnemis cannot be loaded (${code}); install mnemis again and allow its install scripts`
    : `it cannot be opened (${code})`;
}
