import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../../../main/contract.ts';
import { untilClosed } from '../server-fixture.ts';
import { bearer, ServeLab, until } from './serve-lab.ts';

/** A client whose search waits until it is told to go on. */
function held() {
  let go = () => {};
  const gone = new Promise<void>((resolve) => {
    go = resolve;
  });
  const state = { begun: 0, go };
  const wrap = (client: MemoryClient): MemoryClient => ({
    ...client,
    search: async (input, options) => {
      state.begun += 1;
      await gone;
      return client.search(input, options);
    },
  });
  return { state, wrap };
}

describe('limits of the server', () => {
  it('are a number of requests a minute for each token', async () => {
    await using lab = await ServeLab.open({ limits: { requestsPerMinute: 3 } });
    const [one, other] = [await lab.token(), await lab.token()];
    for (let count = 0; count < 3; count++) expect((await lab.post(one, 'health', {})).status).toBe(200);
    const refused = await lab.post(one, 'health', {});
    expect([refused.status, refused.code]).toEqual([429, 'too-many-requests']);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    const message = await lab.message(one, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(message.status).toBe(429);
    expect((await lab.post(other, 'health', {})).status).toBe(200);
    // A wrong token uses up nobody's requests.
    for (let count = 0; count < 5; count++) expect((await lab.post('wrong', 'health', {})).status).toBe(401);
    expect((await lab.post(other, 'health', {})).status).toBe(200);
  });

  it('are a number of requests at once for each token, streams included', async () => {
    await using lab = await ServeLab.open({ limits: { requestsOfToken: 2 } });
    const [one, other] = [await lab.token(), await lab.token()];
    const leave = new AbortController();
    const streams = [1, 2].map(() => lab.follow(one, 'changes', { scope: 'a' }, leave.signal));
    await Promise.all(streams);
    const refused = await lab.post(one, 'health', {});
    expect([refused.status, refused.code]).toEqual([429, 'too-many-at-once']);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await lab.post(other, 'health', {})).status).toBe(200);
    leave.abort();
    for (const stream of streams) await (await stream).text.catch(() => undefined);
    await until(() => lab.audit.entries.filter(({ method }) => method === 'changes').length === 2);
    expect((await lab.post(one, 'health', {})).status).toBe(200);
  });

  it('are a number of requests at once for all', async () => {
    const { state, wrap } = held();
    await using lab = await ServeLab.open({ client: wrap, limits: { requests: 1 } });
    const [one, other] = [await lab.token(), await lab.token()];
    const search = lab.post(one, 'search', { scope: 'a', query: 'cat' });
    await until(() => state.begun === 1);
    const refused = await lab.post(other, 'health', {});
    expect([refused.status, refused.code]).toEqual([503, 'engine-busy']);
    state.go();
    expect((await search).status).toBe(200);
  });

  it('are sizes of requests, whether they are announced or not', async () => {
    await using lab = await ServeLab.open({ limits: { bodyBytes: 1_000 } });
    const token = await lab.token();
    const large = { scope: 'a', query: 'x'.repeat(2_000) };
    const refused = await lab.post(token, 'search', large);
    expect([refused.status, refused.code]).toEqual([413, 'too-large']);
    const message = await lab.message(token, { jsonrpc: '2.0', id: 1, method: 'x'.repeat(2_000) });
    expect([message.status, message.code]).toEqual([413, 'too-large']);
    const chunked = await fetch(`${lab.url}/v1/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: new Blob([JSON.stringify(large)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect(lab.audit.entries.map(({ outcome }) => outcome)).toEqual(['too-large', 'too-large', 'too-large']);
  });

  it('are times for the head of a request', async () => {
    await using lab = await ServeLab.open({ limits: { headersMilliseconds: 200, checkMilliseconds: 50 } });
    const socket = connect({ host: '127.0.0.1', port: lab.server.port });
    socket.write('POST /v1/health HTTP/1.1\r\nho');
    expect(await untilClosed(socket)).toMatch(/^$|^HTTP\/1\.1 408 /);
  });

  it('are what a request may be', async () => {
    await using lab = await ServeLab.open();
    const token = await lab.token();
    const head = { 'content-type': 'application/json', ...bearer(token) };
    const post = (path: string, body: string, headers: Record<string, string> = head) =>
      lab.fetch(path, { method: 'POST', body, headers });
    expect((await post('/v1/noSuchMethod', '{}')).code).toBe('unknown-method');
    expect((await post('/nothing', '{}')).status).toBe(404);
    expect((await post('/v1/health', '{"a"')).code).toBe('invalid-json');
    expect((await post('/v1/health', '{"more":1}')).code).toBe('invalid-input');
    expect((await post('/v1/health', '{}', { ...head, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await lab.fetch('/v1/health', { headers: head })).status).toBe(405);
    expect((await lab.fetch('/mcp', { headers: head })).status).toBe(405);
    expect((await post('/mcp', '[]')).code).toBe('invalid-json');
    expect((await post('/mcp/%E0%A4%A', '{}')).status).toBe(404);
    expect(
      (await post('/metrics', '', bearer(await lab.token({ scopes: [], access: 'metrics' })))).status,
    ).toBe(405);
  });
});
