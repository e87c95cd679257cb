import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sealKey } from '../../../../main/assistant/tools/sealed-secrets.ts';
import { ServerConnection } from '../../../../main/assistant/tools/server-connection.ts';
import { ToolFile } from '../../../../main/assistant/tools/tool-file.ts';
import type { ToolServerInput } from '../../../../main/contract/tools.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mnemis-tools-'));
  path = join(folder, 'memory.tools.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const KEY = sealKey({ MNEMIS_SEAL_KEY: randomBytes(32).toString('hex') });
const program: ToolServerInput = {
  command: 'search',
  args: ['-v'],
  env: { API_KEY: 'sk-1234 ü', EMPTY: '' },
};
const address: ToolServerInput = {
  url: 'https://example.org/mcp',
  headers: { Authorization: 'Bearer tok-9' },
};

function saved(file: ToolFile): void {
  const about = { isOn: true, permissions: {} };
  const servers = { Search: { ...about, server: program }, Web: { ...about, server: address } };
  file.change((content) => ({ ...content, servers }));
}
const serversOf = (file: ToolFile) => Object.values(file.read().servers).map(({ server }) => server);
const text = () => readFile(path, 'utf8');

describe('the file of tool servers', () => {
  it('seals secrets with the key of the system, and only with it gives them back', async () => {
    saved(new ToolFile(path, KEY));
    expect(await text()).not.toMatch(/sk-1234|tok-9/);
    expect(await text()).toMatch(/"search"[\s\S]*"API_KEY"[\s\S]*example\.org/);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(serversOf(new ToolFile(path, KEY))).toEqual([program, address]);

    const other = new ToolFile(path, randomBytes(32));
    expect(JSON.stringify(serversOf(other))).not.toMatch(/sk-1234|tok-9/);
    const without = new ToolFile(path);
    const [server] = serversOf(without);
    const limits = { start: 1_000, wait: 1_000, call: 1_000, idle: 1_000 };
    const connection = new ServerConnection('Search', server!, { limits, onChange: () => {} });
    await expect(connection.start()).rejects.toMatchObject({ code: 'secrets-sealed' });
    expect(connection.problem).toContain('enter the keys again');
    // A change of something else keeps what it cannot open.
    without.change(({ servers, ...content }) => ({
      ...content,
      servers: { ...servers, Web: { ...servers.Web!, isOn: false } },
    }));
    expect(serversOf(new ToolFile(path, KEY))).toEqual([program, address]);
  });

  it('seals what an earlier version left open, and has it open where there is no key', async () => {
    saved(new ToolFile(path));
    expect(await text()).toMatch(/sk-1234[\s\S]*tok-9/);
    expect(serversOf(new ToolFile(path, KEY))).toEqual([program, address]);
    expect(await text()).not.toMatch(/sk-1234|tok-9/);
  });
});
