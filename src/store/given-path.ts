import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvalidInputError } from '../errors/index.ts';

interface PathSurroundings {
  /** Where relative paths start. Default: the working folder. */
  readonly folder?: string;
  /** Default: the home folder alone is known. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

/**
 * The absolute path that a person or a settings file gives. No shell has read it, so `~`, `$NAME`, `${NAME}` (on Windows
 * `%NAME%`) and `file:` addresses are read here; in an absolute path every character stands for itself.
 *
 * @throws InvalidInputError for what names no file here; the message does not contain it, since an address may have a
 *   password.
 */
export function givenPath(text: string, surroundings: PathSurroundings = {}): string {
  const { folder = process.cwd(), environment = {}, platform = process.platform } = surroundings;
  if (text.includes('\0')) refuse('contains a NUL character');
  const path = withoutScheme(text);
  if (/^[/\\]/.test(path)) return resolve(path);
  const named = withVariables(path, environment, platform);
  const [, user, rest = ''] = /^~([^/\\]*)[/\\]*(.*)$/s.exec(named) ?? [];
  if (user === undefined) return resolve(folder, named);
  if (user !== '') refuse(`begins with "~" and a name; write that folder in full, or "./~…" for such a name`);
  return resolve(environment.HOME || environment.USERPROFILE || homedir(), rest);
}

/** `file:///x`, `file:/x`, `file://localhost/x`, and relative ones as SQLite has them: `file:x.sqlite`. */
function withoutScheme(text: string): string {
  if (!/^file:/i.test(text)) {
    if (ADDRESS.test(text)) refuse('is an address of a kind that is not supported; give the path of a file');
    return text;
  }
  const rest = text.slice('file:'.length);
  if (/[?#]/.test(rest)) refuse('is a file: address with options; give the path alone');
  try {
    return rest.startsWith('/') ? fileURLToPath(text) : decodeURIComponent(rest);
  } catch {
    return refuse('is a file: address of another machine, or is not valid; give the path of a file');
  }
}

/** Schemes with `//`, and those of databases and stores without: a name may contain a colon. */
const ADDRESS =
  /^(?:[a-z][a-z\d+.-]+:\/\/|(?:sqlite3?|libsql|kuzu|duckdb|jdbc|https?|ftp|s3|gs|mysql|mariadb|mongodb|redis|data|memory|postgres(?:ql)?):)/i;

function withVariables(
  path: string,
  environment: Required<PathSurroundings>['environment'],
  platform: NodeJS.Platform,
): string {
  const pattern =
    platform === 'win32'
      ? /(?<=^|[/\\])(?:\$(\w+)|\$\{(\w+)\}|%(\w+)%)(?=$|[/\\])/g
      : /(?<=^|\/)(?:\$([A-Za-z_]\w*)|\$\{([A-Za-z_]\w*)\})(?=$|\/)/g;
  return path.replace(pattern, (_, plain, braced, percent) => {
    const name: string = plain ?? braced ?? percent;
    const value = environment[name] || (name === 'HOME' ? homedir() : '');
    return value === '' ? refuse(`names the variable ${name}, which is not set or not known here`) : value;
  });
}

function refuse(reason: string): never {
  throw new InvalidInputError(`The path ${reason}`);
}
