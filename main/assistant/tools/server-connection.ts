import { createHash, randomUUID } from 'node:crypto';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolRequest, CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { clip } from '../../../src/prompts/as-data.ts';
import type { ToolServerInput } from '../../contract/tools.ts';
import { mnemisVersion } from '../../version.ts';
import { connectionProblem, isExpired, isReply } from './connection-problem.ts';
import { isSealed, SecretsSealedError, secretsOf } from './sealed-secrets.ts';
import { hiddenTexts } from './shown-server.ts';

/** A tool of a server. */
export interface ServerTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Changes with each of these. */
  readonly digest: string;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

/** In milliseconds. */
export interface ConnectionLimits {
  /** For a start: `npx` may load a package first. */
  readonly start: number;
  /** That an answer waits for a start; the server goes on starting for the next one. */
  readonly wait: number;
  readonly call: number;
  /** Without a call, after which it is ended. */
  readonly idle: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  start: 60_000,
  wait: 10_000,
  call: 60_000,
  idle: 600_000,
};

/** Bytes of one message, and pages of a list of tools. */
const MOST_BYTES = 10 * 1024 * 1024;
const MOST_PAGES = 20;
/** Characters that are kept of what a program writes about itself: more than of any secret. */
const MOST_SAID = 64_000;
/** Characters of all tools of a server, and of what people read of one. */
const MOST_LISTED = 2_000_000;
const [LONGEST_TITLE, LONGEST_DESCRIPTION] = [200, 4_000];
const MOST_REDIRECTS = 5;
/** Statuses that send a request on as it is; after others nothing of it would be left. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
/** Milliseconds that a server gets to take note of an end. */
const GOODBYE = 1_000;

interface Session {
  readonly client: Client;
  readonly tools: readonly ServerTool[];
}

/** One server of tools: started when it is needed, ended when it is idle. */
export class ServerConnection {
  /** Another one where the server was changed, or switched off and on. */
  readonly id = randomUUID();
  readonly #name: string;
  readonly #server: ToolServerInput;
  readonly #limits: ConnectionLimits;
  readonly #onChange: () => void;
  #session: Session | null = null;
  #starting: Promise<readonly ServerTool[]> | null = null;
  #known: readonly ServerTool[] | null = null;
  #problem: string | null = null;
  #failedAt = 0;
  #calls = 0;
  #idle: NodeJS.Timeout | null = null;
  /** Programs and sessions that are being ended. */
  #ending: Promise<unknown> = Promise.resolve();
  readonly #closed = new AbortController();
  /** Of the program: the end of what it wrote about itself, and whether it wrote what is no message. */
  #said = '';
  #isNoise = false;

  constructor(
    name: string,
    server: ToolServerInput,
    { limits, onChange }: { readonly limits: ConnectionLimits; readonly onChange: () => void },
  ) {
    this.#name = name;
    this.#server = server;
    this.#limits = limits;
    this.#onChange = onChange;
  }

  get state(): 'idle' | 'starting' | 'running' | 'failed' {
    if (this.#session !== null) return 'running';
    if (this.#starting !== null) return 'starting';
    return this.#problem === null ? 'idle' : 'failed';
  }

  /** Why the last start failed, in a sentence; it stays while it is tried again. */
  get problem(): string | null {
    return this.#problem;
  }

  /** As last listed; null before it has run. */
  get tools(): readonly ServerTool[] | null {
    return this.#known;
  }

  /** Milliseconds since it failed; none: it has not. */
  get failedFor(): number | null {
    return this.#problem === null ? null : performance.now() - this.#failedAt;
  }

  /** Starts it unless it runs. @throws the reason, which `problem` then says to people */
  start(): Promise<readonly ServerTool[]> {
    if (this.#session !== null) return Promise.resolve(this.#session.tools);
    this.#starting ??= this.#open().finally(() => {
      this.#starting = null;
      this.#onChange();
    });
    this.#starting.catch(() => undefined);
    return this.#starting;
  }

  /** Never throws but for the signal: a failure is a result that says so. */
  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<ToolResult> {
    this.#calls += 1;
    this.#stopIdle();
    const params = { name: tool, arguments: { ...args } };
    try {
      const result = await this.#request(params, signal).catch(async (error: unknown) => {
        // Its session has ended, as after a restart of the server: the call was not carried out.
        if (!isExpired(error)) throw error;
        await this.#end();
        return this.#request(params, signal);
      });
      return { text: textOf(result), isError: result.isError === true };
    } catch (error) {
      signal?.throwIfAborted();
      // What came late, or broke the connection, may still block it: the next call starts it again.
      if (!isReply(error)) void this.#end();
      return { text: this.#problem ?? this.#sentence(error, 'call'), isError: true };
    } finally {
      this.#calls -= 1;
      this.#waitIdle();
    }
  }

