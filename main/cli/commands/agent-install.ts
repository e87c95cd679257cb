import { homedir } from 'node:os';
import { Command } from 'commander';
import { type AgentName, HOOKED_AGENTS } from '../../agents/hook-event.ts';
import type { AgentFile } from '../../agents/install/agent-files.ts';
import type { FileChange } from '../../agents/install/install.ts';
import { repositoryOf } from '../../agents/repository.ts';
import { UsageError } from '../../errors.ts';
import { CommandConsole, canAsk, cancellable, confirm, type Terminal } from '../console.ts';
import { agentArgument } from './agent-argument.ts';

interface PlaceFlags {
  readonly project?: boolean;
  readonly json?: boolean;
}

interface ChangeFlags extends PlaceFlags {
  readonly path?: string;
  readonly scope?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

type Installed = ReturnType<typeof import('../../agents/install/install.ts').installedIn>;

export function installCommand(terminal: Terminal): Command {
  return changeFlags(new Command('install'))
    .description('Write the hooks and the MCP server into an agent’s configuration.')
    .addArgument(agentArgument())
    .option('--path <file>', 'the memory of the hooks (default: that of their settings)')
    .option('--scope <name>', 'your own scope in the hooks (default: that of their settings)')
    .addHelpText(
      'after',
      `
Shows what it changes first, and asks. What the files have stays, with its comments; one that cannot be read is refused.
"mnemis agent uninstall" takes out what was written.`,
    )
    .action((agent: AgentName, flags: ChangeFlags) => change(agent, { terminal, flags, isInstall: true }));
}

export function uninstallCommand(terminal: Terminal): Command {
  return changeFlags(new Command('uninstall'))
    .description('Take them out again; the memory stays.')
    .addArgument(agentArgument())
    .action((agent: AgentName, flags: ChangeFlags) => change(agent, { terminal, flags, isInstall: false }));
}

export function statusCommand(terminal: Terminal): Command {
  return new Command('status')
    .description('Show which agents have a memory, and the scope of this folder.')
    .option('--json', 'print one JSON document')
    .action(async ({ json = false }: PlaceFlags) => {
      const { installedIn } = await import('../../agents/install/install.ts');
      const { root, scope, name } = repositoryOf(terminal.cwd());
      const agents: { agent: AgentName; project: boolean; installed: boolean; files: Installed }[] = [];
      for (const agent of HOOKED_AGENTS)
        for (const project of agent === 'openclaw' ? [false] : [false, true]) {
          const files = installedIn(await filesOf(agent, { terminal, flags: { project } }));
          agents.push({ agent, project, installed: files.every(({ isThere }) => isThere), files });
        }
      new CommandConsole(terminal, json).result({ repository: { name, root, scope }, agents }, () => [
        `Scope of this folder: ${scope}`,
        ...agents.map(({ agent, project, installed, files }) => {
          const partly = files.some(({ isThere }) => isThere) ? 'in part' : 'no';
          return `${agent}${project ? ' (this project)' : ''}: ${installed ? 'installed' : partly}`;
        }),
      ]);
    });
}

function changeFlags(command: Command): Command {
  return command
    .option('--project', 'in the configuration of this repository, which others share; not in yours')
    .option('--dry-run', 'only show the changes')
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON document');
}

interface Wanted {
  readonly terminal: Terminal;
  readonly flags: ChangeFlags;
  readonly isInstall: boolean;
}

async function change(agent: AgentName, { terminal, flags, isInstall }: Wanted): Promise<void> {
  const { json = false, dryRun = false, yes = false } = flags;
  const { carryOut, plannedInstall, plannedUninstall } = await import('../../agents/install/install.ts');
  const { lineChanges } = await import('../../agents/install/line-changes.ts');
  const console = new CommandConsole(terminal, json);
  const files = await filesOf(agent, { terminal, flags });
  const changes = (isInstall ? plannedInstall : plannedUninstall)(files, terminal.env);
  const shown = changes.map(({ path, before, after }) => ({
    path,
    action: after === null ? 'delete' : before === null ? 'create' : 'change',
    lines: lineChanges(before ?? '', after ?? ''),
  }));
  for (const { path, action, lines } of shown) {
    console.line(`${action} ${path}`);
    for (const line of lines)
      console.line(
        line.startsWith('+')
          ? console.style('green', line)
          : line.startsWith('-')
            ? console.style('red', line)
            : line,
      );
  }
  const isMade = changes.length > 0 && !dryRun && (yes || (await agreed(terminal, { json, isInstall })));
  if (isMade) carryOut(changes, terminal.env);
  console.result({ agent, changed: isMade, files: shown }, () => [
    outcomeOf(changes, { agent, isMade, isInstall }),
    ...(isMade && isInstall ? NEXT[agent] : []),
  ]);
}

function outcomeOf(
  changes: readonly FileChange[],
  {
    agent,
    isMade,
    isInstall,
  }: { readonly agent: AgentName; readonly isMade: boolean; readonly isInstall: boolean },
): string {
  if (changes.length === 0) return isInstall ? `${agent} has it already.` : `${agent} has nothing of it.`;
  if (!isMade) return 'Nothing was changed.';
  return isInstall
    ? `${agent} has a memory from its next session on.`
    : `${agent} has no memory any more; what it stored is kept.`;
}

/** What a person has to do in the agent. */
const NEXT: Readonly<Record<AgentName, readonly string[]>> = {
  'claude-code': [],
  codex: ['Codex asks you once to trust the hooks: run /hooks in it.'],
  cursor: [],
  opencode: [],
  openclaw: ['OpenClaw loads it when its gateway restarts: openclaw gateway restart'],
};

/** @throws UsageError where nobody can be asked */
async function agreed(
  terminal: Terminal,
  { json, isInstall }: { readonly json: boolean; readonly isInstall: boolean },
): Promise<boolean> {
  if (json || !canAsk(terminal))
    throw new UsageError(
      'Nothing was changed: nobody can be asked here. Add --yes, or --dry-run to only see the changes.',
    );
  let answer = false;
  await cancellable(terminal, async (signal) => {
    answer = await confirm(terminal, isInstall ? 'Make these changes?' : 'Take it out?', signal);
  });
  return answer;
}

async function filesOf(
  agent: AgentName,
  {
    terminal,
    flags,
  }: { readonly terminal: Terminal; readonly flags: Pick<ChangeFlags, 'project' | 'path' | 'scope'> },
): Promise<readonly AgentFile[]> {
  const [{ filesOf }, { hookCommand }] = await Promise.all([
    import('../../agents/install/agent-files.ts'),
    import('../../agents/install/hook-command.ts'),
  ]);
  const { project: isShared = false, path, scope } = flags;
  const environment = terminal.env;
  const options = Object.entries({ path, scope }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`, value],
  );
  const home = environment.HOME ?? environment.USERPROFILE ?? homedir();
  const project = isShared ? repositoryOf(terminal.cwd()).root : null;
  return filesOf(
    agent,
    { home, project, environment },
    hookCommand({ environment, isShared, flags: options }),
  );
}
