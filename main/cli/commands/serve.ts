import { Command } from 'commander';
import { isDatabaseUrl } from '../../../src/util/database-url.ts';
import { findEngine } from '../../client/find-engine.ts';
import type { Config } from '../../config.ts';
import {
  describeServeSetting,
  readServeSettings,
  SERVE_SETTINGS,
  type ServeSetting,
  serveFlag,
} from '../../http/network/serve-flags.ts';
import { readyPage } from '../../processes/ready-page.ts';
import { CommandConsole, cancellable, type Terminal } from '../console.ts';
import { learningFlags, memoryFlags } from '../flags.ts';
import { settingsOf } from '../run-command.ts';
import { EngineRunningError } from '../when-free.ts';

type ServeFlags = Partial<Config> & Partial<Record<ServeSetting, string>> & { readonly json?: boolean };

export function serveCommand(terminal: Terminal): Command {
  const command = learningFlags(memoryFlags(new Command('serve')))
    .description('Serve a memory to other machines over HTTP, by tokens that are bound to scopes.')
    .option('--recipe <name>', 'the search recipe of MCP’s tools (default: "auto")');
  for (const key of SERVE_SETTINGS) command.option(`${serveFlag(key)} <value>`, describeServeSetting(key));
  return command
    .addHelpText(
      'after',
      `
"mnemis token issue" makes a token. Put a proxy with TLS before the server: it speaks HTTP. The flags above have names
in the environment, too: --requests-per-minute is MNEMIS_SERVE_REQUESTS_PER_MINUTE, --tokens is MNEMIS_TOKENS.
With --app https://memory.example.org browsers of other devices open the app there, and sign in with a token.
"mnemis server" serves programs of the same user on this machine, which need no tokens.`,
    )
    .action(async ({ json = false, ...flags }: ServeFlags) => {
      const console = new CommandConsole(terminal, json);
      const own = Object.fromEntries(SERVE_SETTINGS.map((key) => [key, flags[key]]));
      const settings = readServeSettings(own, terminal.env);
      const { values: config } = settingsOf(terminal, flags);
      const { runServe } = await import('../../processes/run-serve.ts');
      const { findRecipe } = await import('../../papers.ts');
      await findRecipe(config.recipe); // an unknown recipe fails here, before the first request
      const { path } = config;
      const running = isDatabaseUrl(path) ? null : await findEngine(path, { anyProtocol: true });
      if (running !== null) throw new EngineRunningError(path, running.discovery.pid);
      const page = settings.app === undefined ? undefined : await readyPage(console);
      const about = settings.app === undefined ? '' : `, the app at ${settings.app}`;
      await cancellable(terminal, (signal) =>
        runServe(config, {
          page,
          settings,
          signal,
          environment: terminal.env,
          folder: terminal.cwd(),
          output: terminal.stdout,
          flags: memoryFlagsIn(flags),
          logger: { warn: (message) => console.note(message) },
          mcp: { recipe: config.recipe },
          // On standard error: standard output has the audit log.
          onListening: ({ host, port }) =>
            console.note(
              json
                ? JSON.stringify({ host, port, pid: process.pid })
                : `Serving on http://${host.includes(':') ? `[${host}]` : host}:${port}${about}, pid ${process.pid}. Stop it with SIGTERM or Ctrl-C.`,
            ),
          onFailure: (error) => {
            const kind = error instanceof Error ? error.name : 'unknown';
            console.note(`A request failed with an internal error (${kind}).`);
          },
        }),
      );
    });
}

function memoryFlagsIn(flags: ServeFlags): Partial<Config> {
  const own: readonly string[] = SERVE_SETTINGS;
  return Object.fromEntries(Object.entries(flags).filter(([key]) => !own.includes(key)));
}
