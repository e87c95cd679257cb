import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { defineError } from '../../../src/errors/mnemis-error.ts';
import { writeStateFile } from '../../../src/util/files.ts';
import { parseJson } from '../../../src/util/parse-json.ts';
import { PERMISSIONS, toolServerSchema } from '../../contract/tools.ts';
import { isSealed, opened, sealed, secretsOf, withEachSecret } from './sealed-secrets.ts';

const permissions = z.record(
  z.string(),
  z.strictObject({
    permission: z.enum(PERMISSIONS),
    /** Of the tool's words and arguments when it was permitted. */
    digest: z.string(),
  }),
);
const fileSchema = z.strictObject({
  version: z.literal(1),
  servers: z.record(z.string(), z.strictObject({ isOn: z.boolean(), server: toolServerSchema, permissions })),
  /** Permissions of memory's own tools. */
  memory: permissions,
});
export type ToolFileContent = z.output<typeof fileSchema>;

const NOTHING: ToolFileContent = { version: 1, servers: {}, memory: {} };

/** Where the servers of tools are kept. `memory`: as `besideMemory` gives it. */
export const toolFile = (memory: string): string => `${memory}.tools.json`;

/**
 * Servers of tools with their secrets, in a file that only the user can read; without a path, in this process alone. With
 * a key, the secrets are sealed in the file.
 */
export class ToolFile {
  readonly path: string | null;
  readonly #key: Buffer | null;
  #content: ToolFileContent | null = null;

  constructor(path: string | null, key: Buffer | null = null) {
    this.path = path;
    this.#key = key;
  }

  /** @throws ToolFileError */
  read(): ToolFileContent {
    this.#content ??= this.#stored();
    return this.#content;
  }

  /** @throws ToolFileError: the file is unchanged. */
  change(change: (content: ToolFileContent) => ToolFileContent): void {
    const next = fileSchema.parse(change(this.read()));
    if (this.path !== null && !this.#write(this.path, next))
      throw new ToolFileError(this.path, 'cannot be written; check the permissions of its folder');
    this.#content = next;
  }

  #write(path: string, content: ToolFileContent): boolean {
    const key = this.#key;
    return writeStateFile(path, key === null ? content : withSecrets(content, (each) => sealed(each, key)));
  }

  #stored(): ToolFileContent {
    if (this.path === null || !existsSync(this.path)) return NOTHING;
    const read = parseJson(readFileSync(this.path, 'utf8'));
    const parsed = fileSchema.safeParse(read.ok ? read.value : null);
    if (!parsed.success)
      throw new ToolFileError(this.path, 'cannot be read; mend it, or move it away to begin anew');
    const key = this.#key;
    if (key === null) return parsed.data;
    const content = withSecrets(parsed.data, (secret) => opened(secret, key));
    // Of an earlier version, or of an app that was started without the key. Where it fails, the next change does it.
    if (serversIn(parsed.data).some((server) => !Object.values(secretsOf(server)).every(isSealed)))
      this.#write(this.path, content);
    return content;
  }
}

const serversIn = ({ servers }: ToolFileContent) => Object.values(servers).map(({ server }) => server);

function withSecrets(content: ToolFileContent, change: (secret: string) => string): ToolFileContent {
  const servers = Object.entries(content.servers).map(([name, each]) => [
    name,
    { ...each, server: withEachSecret(each.server, change) },
  ]);
  return { ...content, servers: Object.fromEntries(servers) };
}

export class ToolFileError extends defineError('tool-file', (path: string, reason: string) => ({
  message: `The file of tool servers ${path} ${reason}. It is unchanged, and chats go on without tools.`,
})) {}
