import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appContext } from '../../../main/assistant/app.ts';
import type { AppContext } from '../../../main/assistant/app-context.ts';
import { AppStore } from '../../../main/assistant/store/app-store.ts';
import { type Config, type ConfigKey, resolveConfig } from '../../../main/config.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { openEngine } from '../http/server-fixture.ts';

interface LabOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: Partial<Record<ConfigKey, unknown>>;
  readonly clock?: () => number;
  readonly restart?: () => void;
}

/** A temporary folder as working folder, and in it a data folder. */
export class Folders {
  readonly folder = mkdtempSync(join(tmpdir(), 'mnemis-app-test-'));
  readonly data = join(this.folder, 'data', 'mnemis');
  readonly environment: Record<string, string> = {
    XDG_DATA_HOME: join(this.folder, 'data'),
    LOCALAPPDATA: join(this.folder, 'data'),
  };

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a part of the app works with, over real files and an engine with a memory of its own. */
export class AppPartLab {
  readonly context: AppContext;
  readonly warnings: string[];
  readonly #folders: Folders;

  private constructor(folders: Folders, context: AppContext, warnings: string[]) {
    this.#folders = folders;
    this.context = context;
    this.warnings = warnings;
  }

  static async open(options: LabOptions = {}, folders = new Folders()): Promise<AppPartLab> {
    const { flags = {}, clock = Date.now, restart } = options;
    const environment = { ...folders.environment, ...options.environment };
    const { folder } = folders;
    const { values: config } = resolveConfig({ flags, environment, folder });
    const warnings: string[] = [];
    const context = appContext({
      engine: await openEngine(),
      ...{ config, flags, environment, folder, clock, restart },
      store: await AppStore.open(config.path),
      logger: { warn: (message) => void warnings.push(message) },
    });
    return new AppPartLab(folders, context, warnings);
  }

  get engine(): Mnemis {
    return this.context.engine;
  }

  get config(): Config {
    return this.context.config;
  }

  get folder(): string {
    return this.#folders.folder;
  }

  get data(): string {
    return this.#folders.data;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.reading.close();
    await this.context.store.close();
    await this.engine.close();
    this.#folders[Symbol.dispose]();
  }
}
