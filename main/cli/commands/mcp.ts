import { once } from 'node:events';
import { Command, Option } from 'commander';
import { TRUST_LEVELS, type Trust } from '../../../src/model/nodes.ts';
import type { Config } from '../../config.ts';
import type { MemoryClient } from '../../contract.ts';
import { InvalidSettingError } from '../../errors.ts';
import { newToken } from '../../http/loopback-access.ts';
import type { MemoryServerOptions } from '../../mcp/server-options.ts';
import { findRecipe } from '../../papers.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { learningFlags, portNumber, wholeNumber } from '../flags.ts';
import { settingsOf } from '../run-command.ts';

interface McpFlags extends Partial<Config> {
  readonly http?: number | true;
  readonly readOnly?: boolean;
  readonly trust?: Trust;
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
    .option('--http [port]', 'serve over HTTP on 127.0.0.1 instead (default port: any free one)', portNumber)
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

async function serve(terminal: Terminal, { http, readOnly, trust, ...flags }: McpFlags): Promise<void> {
  const { values: config, sources } = settingsOf(terminal, flags);
  const token = http === undefined ? null : tokenFor(terminal);
  // Standard output carries the protocol.
  const console = new CommandConsole(terminal, false);
  const { scope, recipe, llmTokenBudget: tokenBudget } = config;
  const k = sources.k === 'default' ? undefined : Math.min(config.k, MOST_RESULTS);
  await findRecipe(recipe); // an unknown recipe fails here, before the first request
  const logger = { warn: (message: string) => console.note(message) };
  const options = { scope, recipe, k, tokenBudget, readOnly, trust, logger };
  await cancellable(terminal, async (signal) => {
    const client = await clientOf(config, { terminal, signal });
    const service: Service = { client, options, console, signal };
    try {
      if (token === null) await serveApp(service);
      else await serveApps(service, { token, port: typeof http === 'number' ? http : 0 });
    } finally {
      await client.close();
    }
  });
}

interface Service {
  readonly client: MemoryClient;
  readonly options: MemoryServerOptions;
  readonly console: CommandConsole;
  readonly signal: AbortSignal;
}

/** The engine is found or started on the first request: an app may start all its servers and use only some. */
async function clientOf(
  config: Config,
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<MemoryClient> {
  const { connect } = await import('../../client/connect.ts');
  const { reconnecting } = await import('../../client/reconnecting.ts');
  const options = { config, environment: terminal.env, folder: terminal.cwd(), signal };
  return reconnecting(() => connect(options));
}

async function serveApp({ client, options, console, signal }: Service): Promise<void> {
  const { createMemoryServer } = await import('../../mcp/create-memory-server.ts');
  const { serveStdio } = await import('../../mcp/serve-stdio.ts');
  const { terminal } = console;
  if (terminal.stdin?.isTTY) console.note('Waiting for an MCP client on standard input; Ctrl-C ends it.');
  await serveStdio(createMemoryServer(client, options), { terminal, signal });
}

async function serveApps(
  { client, options, console, signal }: Service,
  { token, port }: { readonly token: Token; readonly port: number },
): Promise<void> {
  const { createMemoryServer } = await import('../../mcp/create-memory-server.ts');
  const { McpHttpServer } = await import('../../http/mcp.ts');
  const { logger, scope } = options;
  const open = () => createMemoryServer(client, options);
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
