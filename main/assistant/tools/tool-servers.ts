import { InvalidInputError } from '../../../src/errors/index.ts';
import type { Logger } from '../../../src/model/logger.ts';
import type { ToolEntry, ToolServer, ToolServerInput } from '../../contract/tools.ts';
import type { OutputOf } from '../../contract.ts';
import { MEMORY_TOOLS } from './memory-tools.ts';
import { readServers } from './read-servers.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  ServerConnection,
  type ServerTool,
  untilAborted,
} from './server-connection.ts';
import { shownServer, withSecrets } from './shown-server.ts';
import type { ToolFile, ToolFileContent } from './tool-file.ts';

type Stored = ToolFileContent['servers'][string];
type Permission = ToolEntry['permission'];
type Description = OutputOf<'toolServers'>;

const MOST_SERVERS = 50;
/** Milliseconds after which a server that failed is tried again, in the background. */
const TRY_AGAIN = 60_000;

export interface ToolServersOptions {
  readonly file: ToolFile;
  readonly onChange: () => void;
  readonly logger: Logger;
  readonly limits?: Partial<ConnectionLimits> | undefined;
}

/** A tool that an answer may use, and whose it is. */
export interface UsableTool extends Pick<ServerTool, 'name' | 'description' | 'input' | 'digest'> {
  /** Null: memory. */
  readonly server: string | null;
  /** Of the server; null: memory. */
  readonly connection: ServerConnection | null;
}

/** The servers of tools that the person chose, with their permissions; each runs only while it is used. */
export class ToolServers {
  readonly #file: ToolFile;
  readonly #onChange: () => void;
  readonly #logger: Logger;
  readonly #limits: ConnectionLimits;
  readonly #connections = new Map<string, ServerConnection>();

  constructor({ file, onChange, logger, limits }: ToolServersOptions) {
    this.#file = file;
    this.#onChange = onChange;
    this.#logger = logger;
    this.#limits = { ...CONNECTION_LIMITS, ...limits };
  }

