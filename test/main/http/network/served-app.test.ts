import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../../../main/config.ts';
import { contract, type InputOf, type MethodName } from '../../../../main/contract.ts';
import { isOfApp } from '../../../../main/http/network/app-rules.ts';
import { ruleOf } from '../../../../main/http/network/method-rules.ts';
import { readServeSettings } from '../../../../main/http/network/serve-flags.ts';
import { RemotePage } from '../../../../main/http/page/remote-page.ts';
import { runServe } from '../../../../main/processes/run-serve.ts';
import { CommandLab } from '../../cli/fake-terminal.ts';
import { pageFolder } from '../../processes/front-lab.ts';
import { METHOD_INPUTS } from './method-inputs.ts';
import { bearer, ServeLab, until } from './serve-lab.ts';

const ORIGIN = 'https://memory.example.org';
const HOST = 'memory.example.org';
const OURS = 'a';
const THEIRS = 'ben-private';
const FOREIGN = /ben-private|xylophone|conversation-b|folder-b/i;
const NAMES = Object.keys(contract) as MethodName[];

const files = new CommandLab();
let lab: ServeLab;
let token: string;
beforeAll(async () => {
  const folder = pageFolder(files);
  writeFileSync(join(folder, 'index.html'), '<!doctype html><html lang="en"><title>Page</title></html>');
  const page = await RemotePage.open(folder, ORIGIN);
  lab = await ServeLab.open({ page, limits: { requestsPerMinute: 100_000 } });
  token = await lab.token({ scopes: [OURS] });
  const { client } = lab;
  await client.add({ scope: THEIRS, turns: [{ content: 'Quintilla keeps her xylophone.', session: 's1' }] });
  await client.saveFolder({ folder: 'folder-b', name: 'Xylophone', scope: THEIRS });
  await client.saveFolder({ folder: 'folder-a', name: 'Garden', scope: OURS });
  await chat('conversation-b', 'Where is the xylophone?', THEIRS);
  await chat('conversation-a', 'Where is the lamp?', OURS);
  await client.saveSettings({ preferences: { name: 'Ben-private' } });
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  files[Symbol.dispose]();
});

async function chat(conversation: string, text: string, scope: string): Promise<void> {
  const input = { conversation, message: `of-${conversation}`, text, scope };
  for await (const _ of lab.client.chat(input)); // its events are not looked at
}

interface Sent {
  readonly host?: string;
  readonly origin?: string;
  readonly body?: string;
}

/** As a browser sends it by way of the proxy. */
function send(method: string, path: string, { host = HOST, origin, body }: Sent = {}) {
  const headers = {
    ...{ host, 'content-type': 'application/json', ...bearer(token) },
    ...(origin !== undefined && { origin }),
  };
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      const sending = request(
        { host: '127.0.0.1', port: lab.server.port, method, path, headers, agent: false },
        (response) => {
          let text = '';
          response.on('data', (piece) => {
            text += piece;
          });
          response.once('end', () =>
            resolve({ status: response.statusCode!, headers: response.headers, body: text }),
          );
        },
      );
      sending.once('error', reject);
      sending.end(body);
    },
  );
}

