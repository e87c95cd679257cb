import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Command, Option } from 'commander';
import { TRUST_LEVELS, type Trust } from '../../../src/model/nodes.ts';
import { dataFolder } from '../../../src/util/files.ts';
import { type Repository, repositoryOf } from '../../agents/repository.ts';
import type { Config } from '../../config.ts';
import type { MemoryClient } from '../../contract.ts';
import { InvalidSettingError, UsageError } from '../../errors.ts';
import { newToken } from '../../http/loopback-access.ts';
import { type MemoryServerOptions, readServerOptions } from '../../mcp/server-options.ts';
import { findRecipe } from '../../papers.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { learningFlags, portNumber, wholeNumber } from '../flags.ts';
import { ownSettings } from '../own-settings.ts';
import { settingsOf } from '../run-command.ts';

interface McpFlags extends Partial<Config> {
  readonly http?: number | true;
  readonly readOnly?: boolean;
  readonly trust?: Trust;
  readonly repository?: string | true;
  readonly compatible?: boolean;
}

/** Not a flag: the shell's history and the process list would show it. */
const TOKEN_VARIABLE = 'MNEMIS_MCP_TOKEN';
const TOKEN = /^[\x21-\x7e]{32,200}$/;
const MOST_RESULTS = 50;

export function mcpCommand(terminal: Terminal): Command {
  const command = new Command('mcp')
    .description(
      'Serve a memory to AI apps over MCP, on standard input and output or over HTTP on 127.0.0.1.',
    )
    .option(
      '--path <file>',
      'the memory’s file, or its postgres:// URL (default: a file in your data folder)',
    )
    .option('--scope <name>', 'whose memory; no request can name another (default: "default")')
    .option(
      '--repository [folder]',
      'serve the scope of the repository that this folder is in (default: the working folder), and a tool that remembers in yours (--scope)',
    )
    .option('--http [port]', 'serve over HTTP on 127.0.0.1 instead (default port: any free one)', portNumber)
    .option(
      '--compatible',
      'offer the nine tools of @modelcontextprotocol/server-memory instead; imports the file in MEMORY_FILE_PATH',
    )
    .option('--read-only', 'offer no tools that remember or forget')
    .addOption(
      new Option(
        '--trust <level>',
        'the trust of turns that apps remember (default: "low", as a prompt injection may have written them)',
      ).choices(TRUST_LEVELS),
    )
    .option('--recipe <name>', 'the search recipe (default: "auto")')
    .option(
      '--k <number>',
      'turns that a search shows at most, up to 100 (default: as many as fit)',
      wholeNumber,
    );
  return learningFlags(command)
    .addHelpText(
      'after',
      `
Apps start this command themselves: configure "mnemis mcp" in them. It connects to the memory's running server, or
starts one on the first request. With --http, apps authenticate with the token in ${TOKEN_VARIABLE}; if that is not
set, a new token is generated and printed at each start.`,
    )
    .action((flags: McpFlags) => serve(terminal, flags));
}

async function serve(
  terminal: Terminal,
  { http, readOnly, trust, repository: named, compatible = false, ...flags }: McpFlags,
): Promise<void> {
  const repository = named === undefined ? null : repositoryAt(named === true ? terminal.cwd() : named);
  const { values: config, sources } =
    repository === null ? settingsOf(terminal, flags) : ownSettings(terminal, flags);
  const token = http === undefined ? null : tokenFor(terminal);
  // Standard output carries the protocol.
  const console = new CommandConsole(terminal, false);
  const { recipe, llmTokenBudget: tokenBudget } = config;
  const scope = repository?.scope ?? config.scope;
  const k = sources.k === 'default' ? undefined : Math.min(config.k, MOST_RESULTS);
  await findRecipe(recipe); // an unknown recipe fails here, before the first request
  const logger = { warn: (message: string) => console.note(message) };
  const options = { scope, recipe, k, tokenBudget, readOnly, trust, logger };
  await cancellable(terminal, async (signal) => {
    const folder = repository === null ? terminal.cwd() : dataFolder(terminal.env);
    const client = await clientOf(config, { terminal, folder, signal });
    const personal = repository === null || readOnly === true ? null : config.scope;
    const file = terminal.env.MEMORY_FILE_PATH || undefined;
    const service: Service = {
      client,
      options,
      personal,
      compatible: compatible ? { file } : null,
      console,
      signal,
    };
    try {
      if (token === null) await serveApp(service);
      else await serveApps(service, { token, port: typeof http === 'number' ? http : 0 });
    } finally {
      await client.close();
    }
  });
}

