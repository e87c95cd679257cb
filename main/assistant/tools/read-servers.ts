import { z } from 'zod';
import { InvalidInputError } from '../../../src/errors/index.ts';
import { describeIssues } from '../../../src/util/describe-issues.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import { type ToolServerInput, toolServerSchema } from '../../contract/tools.ts';

const map = z.record(z.string(), z.unknown());
const entrySchema = z.looseObject({
  type: z.string().optional(),
  transport: z.string().optional(),
  command: z.string().optional(),
  args: z.array(z.coerce.string()).optional(),
  env: z.record(z.string(), z.coerce.string()).optional(),
  url: z.string().optional(),
  serverUrl: z.string().optional(),
  httpUrl: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  disabled: z.boolean().optional(),
});

/** Begins a value that the program which the JSON is from would ask for, or take from its environment. */
const PLACEHOLDER = '${';
const LONGEST_NAME = 60;

export interface ReadServer {
  readonly name: string;
  readonly isOn: boolean;
  readonly server: ToolServerInput;
}

/**
 * The servers in the JSON by which programs share them: `{"mcpServers": {…}}`, or what stands in it.
 *
 * @throws InvalidInputError without any value of the text, which has keys.
 */
export function readServers(text: string): ReadServer[] {
  const json = parseJson(text);
  if (!json.ok) throw new InvalidInputError('The text is no JSON; nothing was added');
  const outer = map.safeParse(json.value).data ?? {};
  const servers = map.safeParse(
    outer.mcpServers ?? outer.servers ?? map.safeParse(outer.mcp).data?.servers ?? outer,
  ).data;
  const entries = Object.entries(servers ?? {});
  if (entries.length === 0 || entries.some(([, entry]) => typeof entry !== 'object' || entry === null))
    throw new InvalidInputError('The text has no servers: it looks like {"mcpServers": {"name": {…}}}');
  return entries.map(([name, entry]) => readServer(name, entry));
}

function readServer(given: string, entry: unknown): ReadServer {
  const name = given
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, LONGEST_NAME)
    .trim();
  if (name === '') throw new InvalidInputError('A server has no name that could be shown; nothing was added');
  const refuse = (why: string) => new InvalidInputError(`The server ${name} ${why}. Nothing was added`);
  const read = entrySchema.safeParse(entry);
  if (!read.success) throw refuse(`is not understood: ${describeIssues(read.error)}`);
  const { type, transport = type, command, args, env, headers, disabled = false } = read.data;
  const url = read.data.url ?? read.data.httpUrl ?? read.data.serverUrl;
  if (JSON.stringify([command, args, env, url, headers]).includes(PLACEHOLDER))
    throw refuse('has a placeholder, which begins with a dollar sign: put the value in its place');
  if (command === undefined && transport === 'sse')
    throw refuse('speaks the old protocol over server-sent events; look for its address for streamable HTTP');
  const parsed = toolServerSchema.safeParse(
    command === undefined ? { url, headers } : { command, args, env },
  );
  if (!parsed.success) throw refuse('has neither a command nor an http or https address');
  return { name, isOn: !disabled, server: parsed.data };
}
