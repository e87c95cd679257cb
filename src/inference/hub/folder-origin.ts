import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HubRefusalError, HubUnavailableError } from '../../errors/index.ts';
import { readManifest } from './model-folder.ts';
import {
  checkSource,
  type FileBody,
  type ModelOrigin,
  type ModelSource,
  type PublishedFile,
} from './model-origin.ts';

/**
 * Copies from a folder that holds models under our names or under the hub’s (`owner/name`), such as a disk
 * from a machine with a network. Checksums come from the manifest beside the files, where there is one.
 */
export class FolderOrigin implements ModelOrigin {
  readonly #source: ModelSource;
  readonly #folder: string;
  /** The model’s folder, resolved by `list` only: a pull may create another one that looks like it. */
  #place: string | null = null;
  #commit: string | null = null;

  constructor(source: ModelSource, folder: string) {
    this.#source = checkSource(source);
    this.#folder = folder;
  }

  get commit(): string | null {
    return this.#commit;
  }

  async list(): Promise<readonly PublishedFile[]> {
    const place = this.#find();
    this.#place = place;
    const manifest = await readManifest(place);
    const stated = new Map(manifest?.files.map((file) => [file.path, file]));
    this.#commit = manifest?.commit ?? null;
    return Promise.all(
      this.#source.files.map(async (path): Promise<PublishedFile> => {
        const found = await stat(join(place, path)).catch(() => null);
        if (found === null || !found.isFile()) throw new HubRefusalError(`${join(place, path)} is not there`);
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
    const chunks = readFrom(join(this.#place ?? this.#find(), path), from, signal);
    return { from, chunks };
  }

  #find(): string {
    const { name, repository, files } = this.#source;
    const ours = join(this.#folder, name);
    // A folder without files is no evidence: an interrupted pull leaves one, and so does this pull if it copies to the same folder.
    return files.some((path) => existsSync(join(ours, path))) ? ours : join(this.#folder, repository);
  }
}

async function* readFrom(path: string, from: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
  try {
    yield* createReadStream(path, { start: from, signal });
  } catch (cause) {
    throw new HubUnavailableError(`${path} could not be read to its end`, { cause });
  }
}
