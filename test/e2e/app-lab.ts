import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, ElectronApplication, Page } from 'playwright-core';
import { z } from 'zod';
import { findEngine } from '../../main/client/find-engine.ts';
import type { MemoryClient } from '../../main/contract.ts';
import { linkToFront } from '../../main/processes/run-front.ts';
import type { ScriptedServerOptions } from '../fakes/openai-server/script.ts';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';
import { PROGRAM } from './built-app.ts';
import { launchChromium } from './chromium.ts';
import { isElectron, launchElectron, openSecondWindow } from './electron-shell.ts';

const ROOT = join(import.meta.dirname, '../..');
/** How long a page may take for one step on a busy machine, where all programs take ten times as long. */
export const ACTION_MILLISECONDS = 60_000;
const startedSchema = z.object({ link: z.string() });

/** Labs whose windows can be looked at. */
export const openLabs = new Set<AppLab>();

interface LabOptions {
  /** Settings by the names of their environment variables. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A model server that does what it is told, set as the app's model. Default: none, the local tier. */
  readonly model?: ScriptedServerOptions;
  /** Writes the memory's file before the app is started. */
  readonly prepare?: (memory: string) => Promise<void>;
}

/** The app as a user has it: its process, an engine of its own, a memory in a new folder, and a browser. */
export class AppLab implements AsyncDisposable {
  readonly folder: string;
  readonly model: ScriptedOpenAiServer | null;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #contexts: BrowserContext[] = [];
  readonly pages: Page[] = [];
  #process: ChildProcess | null = null;
  #browser: Browser | null = null;
  /** In place of the process and the browser, where the specs drive the desktop window. */
  #desktop: ElectronApplication | null = null;
  #windows = 0;
  /** Requests of pages that left this machine. */
  readonly strays: string[] = [];
  /** Errors of pages that nobody caught. */
  readonly pageErrors: string[] = [];
  /** What the app has printed: documents, and notes for people. */
  printed = '';
  notes = '';

  private constructor(
    folder: string,
    model: ScriptedOpenAiServer | null,
    settings: Readonly<Record<string, string>>,
  ) {
    this.folder = folder;
    this.model = model;
    this.#settings = settings;
  }

  static async start({ settings = {}, model, prepare }: LabOptions = {}): Promise<AppLab> {
    // In a folder of its own, so that a spec sees what is written beside it.
    const folder = join(await mkdtemp(join(tmpdir(), 'mnemis-e2e-')), 'home');
    await mkdir(folder);
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
    openLabs.add(lab);
    await prepare?.(lab.memory);
    await lab.launch();
    return lab;
  }

  get memory(): string {
    return join(this.folder, 'memory.db');
  }

  /** A window of its own, with its own storage; `place` is such as `#/settings`. */
  async open(place = '', options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const page = this.#desktop === null ? await this.#tab(options) : await this.#window(this.#desktop);
    await page.getByRole('navigation').or(page.getByRole('main')).first().waitFor();
    if (place !== '') await this.go(page, place);
    return page;
  }

  async #tab(options: Parameters<Browser['newContext']>[0]): Promise<Page> {
    this.#browser ??= await launchChromium();
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    this.#contexts.push(context);
    const page = await context.newPage();
    this.#watch(page);
    const { link } = await this.link();
    await page.goto(link);
    return page;
  }

  async #window(app: ElectronApplication): Promise<Page> {
    const first = await app.firstWindow();
    const page = this.#windows === 0 ? first : await openSecondWindow(app, first);
    this.#windows += 1;
    this.#watch(page);
    return page;
  }

  #watch(page: Page): void {
    this.pages.push(page);
    page.setDefaultTimeout(ACTION_MILLISECONDS);
    page.on('pageerror', (error) => this.pageErrors.push(error.stack ?? error.message));
    page.on('request', (request) => {
      const { hostname, protocol } = new URL(request.url());
      if (protocol.startsWith('http') && hostname !== '127.0.0.1') this.strays.push(request.url());
    });
  }

  async go(page: Page, place: string): Promise<void> {
    await page.evaluate((hash) => {
      window.location.hash = hash;
    }, place);
  }

  /** A new link, as the command gives it to somebody who opens a second window. */
  async link(): Promise<{ readonly link: string }> {
    const running = await linkToFront(this.memory);
    if (running === null) throw new TypeError('The app does not run');
    return running;
  }

  /** The engine behind the app, once it runs. */
  async engine(): Promise<MemoryClient & { readonly pid: number }> {
    const late = Date.now() + ACTION_MILLISECONDS;
    for (;;) {
      const running = await findEngine(this.memory).catch(() => null);
      if (running !== null) return { ...running.client, pid: running.discovery.pid };
      if (Date.now() > late) throw new TypeError('No engine runs');
      await setTimeout(50);
    }
  }

  /** Ends the app and starts it again, as after a restart of the machine. */
  async restart(): Promise<void> {
    await this.#end();
    await this.launch();
  }

  /** Starts the app. */
  async launch(): Promise<void> {
    if (isElectron) {
      this.#windows = 0;
      this.#desktop = await launchElectron({ ...this.#environment, MNEMIS_PATH: this.memory });
      return;
    }
    const app = this.#run();
    this.#process = app;
    const before = this.printed.length;
    const isStarted = await Promise.race([
      new Promise<boolean>((resolve) => {
        app.stdout!.on('data', () => isComplete(this.printed.slice(before)) && resolve(true));
      }),
      once(app, 'exit').then(() => false),
    ]);
    if (!isStarted) throw new TypeError(`The app ended before it said where it is: ${this.notes}`);
  }

  /** Ends the app's server without a word, as the system does where memory is short. */
  async killFront(): Promise<void> {
    const ended = once(this.#process!, 'exit');
    this.#process!.kill('SIGKILL');
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    openLabs.delete(this);
    for (const context of this.#contexts) await context.close();
    await this.#browser?.close();
    await this.#end();
    await this.model?.[Symbol.asyncDispose]();
    await rm(dirname(this.folder), { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(): Promise<void> {
    // First the app, which would start another engine for the pages that are open.
    await this.#desktop?.close();
    const app = this.#process;
    if (app !== null && app.exitCode === null && app.signalCode === null) {
      const ended = once(app, 'exit');
      app.kill('SIGTERM');
      await ended;
    }
    const engine = await findEngine(this.memory).catch(() => null);
    await engine?.client.shutdown({}).catch(() => undefined);
    await engine?.client.close();
    // It writes its last files after it has replied.
    const late = Date.now() + ACTION_MILLISECONDS;
    while (engine !== null && isAlive(engine.discovery.pid) && Date.now() < late) await setTimeout(20);
  }

  get #environment(): Record<string, string> {
    return { XDG_DATA_HOME: this.folder, HOME: this.folder, ...this.#settings };
  }

  #run(): ChildProcess {
    const app = spawn(
      process.execPath,
      [PROGRAM, 'app', '--browser', '--no-open', '--json', '--path', this.memory],
      {
        cwd: ROOT,
        env: { ...process.env, ...this.#environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    // Notes go to the other output, and may come between the parts of the document.
    app.stdout.on('data', (piece) => {
      this.printed += String(piece);
    });
    app.stderr.on('data', (piece) => {
      this.notes += String(piece);
    });
    return app;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function isComplete(printed: string): boolean {
  try {
    return startedSchema.safeParse(JSON.parse(printed)).success;
  } catch {
    return false; // the rest is still to come
  }
}
