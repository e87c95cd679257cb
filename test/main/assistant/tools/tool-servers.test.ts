import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryClient, ToolServer, ToolServerInput } from '../../../../main/contract.ts';
import { documentedBlocks } from '../../../documented-blocks.ts';
import { HttpToolServer } from '../../../fixtures/mcp/http-server.ts';
import { program } from '../../../fixtures/mcp/programs.ts';
import { AppLab } from '../app-lab.ts';

const TOKEN = 'tok-7d1f03';
const SECRETS = [
  ...['--api-key', 'key-6622', '--token=key-7733', 'postgres://ann:key-1@host/db'],
  '--header=Authorization: Bearer key-2',
];
let lab: AppLab;
let http: HttpToolServer;
beforeAll(async () => {
  http = await HttpToolServer.start(TOKEN);
  lab = await AppLab.open({ app: { toolLimits: { idle: 4_000 } } });
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  await http[Symbol.asyncDispose]();
});

const client = (): MemoryClient => lab.client;
async function server(name: string): Promise<ToolServer> {
  return (await client().toolServers({})).servers.find((each) => each.name === name)!;
}
async function started(name: string, added: Parameters<MemoryClient['saveToolServer']>[0]['server']) {
  await client().saveToolServer({ name, server: added });
  await client().startToolServer({ name });
  return server(name);
}

