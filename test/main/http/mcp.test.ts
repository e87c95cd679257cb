import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LATEST_PROTOCOL_VERSION, type Progress } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newToken } from '../../../main/http/loopback-access.ts';
import { McpHttpServer } from '../../../main/http/mcp.ts';
import { CONVERSATION } from '../../engine/memory-fixture.ts';
import { App, McpLab } from '../mcp/mcp-lab.ts';
import { untilClosed } from './server-fixture.ts';

const token = newToken();
let lab: McpLab;
let server: McpHttpServer;
beforeAll(async () => {
  lab = await McpLab.open();
  await lab.engine.scope('ann').add(CONVERSATION);
  const limits = { bodyBytes: 10_000 };
  server = await McpHttpServer.listen({
    open: () => lab.server({ scope: 'ann' }),
    token,
    sessions: 4,
    limits,
  });
});
afterAll(async () => {
  await server.close();
  await lab[Symbol.asyncDispose]();
});

function transport(to = server): StreamableHTTPClientTransport {
  const headers = { authorization: `Bearer ${token}` };
  return new StreamableHTTPClientTransport(new URL(to.url), { requestInit: { headers } });
}
const app = (to = server, checks = false) => App.over(transport(to) as Transport, checks);

const initialize = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: {
    ...{ protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {} },
    clientInfo: { name: 'raw', version: '0' },
  },
};

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request as no browser would let a page send it. */
async function send({ method = 'POST', path = '/mcp', headers = {}, body }: Sent, to = server) {
  const sending = request({
    ...{ host: '127.0.0.1', port: to.port, method, path, agent: false },
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  sending.end(method === 'POST' ? (body ?? JSON.stringify(initialize)) : undefined);
  const [response] = await once(sending, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, headers: response.headers, text };
}

/** A session without a stream, as of a client that asks now and then. */
async function begun(to: McpHttpServer): Promise<string> {
  return (await send({}, to)).headers['mcp-session-id'] as string;
}

/** A session whose client listens. */
async function streaming(to: McpHttpServer) {
  const id = await begun(to);
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'mcp-session-id': id };
  const stream = request({ host: '127.0.0.1', port: to.port, path: '/mcp', agent: false, headers });
  stream.on('error', () => undefined);
  stream.end();
  await once(stream, 'response');
  return { id, end: () => stream.destroy() };
}

async function isKnown(id: string, to: McpHttpServer): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' });
  return (await send({ headers: { 'mcp-session-id': id }, body }, to)).status === 200;
}