  async #request(params: CallToolRequest['params'], signal: AbortSignal | undefined) {
    await (signal === undefined ? this.start() : untilAborted(this.start(), signal));
    const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    const { call: timeout } = this.#limits;
    return this.#session!.client.request({ method: 'tools/call', params }, CallToolResultSchema, {
      ...{ timeout, maxTotalTimeout: timeout, ...(signal && { signal }) },
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#stopIdle();
    await this.#starting?.catch(() => undefined);
    await this.#end();
    await this.#ending;
  }

  async #end(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    if (session !== null) await this.#endClient(session.client);
  }

  #endClient(client: Client): Promise<void> {
    const ended = closeClient(client);
    this.#ending = Promise.all([this.#ending, ended]);
    return ended;
  }

  async #open(): Promise<readonly ServerTool[]> {
    this.#said = '';
    this.#isNoise = false;
    this.#onChange();
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const client = new Client({ name: 'mnemis', version: mnemisVersion() }, { capabilities: {} });
    client.onerror = () => {
      this.#isNoise = true;
      // After a message that is too long the transport ends the program, and says so only when that has ended.
      queueMicrotask(() => {
        const { transport } = client;
        if (transport !== undefined && 'pid' in transport && transport.pid === null) transport.onclose?.();
      });
    };
    client.onclose = () => {
      if (this.#session?.client !== client) return;
      this.#session = null;
      this.#onChange();
    };
    const ended = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(this.#limits.start)]);
    try {
      if (Object.values(secretsOf(this.#server)).some(isSealed)) throw new SecretsSealedError(this.#name);
      const transport = await this.#transport();
      ended.throwIfAborted();
      await untilAborted(client.connect(transport, { timeout: this.#limits.start }), ended);
      const tools = await untilAborted(listTools(client, this.#limits.start), ended);
      this.#session = { client, tools };
      this.#known = tools;
      this.#problem = null;
      this.#waitIdle();
      return tools;
    } catch (error) {
      void this.#endClient(client);
      this.#problem = this.#sentence(error, 'start');
      this.#failedAt = performance.now();
      throw error;
    }
  }

  async #transport(): Promise<Transport> {
    if ('url' in this.#server) {
      const { url, headers } = this.#server;
      const { StreamableHTTPClientTransport } = await import(
        '@modelcontextprotocol/sdk/client/streamableHttp.js'
      );
      return new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { ...headers } },
        fetch: fetchWithinLimit,
      }) as Transport;
    }
    const { command, args, env } = this.#server;
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    // Beside `env` it gets the few variables that the SDK calls safe: no key of ours is among them.
    const transport = new StdioClientTransport({
      ...{ command, args: [...args], env: { ...env } },
      stderr: 'pipe',
      maxBufferSize: MOST_BYTES,
    });
    transport.stderr?.on('data', (piece: Buffer) => {
      this.#said = `${this.#said}${piece}`.slice(-MOST_SAID);
    });
    return transport;
  }

  #sentence(error: unknown, what: 'start' | 'call'): string {
    const isProgram = 'command' in this.#server;
    const { start, call } = this.#limits;
    return connectionProblem(error, {
      ...{ name: this.#name, what, isProgram, secrets: hiddenTexts(this.#server) },
      ...{ said: this.#said, isNoise: this.#isNoise },
      seconds: Math.ceil((what === 'start' ? start : call) / 1_000),
    });
  }

  #waitIdle(): void {
    this.#stopIdle();
    if (this.#calls > 0 || this.#session === null) return;
    this.#idle = setTimeout(() => void this.#end().then(this.#onChange), this.#limits.idle);
    this.#idle.unref();
  }

  #stopIdle(): void {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
  }
}

async function listTools(client: Client, timeout: number): Promise<readonly ServerTool[]> {
  const { ListToolsResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const tools: ServerTool[] = [];
  if (client.getServerCapabilities()?.tools === undefined) return tools;
  let cursor: string | undefined;
  let left = MOST_LISTED;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const list = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, { timeout });
    for (const { name, title, annotations, description = '', inputSchema } of list.tools) {
      const input = inputSchema as Readonly<Record<string, unknown>>;
      const all = JSON.stringify([name, description, input]);
      left -= all.length;
      if (left < 0) return tools;
      const digest = createHash('sha256').update(all).digest('hex');
      tools.push({
        ...{ name, input, digest, description: clip(description, LONGEST_DESCRIPTION) },
        title: clip(title ?? annotations?.title ?? name, LONGEST_TITLE),
      });
    }
    cursor = list.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

/** The words of a result; what is no text is named. */
function textOf({ content, structuredContent }: CallToolResult): string {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource_link') return `[${part.name}: ${part.uri}]`;
    if (part.type !== 'resource') return `[${part.type}, ${part.mimeType}]`;
    return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}]`;
  });
  if (parts.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return parts.join('\n');
}

/** A server over HTTP is told that its session ends. */
async function closeClient(client: Client): Promise<void> {
  const transport = client.transport;
  if (transport !== undefined && 'terminateSession' in transport) {
    const end = transport.terminateSession as () => Promise<void>;
    await Promise.race([
      end.call(transport).catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, GOODBYE).unref()),
    ]);
  }
  await client.close().catch(() => undefined);
}

/** Replies of more bytes than a message may have break off; no stream of messages that nobody asked for is opened. */
async function fetchWithinLimit(input: string | URL, init?: RequestInit): Promise<Response> {
  const isStanding = init?.method === 'GET' && !new Headers(init.headers).has('last-event-id');
  if (isStanding) return new Response(null, { status: 405 });
  const response = await fetchAtOrigin(input, init);
  if (response.body === null) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > MOST_BYTES) controller.error(new SyntaxError('too long'));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, response);
}

/** Follows a request that is sent on within its origin; another one would get the headers, which have keys. */
async function fetchAtOrigin(
  input: string | URL,
  init: RequestInit | undefined,
  left = MOST_REDIRECTS,
): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const location = KEEPS_METHOD.has(response.status) ? response.headers.get('location') : null;
  const to = location !== null && URL.canParse(location, `${input}`) ? new URL(location, input) : null;
  if (left === 0 || to === null || to.origin !== new URL(input).origin) return response;
  await response.body?.cancel();
  return fetchAtOrigin(to, init, left - 1);
}

/** Settles with the promise, or when the signal fires. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
