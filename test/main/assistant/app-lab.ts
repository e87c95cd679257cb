import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenAppOptions, openApp } from '../../../main/assistant/app.ts';
import type { App } from '../../../main/assistant/app-handlers.ts';
import { AppStore } from '../../../main/assistant/store/app-store.ts';
import { appTextHolder } from '../../../main/assistant/store/app-text-holder.ts';
import { localClient } from '../../../main/client/local-client.ts';
import { type Config, resolveConfig } from '../../../main/config.ts';
import type { ChatEvent, InputOf, MemoryClient } from '../../../main/contract.ts';
import type { RemovingHolder } from '../../../src/edit/proof/text-holder.ts';
import { Mnemis, type OpenOptions } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';

export interface AppLabOptions {
  /** Settings beside the defaults. */
  readonly config?: Partial<Config>;
  readonly engine?: Partial<OpenOptions>;
  readonly app?: Partial<
    Pick<OpenAppOptions, 'clock' | 'quietMilliseconds' | 'environment' | 'restart' | 'toolLimits'>
  >;
}

/** The assistant over an engine of its own, with a client in this process; the app's file is on disk. */
export class AppLab implements AsyncDisposable {
  readonly engine: Mnemis;
  readonly app: App;
  readonly client: MemoryClient;
  readonly folder: string;
  readonly warnings: string[];
  readonly #options: AppLabOptions;
  readonly #current: Opened['current'];

  private constructor(
    parts: Pick<AppLab, 'engine' | 'app' | 'folder' | 'warnings'>,
    current: Opened['current'],
    options: AppLabOptions,
  ) {
    this.engine = parts.engine;
    this.app = parts.app;
    this.folder = parts.folder;
    this.warnings = parts.warnings;
    this.client = localClient(parts.engine, { app: parts.app });
    this.#current = current;
    this.#options = options;
  }

  get store(): AppStore {
    return this.#current.store;
  }

  static async open(options: AppLabOptions = {}): Promise<AppLab> {
    return AppLab.#over(await mkdtemp(join(tmpdir(), 'mnemis-app-')), options);
  }

  static async #over(folder: string, options: AppLabOptions, known?: Opened): Promise<AppLab> {
    const path = join(folder, 'memory');
    const store = await AppStore.open(path);
    const current = known?.current ?? { store };
    current.store = store;
    const engine = known?.engine ?? (await openEngine(current, options));
    const config = {
      ...resolveConfig({ flags: { path }, environment: {}, folder }).values,
      ...options.config,
    };
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message) };
    const app = await openApp({
      // Reading after each exchange costs more than the exchange: tests that need it wait for `reading.settled()`.
      ...{ engine, store, config, folder, logger, environment: {}, quietMilliseconds: 600_000 },
      ...options.app,
    });
    return new AppLab({ engine, app, folder, warnings }, current, options);
  }

  /** Opens the app's file again, as another process would; the engine stays. */
  async reopen({ crash = false }: { readonly crash?: boolean } = {}): Promise<AppLab> {
    if (!crash) await this.app.close();
    await this.store.close();
    return AppLab.#over(this.folder, this.#options, { engine: this.engine, current: this.#current });
  }

  /** Sends a message and takes the whole stream. */
  async chat(text: string, more: Partial<InputOf<'chat'>> = {}): Promise<Said> {
    const input = { conversation: 'c1', message: crypto.randomUUID(), text, ...more };
    return taken(this.client.chat(input));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app.close();
    await this.engine.close();
    await this.store.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface Opened {
  readonly engine: Mnemis;
  /** The app's file as it is open now: the engine outlives it here. */
  readonly current: { store: AppStore };
}

async function openEngine(current: Opened['current'], { engine }: AppLabOptions): Promise<Mnemis> {
  const holder = () => appTextHolder(current.store);
  return Mnemis.open({
    path: ':memory:',
    embedder: new HashingEmbedder({ analyze, dimension: 64 }),
    automatic: false,
    textHolders: [
      {
        name: 'conversations',
        holds: (...asked: Parameters<RemovingHolder['holds']>) => holder().holds(...asked),
        remove: (...asked: Parameters<RemovingHolder['remove']>) => holder().remove(...asked),
      } as RemovingHolder,
    ],
    ...engine,
  });
}

/** What a stream said, and its last answer. */
export interface Said {
  readonly events: readonly ChatEvent[];
  readonly text: string;
  readonly question: string;
  readonly answer: Extract<ChatEvent, { type: 'done' }>['answer'];
}

export async function taken(stream: AsyncIterable<ChatEvent>): Promise<Said> {
  const events: ChatEvent[] = [];
  for await (const event of stream) events.push(event);
  const [begun, done] = [events[0], events.at(-1)];
  if (begun?.type !== 'begun' || done?.type !== 'done') throw new Error('The stream is not whole');
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  return { events, text, question: begun.question.id, answer: done.answer };
}
