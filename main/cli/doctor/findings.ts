import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { listModels } from '../../../src/engine/models/model-catalogue.ts';
import { isBundled } from '../../../src/engine/models/model-reference.ts';
import { deviceLogIn, openEmbedder, openReranker } from '../../../src/engine/models/open-models.ts';
import { EmbeddingMismatchError, MnemisError, RuntimeMissingError } from '../../../src/errors/index.ts';
import type { Config } from '../../config.ts';
import type { Terminal } from '../console.ts';
import { loadEngine } from '../run-command.ts';
import { type Measurement, type ProbeRequest, type ProbeResult, runProbe } from './run-probe.ts';

/** One line of `mnemis doctor`. */
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

/**
 * Opens the memory with the configured embedder on the CPU: vectors are the same on every device, and no driver can
 * crash this process.
 */
export async function memoryFindings(config: Config, embedder: Finding): Promise<Finding[]> {
  const { path } = config;
  if (path === ':memory:') return [];
  if (!existsSync(path))
    return [{ name: 'memory', ok: true, detail: `${path} does not exist yet; the first import creates it` }];
  if (!embedder.ok)
    return [
      { name: 'memory', ok: false, detail: `${path} was not opened, because its embedder cannot be opened` },
    ];
  const warnings: string[] = [];
  try {
    const logger = { warn: (message: string) => void warnings.push(message) };
    return [...(await inspect({ ...config, device: 'cpu' }, logger)), ...warnings.map(warning)];
  } catch (error) {
    if (!MnemisError.isInstance(error)) throw error;
    const name = EmbeddingMismatchError.isInstance(error) ? 'vectors' : 'memory';
    return [{ name, ok: false, detail: error.message }];
  }
}

function warning(detail: string): Finding {
  return { name: 'vectors', ok: true, detail };
}

async function inspect(config: Config, logger: { warn(message: string): void }): Promise<Finding[]> {
  const { path, scope } = config;
  const { openMemory } = await loadEngine();
  const { engine, close } = await openMemory(config, { logger });
  try {
    const started = performance.now();
    const counts = await engine.scope(scope).stats();
    await engine.scope(scope).search('health');
    const { backend, schemaVersion, fingerprint } = engine.describe();
    const took = `read in ${(performance.now() - started).toFixed(0)} ms`;
    const vectors = `vectors of ${fingerprint?.model}, ${fingerprint?.dimension} numbers, as configured`;
    return [
      { name: 'memory', ok: true, detail: `${path}: ${backend}, schema ${schemaVersion}, ${vectors}` },
      {
        name: 'scope',
        ok: true,
        detail: `"${scope}": ${counts.episode} episodes, ${counts.fact} facts, ${took}`,
      },
      await diskSpace(path),
    ];
  } finally {
    await close();
  }
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

/** The installed models among those that Mnemis supports. */
export async function modelsFinding({ modelsFolder }: Config): Promise<Finding> {
  const here = (await listModels(modelsFolder)).flatMap(({ name, variants }) =>
    variants
      .filter(({ installed }) => installed)
      .map(({ precision, selfCheckedOn }) =>
        selfCheckedOn.length === 0
          ? `${name}:${precision} (not self-checked)`
          : `${name}:${precision} (self-checked on ${selfCheckedOn.join(', ')})`,
      ),
  );
  const detail = here.length === 0 ? 'none; "mnemis models list" shows available models' : here.join(', ');
  return { name: 'models', ok: true, detail: `${modelsFolder}: ${detail}` };
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

export async function rerankerFindings({ reranker: name, modelsFolder }: Config): Promise<Finding[]> {
  if (name === 'none') return [];
  const finding = await attempt('reranker', async () => {
    await using reranker = await openReranker({ name, modelsFolder, device: 'cpu' });
    return `${reranker.model}, opened on the CPU`;
  });
  return [finding];
}

async function attempt(name: string, open: () => Promise<string>): Promise<Finding> {
  try {
    return { name, ok: true, detail: await open() };
  } catch (error) {
    if (!MnemisError.isInstance(error)) throw error;
    return { name, ok: false, detail: error.message };
  }
}
