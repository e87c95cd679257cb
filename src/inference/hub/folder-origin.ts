import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HubRefusalError, HubUnavailableError } from '../../errors/index.ts';
import { readManifest } from './model-manifest.ts';
import type { FileBody, ModelOrigin, PublishedFile } from './model-origin.ts';
import { checkSource, type ModelSource } from './model-source.ts';

/**
 * Copies from a folder that holds models under our names or under the hub’s (`owner/name`): a disk carried from a
 * machine with a network. Checksums are those of the manifest, where one lies beside the files.
 */
export class FolderOrigin implements ModelOrigin {
  readonly #source: ModelSource;
  readonly #folder: string;
  #commit: string | null = null;

  constructor(source: ModelSource, folder: string) {
    this.#source = checkSource(source);
    this.#folder = folder;
  }

  get commit(): string | null {
    return this.#commit;
  }

  async list(): Promise<readonly PublishedFile[]> {
    const manifest = await readManifest(this.#place());
    const stated = new Map(manifest?.files.map((file) => [file.path, file]));
    this.#commit = manifest?.commit ?? null;
    return Promise.all(
      this.#source.files.map(async (path): Promise<PublishedFile> => {
        const found = await stat(join(this.#place(), path)).catch(() => null);
        if (found === null || !found.isFile())
          throw new HubRefusalError(`${join(this.#place(), path)} is not there`);
        const sha256 = stated.get(path)?.sha256;
        return {
          path,
          bytes: stated.get(path)?.bytes ?? found.size,
          digest: sha256 === undefined ? null : { kind: 'sha256', hex: sha256 },
        };
      }),
    );
  }

  async read({ path }: PublishedFile, from: number, signal: AbortSignal): Promise<FileBody> {
    const chunks = readFrom(join(this.#place(), path), from, signal);
    return { from, chunks };
  }

  #place(): string {
    const { name, repository } = this.#source;
    const ours = join(this.#folder, name);
    return existsSync(ours) ? ours : join(this.#folder, repository);
  }
}

async function* readFrom(path: string, from: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { start: from, signal });
  } catch (cause) {
    throw new HubUnavailableError(`${path} could not be read to its end`, { cause });
  }
}