describe('the page for other devices', () => {
  it('comes without a token, asks for one, and is no page of another place', async () => {
    const { status, headers, body } = await send('GET', '/');
    expect(status).toBe(200);
    expect(body).toContain('<html data-sign-in="token"');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect((await send('GET', '/no-such.js')).status).toBe(404);
    expect((await send('GET', '/../package.json')).status).toBe(404);
  });

  it.each(['evil.example', '127.0.0.1:7411', `${HOST}:7411`, ''])(
    'is not there under the host %j',
    async (host) => {
      expect((await send('GET', '/', { host })).status).toBe(421);
    },
  );

  it('may send requests from its own origin under its own host, and no other page may', async () => {
    const body = '{}';
    expect((await send('POST', '/v1/health', { origin: ORIGIN, body })).status).toBe(200);
    for (const origin of ['https://evil.example', 'http://memory.example.org', 'null', `${ORIGIN}:444`]) {
      const refused = await send('POST', '/v1/health', { origin, body });
      expect([origin, refused.status]).toEqual([origin, 403]);
      expect(refused.body).toContain('foreign-origin');
    }
    const rebound = await send('POST', '/v1/health', { origin: ORIGIN, host: 'evil.example', body });
    expect([rebound.status, JSON.parse(rebound.body).error.code]).toEqual([421, 'wrong-host']);
    // A browser asks before a page of another origin sends JSON: nothing allows it.
    const asked = await send('OPTIONS', '/v1/health', { origin: 'https://evil.example' });
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([403, undefined]);
  });

  it('leaves programs, probes and figures as they were', async () => {
    expect((await lab.post(token, 'health', {})).status).toBe(200);
    expect((await lab.fetch('/healthz')).status).toBe(200);
    const figures = await lab.fetch('/metrics', {
      headers: bearer(await lab.token({ scopes: [], access: 'metrics' })),
    });
    expect([figures.status, figures.text.includes('mnemis')]).toEqual([200, true]);
    expect((await lab.fetch('/mcp', { headers: bearer(token) })).status).toBe(405);
  });

  it.each([
    'http://192.168.1.5:7411',
    'http://memory.example.org',
    'https://memory.example.org/app',
    'memory.example.org',
  ])('has no address like %s', (app) => {
    expect(() => readServeSettings({ app }, {})).toThrow('--app');
  });

  it('is not served over a memory on a database server, which has no assistant', async () => {
    const path = 'postgres://ana@127.0.0.1:1/memory';
    const { values } = resolveConfig({ flags: { path }, environment: {}, folder: files.folder });
    const serving = runServe(values, {
      ...{ settings: readServeSettings({ app: ORIGIN }, {}), page: files.folder, folder: files.folder },
      ...{ environment: {}, output: process.stdout, logger: { warn: () => undefined } },
      ...{ signal: AbortSignal.abort(), onListening: () => undefined },
    });
    await expect(serving).rejects.toThrow('omit --app');
  });

  it.each([ORIGIN, 'https://192.168.1.5:8443', 'http://127.0.0.1:7411', 'http://localhost:7411'])(
    'may have the address %s',
    (app) => {
      expect(readServeSettings({ app }, {}).app).toBe(app);
    },
  );
});

describe('a wrong token', () => {
  it('waits for its refusal, and a right one does not', async () => {
    await using slow = await ServeLab.open({ limits: { wrongTokenMilliseconds: 1_500 } });
    const right = await slow.token();
    const timed = async (each: string | null) => {
      const begun = performance.now();
      const { status } = await slow.post(each, 'health', {});
      return { status, isSlow: performance.now() - begun >= 1_490 };
    };
    await timed(right);
    expect(await timed(`${right.slice(0, -2)}AA`)).toEqual({ status: 401, isSlow: true });
    expect(await timed(null)).toEqual({ status: 401, isSlow: true });
    expect(await timed(right)).toEqual({ status: 200, isSlow: false });
  });
});

/** Inputs that name a thing of the other scope in each way that the method knows. */
const FOREIGN_INPUTS: { readonly [Name in MethodName]?: readonly object[] } = {
  conversation: [{ conversation: 'conversation-b' }, { scope: THEIRS, session: 's1' }],
  imported: [{ scope: THEIRS }],
  image: [{ scope: THEIRS, image: 'image-1' }],
  find: [{ query: 'xylophone', scope: THEIRS }],
  saveConversation: [
    { conversation: 'conversation-b', title: 'Mine' },
    { conversation: 'conversation-b', title: 'Mine', scope: OURS },
    { conversation: 'conversation-new', scope: THEIRS },
    { conversation: 'conversation-new', scope: THEIRS, session: 's1' },
    { conversation: 'conversation-new', folder: 'folder-b' },
    { conversation: 'conversation-a', folder: 'folder-b' },
    { conversation: 'conversation-a', folder: 'no-such-folder' },
  ],
  deleteConversation: [{ conversation: 'conversation-b', memory: 'forget' }],
  exportConversation: [{ conversation: 'conversation-b', format: 'json' }],
  stopAnswer: [{ conversation: 'conversation-b' }],
  decide: [
    { message: 'of-conversation-b', decision: 'approve' },
    { message: 'none', decision: 'decline' },
  ],
  why: [{ message: 'of-conversation-b' }, { message: 'none' }],
  chat: [
    { conversation: 'conversation-b', message: 'm1', text: 'Where is it?' },
    { conversation: 'conversation-b', message: 'm1', text: 'Where is it?', scope: OURS },
    { conversation: 'conversation-new', message: 'm1', text: 'Where is it?', scope: THEIRS },
    { conversation: 'conversation-new', message: 'm1', text: 'Hm?', scope: THEIRS, isPrivate: true },
  ],
  regenerate: [{ conversation: 'conversation-b', message: 'of-conversation-b' }],
};