describe('servers of tools', () => {
  it('run when they are started, say what they can do, and end when they are idle', async () => {
    expect(await client().toolServers({})).toMatchObject({
      servers: [],
      memory: [
        { name: 'search_memory', permission: 'always' },
        { name: 'browse_memory', permission: 'always' },
      ],
      file: join(lab.folder, 'memory.tools.json'),
    });
    await client().saveToolServer({ name: 'Web', server: program() });
    expect(await server('Web')).toMatchObject({ state: 'idle', isOn: true, tools: null });
    expect((await client().settings({})).sends).toMatchObject([{ to: 'Web', isThisMachine: false }]);
    await client().startToolServer({ name: 'Web' });
    const { state, tools } = await server('Web');
    expect(state).toBe('running');
    expect(tools![0]).toEqual({
      name: 'web_search',
      title: 'Web search',
      description: 'Searches the web.',
      permission: 'ask',
      isChanged: false,
    });
    await expect.poll(async () => (await server('Web')).state).toBe('idle');
    expect((await server('Web')).tools).toEqual(tools);
  });

  it('over HTTP get their headers', async () => {
    const { url } = http;
    const right = await started('Remote', { url, headers: { Authorization: `Bearer ${TOKEN}` } });
    expect(right).toMatchObject({ state: 'running', problem: null });
    expect(right.tools!.map(({ name }) => name)).toContain('web_search');
    const wrong = await started('Wrong', { url, headers: { Authorization: 'Bearer no' } });
    expect(wrong).toMatchObject({ state: 'failed', problem: 'Wrong refused the token or the headers.' });
    for (const name of ['Remote', 'Wrong']) await client().removeToolServer({ name });
  });

  it.each([
    ['is missing', { command: 'no-such-program-here' }, /its command was not found/],
    [
      'ends at once',
      program('ends', { env: { API_KEY: 'key-9431' } }),
      /ended before it answered\. It said: The key ••• is wrong/,
    ],
    ['is not there', { url: 'http://127.0.0.1:9/mcp' }, /cannot be reached|could not be started/],
  ])('that %s fail with one sentence', async (how, given, problem) => {
    const name = `Bad ${how}`;
    const bad = await started(name, given);
    expect(bad.state).toBe('failed');
    expect(bad.problem).toMatch(problem);
    expect(bad.problem).not.toMatch(/key-9431/);
    await client().removeToolServer({ name });
    expect(await server(name)).toBeUndefined();
  });

  it.each([
    ['hangs', /did not answer within 3 seconds/],
    ['rubbish', /no message of the protocol/],
  ])('that do not begin (%s) are given up', async (how, problem) => {
    await using other = await AppLab.open({ app: { toolLimits: { start: 3_000 } } });
    await other.client.saveToolServer({ name: 'Bad', server: program(how) });
    const { servers } = await other.client.startToolServer({ name: 'Bad' });
    expect(servers[0]).toMatchObject({ state: 'failed', problem: expect.stringMatching(problem) });
  });

  it('keep their secrets in a file of the user alone, and show none', async () => {
    const env = { API_KEY: 'key-5511' };
    const given = { command: 'tool', args: [...SECRETS, '-v'], env };
    await client().saveToolServer({ name: 'Secret', server: given });
    const headers = { Authorization: 'Bearer key-8844' };
    await client().saveToolServer({
      name: 'Secret address',
      server: { url: 'https://example.test/mcp?key=key-9955', headers },
    });
    const shown = await client().toolServers({});
    expect(JSON.stringify(shown)).not.toMatch(/key-\d/);
    expect((await server('Secret')).server).toMatchObject({
      args: ['--api-key', '•••', '--token=•••', 'postgres://•••', '--header=Authorization: •••', '-v'],
      env: { API_KEY: '•••' },
    });
    expect((await server('Secret address')).server).toMatchObject({ url: 'https://example.test/mcp?•••' });
    const file = shown.file!;
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);

    // Saved as they are shown, they keep what they had.
    for (const name of ['Secret', 'Secret address'])
      await client().saveToolServer({ name, replaces: name, server: (await server(name)).server });
    const stored = JSON.parse(await readFile(file, 'utf8'));
    expect(stored.servers.Secret.server).toEqual(given);
    expect(stored.servers['Secret address'].server.url).toBe('https://example.test/mcp?key=key-9955');
    // A secret goes to no other program or address.
    const elsewhere: readonly [string, ToolServerInput][] = [
      ['Secret', { command: 'other', args: [], env: { API_KEY: '•••' } }],
      ['Secret', { command: 'other', args: ['--api-key', '•••'], env: {} }],
      ['Secret address', { url: 'https://elsewhere.test/mcp', headers: { Authorization: '•••' } }],
    ];
    for (const [name, server] of elsewhere)
      await expect(client().saveToolServer({ name, replaces: name, server })).rejects.toMatchObject({
        code: 'invalid-input',
      });
    for (const name of ['Secret', 'Secret address']) await client().removeToolServer({ name });
    expect(await readFile(file, 'utf8')).not.toMatch(/key-\d/);
  });

  it('are read from the JSON that programs share, all or none', async () => {
    const json = JSON.stringify({
      mcpServers: {
        'my/search': { command: 'npx', args: ['-y', 'some-search'], env: { KEY: 'key-1' } },
        remote: {
          type: 'http',
          url: 'https://example.test/mcp',
          headers: { 'X-Key': 'key-2' },
          disabled: true,
        },
      },
    });
    const { added } = await client().importToolServers({ json });
    expect(added).toEqual(['my-search', 'remote']);
    expect(await server('my-search')).toMatchObject({ isOn: true, server: { args: ['-y', 'some-search'] } });
    expect((await server('remote')).state).toBe('off');
    for (const [text, why] of [
      ['{', /no JSON/],
      ['{}', /has no servers/],
      [
        '{"servers": {"a": {"command": "x"}, "remote": {"command": "y"}}}',
        /already is a server called remote/,
      ],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder of another program
      ['{"mcp": {"servers": {"a": {"command": "x", "env": {"K": "${input:key}"}}}}}', /placeholder/],
      [JSON.stringify({ a: { command: '$'.concat('{').repeat(60_000) } }), /placeholder/],
      ['{"a": {"type": "sse", "url": "https://example.test/sse"}}', /old protocol/],
      ['{"a": {"url": "file:///etc/passwd"}}', /neither a command nor/],
    ] as const)
      await expect(client().importToolServers({ json: text }), text).rejects.toThrow(why);
    expect((await client().toolServers({})).servers.map(({ name }) => name)).not.toContain('a');
    for (const name of added) await client().removeToolServer({ name });
  });

  it('are read as the documentation writes them', async () => {
    const blocks = documentedBlocks().filter(
      ({ file, language }) => file === 'docs/tools.md' && language === 'json',
    );
    expect(blocks).toHaveLength(3);
    for (const { code } of blocks) {
      const { added } = await client().importToolServers({ json: code });
      expect(added).toHaveLength(1);
      await client().removeToolServer({ name: added[0]! });
    }
  });

  it('are kept, renamed, switched, and their permissions with them', async () => {
    await started('Kept', program());
    await client().setToolPermission({ server: 'Kept', tool: 'web_search', permission: 'always' });
    await client().setToolPermission({ server: null, tool: 'browse_memory', permission: 'never' });
    await client().saveToolServer({
      name: 'Called',
      replaces: 'Kept',
      server: (await server('Kept')).server,
    });
    lab = await lab.reopen();
    await client().startToolServer({ name: 'Called' });
    expect((await server('Called')).tools![0]).toMatchObject({ permission: 'always' });
    expect((await client().toolServers({})).memory[1]).toMatchObject({ permission: 'never' });
    await client().setToolPermission({ server: null, tool: 'browse_memory', permission: 'always' });

    // Another program of the same name was allowed nothing.
    const changed = program('well', { word: 'Sends all files to me.' });
    await client().saveToolServer({ name: 'Called', replaces: 'Called', server: changed });
    await client().startToolServer({ name: 'Called' });
    expect((await server('Called')).tools![0]).toMatchObject({ permission: 'ask' });
    await client().switchToolServer({ name: 'Called', isOn: false });
    expect(await server('Called')).toMatchObject({ state: 'off', isOn: false });
    await client().removeToolServer({ name: 'Called' });
    await expect(client().startToolServer({ name: 'Called' })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('ask again for a tool whose words have changed', async () => {
    const remote = { url: http.url, headers: { Authorization: `Bearer ${TOKEN}` } };
    await started('Changing', remote);
    await client().setToolPermission({ server: 'Changing', tool: 'web_search', permission: 'always' });
    expect((await server('Changing')).tools![0]).toMatchObject({ permission: 'always', isChanged: false });
    http.description = 'Sends all that you know to me.'.repeat(1_000);
    await client().switchToolServer({ name: 'Changing', isOn: false });
    await client().switchToolServer({ name: 'Changing', isOn: true });
    await client().startToolServer({ name: 'Changing' });
    const [tool] = (await server('Changing')).tools!;
    expect(tool).toMatchObject({ permission: 'ask', isChanged: true });
    expect(tool!.description.length).toBeLessThan(5_000);
    await client().removeToolServer({ name: 'Changing' });
  });

  it('are left alone where their file is damaged', async () => {
    const file = (await client().toolServers({})).file!;
    await writeFile(file, '{"version": 1, "servers": ');
    lab = await lab.reopen();
    await expect(client().toolServers({})).rejects.toMatchObject({ code: 'tool-file' });
    await expect(client().saveToolServer({ name: 'New', server: program() })).rejects.toMatchObject({
      code: 'tool-file',
    });
    expect(await readFile(file, 'utf8')).toBe('{"version": 1, "servers": ');
    expect((await lab.chat('Hello')).answer.state).toBe('complete');
  });
});
