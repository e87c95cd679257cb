import { Command } from 'commander';
import { MnemisError } from '../../../src/errors/index.ts';
import { dataFolder } from '../../../src/util/files.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import type { AgentName } from '../../agents/hook-event.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { wholeNumber } from '../flags.ts';
import { ownSettings } from '../own-settings.ts';
import { standardInput } from '../standard-input.ts';
import { agentArgument } from './agent-argument.ts';
import { installCommand, statusCommand, uninstallCommand } from './agent-install.ts';

interface HookFlags {
  readonly path?: string;
  readonly scope?: string;
  readonly tokens: number;
}

const DEFAULT_TOKENS = 1_500;
/** The agent waits for its hook; the first one of the day starts the engine. */
const MOST_MILLISECONDS = 25_000;
const MOST_BYTES = 8 * 1024 * 1024;

export function agentCommand(terminal: Terminal): Command {
  return new Command('agent')
    .description('Give coding agents a memory: Claude Code, Codex, Cursor, OpenCode, OpenClaw.')
    .addHelpText(
      'after',
      `
Each repository has a scope of its own, the same in every clone and worktree. Your own scope (--scope, by default
"default") is read in all of them.`,
    )
    .addCommand(installCommand(terminal))
    .addCommand(uninstallCommand(terminal))
    .addCommand(statusCommand(terminal))
    .addCommand(hookCommand(terminal));
}

function hookCommand(terminal: Terminal): Command {
  return new Command('hook')
    .description('Run by an agent: stores what was said, and prints what memory has on it.')
    .addArgument(agentArgument())
    .option(
      '--path <file>',
      'the memory’s file, or its postgres:// URL (default: a file in your data folder)',
    )
    .option('--scope <name>', 'your own scope, read in every repository (default: "default")')
    .option('--tokens <number>', 'most tokens of memory that the agent gets', wholeNumber, DEFAULT_TOKENS)
    .addHelpText(
      'after',
      `
Reads the JSON of the agent's hook from standard input. A failure is one line on standard error and exit code 0: memory
never stops an agent.`,
    )
    .action(async (agent: AgentName, flags: HookFlags) => {
      try {
        await hook(agent, { terminal, flags });
      } catch (error) {
        const reason = MnemisError.isInstance(error) ? error.message : 'unexpectedly';
        new CommandConsole(terminal, false).note(`mnemis: The hook of ${agent} failed: ${reason}`);
      }
    });
}

async function hook(
  agent: AgentName,
  { terminal, flags: { tokens, ...flags } }: { readonly terminal: Terminal; readonly flags: HookFlags },
): Promise<void> {
  const note = (line: string) => new CommandConsole(terminal, false).note(`mnemis: ${line}`);
  const given = await payload(terminal);
  if (typeof given === 'string') return note(`The hook of ${agent} was not given what it reads: ${given}.`);
  const [{ readHookEvent }, { hookReply }] = await Promise.all([
    import('../../agents/hook-event.ts'),
    import('../../agents/hook-reply.ts'),
  ]);
  const event = readHookEvent(given.value, agent);
  if (event === null) return note(`The hook of ${agent} was not given the JSON of a hook.`);
  const print = (context: string | null) => {
    const reply = hookReply(event, context);
    if (reply !== null) terminal.stdout.write(`${JSON.stringify(reply)}\n`);
  };
  if (event.kind === 'none') return print(null);
  const [{ runHook }, { repositoryOf }, { connect }] = await Promise.all([
    import('../../agents/run-hook.ts'),
    import('../../agents/repository.ts'),
    import('../../client/connect.ts'),
  ]);
  const { values: config, sources } = ownSettings(terminal, flags);
  const folder = dataFolder(terminal.env);
  const signal = AbortSignal.timeout(MOST_MILLISECONDS);
  // Other prompts follow: the engine stays between them.
  const isAttended = false;
  const client = await connect({ config, sources, environment: terminal.env, folder, isAttended, signal });
  try {
    const repository = repositoryOf(event.folder ?? terminal.cwd());
    print(await runHook(event, { client, repository, personal: config.scope, tokens, signal }));
  } finally {
    await client.close();
  }
}

/** The JSON on standard input, or what is wrong with it. */
async function payload(terminal: Terminal): Promise<{ readonly value: unknown } | string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of standardInput(terminal)) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return 'it is too long';
    chunks.push(chunk);
  }
  const read = parseJson(
    Buffer.concat(chunks)
      .toString('utf8')
      .replace(/^\ufeff/, ''),
  );
  return read.ok ? { value: read.value } : read.reason;
}