/** @throws UsageError */
function repositoryAt(folder: string): Repository {
  if (!existsSync(folder)) throw new UsageError(`--repository names no folder: ${folder}`);
  return repositoryOf(folder);
}

interface Service {
  readonly client: MemoryClient;
  readonly options: MemoryServerOptions;
  /** The scope of the user, beside that of a repository. */
  readonly personal: string | null;
  /** With the tools of `@modelcontextprotocol/server-memory`: its file. */
  readonly compatible: { readonly file: string | undefined } | null;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
}

/** The engine is found or started on the first request: an app may start all its servers and use only some. */
async function clientOf(
  config: Config,
  {
    terminal,
    folder,
    signal,
  }: { readonly terminal: Terminal; readonly folder: string; readonly signal: AbortSignal },
): Promise<MemoryClient> {
  const { connect } = await import('../../client/connect.ts');
  const { reconnecting } = await import('../../client/reconnecting.ts');
  const options = { config, environment: terminal.env, folder, signal };
  return reconnecting(() => connect(options));
}

async function serverOf({ client, options, personal, compatible }: Service): Promise<() => McpServer> {
  if (compatible !== null) {
    const { createGraphServer } = await import('../../mcp/compatible/create-graph-server.ts');
    const { scope, readOnly, trust, logger } = readServerOptions(options);
    return () => createGraphServer({ client, scope, readOnly, trust, logger, ...compatible });
  }
  const { createMemoryServer } = await import('../../mcp/create-memory-server.ts');
  const { addPersonalTool } = await import('../../mcp/personal-tool.ts');
  return () => {
    const server = createMemoryServer(client, options);
    if (personal !== null) addPersonalTool(server, client, { ...options, scope: personal });
    return server;
  };
}

async function serveApp(service: Service): Promise<void> {
  const { console, signal } = service;
  const { serveStdio } = await import('../../mcp/serve-stdio.ts');
  const { terminal } = console;
  if (terminal.stdin?.isTTY) console.note('Waiting for an MCP client on standard input; Ctrl-C ends it.');
  const open = await serverOf(service);
  await serveStdio(open(), { terminal, signal });
}

async function serveApps(
  service: Service,
  { token, port }: { readonly token: Token; readonly port: number },
): Promise<void> {
  const { McpHttpServer } = await import('../../http/mcp.ts');
  const { console, signal } = service;
  const { logger, scope } = service.options;
  const open = await serverOf(service);
  const server = await McpHttpServer.listen({ open, port, token: token.text, ...(logger && { logger }) });
  try {
    console.note(`Serving scope "${scope}" over MCP at ${server.url}`);
    if (token.isNew) console.note(`Token: ${token.text}`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await server.close();
  }
}

interface Token {
  readonly text: string;
  readonly isNew: boolean;
}

function tokenFor({ env }: Terminal): Token {
  const text = env[TOKEN_VARIABLE];
  if (text === undefined || text === '') return { text: newToken(), isNew: true };
  if (!TOKEN.test(text))
    throw new InvalidSettingError(
      `The token in ${TOKEN_VARIABLE} must have 32 to 200 printable ASCII characters, without spaces`,
    );
  return { text, isNew: false };
}