  /** @throws ToolFileError */
  describe(): Description {
    const { servers, memory } = this.#file.read();
    return {
      servers: Object.entries(servers).map(([name, stored]) => this.#describeServer(name, stored)),
      memory: MEMORY_TOOLS.map((tool) => entryOf(tool, memory, 'always')),
      file: this.#file.path,
    };
  }

  /** The servers that are on. */
  used(): { readonly name: string; readonly server: ToolServerInput }[] {
    return Object.entries(this.#stored().servers).flatMap(([name, { isOn, server }]) =>
      isOn ? [{ name, server }] : [],
    );
  }

  /** Tools of memory, and of the servers that are on and start in time; none that is never to be used. */
  async usable(signal: AbortSignal | undefined, ofServers: boolean): Promise<UsableTool[]> {
    const late = AbortSignal.any([AbortSignal.timeout(this.#limits.wait), ...(signal ? [signal] : [])]);
    const found = await Promise.all(
      (ofServers ? this.used() : []).map(async ({ name: server }) => {
        const connection = this.#connection(server);
        const failedFor = connection.failedFor;
        if (failedFor !== null) {
          if (failedFor > TRY_AGAIN) void connection.start();
          return [];
        }
        const tools = await untilAborted(connection.start(), late).catch(() => []);
        return tools.map((tool): UsableTool => ({ ...tool, server, connection }));
      }),
    );
    signal?.throwIfAborted();
    const own = MEMORY_TOOLS.map((tool): UsableTool => ({ ...tool, server: null, connection: null }));
    return [...own, ...found.flat()].filter((tool) => this.permission(tool) !== 'never');
  }

  /** Whether a tool runs; one that changed since it was allowed asks again. Never: of a server that was ended since. */
  permission({ server, name, digest, connection }: Omit<UsableTool, 'description' | 'input'>): Permission {
    const { servers, memory } = this.#stored();
    const isEnded = server !== null && this.#connections.get(server) !== connection;
    if (isEnded || (server !== null && servers[server]?.isOn !== true)) return 'never';
    return server === null
      ? given({ name, digest }, memory, 'always').permission
      : given({ name, digest }, servers[server]!.permissions, 'ask').permission;
  }

  connection(server: string): ServerConnection {
    this.#known(server);
    return this.#connection(server);
  }

  permit(tool: Pick<UsableTool, 'server' | 'name' | 'digest'>, permission: Permission): void {
    const { server, name, digest } = tool;
    const added = { [name]: { permission, digest } };
    this.#file.change((content) => {
      if (server === null) return { ...content, memory: { ...content.memory, ...added } };
      const stored = this.#known(server);
      const permissions = { ...stored.permissions, ...added };
      return { ...content, servers: { ...content.servers, [server]: { ...stored, permissions } } };
    });
    this.#onChange();
  }

  /** @throws InvalidInputError if the tool is not known, as before its server has run. */
  permitNamed(server: string | null, name: string, permission: Permission): void {
    const tools = server === null ? MEMORY_TOOLS : (this.connection(server).tools ?? []);
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined)
      throw new InvalidInputError('This server has no tool of this name; start it first');
    this.permit({ server, name, digest: tool.digest }, permission);
  }

  async save(name: string, given: ToolServerInput, replaces?: string): Promise<void> {
    const before = replaces === undefined ? undefined : this.#known(replaces);
    const { servers } = this.#file.read();
    if (name !== replaces) this.#checkNew([name], servers);
    const server = withSecrets(given, before?.server);
    const isSame = before !== undefined && JSON.stringify(before.server) === JSON.stringify(server);
    // What was allowed was allowed to that program.
    const stored: Stored = {
      isOn: before?.isOn ?? true,
      server,
      permissions: isSame ? before.permissions : {},
    };
    const entries = Object.entries(servers);
    const place = entries.findIndex(([each]) => each === replaces);
    entries.splice(place < 0 ? entries.length : place, place < 0 ? 0 : 1, [name, stored]);
    this.#file.change((content) => ({ ...content, servers: Object.fromEntries(entries) }));
    await this.#end(replaces ?? name);
    this.#onChange();
  }

  /** Adds all of them or none. */
  import(json: string): string[] {
    const read = readServers(json);
    const names = read.map(({ name }) => name);
    this.#checkNew(names, this.#file.read().servers);
    const added = read.map(({ name, isOn, server }) => [name, { isOn, server, permissions: {} }] as const);
    this.#file.change((content) => ({
      ...content,
      servers: { ...content.servers, ...Object.fromEntries(added) },
    }));
    this.#onChange();
    return names;
  }

  async switch(name: string, isOn: boolean): Promise<void> {
    const stored = this.#known(name);
    this.#file.change((content) => ({
      ...content,
      servers: { ...content.servers, [name]: { ...stored, isOn } },
    }));
    if (!isOn) await this.#end(name);
    this.#onChange();
  }

  async remove(name: string): Promise<void> {
    this.#known(name);
    this.#file.change(({ servers: { [name]: _, ...servers }, ...content }) => ({ ...content, servers }));
    await this.#end(name);
    this.#onChange();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.keys()].map((name) => this.#end(name)));
  }

  async #end(name: string): Promise<void> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    await connection?.close();
  }

  #connection(name: string): ServerConnection {
    const known = this.#connections.get(name);
    if (known !== undefined) return known;
    const { server } = this.#known(name);
    const connection = new ServerConnection(name, server, { limits: this.#limits, onChange: this.#onChange });
    this.#connections.set(name, connection);
    return connection;
  }

  #known(name: string): Stored {
    const { servers } = this.#file.read();
    if (!Object.hasOwn(servers, name))
      throw new InvalidInputError('There is no server of tools of this name');
    return servers[name]!;
  }

  #checkNew(names: readonly string[], known: ToolFileContent['servers']): void {
    const taken = names.find((name, at) => Object.hasOwn(known, name) || names.indexOf(name) !== at);
    if (taken !== undefined)
      throw new InvalidInputError(`There already is a server called ${taken}; nothing was added`);
    if (Object.keys(known).length + names.length > MOST_SERVERS)
      throw new InvalidInputError(`There can be at most ${MOST_SERVERS} servers; nothing was added`);
  }

  /** A chat goes on without tools where the file cannot be read. */
  #stored(): ToolFileContent {
    try {
      return this.#file.read();
    } catch (error) {
      this.#logger.warn(error instanceof Error ? error.message : 'The file of tool servers cannot be read.');
      return { version: 1, servers: {}, memory: {} };
    }
  }

  #describeServer(name: string, { isOn, server, permissions }: Stored): ToolServer {
    const connection = this.#connections.get(name);
    return {
      ...{ name, isOn, server: shownServer(server) },
      state: isOn ? (connection?.state ?? 'idle') : 'off',
      problem: isOn ? (connection?.problem ?? null) : null,
      tools: connection?.tools?.map((tool) => entryOf(tool, permissions, 'ask')) ?? null,
    };
  }
}

function entryOf(
  { name, title, description, digest }: ServerTool,
  permissions: Stored['permissions'],
  otherwise: Permission,
): ToolEntry {
  return { name, title, description, ...given({ name, digest }, permissions, otherwise) };
}

/** When a tool runs. What was always allowed was allowed to its words and arguments of then. */
function given(
  { name, digest }: Pick<ServerTool, 'name' | 'digest'>,
  permissions: Stored['permissions'],
  otherwise: Permission,
): Pick<ToolEntry, 'permission' | 'isChanged'> {
  if (!Object.hasOwn(permissions, name)) return { permission: otherwise, isChanged: false };
  const { permission, digest: then } = permissions[name]!;
  const isChanged = permission === 'always' && then !== digest;
  return { permission: isChanged ? 'ask' : permission, isChanged };
}
