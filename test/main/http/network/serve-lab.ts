import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { localClient } from '../../../../main/client/local-client.ts';
import type { InputOf, MemoryClient, MethodName } from '../../../../main/contract.ts';
import { type AuditEntry, AuditLog } from '../../../../main/http/network/audit-log.ts';
import { Authenticator, type ForeignTokens } from '../../../../main/http/network/authenticator.ts';
import { TokenFile } from '../../../../main/http/network/tokens/token-file.ts';
import type {
  IssuedToken,
  TokenRequest,
  TokenStore,
} from '../../../../main/http/network/tokens/token-store.ts';
import { NetworkServer, type NetworkServerOptions } from '../../../../main/http/network.ts';
import type { RemotePage } from '../../../../main/http/page/remote-page.ts';
import { openAssistant, openEngine } from '../server-fixture.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each method's own
  readonly result: any;
  /** Of the error. */
  readonly code: string | undefined;
}

interface LabOptions
  extends Partial<Omit<NetworkServerOptions, 'client' | 'authenticator' | 'audit' | 'app'>> {
  /** Serves the app's page. */
  readonly page?: RemotePage;
  readonly client?: (client: MemoryClient) => MemoryClient;
  readonly tokens?: (tokens: TokenStore) => TokenStore;
  readonly foreign?: ForeignTokens;
  /** Where the audit log goes instead of the lab's list. */
  readonly output?: Writable;
}

/** A server for the network over an engine with an assistant, all in this process, and requests with tokens. */
export class ServeLab {
  readonly server: NetworkServer;
  readonly client: MemoryClient;
  readonly tokens: TokenFile;
  readonly path: string;
  readonly warnings: string[];
  readonly #audited: string[];
  readonly #close: () => Promise<void>;

  /** Opens another server over the same memory and tokens, as another process behind the same address. */
  readonly another: () => Promise<NetworkServer>;

  private constructor(
    parts: Pick<ServeLab, 'another'> &
      Pick<ServeLab, 'server' | 'client' | 'tokens' | 'path' | 'warnings'> & { audited: string[] },
    close: () => Promise<void>,
  ) {
    this.server = parts.server;
    this.client = parts.client;
    this.tokens = parts.tokens;
    this.path = parts.path;
    this.warnings = parts.warnings;
    this.another = parts.another;
    this.#audited = parts.audited;
    this.#close = close;
  }

  static async open({
    client: wrap,
    tokens: wrapTokens,
    foreign,
    output: given,
    page,
    ...options
  }: LabOptions = {}): Promise<ServeLab> {
    const folder = await mkdtemp(join(tmpdir(), 'mnemis-serve-'));
    const engine = await openEngine();
    const { app, close } = await openAssistant(engine);
    const client = localClient(engine, { app });
    const path = join(folder, 'tokens.json');
    const tokens = new TokenFile(path);
    const [audited, warnings]: [string[], string[]] = [[], []];
    const logger = { warn: (message: string) => void warnings.push(message) };
    const output = new Writable({
      write(chunk, _encoding, done) {
        audited.push(String(chunk));
        done();
      },
    });
    const listen = () =>
      NetworkServer.listen({
        ...{ host: '127.0.0.1', port: 0, logger },
        ...options,
        app: page && { page, scopes: app.scopes },
        limits: {
          drainMilliseconds: 0,
          wrongTokenMilliseconds: 0,
          recheckMilliseconds: 30,
          ...options.limits,
        },
        client: wrap?.(client) ?? client,
        authenticator: new Authenticator({ tokens: wrapTokens?.(tokens) ?? tokens, foreign, logger }),
        audit: new AuditLog(given ?? output, { logger }),
      });
    const server = await listen();
    return new ServeLab({ server, client, tokens, path, warnings, audited, another: listen }, async () => {
      await server.close();
      await close();
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** The audit log as text, and its entries. */
  get audit(): {
    readonly text: string;
    readonly entries: readonly (AuditEntry & { readonly time: string })[];
  } {
    return { text: this.#audited.join(''), entries: this.#audited.map((line) => JSON.parse(line)) };
  }

  issue(request: Partial<TokenRequest> = {}): Promise<IssuedToken> {
    return this.tokens.issue({ name: 'test', scopes: ['a'], access: 'write', expires: null, ...request });
  }

  async token(request: Partial<TokenRequest> = {}): Promise<string> {
    return (await this.issue(request)).token;
  }

  /** One request of the contract, with the whole reply. */
  async post<Name extends MethodName>(
    token: string | null,
    name: Name,
    input: InputOf<Name> | object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    return this.fetch(`/v1/${name}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json', ...bearer(token), ...headers },
    });
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Reply> {
    const response = await fetch(`${this.url}${path}`, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body = isJson && text !== '' ? JSON.parse(text) : {};
    const { status, headers } = response;
    return { status, headers, text, result: body.result, code: body.error?.code ?? body.error?.data?.code };
  }

  /** A stream of events, whose end the caller waits for. */
  async follow(token: string, name: MethodName, input: object, signal?: AbortSignal) {
    const response = await fetch(`${this.url}/v1/${name}`, {
      method: 'POST',
      body: JSON.stringify(input),
      headers: { 'content-type': 'application/json', ...bearer(token) },
      ...(signal === undefined ? {} : { signal }),
    });
    return { status: response.status, text: response.text() };
  }

  async mcp(token: string, scope?: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '0' });
    const url = new URL(`${this.url}/mcp${scope === undefined ? '' : `/${encodeURIComponent(scope)}`}`);
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers: bearer(token) } });
    await client.connect(transport as Transport);
    return client;
  }

  /** A message of MCP without a client. */
  message(token: string | null, body: object, path = '/mcp'): Promise<Reply> {
    return this.fetch(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...bearer(token),
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

export function bearer(token: string | null): Record<string, string> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Resolves when it is true; fails after five seconds. */
export async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 5_000;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error('It did not become true');
    await wait(10);
  }
}
