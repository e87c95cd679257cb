import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddingMismatchError, MnemisError } from '../../../src/errors/index.ts';
import type { Config } from '../../config.ts';
import { loadEngine } from '../run-command.ts';
import type { Finding } from './finding.ts';

/**
 * Opens the memory with the configured embedder on the processor: vectors are the same on every device, and no driver
 * can end this process.
 */
export async function memoryFindings(config: Config, embedder: Finding): Promise<Finding[]> {
  const { path } = config;
  if (path === ':memory:') return [];
  if (!existsSync(path))
    return [{ name: 'memory', ok: true, detail: `${path} does not exist yet; the first import makes it` }];
  if (!embedder.ok)
    return [{ name: 'memory', ok: false, detail: `${path} was not opened, for its embedder cannot be` }];
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

/** Compacting and checkpointing write a file anew, so less free space than the file's size is a warning. */
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
