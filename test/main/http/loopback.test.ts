import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { localClient } from '../../../main/client/local-client.ts';
import type { MemoryClient, OutputOf } from '../../../main/contract.ts';
import { gate } from '../../fixtures/gate.ts';
import { head, openEngine, request, ServerLab } from './server-fixture.ts';

const QUICK = { headersMilliseconds: 200, requestMilliseconds: 300, checkMilliseconds: 50 };

/** A client one of whose methods is the test's. */
async function withMethod(method: Partial<MemoryClient>): Promise<MemoryClient> {
  return { ...localClient(await openEngine()), ...method };
}

describe('the server', () => {
  it('listens on this machine only', async () => {
    await using lab = await ServerLab.open();
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
    for (const host of [outside, '::1', '127.0.0.2'].filter((each) => each !== undefined)) {
      const socket = connect({ host, port: lab.server.port });
      const [error] = await once(socket, 'error');
      expect(error).toBeInstanceOf(Error);
    }
  });

  it('disconnects slow senders: nothing, half a head, half a body', async () => {
    await using lab = await ServerLab.open({ limits: QUICK });
    const replies = await Promise.all([
      lab.raw(''),
      lab.raw('POST /v1/health HTTP/1.1\r\nho'),
      lab.raw(`${head(lab, { 'content-length': 100 })}\r\n`, '{"sco'),
    ]);
    expect(replies.map((reply) => reply === '' || /^HTTP\/1\.1 408 /.test(reply))).toEqual([
      true,
      true,
      true,
    ]);
    expect((await lab.client.health({})).protocol).toBe(1);
  });

  it('sets no time limit for work', async () => {
    const { opened, open } = gate();
    const scopes = async () => {
      await opened;
      return ['late'];
    };
    await using lab = await ServerLab.open({ limits: QUICK, client: await withMethod({ scopes }) });
    const reply = lab.client.scopes({});
    await lab.raw('POST'); // cut off: longer than all limits
    open();
    expect(await reply).toEqual(['late']);
  });

  it('limits the number of connections', async () => {
    await using lab = await ServerLab.open({ limits: { connections: 3 } });
    const sockets = [lab.socket(), lab.socket(), lab.socket()];
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect(await lab.raw(request(lab, '{}'))).toBe('');
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    let last: unknown;
    for (let attempt = 0; attempt < 50; attempt++) {
      last = await lab.client.health({}).catch((error) => error.code);
      if (last !== 'engine-unreachable') break;
    }
    expect(last).toMatchObject({ protocol: 1 });
  });

  it('limits the number of requests, and says when there are too many', async () => {
    const { opened, open } = gate();
    const scopes = async () => {
      await opened;
      return [];
    };
    const { opened: underWay, open: both } = gate();
    await using lab = await ServerLab.open({
      limits: { requests: 2 },
      client: await withMethod({ scopes }),
      onActivity: (count) => count === 2 && both(),
    });
    const first = [lab.client.scopes({}), lab.client.scopes({})];
    await underWay;
    await expect(lab.client.health({})).rejects.toMatchObject({ code: 'engine-busy' });
    open();
    await Promise.all(first);
    expect((await lab.client.health({})).protocol).toBe(1);
  });

  it('cancels the work of a client that disconnects', async () => {
    const { opened: begun, open: begin } = gate();
    const { opened: cancelled, open: cancel } = gate();
    const scopes: MemoryClient['scopes'] = async (_, { signal } = {}) => {
      signal!.addEventListener('abort', cancel);
      begin();
      await cancelled;
      return [];
    };
    await using lab = await ServerLab.open({ client: await withMethod({ scopes }) });
    const stop = new AbortController();
    const reply = lab.client.scopes({}, { signal: stop.signal });
    await begun;
    stop.abort();
    await expect(reply).rejects.toMatchObject({ code: 'cancelled' });
    await cancelled;
  });

  it('stops a stream whose client leaves early', async () => {
    const { opened: ended, open: end } = gate();
    await using lab = await ServerLab.open({ client: await withMethod({ changes: endless(end) }) });
    for await (const event of lab.client.changes({ scope: 'ana' })) {
      expect(event.type).toBe('missed');
      break;
    }
    await ended;
  });

  it('writes no faster than the client reads, and disconnects one that does not read', async () => {
    const { opened: ended, open: end } = gate();
    let told = 0;
    const changes = endless(end, () => {
      told += 1;
    });
    await using lab = await ServerLab.open({
      client: await withMethod({ changes }),
      limits: { unreadMilliseconds: 300 },
    });
    const socket = lab.socket();
    socket.pause();
    socket.on('error', () => undefined);
    socket.write(request(lab, '{"scope":"ana"}', {}, '/v1/changes'));
    await ended;
    // What the buffers of both sides hold, and not what an endless stream could tell meanwhile.
    expect(told).toBeLessThan(2_000);
    socket.destroy();
  });

  it('keeps a quiet stream alive', async () => {
    await using lab = await ServerLab.open({ limits: { heartbeatMilliseconds: 20 } });
    const socket = lab.socket();
    socket.write(request(lab, '{"scope":"ana"}', {}, '/v1/changes'));
    let text = '';
    for await (const chunk of socket) {
      text += chunk;
      if (text.includes('\r\n1\r\n\n\r\n1\r\n\n')) break; // two empty lines, chunk by chunk
    }
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('stops once running work is done, and accepts nothing more', async () => {
    const { opened, open } = gate();
    const { opened: underWay, open: begun } = gate();
    const scopes = async () => {
      begun();
      await opened;
      return ['done'];
    };
    await using lab = await ServerLab.open({ client: await withMethod({ scopes }) });
    const idle = lab.socket(); // has not asked anything yet
    await once(idle, 'connect');
    const follower = lab.client.changes({ scope: 'ana' }).next();
    const reply = lab.client.scopes({});
    await underWay;
    const closed = lab.server.close();
    await expect(follower).rejects.toMatchObject({ code: 'engine-stopped' });
    await expect(lab.client.health({})).rejects.toMatchObject({ code: 'engine-unreachable', isSent: false });
    open();
    expect(await reply).toEqual(['done']);
    await closed;
    idle.destroy();
  });

  it('cancels work that takes longer than the grace period', async () => {
    const { opened: begun, open: begin } = gate();
    const scopes: MemoryClient['scopes'] = async (_, { signal } = {}) => {
      begin();
      await once(signal!, 'abort');
      throw new Error('a secret');
    };
    const failures: unknown[] = [];
    await using lab = await ServerLab.open({
      client: await withMethod({ scopes }),
      limits: { graceMilliseconds: 50 },
      onFailure: (error) => failures.push(error),
    });
    const reply = lab.client.scopes({});
    await begun;
    const closed = lab.server.close();
    await expect(reply).rejects.toMatchObject({
      code: 'internal',
      message: expect.not.stringContaining('secret'),
    });
    await closed;
    expect(failures).toMatchObject([{ message: 'a secret' }]);
  });

  it('counts a stream as work while a client reads it', async () => {
    const counts: number[] = [];
    await using lab = await ServerLab.open({ onActivity: (count) => counts.push(count) });
    const changes = lab.client.changes({ scope: 'ana', since: 0 });
    await lab.client.add({ scope: 'ana', turns: [{ content: 'Tick.', at: 0 }] });
    await changes.next();
    expect(counts.at(-1)).toBe(1);
    await changes.return();
    expect((await lab.client.health({})).protocol).toBe(1);
    await lab.server.close();
    expect(counts.at(-1)).toBe(0);
  });
});

/** Tells events without an end, and when it is stopped. */
function endless(onEnd: () => void, onTold: () => void = () => undefined): MemoryClient['changes'] {
  const event: OutputOf<'changes'> = { type: 'missed', at: 0, since: Number('1'.repeat(15)) };
  const padded = { ...event, pad: 'x'.repeat(10_000) };
  return async function* () {
    try {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        onTold();
        yield padded;
      }
    } finally {
      onEnd();
    }
  };
}
