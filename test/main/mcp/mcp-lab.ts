import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type CallToolResult, CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { localClient } from '../../../main/client/local-client.ts';
import type { MemoryClient } from '../../../main/contract.ts';
import { createMemoryServer } from '../../../main/mcp/create-memory-server.ts';
import type { MemoryServerOptions } from '../../../main/mcp/server-options.ts';
import { Mnemis } from '../../../src/engine.ts';
import { WaitingEmbedder } from '../../langchain/waiting-embedder.ts';

/** What a tool said, read. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each tool's own, which the client has checked against its schema
  readonly data: any;
  /** Of the error. */
  readonly code: string | undefined;
}

/** An MCP client of a test's own. */
export class App {
  readonly client = new Client({ name: 'test', version: '0' });

  /** @param checks - whether results are checked against the tools' schemas, which takes a moment to prepare. */
  static async over(transport: Transport, checks = true): Promise<App> {
    const app = new App();
    await app.client.connect(transport);
    if (checks) await app.client.listTools();
    return app;
  }

  async call(name: string, input: object = {}, options: RequestOptions = {}): Promise<Told> {
    const request = { name, arguments: input as Record<string, unknown> };
    const result = (await this.client.callTool(request, CallToolResultSchema, options)) as CallToolResult;
    const text = result.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    const { code } = (result._meta?.['mnemis/error'] ?? {}) as { readonly code?: string };
    return { isError: result.isError === true, text, data: result.structuredContent, code };
  }

  async read(uri: string): Promise<Record<string, unknown>> {
    const { contents } = await this.client.readResource({ uri });
    const [first] = contents;
    return JSON.parse(first !== undefined && 'text' in first ? first.text : '');
  }

  async uris(): Promise<string[]> {
    return (await this.client.listResources()).resources.map(({ uri }) => uri);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

/** An engine of a test's own, and apps that reach it by an MCP server within the process. */
export class McpLab {
  readonly engine: Mnemis;
  readonly embedder: WaitingEmbedder;
  readonly client: MemoryClient;
  readonly warnings: string[] = [];

  private constructor(engine: Mnemis, embedder: WaitingEmbedder) {
    this.engine = engine;
    this.embedder = embedder;
    this.client = localClient(engine);
  }

  static async open(): Promise<McpLab> {
    const embedder = new WaitingEmbedder();
    return new McpLab(await Mnemis.open({ path: ':memory:', embedder, automatic: false }), embedder);
  }

  server(options: MemoryServerOptions = {}, client = this.client) {
    const logger = { warn: (message: string) => void this.warnings.push(message) };
    return createMemoryServer(client, { logger, ...options });
  }

  async app(options: MemoryServerOptions = {}, client = this.client): Promise<App> {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await this.server(options, client).connect(theirs);
    return App.over(ours);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
  }
}
