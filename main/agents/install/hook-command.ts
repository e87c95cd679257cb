import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { packageFile } from '../../../src/util/files.ts';
import { programOf } from '../../program-of.ts';
import type { AgentName } from '../hook-event.ts';

/** How an agent calls this program. */
export interface HookCommand {
  /** For a shell. */
  line(agent: AgentName): string;
  /** The program and its arguments. */
  parts(agent: AgentName): readonly string[];
  /** The MCP server of the repository that the agent works in: of its working folder, if it is not named. */
  server(folder?: string): { readonly command: string; readonly args: readonly string[] };
}

export interface CommandOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether others read the configuration, so that it may name no place of this machine. */
  readonly isShared: boolean;
  /** Flags of every call, such as `--path`. */
  readonly flags: readonly string[];
}

/** `mnemis` where that is this program, else this program by its place; for others, `npx`. */
export function hookCommand({ environment, isShared, flags }: CommandOptions): HookCommand {
  const program = isOnPath(environment)
    ? ['mnemis']
    : isShared || isOfNpx()
      ? ['npx', '-y', 'mnemis']
      : [process.execPath, ...programOf('main/cli/main')].map(slashed);
  const parts = (agent: AgentName) => [...program, 'agent', 'hook', agent, ...flags];
  return {
    parts,
    line: (agent) => parts(agent).map(quoted).join(' '),
    server: (folder) => {
      const [command, ...args] = [
        ...program,
        'mcp',
        '--repository',
        ...(folder === undefined ? [] : [folder]),
        ...flags,
      ];
      return { command: command!, args };
    },
  };
}

/** Every shell of Windows takes them, and some read a backslash as an escape. */
const slashed = (path: string) => (process.platform === 'win32' ? path.replaceAll('\\', '/') : path);

const quoted = (part: string) =>
  /^[\w@%+=:,./-]+$/.test(part) ? part : `"${part.replace(/["\\$`]/g, '\\$&')}"`;

/** npx keeps what it runs in a cache, where it does not stay. */
const isOfNpx = () => /[\\/]_npx[\\/]/.test(import.meta.filename);

function isOnPath({ PATH, Path }: CommandOptions['environment']): boolean {
  const own = packageFile('dist/main/cli/main.js');
  if (own === null) return false;
  const name = process.platform === 'win32' ? 'mnemis.cmd' : 'mnemis';
  const found = (PATH ?? Path ?? '').split(delimiter).flatMap((folder) => {
    try {
      return folder === '' ? [] : [realpathSync(join(folder, name))];
    } catch {
      return [];
    }
  });
  // On Windows it is a script beside the package.
  return found.length > 0 && (process.platform === 'win32' || found[0] === realpathSync(own));
}