describe('what a device with a token for one scope may do', () => {
  const refused = NAMES.filter((name) => ruleOf(name) === 'not-served' && !isOfApp(name));

  it.each(refused)('leaves out %s', async (name) => {
    const reply = await lab.post(token, name, METHOD_INPUTS[name](OURS));
    expect([reply.status, reply.code]).toEqual([403, 'not-served']);
  });

  it('leaves out settings that are written, keys, tools, uploads, jobs, backups and the end of the engine', () => {
    for (const name of [
      'saveSettings',
      'saveKey',
      'toolServers',
      'permitTool',
      'backups',
      'shutdown',
    ] as const)
      expect(refused).toContain(name);
    for (const name of ['beginUpload', 'jobs', 'startImport', 'endpointModels', 'usage'] as const)
      expect(refused).toContain(name);
  });

  const foreign = Object.entries(FOREIGN_INPUTS).flatMap(([name, inputs]) =>
    inputs.map((input) => [name, JSON.stringify(input), input] as const),
  );
  it.each(foreign)('is no %s of %s', async (name, _, input) => {
    const reply = await lab.post(token, name as MethodName, input);
    expect([reply.status, reply.code]).toEqual([403, 'forbidden-scope']);
    expect(reply.text).not.toMatch(FOREIGN);
    const { total } = await lab.client.conversations({});
    expect(total).toBe(2);
  });

  it('is asked of each method of the app that names something', () => {
    const listing = ['conversations', 'folders', 'settings', 'appEvents'];
    const named = NAMES.filter((name) => isOfApp(name) && !listing.includes(name));
    expect(Object.keys(FOREIGN_INPUTS).sort()).toEqual(named.sort());
  });

  it('is to list conversations and folders of its scope', async () => {
    for (const input of [{}, { scopes: [THEIRS] }, { scopes: ['*'] }]) {
      const { result } = await lab.post(token, 'conversations', input);
      expect(result.items.map(({ id }: { id: string }) => id)).toEqual(['conversation-a']);
      expect(result.total).toBe(1);
    }
    const { text, result } = await lab.post(token, 'folders', {});
    expect(result.items).toMatchObject([{ id: 'folder-a' }]);
    expect(text).not.toMatch(FOREIGN);
    const all = await lab.token({ scopes: ['*'] });
    expect((await lab.post(all, 'conversations', {})).result.total).toBe(2);
    const some = await lab.token({ scopes: ['ben-*'] });
    expect((await lab.post(some, 'conversations', {})).result.total).toBe(1);
  });

  it('is to know no setting but its scope, and nothing of the machine', async () => {
    const { text, result } = await lab.post(token, 'settings', {});
    expect(result.settings).toEqual({ scope: { value: OURS, source: 'default', description: '' } });
    expect(result.remote.methods).toEqual(
      expect.arrayContaining(['chat', 'search', 'add', 'forget', 'settings']),
    );
    for (const name of refused) expect(result.remote.methods).not.toContain(name);
    expect([result.file, result.bytes, result.sends, result.key.stored]).toEqual(['', 0, [], {}]);
    expect(text).not.toMatch(FOREIGN);
    const reading = await lab.token({ scopes: ['default'], access: 'read' });
    const own = await lab.post(reading, 'settings', {});
    expect(own.result.remote.methods).toEqual(expect.arrayContaining(['conversation', 'find', 'search']));
    for (const name of ['chat', 'add', 'deleteConversation'])
      expect(own.result.remote.methods).not.toContain(name);
    expect(own.result.preferences).toMatchObject({ name: 'Ben-private', isWelcomed: true });
    const pattern = await lab.token({ scopes: ['team-*'] });
    expect((await lab.post(pattern, 'settings', {})).code).toBe('forbidden-scope');
  });

  it('is to chat in its scope, without other models, files and tools of servers', async () => {
    const message = { message: 'm2', text: 'Where is the lamp?' };
    const { status, text } = await lab.post(token, 'chat', { conversation: 'conversation-new', ...message });
    expect(status).toBe(200);
    expect(text).toContain('"type":"done"');
    const { conversation } = await lab.client.conversation({ conversation: 'conversation-new' });
    expect(conversation.scope).toBe(OURS);
    // The name in the settings is that of somebody else.
    expect((await lab.post(token, 'turns', { scope: OURS })).text).not.toMatch(FOREIGN);
    for (const more of [{ model: 'local:big' }, { attachments: ['upload-1'] }, { captions: { a: 'b' } }]) {
      const reply = await lab.post(token, 'chat', { conversation: 'conversation-a', ...message, ...more });
      expect([reply.status, reply.code]).toEqual([403, 'forbidden-access']);
    }
    const hidden = { conversation: 'conversation-hidden', message: 'm3', text: 'Hm?', isPrivate: true };
    expect((await lab.post(token, 'chat', hidden)).text).toContain('"type":"done"');
    expect((await lab.post(token, 'conversation', { conversation: 'conversation-hidden' })).status).toBe(200);
    const others = await lab.token({ scopes: ['c'] });
    const reply = await lab.post(others, 'conversation', { conversation: 'conversation-hidden' });
    expect(reply.code).toBe('forbidden-scope');
    await lab.post(token, 'deleteConversation', { conversation: 'conversation-new', memory: 'keep' });
  });

  it('is to only read with a token that only reads', async () => {
    const reading = await lab.token({ scopes: [OURS], access: 'read' });
    const found = await lab.post(reading, 'find', { query: 'lamp' });
    expect(found.status).toBe(200);
    expect(found.text).not.toMatch(FOREIGN);
    const names = NAMES.filter((name) => isOfApp(name) && contract[name].effect !== 'reads');
    expect(names.length).toBeGreaterThan(4);
    for (const name of names) {
      const reply = await lab.post(reading, name, METHOD_INPUTS[name](OURS) as InputOf<typeof name>);
      expect([name, reply.status, reply.code]).toEqual([name, 403, 'forbidden-access']);
    }
  });

  it('is to hear of changes in its scope', async () => {
    const leave = new AbortController();
    const response = await fetch(`${lab.url}/v1/appEvents`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      signal: leave.signal,
    });
    let text = '';
    const read = (async () => {
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) text += piece;
    })().catch(() => undefined);
    await until(() => text.includes('"engine"'));
    await lab.client.saveConversation({ conversation: 'conversation-b', title: 'Theirs' });
    await lab.client.saveConversation({ conversation: 'conversation-a', title: 'Ours' });
    await until(() => text.includes('conversation-a'));
    leave.abort();
    await read;
    expect(text).not.toMatch(FOREIGN);
    expect(text).toContain('"pid":0');
  });

  it('is what no token may do where the app is not served', async () => {
    await using plain = await ServeLab.open();
    const all = await plain.token({ scopes: ['*'] });
    for (const name of NAMES.filter(isOfApp)) {
      const reply = await plain.post(all, name, METHOD_INPUTS[name](OURS) as InputOf<typeof name>);
      expect([name, reply.code]).toEqual([name, 'not-served']);
    }
  });

  it('stands in the audit log without words', () => {
    expect(lab.audit.entries.some(({ method }) => method === 'chat')).toBe(true);
    expect(lab.audit.text).not.toMatch(/lamp|xylophone/i);
    expect(lab.audit.text).not.toContain(token);
  });
});
