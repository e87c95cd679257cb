import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageFile } from '../../../src/util/files.ts';
import { UsageError } from '../../errors.ts';
import { type AgentName, HOOKED_AGENTS } from '../hook-event.ts';
import type { ConfigEdit } from './config-edit.ts';
import type { JsonEntry } from './edit-json.ts';
import type { HookCommand } from './hook-command.ts';

/** Where an agent's configuration is, and how the hooks are called in it. */
export interface InstallPlace {
  /** The user's home folder. */
  readonly home: string;
  /** Root of the repository for its own configuration; null for the user's. */
  readonly project: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface AgentFile {
  readonly path: string;
  readonly edit: ConfigEdit;
}

const SERVER = 'mnemis';
/** Seconds; the command ends before. */
const TIMEOUT = 30;

/** Claude Code: events and the name of the folder of its documentation are those of version 2.1. */
const CLAUDE_EVENTS = ['SessionStart', 'UserPromptSubmit', 'Stop', 'SessionEnd'];
const CODEX_EVENTS = ['SessionStart', 'UserPromptSubmit', 'Stop'];
const CURSOR_EVENTS = ['sessionStart', 'beforeSubmitPrompt', 'afterAgentResponse'];

/** The files that an agent's plugin changes, with what they get. @throws UsageError where the agent has no such place */
export function filesOf(agent: AgentName, place: InstallPlace, command: HookCommand): readonly AgentFile[] {
  return FILES[agent](place, command);
}

type FilesOf = (place: InstallPlace, command: HookCommand) => readonly AgentFile[];

const FILES: Readonly<Record<AgentName, FilesOf>> = {
  'claude-code': ({ home, project, environment }, command) => {
    const own = environment.CLAUDE_CONFIG_DIR;
    const hooks = CLAUDE_EVENTS.map((event) =>
      element(['hooks', event], {
        hooks: [{ type: 'command', command: command.line('claude-code'), timeout: TIMEOUT }],
      }),
    );
    const server = property(['mcpServers', SERVER], { type: 'stdio', ...command.server() });
    return [
      json(
        project === null
          ? join(own || join(home, '.claude'), 'settings.json')
          : join(project, '.claude/settings.json'),
        hooks,
      ),
      json(project === null ? join(own || home, '.claude.json') : join(project, '.mcp.json'), [server]),
    ];
  },
  codex: ({ home, project, environment }, command) => {
    const folder =
      project === null ? environment.CODEX_HOME || join(home, '.codex') : join(project, '.codex');
    const line = tomlText(command.line('codex'));
    const hooks = CODEX_EVENTS.flatMap((event) => [
      `[[hooks.${event}]]`,
      `[[hooks.${event}.hooks]]`,
      'type = "command"',
      `command = ${line}`,
      `timeout = ${TIMEOUT}`,
      '',
    ]);
    const { command: program, args } = command.server();
    const server = [
      `[mcp_servers.${SERVER}]`,
      `command = ${tomlText(program)}`,
      `args = [${args.map(tomlText).join(', ')}]`,
    ];
    return [
      { path: join(folder, 'config.toml'), edit: { kind: 'toml', block: [...hooks, ...server].join('\n') } },
    ];
  },
  cursor: ({ home, project }, command) => {
    const folder = join(project ?? home, '.cursor');
    const version: JsonEntry = { path: ['version'], value: 1, isDefault: true };
    const hooks = CURSOR_EVENTS.map((event) =>
      element(['hooks', event], { command: command.line('cursor'), timeout: TIMEOUT }),
    );
    // Cursor starts the servers of the user's configuration outside of the project.
    const server = property(['mcpServers', SERVER], command.server('$' + '{workspaceFolder}'));
    return [json(join(folder, 'hooks.json'), [version, ...hooks]), json(join(folder, 'mcp.json'), [server])];
  },
  opencode: ({ home, project, environment }, command) => {
    const folder = project ?? join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'opencode');
    const { command: program, args } = command.server();
    const server = { type: 'local', command: [program, ...args], enabled: true };
    const plugin = readFileSync(packageFile('plugin/opencode/mnemis.js')!, 'utf8');
    const [start, ...rest] = command.parts('opencode');
    return [
      json(existing([join(folder, 'opencode.jsonc'), join(folder, 'opencode.json')]), [
        property(['mcp', SERVER], server),
      ]),
      {
        path: join(folder, project === null ? 'plugins/mnemis.js' : '.opencode/plugins/mnemis.js'),
        edit: {
          kind: 'own',
          text: plugin.replace(
            /^const COMMAND = .*$/m,
            () => `const COMMAND = ${JSON.stringify([start, ...rest])};`,
          ),
        },
      },
    ];
  },
  openclaw: ({ home, project, environment }, command) => {
    if (project !== null)
      throw new UsageError(
        'OpenClaw has one configuration, the user’s; omit --project. Nothing was changed.',
      );
    const plugin = dirname(packageFile('plugin/openclaw.plugin.json')!);
    const entry = {
      enabled: true,
      hooks: { allowConversationAccess: true },
      config: { command: command.parts('openclaw') },
    };
    return [
      json(environment.OPENCLAW_CONFIG_PATH || join(home, '.openclaw/openclaw.json'), [
        element(['plugins', 'load', 'paths'], plugin),
        property(['plugins', 'entries', SERVER], entry),
        property(['plugins', 'slots', 'memory'], SERVER),
      ]),
    ];
  },
};

const json = (path: string, entries: readonly JsonEntry[]): AgentFile => ({
  path,
  edit: { kind: 'json', entries },
});
const element = (path: readonly string[], value: unknown): JsonEntry => ({ path, value, isElement: true });
const property = (path: readonly string[], value: unknown): JsonEntry => ({ path, value });

/** The first that is there, else the last. */
const existing = (paths: readonly string[]): string => paths.find(existsSync) ?? paths.at(-1)!;

/** A basic string of TOML has the escapes of JSON. */
const tomlText = (text: string): string => JSON.stringify(text);

const AGENTS = HOOKED_AGENTS.join('|');
const OWN = new RegExp(
  `\\bagent hook (?:${AGENTS})\\b|"--repository"|"hook",\\s*"(?:${AGENTS})"|^"mnemis"$|mnemis[/\\\\]+plugin"$`,
);

/** Whether a value of a configuration is ours, of whatever version and options. */
export function isOurs(value: string): boolean {
  return OWN.test(value);
}
