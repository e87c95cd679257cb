import { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { contract, type MemoryClient } from '../../../../main/contract.ts';
import { gate } from '../../../fixtures/gate.ts';
import { bearer, ServeLab, until } from './serve-lab.ts';

const SECRETS = ['The key is under the flowerpot', 'flowerpot', 'Where is the key'];

describe('the audit log', () => {
  it('has one line for each request: who, what, where and how it ended', async () => {
    await using lab = await ServeLab.open();
    const { token, entry } = await lab.issue();
    await lab.post(token, 'stats', { scope: 'a' });
    await lab.post(token, 'stats', { scope: 'b' });
    await lab.post(null, 'stats', { scope: 'a' });
    await lab.post(token, 'compact', {});
    await lab.post(token, 'stats', {});
    await lab.fetch('/elsewhere', { method: 'POST', headers: bearer(token) });
    await lab.follow(token, 'changes', { scope: 'a', follow: false }).then(({ text }) => text);
    await until(() => lab.audit.entries.length === 7);
    const parts = lab.audit.entries.map(({ token, via, method, scope, outcome }) => [
      ...[token, via, method, scope, outcome],
    ]);
    expect(parts).toEqual([
      [entry.id, 'http', 'stats', 'a', 'ok'],
      [entry.id, 'http', 'stats', 'b', 'forbidden-scope'],
      [null, 'http', 'stats', null, 'unauthorized'],
      [entry.id, 'http', 'compact', null, 'not-served'],
      [entry.id, 'http', 'stats', null, 'invalid-input'],
      [entry.id, 'http', null, null, 'unknown-method'],
      [entry.id, 'http', 'changes', 'a', 'ok'],
    ]);
    for (const each of lab.audit.entries) {
      expect(Object.keys(each)).toEqual([
        'time',
        'token',
        'via',
        'method',
        'scope',
        'outcome',
        'milliseconds',
      ]);
      expect(new Date(each.time).toISOString()).toBe(each.time);
      expect(Number.isInteger(each.milliseconds)).toBe(true);
    }
  });

  it('has a line for each call that a tool of MCP makes', async () => {
    await using lab = await ServeLab.open();
    const { token, entry } = await lab.issue();
    const client = await lab.mcp(token);
    await client.callTool({ name: 'remember', arguments: { content: 'I like tea.' } });
    await client.callTool({ name: 'search_memory', arguments: { question: 'tea' } });
    await client.close();
    await lab.message(token, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, '/mcp/b');
    const calls = lab.audit.entries.map(({ token, via, method, scope, outcome }) => [
      ...[token, via, method, scope, outcome],
    ]);
    expect(calls).toContainEqual([entry.id, 'mcp', 'add', 'a', 'ok']);
    expect(calls).toContainEqual([entry.id, 'mcp', 'context', 'a', 'ok']);
    expect(calls.at(-1)).toEqual([entry.id, 'mcp', null, 'b', 'forbidden-scope']);
  });

  it('has no text of a request or a reply, and neither have the metrics and warnings', async () => {
    await using lab = await ServeLab.open();
    const token = await lab.token();
    const text = `${SECRETS[0]}.`;
    await lab.post(token, 'add', { scope: 'a', turns: [{ content: text, session: 'flowerpot-session' }] });
    for (const [name, input] of [
      ['search', { query: `${SECRETS[2]}?` }],
      ['ask', { question: `${SECRETS[2]}?` }],
      ['flush', {}],
      ['export', {}],
      ['names', { typed: 'flowerpot' }],
      ['entity', { entity: 'flowerpot' }],
      ['search', { query: 'flowerpot', recipe: 'flowerpot' }],
      ['stats', { flowerpot: 'flowerpot' }],
      ['stats', { asOf: 'flowerpot' }],
      ['forget', { target: { query: 'flowerpot' } }],
    ] as const)
      await lab.post(token, name, { scope: 'a', ...input });
    await lab.fetch('/flowerpot?flowerpot', { method: 'POST', headers: bearer(token) });
    await lab.fetch('/v1/flowerpot', { method: 'POST', headers: bearer(token) });
    await lab.message(token, {
      jsonrpc: '2.0',
      id: 'flowerpot',
      method: 'flowerpot',
      params: { a: 'flowerpot' },
    });
    const client = await lab.mcp(token);
    for (const name of ['search_memory', 'ask_memory'])
      await client.callTool({ name, arguments: { question: SECRETS[2] } });
    await client.callTool({ name: 'flowerpot', arguments: {} }).catch(() => undefined);
    await client.close();
    const figures = await lab.token({ scopes: [], access: 'metrics' });
    const metrics = (await lab.fetch('/metrics', { headers: bearer(figures) })).text;
    expect(lab.audit.entries.length).toBeGreaterThan(14);
    for (const secret of SECRETS)
      for (const place of [lab.audit.text, metrics, lab.warnings.join('\n')])
        expect(place.toLowerCase()).not.toContain(secret.toLowerCase());
  });

  it('makes the server not ready where it cannot be written', async () => {
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error('full')) });
    await using lab = await ServeLab.open({ output });
    expect((await lab.fetch('/readyz')).status).toBe(200);
    expect((await lab.post(await lab.token(), 'health', {})).status).toBe(200);
    expect((await lab.fetch('/readyz')).status).toBe(503);
    await lab.post(await lab.token(), 'health', {});
    expect(lab.warnings).toEqual(['The audit log cannot be written (Error).']);
  });
});

