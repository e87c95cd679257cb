import { Command, Option } from 'commander';
import { isoDay } from '../../../src/util/iso-day.ts';
import { parseTimestamp } from '../../../src/util/parse-timestamp.ts';
import { InvalidSettingError, UsageError } from '../../errors.ts';
import { isSecureOrigin } from '../../http/loopback-access.ts';
import { type Access, accessSchema, scopePatternSchema } from '../../http/network/grant.ts';
import { openTokens, TOKENS_VARIABLE, tokensFile } from '../../http/network/tokens/open-tokens.ts';
import { isActive, type TokenEntry, type TokenStore } from '../../http/network/tokens/token-store.ts';
import { CommandConsole, type Terminal } from '../console.ts';
import { settingsOf } from '../run-command.ts';

interface TokenFlags {
  readonly path?: string;
  readonly tokens?: string;
  readonly json?: boolean;
}

interface IssueFlags extends TokenFlags {
  readonly scope: readonly string[];
  readonly name: string;
  readonly access: Access;
  readonly expires: string;
  readonly link?: string;
}

const DAY = 86_400_000;
const MILLISECONDS: Readonly<Record<string, number>> = { h: DAY / 24, d: DAY, w: 7 * DAY, y: 365 * DAY };

export function tokenCommand(terminal: Terminal): Command {
  return new Command('token')
    .description('Issue, list and revoke the tokens that "mnemis serve" accepts.')
    .addHelpText(
      'after',
      `
A token works for the scopes that it names, and for nothing else. Only its SHA-256 hash is stored, so it is printed
once. Running servers refuse a revoked token at once.`,
    )
    .addCommand(issueCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(revokeCommand(terminal));
}

function issueCommand(terminal: Terminal): Command {
  return tokenFlags(new Command('issue'))
    .description('Make a token and print it, once.')
    .requiredOption('--name <name>', 'who uses it, for the list')
    .option(
      '--scope <pattern>',
      'a scope, or the beginning of names and *, such as "team-*"; may be repeated',
      (pattern: string, earlier: readonly string[]) => [...earlier, pattern],
      [],
    )
    .addOption(
      new Option('--access <kind>', 'read; write, which is also to forget; metrics, which has no scope')
        .choices(accessSchema.options)
        .default('read'),
    )
    .option('--link <origin>', 'print a link, too, that opens the app of "mnemis serve --app" with the token')
    .option('--expires <when>', 'an age such as 12h, 90d, 4w or 1y, a date, or never', '90d')
    .action(async ({ scope: scopes, name, access, expires, link, ...flags }: IssueFlags) => {
      if (link !== undefined && !isSecureOrigin(link))
        throw new UsageError(
          '--link is an https address without a path, such as https://memory.example.org; no token was made.',
        );
      const wrong = scopes.find((pattern) => !scopePatternSchema.safeParse(pattern).success);
      if (wrong !== undefined)
        throw new UsageError(
          '--scope is the name of a scope, or the beginning of names and * at its end; no token was made.',
        );
      if ((access === 'metrics') === scopes.length > 0)
        throw new UsageError(
          access === 'metrics'
            ? 'A token for metrics has no scope; omit --scope. No token was made.'
            : 'The token needs a scope; name it with --scope, "*" is every scope. No token was made.',
        );
      const request = { name, access, scopes: [...scopes], expires: endOf(expires, Date.now()) };
      await withTokens(terminal, flags, async (tokens, console) => {
        const { token, entry } = await tokens.issue(request);
        // In the fragment, which browsers do not send and servers do not log.
        const linked = link === undefined ? {} : { link: `${link}/#token=${token}` };
        console.result({ token, ...linked, ...shown(entry, Date.now()) }, () => [
          token,
          ...Object.values(linked),
          `Token ${entry.id} for ${entry.name}: ${inWords(entry)}. It is shown this once.`,
        ]);
      });
    });
}

function listCommand(terminal: Terminal): Command {
  return tokenFlags(new Command('list'))
    .description('Show the tokens, without their secrets.')
    .action(async (flags: TokenFlags) =>
      withTokens(terminal, flags, async (tokens, console) => {
        const now = Date.now();
        const entries = await tokens.list();
        console.result({ tokens: entries.map((entry) => shown(entry, now)) }, () =>
          entries.length === 0
            ? 'There are no tokens; "mnemis token issue" makes one.'
            : entries.map((entry) => `${entry.id}  ${entry.name}: ${stateOf(entry, now)}, ${inWords(entry)}`),
        );
      }),
    );
}

function revokeCommand(terminal: Terminal): Command {
  return tokenFlags(new Command('revoke'))
    .description('End a token for good; requests that use it now are ended, too.')
    .argument('<id>', 'as "mnemis token list" shows it')
    .action(async (id: string, flags: TokenFlags) =>
      withTokens(terminal, flags, async (tokens, console) => {
        const entry = await tokens.revoke(id);
        console.result(shown(entry, Date.now()), () => `Token ${entry.id} of ${entry.name} is revoked.`);
      }),
    );
}

function tokenFlags(command: Command): Command {
  return command
    .option(
      '--path <file>',
      'the memory that the tokens are for: its file or URL (default: in your data folder)',
    )
    .option(
      '--tokens <file>',
      `the file of the tokens (default: ${TOKENS_VARIABLE}, or beside the memory; for one on a database server, in its database)`,
    )
    .option('--json', 'print one JSON document');
}

async function withTokens(
  terminal: Terminal,
  { json = false, tokens: file, ...flags }: TokenFlags,
  run: (tokens: TokenStore, console: CommandConsole) => Promise<void>,
): Promise<void> {
  const { path } = settingsOf(terminal, flags).values;
  const place = { path, file, folder: terminal.cwd(), environment: terminal.env };
  if (tokensFile(place)?.startsWith(':memory:'))
    throw new InvalidSettingError('The path :memory: names a memory that cannot be served');
  const tokens = openTokens(place);
  try {
    await run(tokens, new CommandConsole(terminal, json));
  } finally {
    await tokens.close();
  }
}

/** @throws UsageError */
function endOf(text: string, now: number): number | null {
  if (text === 'never') return null;
  const [, count, unit = ''] = /^(\d{1,4})([hdwy])$/.exec(text) ?? [];
  const end = count === undefined ? parseTimestamp(text) : now + Number(count) * MILLISECONDS[unit]!;
  if (end !== null && end > now) return end;
  throw new UsageError(
    '--expires is an age such as 12h, 90d, 4w or 1y, a date to come such as 2030-01-01, or never; no token was made.',
  );
}

function shown({ created, expires, revoked, lastUsed, ...entry }: TokenEntry, now: number) {
  const times = { created, expires, revoked, lastUsed };
  return {
    ...entry,
    state: stateOf({ ...entry, ...times }, now),
    ...Object.fromEntries(
      Object.entries(times).map(([name, time]) => [
        name,
        time === null ? null : new Date(time).toISOString(),
      ]),
    ),
  };
}

function stateOf(entry: TokenEntry, now: number): 'active' | 'revoked' | 'expired' {
  if (isActive(entry, now)) return 'active';
  return entry.revoked === null ? 'expired' : 'revoked';
}

function inWords({ access, scopes, expires, lastUsed }: TokenEntry): string {
  const names = scopes.map((pattern) => `"${pattern}"`).join(', ');
  return [
    access === 'metrics' ? 'reads metrics' : `${access === 'read' ? 'reads' : 'reads and writes'} ${names}`,
    expires === null ? 'does not expire' : `expires ${isoDay(expires)}`,
    lastUsed === null ? 'never used' : `last used ${isoDay(lastUsed)}`,
  ].join(', ');
}
