import { z } from 'zod';
import { call } from './method.ts';

/** Stands for a secret that was entered before. Saved again, it keeps that. */
export const HIDDEN = '•••';

/** When a tool runs: `ask` asks the person in each chat, `never` does not show it to the model. */
export const PERMISSIONS = ['ask', 'always', 'never'] as const;
const permission = z.enum(PERMISSIONS);

const serverName = z
  .string()
  .trim()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,59}$/u,
    'has letters, digits, spaces, dots and hyphens, at most 60',
  );
const secrets = (name: RegExp) =>
  z
    .record(z.string().regex(name), z.string().max(20_000))
    .refine((all) => Object.keys(all).length <= 100, 'has at most 100 entries');

const programSchema = z.strictObject({
  /** A program of this computer, which speaks the protocol on its standard input and output. */
  command: z.string().trim().min(1).max(4_096),
  args: z.array(z.string().max(20_000)).max(200).default([]),
  env: secrets(/^[^=\0]{1,200}$/).default({}),
});
const addressSchema = z.strictObject({
  /** Of a server that speaks the protocol over streamable HTTP. */
  url: z
    .string()
    .trim()
    .max(4_096)
    .refine(
      (url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol),
      'is an http or https address',
    ),
  headers: secrets(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/).default({}),
});
/** How a server of tools is reached. Values of `env` and `headers` never come back to a page. */
export const toolServerSchema = z.union([programSchema, addressSchema]);
export type ToolServerInput = z.output<typeof toolServerSchema>;

const toolSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  permission,
  /** It was allowed, and has other words or arguments since: it asks again. */
  isChanged: z.boolean(),
});
export type ToolEntry = z.output<typeof toolSchema>;

const serverSchema = z.object({
  name: z.string(),
  isOn: z.boolean(),
  /** Without the values of `env` and `headers`; a query, and arguments that look like keys, are hidden. */
  server: toolServerSchema,
  /** `idle`: it starts when a chat needs it. */
  state: z.enum(['off', 'idle', 'starting', 'running', 'failed']),
  /** Why it failed, in a sentence. */
  problem: z.string().nullable(),
  /** As last listed; null before it has run. */
  tools: z.array(toolSchema).nullable(),
});
export type ToolServer = z.output<typeof serverSchema>;

/** A call of a tool, as an answer shows it. */
export const toolCallSchema = z.object({
  id: z.string(),
  /** Null for a tool of memory. */
  server: z.string().nullable(),
  tool: z.string(),
  /** JSON. */
  arguments: z.string(),
  /** `waiting`: for the person's permission. `stopped`: the answer ended before it did. */
  state: z.enum(['waiting', 'running', 'done', 'failed', 'denied', 'stopped']),
  /** What the tool gave back, cut at a length; null while there is none. */
  result: z.string().nullable(),
  milliseconds: z.number().nullable(),
});
export type ToolCall = z.output<typeof toolCallSchema>;

const named = z.strictObject({ name: serverName });
const toolsReply = z.object({
  servers: z.array(serverSchema),
  /** Memory's own. */
  memory: z.array(toolSchema),
  /** Where the servers and their secrets are kept; null: nowhere. */
  file: z.string().nullable(),
});

export const toolMethods = {
  /** Servers of tools that the person chose. */
  toolServers: call('reads', z.strictObject({}), toolsReply),
  /** Adds a server, or changes the one that it replaces; what is given as `HIDDEN` stays as it was. */
  saveToolServer: call(
    'writes',
    z.strictObject({ name: serverName, replaces: serverName.optional(), server: toolServerSchema }),
    toolsReply,
  ),
  /** Adds all servers of the JSON that programs share (`mcpServers`), or none. */
  importToolServers: call(
    'writes',
    z.strictObject({ json: z.string().max(200_000) }),
    toolsReply.extend({ added: z.array(z.string()) }),
  ),
  /** Off: no chat uses it, and it is ended. */
  switchToolServer: call('writes', named.extend({ isOn: z.boolean() }), toolsReply),
  removeToolServer: call('removes', named, toolsReply),
  /** Starts a server, again if it failed, and lists its tools; a failure is its `problem`. */
  startToolServer: call('writes', named, toolsReply),
  setToolPermission: call(
    'writes',
    z.strictObject({ server: serverName.nullable(), tool: z.string().min(1).max(500), permission }),
    toolsReply,
  ),
  /**
   * The person's answer to a call that waits: `once` for this call, `chat` for this chat, `always` (in a private chat as
   * `once`), or `no`.
   */
  permitTool: call(
    'writes',
    z.strictObject({
      call: z.string().min(1).max(64),
      decision: z.enum(['once', 'chat', 'always', 'no']),
    }),
    z.object({}),
  ),
} as const;
