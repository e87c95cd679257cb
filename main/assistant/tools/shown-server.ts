import { InvalidInputError } from '../../../src/errors/index.ts';
import { HIDDEN, type ToolServerInput } from '../../contract/tools.ts';

/** A flag or a header whose value is a secret as a rule. */
const SECRET_NAME = /(?:key|token|secret|passw|auth|bearer|credential)/i;
/**
 * What stands before the secret of an argument: `--api-key=KEY`, `--header=Authorization: Bearer KEY`,
 * `postgres://USER:KEY@host`, and a query as of an address.
 */
const BEFORE_SECRET = [
  new RegExp(`^.*?${SECRET_NAME.source}[^=:\\s]{0,100}(?:=|:\\s*)(?=.)`, 'is'),
  /^.*?:\/\/(?=[^/\s]{0,1000}@)/s,
  /^.*?:\/\/[^?\s]{0,1000}\?(?=.)/s,
];

/** A server as a page sees it: without secrets. */
export function shownServer(server: ToolServerInput): ToolServerInput {
  if ('url' in server) {
    const url = new URL(server.url);
    const [query, user] = [url.search, url.username + url.password];
    url.search = '';
    url.username = '';
    url.password = '';
    const hides = query !== '' || user !== '';
    return { url: `${url}${hides ? `?${HIDDEN}` : ''}`, headers: hidden(server.headers) };
  }
  return { ...server, args: hiddenArguments(server.args), env: hidden(server.env) };
}

/** Puts back what a page was not shown. @throws InvalidInputError where there is nothing to put back */
export function withSecrets(given: ToolServerInput, before: ToolServerInput | undefined): ToolServerInput {
  const shown = before && shownServer(before);
  if ('url' in given) {
    const known = before && 'url' in before ? before : undefined;
    const isSame = shown !== undefined && 'url' in shown && shown.url === given.url;
    const url = isSame ? known!.url : given.url;
    // A key is for the server that it was entered for.
    const isSamePlace = known !== undefined && new URL(url).origin === new URL(known.url).origin;
    return { url: kept(url), headers: filled(given.headers, isSamePlace ? known.headers : {}) };
  }
  const known = before && 'command' in before ? before : undefined;
  const isSameProgram = known?.command === given.command;
  const args = given.args.map((each, at) => {
    const isShown = isSameProgram && (shown as typeof known)!.args[at] === each;
    return kept(isShown ? known.args[at]! : each);
  });
  return { ...given, args, env: filled(given.env, isSameProgram ? known.env : {}) };
}

const hidden = (secrets: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.keys(secrets).map((name) => [name, HIDDEN]));

function hiddenArguments(args: readonly string[]): string[] {
  return args.map((each, at) => {
    const start = secretAt(args, at);
    return start < each.length ? `${each.slice(0, start)}${HIDDEN}` : each;
  });
}

/** Where the secret of an argument begins, which may follow its flag; its length if it has none. */
function secretAt(args: readonly string[], at: number): number {
  const [each, before] = [args[at]!, args[at - 1] ?? ''];
  if (/^-[^=]*$/.test(before) && SECRET_NAME.test(before) && !each.startsWith('-')) return 0;
  return Math.min(each.length, ...BEFORE_SECRET.flatMap((start) => start.exec(each)?.[0].length ?? []));
}

/** Values of a server that no sentence may have. */
export function hiddenTexts(server: ToolServerInput): string[] {
  if ('url' in server) return Object.values(server.headers);
  const { args, env } = server;
  const within = args.flatMap((each, at) => each.slice(secretAt(args, at)).split(/[\s@:=&]+/));
  return [...Object.values(env), ...args, ...within];
}

function filled(
  given: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      kept(value === HIDDEN ? (known[name] ?? value) : value),
    ]),
  );
}

function kept(value: string): string {
  if (value.includes(HIDDEN))
    throw new InvalidInputError(
      'A hidden value is kept only for the program or address that it was entered for; enter it again. Nothing was saved',
    );
  return value;
}
