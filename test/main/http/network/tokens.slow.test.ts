import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../../../main/contract.ts';
import { makeToken } from '../../../../main/http/network/tokens/token-text.ts';
import { bearer, ServeLab, until } from './serve-lab.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** A client whose searches wait until their request is cancelled. */
const slow =
  (seen: { cancelled: number; begun: number }) =>
  (client: MemoryClient): MemoryClient => {
    const untilCancelled = async (_: unknown, { signal }: Parameters<MemoryClient['search']>[1] = {}) => {
      seen.begun += 1;
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      seen.cancelled += 1;
      throw Object.assign(new Error('cancelled'), { name: 'AbortError' });
    };
    return { ...client, search: untilCancelled, context: untilCancelled };
  };

describe('tokens', () => {
  it('are needed for everything but the probes', async () => {
    await using lab = await ServeLab.open();
    const replies = [
      await lab.post(null, 'health', {}),
      await lab.post(null, 'scopes', {}),
      await lab.fetch('/metrics'),
      await lab.fetch('/'),
      await lab.fetch('/v1/health'),
      await lab.fetch('/v1/noSuchMethod', { method: 'POST' }),
      await lab.message(null, LIST),
      await lab.message(null, LIST, '/mcp/a'),
    ];
    for (const { status, code, text, headers } of replies) {
      expect([status, code]).toEqual([401, 'unauthorized']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(text).toBe(replies[0]!.text);
    }
  });

  it('must be sent whole, as bearer tokens', async () => {
    await using lab = await ServeLab.open();
    const token = await lab.token();
    expect((await lab.post(token, 'health', {})).status).toBe(200);
    const wrong = [
      ...[
        '',
        'Bearer',
        'Bearer ',
        token,
        `Basic ${token}`,
        `Bearer ${token} x`,
        `Bearer ${token.slice(0, -1)}`,
      ],
      ...[`Bearer ${token}, Bearer ${token}`, `Bearer ${makeToken().token}`, `Bearer ${'x'.repeat(9_000)}`],
    ];
    for (const authorization of wrong)
      expect((await lab.post(null, 'health', {}, { authorization })).status, authorization).toBe(401);
    const inAddress = await lab.fetch(`/v1/health?token=${token}`, { method: 'POST' });
    expect(inAddress.status).toBe(401);
  });

  it('are refused once they have expired or are revoked', async () => {
    await using lab = await ServeLab.open();
    const short = await lab.token({ expires: Date.now() + 2_500 });
    const { token, entry } = await lab.issue();
    for (const each of [short, token]) expect((await lab.post(each, 'health', {})).status).toBe(200);
    await lab.tokens.revoke(entry.id);
    expect((await lab.post(token, 'health', {})).status).toBe(401);
    expect((await lab.message(token, LIST)).status).toBe(401);
    await wait(2_600);
    expect((await lab.post(short, 'health', {})).status).toBe(401);
  });

  it('end their event streams and running requests when they are revoked, and no others', async () => {
    const seen = { begun: 0, cancelled: 0 };
    await using lab = await ServeLab.open({ client: slow(seen) });
    const [stolen, kept] = [await lab.issue(), await lab.issue()];
    const leave = new AbortController();
    const stream = await lab.follow(stolen.token, 'changes', { scope: 'a' });
    const other = await lab.follow(kept.token, 'changes', { scope: 'a' }, leave.signal);
    const search = lab.post(stolen.token, 'search', { scope: 'a', query: 'cat' }).catch(() => null);
    await until(() => seen.begun === 1);
    await lab.client.add({ scope: 'a', turns: [{ content: 'Before the theft.', session: 's' }] });
    await lab.tokens.revoke(stolen.entry.id);
    const text = await stream.text.catch(() => 'disconnected');
    expect(text).toContain('"code":"token-ended"');
    await until(() => seen.cancelled === 1);
    expect((await search)?.status ?? 401).toBe(401);
    await lab.client.add({ scope: 'a', turns: [{ content: 'After the theft.', session: 's' }] });
    await wait(100);
    leave.abort();
    await other.text.catch(() => undefined);
    const ended = lab.audit.entries.filter(({ token }) => token === stolen.entry.id);
    expect(ended.find(({ method }) => method === 'changes')?.outcome).toBe('token-ended');
    const others = lab.audit.entries.filter(({ token }) => token === kept.entry.id);
    expect(others.map(({ outcome }) => outcome)).not.toContain('token-ended');
  });

  it('end their event streams when they expire', async () => {
    await using lab = await ServeLab.open();
    const token = await lab.token({ expires: Date.now() + 2_000 });
    const stream = await lab.follow(token, 'changes', { scope: 'a' });
    expect(await stream.text).toContain('"code":"token-ended"');
  });

  it('end their running tools of MCP when they are revoked', async () => {
    const seen = { begun: 0, cancelled: 0 };
    await using lab = await ServeLab.open({ client: slow(seen) });
    const { token, entry } = await lab.issue();
    const call = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'search_memory', arguments: { question: 'cat' } },
    };
    const reply = lab.message(token, call).then(
      ({ text }) => text,
      () => 'disconnected',
    );
    await until(() => seen.begun === 1);
    await lab.tokens.revoke(entry.id);
    expect(await reply).toMatch(/^disconnected$|^$/);
    await until(() => seen.cancelled === 1);
  });

  it('are not accepted while they cannot be checked, and running requests end', async () => {
    let isBroken = false;
    await using lab = await ServeLab.open({
      tokens: (tokens) => ({
        ...{ issue: (request) => tokens.issue(request), list: () => tokens.list() },
        ...{ revoke: (id) => tokens.revoke(id), close: () => tokens.close() },
        verify: async (token) =>
          isBroken ? Promise.reject(new Error('/secret/path')) : tokens.verify(token),
        isValid: async (id) => (isBroken ? Promise.reject(new Error('/secret/path')) : tokens.isValid(id)),
      }),
    });
    const token = await lab.token();
    const stream = await lab.follow(token, 'changes', { scope: 'a' });
    isBroken = true;
    expect(await stream.text).toContain('"code":"token-ended"');
    const reply = await lab.post(token, 'health', {});
    expect([reply.status, reply.code]).toEqual([503, 'unavailable']);
    expect(reply.headers.get('retry-after')).toBe('5');
    expect(reply.text).not.toContain('/secret');
    expect(lab.warnings.join('\n')).toContain('Tokens cannot be checked');
    isBroken = false;
    expect((await lab.post(token, 'health', {})).status).toBe(200);
  });

  it('are in no reply, log, metric or warning', async () => {
    await using lab = await ServeLab.open();
    const token = await lab.token();
    const figures = await lab.token({ scopes: [], access: 'metrics' });
    const replies = [
      await lab.post(token, 'health', {}),
      await lab.post(token, 'stats', { scope: 'other' }),
      await lab.message(token, LIST),
      await lab.fetch('/metrics', { headers: bearer(figures) }),
    ];
    const all =
      replies.map(({ text, headers }) => text + JSON.stringify([...headers])).join('') + lab.audit.text;
    for (const each of [token, figures]) expect(all).not.toContain(each.slice(24));
    expect(lab.warnings).toEqual([]);
  });

  it('are refused to pages of browsers', async () => {
    await using lab = await ServeLab.open();
    const token = await lab.token();
    for (const origin of ['https://evil.example', 'null', lab.url]) {
      const reply = await lab.post(token, 'health', {}, { origin });
      expect([reply.status, reply.code]).toEqual([403, 'foreign-origin']);
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
