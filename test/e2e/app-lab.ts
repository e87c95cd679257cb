import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';
import { findEngine } from '../../main/client/find-engine.ts';
import type { MemoryClient } from '../../main/contract.ts';
import type { ScriptedServerOptions } from '../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';
import { launchChromium } from './chromium.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Milliseconds that a page may take for what it is asked. */
const PATIENCE = 15_000;
const startedSchema = z.object({ link: z.string() });

interface LabOptions {
  /** Settings by the names of their environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A model server that does what it is told, set as the app's model. Default: none, the local tier. */
  readonly model?: ScriptedServerOptions;
}

/** The app as a user has it: its process, an engine of its own, a memory in a new folder, and a browser. */
export class AppLab implements AsyncDisposable {
  readonly folder: string;
  readonly model: ScriptedOpenAiServer | null;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #contexts: BrowserContext[] = [];
  #process: ChildProcess | null = null;
  #browser: Browser | null = null;
  /** Requests of pages that left this machine. */
  readonly strays: string[] = [];
  /** Errors of pages that nobody caught. */
  readonly pageErrors: string[] = [];

  private constructor(
    folder: string,
    model: ScriptedOpenAiServer | null,
    settings: Readonly<Record<string, string>>,
  ) {
    this.folder = folder;
    this.model = model;
    this.#settings = settings;
  }

  static async start({ settings = {}, model }: LabOptions = {}): Promise<AppLab> {
    const folder = await mkdtemp(join(tmpdir(), 'mnemis-e2e-'));
    const server = model === undefined ? null : await ScriptedOpenAiServer.start(model);
    const endpoint =
      server === null
        ? {}
        : {
            MNEMIS_LLM_PROVIDER: 'openai-compatible',
            MNEMIS_LLM_MODEL: 'test-model',
            MNEMIS_LLM_BASE_URL: `${server.url}/v1`,
          };
    const lab = new AppLab(folder, server, { ...endpoint, ...settings });
    await lab.#launch();
    return lab;
  }

  get memory(): string {
    return join(this.folder, 'memory.db');
  }

  /** A window of its own, with its own storage; `place` is such as `#/settings`. */
  async open(place = '', options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    this.#browser ??= await launchChromium();
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.#contexts.push(context);
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    page.on('pageerror', (error) => this.pageErrors.push(error.stack ?? error.message));
    page.on('request', (request) => {
      const { hostname, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && hostname !== '127.0.0.1') this.strays.push(request.url());
    });
    const { link } = await this.link();
    await page.goto(link);
    await page.getByRole('navigation').or(page.getByRole('main')).first().waitFor();
    if (place !== '') await this.go(page, place);
    return page;
  }

  async go(page: Page, place: string): Promise<void> {
    await page.evaluate((hash) => {
      window.location.hash = hash;
    }, place);
  }

  /** A new link, by the command of somebody who opens a second window. */
  async link(): Promise<{ readonly link: string }> {
    const program = this.#run();
    const started = await firstDocument(program);
    return started;
  }

  /** The engine behind the app. */
  async engine(): Promise<MemoryClient & { readonly pid: number }> {
    const running = await findEngine(this.memory);
    if (running === null) throw new TypeError('No engine runs');
    return { ...running.client, pid: running.discovery.pid };
  }

  /** Ends the app and starts it again, as after a restart of the machine. */
  async restart(): Promise<void> {
    await this.#end();
    await this.#launch();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.#contexts) await context.close();
    await this.#browser?.close();
    await this.#end();
    await this.model?.[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  async #launch(): Promise<void> {
    this.#process = this.#run();
    await firstDocument(this.#process);
  }

  async #end(): Promise<void> {
    const engine = await findEngine(this.memory).catch(() => null);
    await engine?.client.shutdown({}).catch(() => undefined);
    const app = this.#process;
    if (app === null || app.exitCode !== null) return;
    const ended = new Promise((resolve) => app.once('close', resolve));
    app.kill('SIGTERM');
    await ended;
  }

  #run(): ChildProcess {
    return spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        join(ROOT, 'main/cli/main.ts'),
        'app',
        '--browser',
        '--no-open',
        '--json',
        '--path',
        this.memory,
      ],
      {
        cwd: ROOT,
        env: { ...process.env, XDG_DATA_HOME: this.folder, HOME: this.folder, ...this.#settings },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
  }
}

/** The first line of what a program prints, as JSON. */
async function firstDocument(program: ChildProcess): Promise<z.infer<typeof startedSchema>> {
  let printed = '';
  for await (const piece of program.stdout!) {
    printed += String(piece);
    try {
      return startedSchema.parse(JSON.parse(printed));
    } catch {
      // The rest is still to come.
    }
  }
  throw new TypeError(`The app ended before it said where it is: ${printed}`);
}
