import { symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localClient } from '../../../../main/client/local-client.ts';
import { LoopbackServer } from '../../../../main/http/loopback.ts';
import { newToken } from '../../../../main/http/loopback-access.ts';
import { LaunchCodes, PageHost } from '../../../../main/http/page/page-routes.ts';
import type { Mnemis } from '../../../../src/engine.ts';
import { CommandLab } from '../../cli/fake-terminal.ts';
import { pageFolder } from '../../processes/front-lab.ts';
import { openEngine } from '../server-fixture.ts';

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

describe('a server with a page', () => {
  const lab = new CommandLab();
  const token = newToken();
  let [now, engine, server, codes] = [
    0,
    null as unknown as Mnemis,
    null as unknown as LoopbackServer,
    new LaunchCodes(),
  ];

  beforeAll(async () => {
    engine = await openEngine();
    codes = new LaunchCodes(() => now);
    const folder = pageFolder(lab);
    symlinkSync(join(lab.folder, 'outside.txt'), join(folder, 'link.txt'));
    const page = await PageHost.open(folder, codes);
    server = await LoopbackServer.listen({ client: localClient(engine), token, page });
  });
  afterAll(async () => {
    await server.close();
    await engine.close();
    lab[Symbol.dispose]();
  });

  /** The path is sent as it is. */
  async function send(
    method: string,
    path: string,
    { headers = {}, body }: { readonly headers?: Record<string, string>; readonly body?: string } = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sending = request(
        { host: '127.0.0.1', port: server.port, method, path, headers, agent: false },
        (response) => {
          let text = '';
          response.on('data', (chunk) => {
            text += chunk;
          });
          response.once('end', () =>
            resolve({ status: response.statusCode!, headers: response.headers, body: text }),
          );
        },
      );
      sending.once('error', reject);
      sending.end(body);
    });
  }
  const json = { 'content-type': 'application/json' };
  const launch = (code: string, headers = {}) =>
    send('POST', '/v1/launch', { headers: { ...json, ...headers }, body: JSON.stringify({ code }) });
  const health = (headers: Record<string, string> = {}) =>
    send('POST', '/v1/health', {
      headers: { ...json, authorization: `Bearer ${token}`, ...headers },
      body: '{}',
    });
  const own = () => `http://127.0.0.1:${server.port}`;

  it('serves the page with a strict policy', async () => {
    const { status, headers, body } = await send('GET', '/');
    expect([status, body]).toEqual([200, '<!doctype html><title>Page</title>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringMatching(/camera=\(\).*microphone=\(\)/),
      'cache-control': 'no-cache',
    });
    expect(JSON.stringify(headers) + body).not.toContain(token);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('serves files with their type, and hashed ones for good', async () => {
    const { status, headers } = await send('GET', '/assets/main-a1B2c3D4.js?v=1');
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect(headers['cache-control']).toContain('immutable');
    const head = await send('HEAD', '/assets/main-a1B2c3D4.js');
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '23']);
  });

  it.each([
    '/../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/assets/../../outside.txt',
    '/assets/..\\..\\outside.txt',
    '//outside.txt',
    '/link.txt',
    '/assets',
    '/assets/',
    '/assets/.hidden/x.js',
    '/assets/notes.secret',
    '/index.html%00.js',
    '/etc/passwd',
    '/__proto__',
  ])('serves nothing outside its list: %s', async (path) => {
    const { status, body, headers } = await send('GET', path);
    expect([status, body]).toEqual([404, 'The app has no such file.\n']);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  });

  it.each(['PUT', 'DELETE', 'POST', 'OPTIONS'])('refuses %s for a file', async (method) => {
    const headers = { 'content-length': '0', authorization: `Bearer ${token}` };
    expect((await send(method, '/index.html', { headers })).status).toBe(method === 'POST' ? 415 : 405);
  });

  it('lets in its own page, and no other', async () => {
    expect((await health({ origin: own() })).status).toBe(200);
    for (const origin of [
      'https://evil.example',
      'null',
      'http://127.0.0.1:1',
      `https://127.0.0.1:${server.port}`,
      `http://localhost:${server.port}`, // the page is served under another name
    ]) {
      expect((await health({ origin })).status).toBe(403);
      expect((await launch(codes.issue(), { origin })).status).toBe(403);
      expect((await send('GET', '/', { headers: { origin } })).status).toBe(403);
    }
  });

  it('refuses other names for itself (DNS rebinding), also for files', async () => {
    const headers = { host: `evil.example:${server.port}`, origin: `http://evil.example:${server.port}` };
    expect((await send('GET', '/', { headers })).status).toBe(421);
    expect((await health(headers)).status).toBe(421);
    expect((await launch(codes.issue(), headers)).status).toBe(421);
  });

  it('needs the token for everything but files and a launch', async () => {
    expect((await health({ authorization: '' })).status).toBe(401);
    expect((await send('POST', '/v1/launchCode', { headers: json, body: '{}' })).status).toBe(401);
    expect((await send('GET', '/v1/health')).status).toBe(401);
  });

  it('exchanges a code once, within a minute', async () => {
    const code = codes.issue();
    const first = await launch(code, { origin: own() });
    expect([first.status, JSON.parse(first.body)]).toEqual([200, { result: { token } }]);
    expect(first.headers['cache-control']).toBe('no-store');
    for (const again of [code, 'wrong', '']) {
      const { status, body } = await launch(again);
      expect([status, JSON.parse(body).error.code]).toEqual([401, 'launch-code']);
    }
    const late = codes.issue();
    now += 60_000;
    expect((await launch(late)).status).toBe(401);
    const headers = { ...json, authorization: `Bearer ${token}` };
    const issued = await send('POST', '/v1/launchCode', { headers, body: '{}' });
    expect((await launch(JSON.parse(issued.body).result.code)).status).toBe(200);
  });

  it('keeps a limited number of codes, the newest', () => {
    const few = new LaunchCodes();
    const issued = Array.from({ length: 101 }, () => few.issue());
    expect([few.redeem(issued[0]!), few.redeem(issued[1]!), few.redeem(issued[100]!)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('says how to build a page that is missing', async () => {
    await expect(PageHost.open(join(lab.folder, 'none'))).rejects.toMatchObject({ code: 'page-missing' });
  });
});

it('a server without a page serves no files and no launch', async () => {
  await using engine = await openEngine();
  const server = await LoopbackServer.listen({ client: localClient(engine), token: newToken() });
  const origin = `http://127.0.0.1:${server.port}`;
  expect((await fetch(origin)).status).toBe(401);
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"code":"x"}' };
  expect((await fetch(`${origin}/v1/launch`, post)).status).toBe(401);
  await server.close();
});