describe('MCP over streamable HTTP', () => {
  it('serves an app, with progress and cancels', async () => {
    await using ann = await app(server, true);
    const heard: Progress[] = [];
    const { data } = await ann.call(
      'ask_memory',
      { question: 'When did Bob start piano lessons?' },
      { onprogress: (each) => void heard.push(each) },
    );
    expect(data.answer).toContain('March 2022');
    expect(heard).toHaveLength(1);
    expect(await ann.read((await ann.uris())[0]!)).toMatchObject({ speaker: 'Bob' });
    const stop = new AbortController();
    const asked = ann.call('search_memory', { question: 'please wait for it' }, { signal: stop.signal });
    await lab.embedder.untilWaiting(1);
    stop.abort('enough');
    await expect(asked).rejects.toThrow('enough');
    await ann.call('memory_stats');
    expect(lab.embedder.cancelled).toBe(1);
  });

  it('keeps sessions apart, and ends one on request', async () => {
    await using one = await app();
    await using two = await app();
    const target = { session: 's1' };
    const { confirmation } = (await one.call('forget_preview', target)).data;
    expect((await two.call('forget', { ...target, confirmation })).code).toBe('not-confirmed');
    const three = transport();
    const ended = await App.over(three as Transport, false);
    const id = three.sessionId!;
    await three.terminateSession();
    expect((await send({ method: 'GET', headers: { 'mcp-session-id': id } })).status).toBe(404);
    await ended.client.close();
    expect((await one.call('memory_stats')).data.turns).toBe(8);
  });

  it('ends the session that was idle for longest for a new one, never a connected one', async () => {
    const small = await McpHttpServer.listen({
      open: () => lab.server({ scope: 'ann' }),
      token,
      sessions: 4,
    });
    const first = await streaming(small);
    const idle = [await begun(small), await begun(small), await begun(small)];
    expect(await isKnown(idle[0]!, small)).toBe(true);
    const last = await begun(small);
    expect(await isKnown(idle[1]!, small)).toBe(false);
    for (const id of [idle[0]!, idle[2]!, last]) expect(await isKnown(id, small)).toBe(true);
    for (let count = 0; count < 6; count++) await begun(small);
    expect(await isKnown(first.id, small)).toBe(true);
    await small.close();
  });

  it('refuses a new session if all have a client that is connected', async () => {
    const small = await McpHttpServer.listen({
      open: () => lab.server({ scope: 'ann' }),
      token,
      sessions: 2,
    });
    const asking = await app(small);
    const asked = asking.call('search_memory', { question: 'please wait for it' }).catch(() => 'ended');
    await lab.embedder.untilWaiting(1);
    const stream = await streaming(small);
    const refused = await send({}, small);
    expect([refused.status, JSON.parse(refused.text).error.data.code]).toEqual([503, 'too-many-sessions']);
    expect(await isKnown(stream.id, small)).toBe(true);
    stream.end();
    while ((await send({}, small)).status !== 200) await new Promise(setImmediate);
    expect(await isKnown(stream.id, small)).toBe(false);
    await asking.client.close();
    expect(await asked).toBe('ended');
    await small.close();
  });

  it('listens on 127.0.0.1 only, on the given port', async () => {
    const open = () => lab.server();
    await expect(McpHttpServer.listen({ open, token, port: server.port })).rejects.toMatchObject({
      code: 'invalid-setting',
    });
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/mcp`);
  });

  it('cancels running work when it is closed', async () => {
    const other = await McpHttpServer.listen({ open: () => lab.server({ scope: 'ann' }), token });
    const client = await app(other);
    const asked = client.call('search_memory', { question: 'please wait for it' }).catch(() => 'ended');
    await lab.embedder.untilWaiting(1);
    const before = lab.embedder.cancelled;
    await other.close();
    expect(lab.embedder.cancelled).toBe(before + 1);
    await client.client.close();
    expect(await asked).toBe('ended');
  });
});

describe('access to MCP over HTTP', () => {
  it('requires the token', async () => {
    expect((await send({})).status).toBe(200);
    for (const authorization of ['', 'Bearer', 'Bearer x', `Basic ${token}`, `Bearer ${token}x`])
      for (const method of ['POST', 'GET', 'DELETE']) {
        const { status, text, headers } = await send({ method, headers: { authorization } });
        expect([status, JSON.parse(text).error.data.code]).toEqual([401, 'unauthorized']);
        expect(headers['www-authenticate']).toBe('Bearer');
      }
  });

  it('is denied to pages, foreign hosts, and other paths', async () => {
    const { port } = server;
    const refused: readonly (readonly [Sent, number, string])[] = [
      [{ headers: { origin: 'https://evil.example' } }, 403, 'foreign-origin'],
      [{ headers: { origin: `http://127.0.0.1:${port}` } }, 403, 'foreign-origin'],
      [{ headers: { origin: 'null' } }, 403, 'foreign-origin'],
      [{ headers: { host: `evil.example:${port}` } }, 421, 'wrong-host'],
      [{ headers: { host: '127.0.0.1:1' } }, 421, 'wrong-host'],
      [{ headers: { 'content-type': 'text/plain' } }, 415, 'not-json'],
      [{ method: 'PUT' }, 405, 'method-not-allowed'],
      [{ method: 'OPTIONS' }, 401, 'unauthorized'],
      [{ path: '/' }, 404, 'unknown-method'],
      [{ path: '/mcp?token=x' }, 404, 'unknown-method'],
      [{ body: '{' }, 400, 'invalid-json'],
      [{ body: JSON.stringify({ ...initialize, more: 'x'.repeat(20_000) }) }, 413, 'too-large'],
      [{ body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }, 404, 'unknown-session'],
      [{ headers: { 'mcp-session-id': 'another' } }, 404, 'unknown-session'],
      [{ method: 'GET' }, 404, 'unknown-session'],
    ];
    for (const [sent, status, code] of refused) {
      const headers = { ...sent.headers, ...(sent.method === 'OPTIONS' ? { authorization: '' } : {}) };
      const reply = await send({ ...sent, headers });
      expect([reply.status, JSON.parse(reply.text).error.data.code], code).toEqual([status, code]);
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('does not wait forever for a slow client', async () => {
    const limits = { headersMilliseconds: 50, requestMilliseconds: 50, checkMilliseconds: 10 };
    const strict = await McpHttpServer.listen({ open: () => lab.server(), token, limits });
    const socket = connect({ host: '127.0.0.1', port: strict.port });
    socket.write(`POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${strict.port}\r\n`);
    expect(await untilClosed(socket)).toContain('408');
    await strict.close();
  });

  it('limits concurrent requests', async () => {
    const open = () => lab.server({ scope: 'ann' });
    const busy = await McpHttpServer.listen({ open, token, limits: { requests: 1 } });
    expect([(await send({}, busy)).status, (await send({}, busy)).status]).toEqual([200, 200]);
    const socket = connect({ host: '127.0.0.1', port: busy.port });
    const head = [
      'POST /mcp HTTP/1.1',
      `host: 127.0.0.1:${busy.port}`,
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      'content-length: 10',
      'expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await once(socket, 'data'); // it is waited for
    const { status, text } = await send({}, busy);
    expect([status, JSON.parse(text).error.data.code]).toEqual([503, 'engine-busy']);
    socket.destroy();
    await busy.close();
  });
});
