import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openApp } from '../../../main/assistant/app.ts';
import type { App } from '../../../main/assistant/app-handlers.ts';
import { AppStore } from '../../../main/assistant/store/app-store.ts';
import { httpClient } from '../../../main/client/http-client.ts';
import { localClient } from '../../../main/client/local-client.ts';
import { resolveConfig } from '../../../main/config.ts';
import type { MemoryClient } from '../../../main/contract.ts';
import { LoopbackServer, type ServerOptions } from '../../../main/http/loopback.ts';
import { newToken } from '../../../main/http/loopback-access.ts';
import { Mnemis, type OpenOptions } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';

export const openEngine = (options: Partial<OpenOptions> = {}) =>
  Mnemis.open({
    path: ':memory:',
    embedder: new HashingEmbedder({ analyze, dimension: 64 }),
    automatic: false,
    ...options,
  });

/** The assistant over an engine, with its file in a temporary folder. */
export async function openAssistant(engine: Mnemis): Promise<{ readonly app: App; close(): Promise<void> }> {
  const store = await AppStore.open(':memory:');
  const folder = await mkdtemp(join(tmpdir(), 'mnemis-assistant-'));
  const environment = { XDG_DATA_HOME: folder, LOCALAPPDATA: folder }; // no settings file of this machine
  const config = resolveConfig({ flags: { path: ':memory:' }, environment, folder }).values;
  const logger = { warn: () => undefined };
  const app = await openApp({ engine, store, config, folder, environment, logger });
  const close = async () => {
    await app.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { app, close };
}

/** A server over an engine of its own, both in this process. */
export class ServerLab {
  readonly server: LoopbackServer;
  readonly token: string;
  readonly client: MemoryClient;
  readonly #close: () => Promise<void>;

  private constructor(close: () => Promise<void>, server: LoopbackServer, token: string) {
    this.#close = close;
    this.server = server;
    this.token = token;
    this.client = httpClient({ port: server.port, token });
  }

  static async open(
    options: Partial<ServerOptions> = {},
    engineOptions: Partial<OpenOptions> = {},
  ): Promise<ServerLab> {
    const engine = await openEngine(engineOptions);
    const token = newToken();
    const { app, close } = await openAssistant(engine);
    const server = await LoopbackServer.listen({ client: localClient(engine, { app }), token, ...options });
    return new ServerLab(() => close().finally(() => engine.close()), server, token);
  }

  get headers(): Record<string, string> {
    return { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
  }

  /** Sends bytes as they are and gives all that comes back until the connection ends. */
  async raw(...pieces: readonly (string | Buffer)[]): Promise<string> {
    const socket = this.socket();
    for (const piece of pieces) socket.write(piece);
    return untilClosed(socket);
  }

  socket(): Socket {
    return connect({ host: '127.0.0.1', port: this.server.port });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.#close();
  }
}

export async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return text;
}

/** The head of a request, without its end. */
export function head(
  lab: ServerLab,
  more: Readonly<Record<string, string | number>> = {},
  path = '/v1/health',
): string {
  const headers = { host: `127.0.0.1:${lab.server.port}`, connection: 'close', ...lab.headers, ...more };
  return [
    `POST ${path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
  ].join('\r\n');
}

/** A whole request. */
export function request(
  lab: ServerLab,
  body: string,
  more: Readonly<Record<string, string | number>> = {},
  path?: string,
): string {
  return `${head(lab, { 'content-length': Buffer.byteLength(body), ...more }, path)}\r\n${body}`;
}
