import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '../../..');
const CLI = join(ROOT, 'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs');
const BLOCK = pathToFileURL(join(import.meta.dirname, '../loopback-only.mjs')).href;
const STARTS_WITHIN = 40_000;
/** How the server is started, as the documents say it. */
export const SERVE = {
  command: ['dev', '--no-browser'],
  variables: { LANGGRAPH_CLI_NO_ANALYTICS: '1' },
} as const;

export interface StudioServer {
  readonly url: string;
  /** Hosts that it tried to reach. */
  networkAttempts(): string;
  /** Ends it and all that it started, and removes its folder. */
  stop(): Promise<void>;
}

export interface StudioOptions {
  /** Settings of Mnemis, such as `MNEMIS_LLM_PROVIDER`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Writes a memory before the server opens it. */
  readonly prepare?: (path: string) => Promise<void>;
}

/** Why the CLI cannot be started here at all; null when it can. */
export async function whyNoStudio(): Promise<string | null> {
  if (!existsSync(CLI)) return '@langchain/langgraph-cli is not installed';
  return (await freePort()) === null ? 'no port can be opened on this machine' : null;
}

/**
 * Studio's API over the repository's own langgraph.json, with its memory and its state in a folder of its own.
 *
 * @throws Error with its output when it ends or is not up in time: then a graph cannot be loaded.
 */
export async function startStudio({ environment = {}, prepare }: StudioOptions = {}): Promise<StudioServer> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mnemis-studio-')));
  const log = join(folder, 'network.log');
  writeFileSync(join(folder, 'langgraph.json'), JSON.stringify(configFor(folder)));
  writeFileSync(log, '');
  const memory = join(folder, 'memory.db');
  await prepare?.(memory);
  const port = (await freePort())!;
  const child = spawn(process.execPath, [CLI, ...SERVE.command, '--port', String(port)], {
    cwd: folder,
    detached: true, // a group of its own, so that its children can be ended with it
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      NODE_OPTIONS: `--import ${BLOCK}`,
      MNEMIS_TEST_NETWORK_LOG: log,
      MNEMIS_PATH: memory,
      ...SERVE.variables,
      ...environment,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data;
    });
  const ended = new Promise((done) => child.on('close', done));
  const endAll = () => endGroup(child.pid);
  process.once('exit', endAll);
  const stop = async () => {
    endAll();
    process.off('exit', endAll);
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  const limit = Date.now() + STARTS_WITHIN;
  while (!(await answers(url))) {
    if (child.exitCode === null && Date.now() < limit && !/ERR_|Error:/.test(output)) {
      await wait(100);
      continue;
    }
    await stop();
    throw new Error(`Studio's API did not come up:\n${output}`);
  }
  return { url, networkAttempts: () => readFileSync(log, 'utf8'), stop };
}

/** The CLI reads graphs from paths relative to its configuration. */
function configFor(folder: string): unknown {
  const config = JSON.parse(readFileSync(join(ROOT, 'langgraph.json'), 'utf8'));
  const graphs = Object.entries<string>(config.graphs).map(([name, place]) => {
    const [file, symbol] = place.split(':') as [string, string];
    return [name, `${relative(folder, join(ROOT, file))}:${symbol}`];
  });
  return { ...config, graphs: Object.fromEntries(graphs) };
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/ok`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function freePort(): Promise<number | null> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(null));
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address !== null ? address.port : null));
    });
  });
}
