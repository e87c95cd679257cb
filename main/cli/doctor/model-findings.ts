import { listModels } from '../../../src/engine/models/model-catalogue.ts';
import { isBundled } from '../../../src/engine/models/model-reference.ts';
import { openEmbedder, openReranker } from '../../../src/engine/models/open-models.ts';
import { MnemisError } from '../../../src/errors/index.ts';
import type { Config } from '../../config.ts';
import type { Terminal } from '../console.ts';
import type { Finding } from './finding.ts';
import { runProbe } from './run-probe.ts';

/** What of the models that Mnemis knows is on this machine. */
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
  const detail = here.length === 0 ? 'none; "mnemis models list" shows what there is' : here.join(', ');
  return { name: 'models', ok: true, detail: `${modelsFolder}: ${detail}` };
}

/** Opens the configured embedder: one that runs on a device in a process of its own, or else on the processor. */
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
    return `${embedder.fingerprint.model}, ${embedder.fingerprint.dimension} numbers, on the processor`;
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
  const speed = `${result.textsPerSecond.toFixed(0)} short texts a second on ${result.device}`;
  const detail = [`${result.model}, ${result.dimension} numbers, ${speed}`, ...result.warnings].join('; ');
  return { name: 'embedder', ok: true, detail };
}

export async function rerankerFindings({ reranker: name, modelsFolder }: Config): Promise<Finding[]> {
  if (name === 'none') return [];
  const finding = await attempt('reranker', async () => {
    await using reranker = await openReranker({ name, modelsFolder, device: 'cpu' });
    return `${reranker.model}, opened on the processor`;
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
