import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chatModelNamed } from '../../../src/inference/llama/chat-models.ts';
import { keptSpeed } from '../../../src/inference/llama/kept-speed.ts';
import { llamaInstallation } from '../../../src/inference/llama/llama-installation.ts';
import { modelInUse } from '../../../src/inference/llama/model-hosts.ts';
import { listModels, type ModelEntry } from '../../../src/inference/models/model-catalogue.ts';
import { freeMemory, wholeMemory } from '../../../src/util/machine.ts';
import type { Config } from '../../config.ts';
import type { LocalModel, OutputOf } from '../../contract.ts';
import { llamaRuntime } from '../../llama-runtime.ts';

const MEGABYTE = 1e6;

interface Machine {
  readonly memory: number;
  readonly freeMemory: number;
  readonly freeDisk: number;
}

/** Chat models that this computer can run, what they need and what it has. */
export async function localModels(
  { modelsFolder, llmProvider, llmModel }: Config,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OutputOf<'localModels'>> {
  const machine = { memory: wholeMemory(), freeMemory: freeMemory(), freeDisk: await freeDisk(modelsFolder) };
  const used = llmProvider === 'local' ? (llmModel ?? null) : null;
  const items = (await listModels(modelsFolder)).flatMap((entry) => itemOf(entry, machine, used) ?? []);
  return {
    runtime: llamaInstallation(llamaRuntime(environment)),
    machine,
    items,
    otherFile: used === null || chatModelNamed(used) !== undefined ? null : used,
  };
}

/** Names of the listed chat models that are on the disk. */
export async function installedChatModels({ modelsFolder }: Config): Promise<string[]> {
  const models = await listModels(modelsFolder);
  return models.flatMap(({ name, kind, variants }) =>
    kind === 'chat' && variants[0]?.installed ? [name] : [],
  );
}

function itemOf(
  { name, licence, folder, variants: [variant], chat }: ModelEntry,
  machine: Machine,
  used: string | null,
) {
  if (chat === null || variant === undefined) return null;
  const bytes = variant.megabytes * MEGABYTE;
  const memoryBytes = chat.memoryMegabytes * MEGABYTE;
  const now = variant.installed ? modelInUse(join(folder, chatModelNamed(name)!.file)) : null;
  const speed = now?.speed ?? keptSpeed(folder);
  const item: LocalModel = {
    name,
    licence,
    languages: chat.languages,
    suits: chat.suits,
    isTried: chat.isTried,
    bytes,
    memoryBytes,
    isInstalled: variant.installed,
    isUsed: used !== null && chatModelNamed(used)?.name === name,
    isLoaded: now?.isLoaded ?? false,
    fit: fitOf({ bytes: variant.installed ? 0 : bytes, memoryBytes }, machine),
    speed: speed && {
      memoryBytes: speed.memoryBytes,
      promptTokensPerSecond: speed.promptTokensPerSecond,
      replyTokensPerSecond: speed.replyTokensPerSecond,
    },
  };
  return item;
}

/** What holds a model up: first what cannot be changed. */
function fitOf(
  { bytes, memoryBytes }: Pick<LocalModel, 'bytes' | 'memoryBytes'>,
  machine: Machine,
): LocalModel['fit'] {
  if (memoryBytes > machine.memory) return 'memory';
  if (bytes > machine.freeDisk) return 'disk';
  return memoryBytes > machine.freeMemory ? 'now-tight' : 'fits';
}

/** Of the disk that the folder is on, or will be. */
async function freeDisk(folder: string): Promise<number> {
  let place = folder;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const { bavail, bsize } = await statfs(place);
  return bavail * bsize;
}
