import { randomFillSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubOrigin } from '../../../src/inference/hub/hub-origin.ts';
import type { ModelSource } from '../../../src/inference/hub/model-origin.ts';
import { type PullOptions, pullModel } from '../../../src/inference/hub/pull-model.ts';
import { HubServer } from '../../fakes/hub-server.ts';

export const SOURCE: ModelSource = {
  name: 'tiny',
  repository: 'owner/model',
  revision: 'main',
  files: ['tokenizer.json', 'onnx/model.onnx'],
};

export const TOKENIZER = '{"model":"a tokenizer"}';
/** More than a socket buffers, so that faults occur midway. */
export const WEIGHTS = randomFillSync(Buffer.alloc(3_000_000));

/** A hub with one model, and an empty folder to pull it into. */
export class HubLab {
  readonly hub: HubServer;
  readonly folder = mkdtempSync(join(tmpdir(), 'mnemis-hub-'));
  readonly home = join(this.folder, SOURCE.name);
  /** The last progress report of each file. */
  readonly reached = new Map<string, number>();

  private constructor(hub: HubServer) {
    this.hub = hub;
    hub.put('tokenizer.json', TOKENIZER).put('onnx/model.onnx', WEIGHTS, { large: true });
    hub.put('README.md', 'not asked for');
  }

  static async start(): Promise<HubLab> {
    return new HubLab(await HubServer.start());
  }

  pull(more: Partial<PullOptions> & { readonly token?: string } = {}) {
    const { token, ...options } = more;
    const source = more.source ?? SOURCE;
    return pullModel({
      source,
      origin: new HubOrigin(source, { baseUrl: this.hub.url, token }),
      folder: this.folder,
      onProgress: ({ file, fileDone }) => void this.reached.set(file, fileDone),
      timing: { stallAfter: 5_000, firstPause: 1, retries: 2, staleLockAfter: 1_500 },
      ...options,
    });
  }

  read(path: string): Buffer {
    return readFileSync(join(this.home, path));
  }

  has(path: string): boolean {
    return existsSync(join(this.home, path));
  }

  /** Paths in the model's folder. */
  files(): string[] {
    if (!existsSync(this.home)) return [];
    const found = readdirSync(this.home, { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.home.length + 1))
      .sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
