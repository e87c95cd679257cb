import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApp } from '../../../../main/assistant/app.ts';
import { AppStore } from '../../../../main/assistant/store/app-store.ts';
import { localClient } from '../../../../main/client/local-client.ts';
import { type Config, resolveConfig } from '../../../../main/config.ts';
import type { Job, MemoryClient } from '../../../../main/contract.ts';
import { Mnemis, type OpenOptions } from '../../../../src/engine.ts';
import { HashingEmbedder } from '../../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../../src/search/analyzer.ts';

interface LabOptions {
  readonly config?: Partial<Config>;
  readonly engine?: Partial<OpenOptions>;
  /** `:memory:` instead of a file. */
  readonly isInMemory?: boolean;
  readonly restart?: () => void;
}

/** An app with a memory file in a temporary folder, which can be closed and opened again. */
export class AppLab {
  readonly folder: string;
  readonly warnings: string[] = [];
  client!: MemoryClient;
  engine!: Mnemis;
  readonly #options: LabOptions;
  #close: () => Promise<void> = async () => undefined;

  private constructor(folder: string, options: LabOptions) {
    this.folder = folder;
    this.#options = options;
  }

  static async open(options: LabOptions = {}): Promise<AppLab> {
    const lab = new AppLab(await mkdtemp(join(tmpdir(), 'mnemis-jobs-')), options);
    await writeFile(lab.settingsFile, '{}\n'); // without one, settings go to the user's data folder
    await lab.open();
    return lab;
  }

  /** With every default folder inside the lab's. */
  get #environment() {
    return { XDG_DATA_HOME: this.folder, LOCALAPPDATA: this.folder };
  }

  get path(): string {
    return this.#options.isInMemory ? ':memory:' : join(this.folder, 'memory.db');
  }

  get settingsFile(): string {
    return join(this.folder, 'mnemis.config.json');
  }

  get uploads(): string {
    return `${this.path}.uploads`;
  }

  async open(): Promise<void> {
    const { config, engine, restart } = this.#options;
    const logger = { warn: (message: string) => void this.warnings.push(message) };
    this.engine = await Mnemis.open({
      path: this.path,
      embedder: new HashingEmbedder({ analyze, dimension: 64 }),
      automatic: false,
      logger,
      ...engine,
    });
    const { values } = resolveConfig({ flags: {}, environment: this.#environment, folder: this.folder });
    const store = await AppStore.open(this.path);
    const app = await openApp({
      engine: this.engine,
      store,
      config: { ...values, path: this.path, modelsFolder: join(this.folder, 'models'), ...config },
      environment: this.#environment,
      folder: this.folder,
      logger,
      restart,
    });
    this.client = localClient(this.engine, { app });
    this.#close = async () => {
      await app.close();
      await store.close();
      await this.engine.close();
    };
  }

  async close(): Promise<void> {
    await this.#close();
    this.#close = async () => undefined;
  }

  async reopen(): Promise<void> {
    await this.close();
    await this.open();
  }

  async upload(id: string, name: string, content: string | Buffer): Promise<void> {
    const bytes = Buffer.from(content);
    await this.client.beginUpload({ upload: id, name, bytes: bytes.length });
    await this.client.uploadPart({ upload: id, offset: 0, data: bytes.toString('base64') });
  }

  /** Resolves when the job is as wanted; default: when it has ended. */
  async until(job: string, isWanted: (job: Job) => boolean = () => false): Promise<Job> {
    let last: Job | undefined;
    for await (last of this.client.followJob({ job })) if (isWanted(last)) return last;
    return last!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A JSON lines file with conversations of ten turns. */
export function chatLines(turns: number): string {
  return Array.from({ length: turns }, (_, index) =>
    JSON.stringify({
      content: `Note ${index}: Ana visited the town of ${NAMES[index % NAMES.length]} with ${NAMES[(index * 7 + 3) % NAMES.length]}son.`,
      speaker: index % 2 === 0 ? 'Ana' : 'Ben',
      session: `s${Math.floor(index / 10)}`,
      index: index % 10,
      at: Date.UTC(2024, 0, 1) + index * 60_000,
    }),
  ).join('\n');
}

const NAMES = [
  'Lisbon',
  'Ghent',
  'Turin',
  'Porto',
  'Riga',
  'Lyon',
  'Bruges',
  'Oslo',
  'Kyiv',
  'Bergen',
  'Graz',
];