describe('the probes', () => {
  it('need no token, and tell nothing of the memory', async () => {
    await using lab = await ServeLab.open();
    expect(await lab.fetch('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect(await lab.fetch('/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' });
    expect((await lab.fetch('/readyz', { method: 'HEAD' })).status).toBe(200);
    expect((await lab.fetch('/readyz', { method: 'POST' })).status).toBe(401);
    expect(lab.audit.entries.map(({ outcome }) => outcome)).toEqual(['unauthorized']);
    expect(await lab.client.scopes({})).toEqual([]);
  });

  it('are ready only while the store answers, and ask it at most once a second', async () => {
    const state = { asked: 0, fails: false, hangs: false };
    const client = (inner: MemoryClient): MemoryClient => ({
      ...inner,
      episodes: async (input, options) => {
        state.asked += 1;
        if (state.hangs) await new Promise(() => undefined);
        if (state.fails) throw new Error('gone');
        return inner.episodes(input, options);
      },
    });
    await using lab = await ServeLab.open({ client, limits: { readyMilliseconds: 200 } });
    const replies = await Promise.all([1, 2, 3, 4].map(() => lab.fetch('/readyz')));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(state.asked).toBe(1);
    state.fails = true;
    await wait(1_050);
    expect(await lab.fetch('/readyz')).toMatchObject({ status: 503, text: '{"status":"not ready"}' });
    expect((await lab.fetch('/healthz')).status).toBe(200);
    Object.assign(state, { fails: false, hangs: true });
    await wait(1_050);
    expect((await lab.fetch('/readyz')).status).toBe(503);
    state.hangs = false;
    await wait(1_050);
    expect((await lab.fetch('/readyz')).status).toBe(200);
  });
});

it('the metrics count requests by method and outcome, in Prometheus’s format', async () => {
  await using lab = await ServeLab.open({ measuresProcess: true });
  const token = await lab.token();
  await lab.post(token, 'stats', { scope: 'a' });
  await lab.post(token, 'stats', { scope: 'b' });
  await lab.post(null, 'stats', { scope: 'a' });
  const figures = await lab.token({ scopes: [], access: 'metrics' });
  await until(() => lab.audit.entries.length === 3);
  const { status, headers, text } = await lab.fetch('/metrics', { headers: bearer(figures) });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(text).toContain('mnemis_requests_total{via="http",method="stats",outcome="ok"} 1');
  expect(text).toContain('mnemis_requests_total{via="http",method="stats",outcome="forbidden-scope"} 1');
  expect(text).toContain('mnemis_requests_total{via="http",method="stats",outcome="unauthorized"} 1');
  expect(text).toContain('mnemis_request_seconds_count{via="http",method="stats"} 3');
  expect(text).toContain('mnemis_requests_running 0');
  expect(text).toContain('mnemis_ready 1');
  expect(text).toContain('process_resident_memory_bytes');
  const labels = new Set([...text.matchAll(/method="([^"]*)"/g)].map(([, name]) => name!));
  for (const name of labels) expect(['none', ...Object.keys(contract)]).toContain(name);
});

describe('the end of the server', () => {
  it('is announced, lets running requests complete, ends event streams, and then closes', async () => {
    const { opened: gone, open: go } = gate();
    let begun = 0;
    const held = async () => {
      begun += 1;
      await gone;
    };
    const client = (inner: MemoryClient): MemoryClient => ({
      ...inner,
      search: async (input, options) => held().then(() => inner.search(input, options)),
      context: async (input, options) => held().then(() => inner.context(input, options)),
    });
    await using lab = await ServeLab.open({
      client,
      limits: { drainMilliseconds: 300, graceMilliseconds: 5_000 },
    });
    const token = await lab.token();
    const search = lab.post(token, 'search', { scope: 'a', query: 'cat' });
    const tool = lab.message(token, {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'search_memory', arguments: { question: 'cat' } },
    });
    const stream = await lab.follow(token, 'changes', { scope: 'a' });
    await until(() => begun === 2);
    const closed = lab.server.close();
    // Load balancers hear of it while requests are still accepted.
    expect((await lab.fetch('/readyz')).status).toBe(503);
    expect((await lab.fetch('/healthz')).status).toBe(200);
    expect((await lab.post(token, 'stats', { scope: 'a' })).status).toBe(200);
    expect(await stream.text).toContain('engine-stopped');
    go();
    expect((await search).status).toBe(200);
    expect((await tool).text).toContain('"result"');
    await closed;
    await expect(lab.fetch('/healthz')).rejects.toThrow();
  });

  it('cancels what takes longer than the grace period', async () => {
    let cancelled = 0;
    let begun = 0;
    const untilCancelled = async (_: unknown, { signal }: Parameters<MemoryClient['search']>[1] = {}) => {
      begun += 1;
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      cancelled += 1;
      throw Object.assign(new Error('cancelled'), { name: 'AbortError' });
    };
    const client = (inner: MemoryClient): MemoryClient => ({
      ...inner,
      search: untilCancelled,
      context: untilCancelled,
    });
    await using lab = await ServeLab.open({ client, limits: { graceMilliseconds: 200 } });
    const token = await lab.token();
    const search = lab.post(token, 'search', { scope: 'a', query: 'cat' }).catch(() => null);
    const tool = lab
      .message(token, {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'search_memory', arguments: { question: 'cat' } },
      })
      .catch(() => null);
    await until(() => begun === 2);
    await lab.server.close();
    expect(cancelled).toBe(2);
    await Promise.all([search, tool]);
  });

  it('is no end where the address is taken: that is an error with advice', async () => {
    await using lab = await ServeLab.open();
    await expect(ServeLab.open({ port: lab.server.port })).rejects.toMatchObject({ code: 'invalid-setting' });
  });
});
