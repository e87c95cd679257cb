import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HubServer } from './hub-server.ts';
import { tinyCrossEncoder, tinyEncoder } from './onnx/tiny-models.ts';

/** Files of a model, by their paths in a repository. */
export type ModelFiles = Readonly<Record<string, Buffer>>;

/** Fits the profile of all-minilm-l6-v2; random weights of a seed that happens to pass its self-check. */
export function smallEmbedder(seed = 29): ModelFiles {
  return filesOf(tinyEncoder({ width: 384, layers: 0, positions: 256, seed }).write());
}

/** Fits the profile of ms-marco-minilm-l-6-v2, in the same way. */
export function smallReranker(): ModelFiles {
  return filesOf(tinyCrossEncoder({ width: 32, layers: 1, positions: 512, seed: 26 }).write());
}

export const EMBEDDER_REPOSITORY = 'Xenova/all-MiniLM-L6-v2';

/** A hub that has the small embedder where the profile looks for it. */
export async function hubWithEmbedder(): Promise<HubServer> {
  const hub = await HubServer.start();
  hub.repository = EMBEDDER_REPOSITORY;
  for (const [path, content] of Object.entries(smallEmbedder()))
    hub.put(path, content, { large: path.endsWith('.onnx') });
  return hub;
}

function filesOf(folder: { readonly path: string; remove(): void }): ModelFiles {
  try {
    const paths = ['tokenizer.json', 'tokenizer_config.json', 'onnx/model.onnx'];
    return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder.path, path))]));
  } finally {
    folder.remove();
  }
}
