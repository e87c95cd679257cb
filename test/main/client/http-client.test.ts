import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { httpClient } from '../../../main/client/http-client.ts';
import { reconnecting } from '../../../main/client/reconnecting.ts';
import type { MemoryClient } from '../../../main/contract.ts';
import { newToken } from '../../../main/http/loopback-access.ts';
import { ServerLab } from '../http/server-fixture.ts';

const OK = 'HTTP/1.1 200 OK\r\nconnection: close\r\n';
const token = newToken();

/** Something that answers every connection with the same bytes and hangs up, and counts. */
async function answering(reply: string) {
  let asked = 0;
  const server = createServer((socket) => {
    asked += 1;
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(reply));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    client: httpClient({ port, token }),
    port,
    asked: () => asked,
    [Symbol.dispose]: () => void server.close(),
  };
}

const body = (text: string) => `${OK}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;

async function drained(client: MemoryClient): Promise<unknown[]> {
  const events = [];
  for await (const event of client.changes({ scope: 'ana', follow: false })) events.push(event);
  return events;
}

describe('httpClient', () => {
  it.each([
    ['nothing', '', 'engine-unreachable'],
    ['half a head', 'HTTP/1.1 200', 'engine-unreachable'],
    ['half a body', `${OK}content-length: 100\r\n\r\n{"result":`, 'engine-unreachable'],
    ['no JSON', body('<html>'), 'engine-reply'],
    ['a list', body('[]'), 'engine-reply'],
    ['no result', body('{}'), 'engine-reply'],
    ['another result', body('{"result":{"version":7}}'), 'engine-reply'],
    ['an error without a code', body('{"error":{"message":"x"}}'), 'engine-reply'],
    ['no such method', body('{"error":{"code":"unknown-method","message":"No."}}'), 'engine-reply'],
    ['an error', body('{"error":{"code":"disk-full","message":"No room."}}'), 'disk-full'],
  ])('says what is wrong with a reply: %s', async (_, reply, code) => {
    using fake = await answering(reply);
    await expect(fake.client.health({})).rejects.toMatchObject({ code });
  });

  it('distinguishes an interrupted stream from one that ended', async () => {
    const event = '{"event":{"type":"missed","at":1,"since":1}}\n';
    using whole = await answering(body(`\n${event}\n{"end":true}\n`));
    expect(await drained(whole.client)).toHaveLength(1);
    using broken = await answering(body(event));
    await expect(drained(broken.client)).rejects.toMatchObject({ code: 'engine-unreachable', isSent: true });
    using cut = await answering(`${OK}content-length: 500\r\n\r\n${event}{"ev`);
    await expect(drained(cut.client)).rejects.toMatchObject({ code: 'engine-unreachable', isSent: true });
    using strange = await answering(body('{"event":{"kind":1}}\n'));
    await expect(drained(strange.client)).rejects.toMatchObject({ code: 'engine-reply' });
  });

  it('rejects input that JSON cannot represent, without a request', async () => {
    using fake = await answering('');
    const turns = [{ content: 7n, at: 0 }] as never;
    await expect(fake.client.add({ scope: 'ana', turns })).rejects.toMatchObject({ code: 'invalid-input' });
    expect(fake.asked()).toBe(0);
  });
});

describe('reconnecting', () => {
  it('finds the new engine after the old one has ended, once for all callers', async () => {
    await using second = await ServerLab.open();
    const first = await ServerLab.open();
    const clients = [first.client, second.client];
    let opened = 0;
    const client = reconnecting(async () => clients[opened++]!);
    expect((await client.health({})).protocol).toBe(1);
    await first[Symbol.asyncDispose]();
    const turns = [{ content: 'Said once.', at: '2024-01-01' }];
    const replies = await Promise.all([
      client.add({ scope: 'ana', turns }),
      client.scopes({}),
      drained(client),
    ]);
    expect([replies[0].added, opened]).toEqual([1, 2]);
    expect((await second.client.stats({ scope: 'ana' })).episode).toBe(1);
  });

  it('repeats a read, but no write that may have been carried out', async () => {
    using broken = await answering(`${OK}content-length: 100\r\n\r\n{"result":`);
    await using lab = await ServerLab.open();
    const make = () => {
      const clients = [broken.client, lab.client];
      return reconnecting(async () => clients.shift()!);
    };
    expect(await make().scopes({})).toEqual([]);
    const turns = [{ content: 'Said once.', at: '2024-01-01' }];
    await expect(make().add({ scope: 'ana', turns })).rejects.toMatchObject({ isSent: true });
    expect(await lab.client.scopes({})).toEqual([]);
  });

  it('repeats no stream that has sent an event', async () => {
    using broken = await answering(body('{"event":{"type":"missed","at":1,"since":1}}\n'));
    await using lab = await ServerLab.open();
    const clients = [broken.client, lab.client];
    await expect(drained(reconnecting(async () => clients.shift()!))).rejects.toMatchObject({ isSent: true });
  });

  it('tries again if no engine was available', async () => {
    await using lab = await ServerLab.open();
    let attempts = 0;
    const client = reconnecting(async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('not yet');
      return lab.client;
    });
    await expect(client.scopes({})).rejects.toThrow('not yet');
    expect(await client.scopes({})).toEqual([]);
  });
});
