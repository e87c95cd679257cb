import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isExpired, isReply } from '../../../../main/assistant/tools/connection-problem.ts';
import { CONNECTION_LIMITS, ServerConnection } from '../../../../main/assistant/tools/server-connection.ts';
import type { ToolServerInput } from '../../../../main/contract.ts';
import { HttpToolServer } from '../../../fixtures/mcp/http-server.ts';
import { program } from '../../../fixtures/mcp/programs.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mnemis-tools-'));
});
afterAll(() => rm(folder, { recursive: true }));

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const connect = (server: ToolServerInput) =>
  new ServerConnection('Web', server, { limits: CONNECTION_LIMITS, onChange: () => undefined });

describe('a connection to a server of tools', () => {
  it('is closed only when a program has ended that had not begun to answer', async () => {
    const file = join(folder, 'stays');
    const connection = connect(program('stays', { word: file }));
    connection.start().catch(() => undefined);
    await expect.poll(() => existsSync(file)).toBe(true);
    await connection.close();
    const pid = Number(await readFile(file, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 500);
  });

  it('that is closed before its program runs starts none', async () => {
    const file = join(folder, 'none');
    const connection = connect(program('stays', { word: file }));
    const started = connection.start();
    await Promise.all([expect(started).rejects.toThrow(), connection.close()]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(existsSync(file)).toBe(false);
  });

  it('stops a call at once whose server is being started', async () => {
    const connection = connect(program('hangs'));
    const before = performance.now();
    await expect(connection.call('web_search', {}, AbortSignal.timeout(200))).rejects.toThrow();
    expect(performance.now() - before).toBeLessThan(5_000);
    await connection.close();
  });

  it.each(['--api-key=key-31', '--header=Authorization: Bearer key-31', 'postgres://ann:key-31@host/db'])(
    'says the last line of a program, without what %s holds',
    async (argument) => {
      const { command, args, env } = program('mutters');
      const connection = connect({ command, env, args: [...args, argument] });
      await expect(connection.start()).rejects.toThrow();
      expect(connection.problem).toBe('Web ended before it answered. It said: No ••• here.');
    },
  );

  it('is sent on within its origin only: no other one gets its keys', async () => {
    await using tools = await HttpToolServer.start('key-31');
    const seen: unknown[] = [];
    const elsewhere = createServer(({ headers }, response) => {
      seen.push(headers['x-api-key'], headers.authorization);
      response.writeHead(500).end();
    });
    const here = createServer((request, response) => {
      const isMoved = request.url === '/mcp';
      const to = isMoved ? '/mcp/' : `http://127.0.0.1:${portOf(elsewhere)}/mcp`;
      seen.push(request.url);
      response.writeHead(307, { location: to }).end();
    });
    for (const each of [elsewhere, here])
      await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
    const headers = { authorization: 'Bearer key-31', 'x-api-key': 'key-31' };
    const moved = connect({ url: `http://127.0.0.1:${portOf(here)}/mcp`, headers });
    await expect(moved.start()).rejects.toThrow();
    expect(moved.problem).toBe('Web has another address; enter that one.');
    expect(seen).toEqual(['/mcp', '/mcp/']);
    tools.movesTo = '/elsewhere/';
    const within = connect({ url: tools.url, headers });
    expect((await within.start()).map(({ name }) => name)).toContain('web_search');
    await within.close();
    for (const each of [elsewhere, here]) each.closeAllConnections();
    for (const each of [elsewhere, here]) each.close();
  });

  it('reads no endless failure, and opens no stream that nobody asked for', async () => {
    let sent = 0;
    const endless = createServer((_, response) => {
      response.writeHead(500);
      const timer = setInterval(() => {
        sent += 1;
        response.write(Buffer.alloc(2 ** 20));
      }, 1);
      response.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const failing = connect({ url: `http://127.0.0.1:${portOf(endless)}/mcp`, headers: {} });
    await expect(failing.start()).rejects.toThrow();
    expect(failing.problem).toBe('Web answered with the status 500.');
    expect(sent).toBeLessThan(1_000);
    endless.closeAllConnections();
    endless.close();

    await using http = await HttpToolServer.start('t');
    const connection = connect({ url: http.url, headers: { Authorization: 'Bearer t' } });
    await connection.start();
    await connection.close();
    expect([...http.methods]).toEqual(['POST', 'DELETE']);
  });

  it('takes a number that a server replies with for no status', () => {
    const replied = new McpError(404, 'There is no such page');
    expect(isExpired(replied)).toBe(false); // else the call would run twice
    expect(isReply(replied)).toBe(true);
  });
});
