import { once } from 'node:events';
import { chmodSync, chownSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findEngine } from '../../../main/client/find-engine.ts';
import { PROTOCOL } from '../../../main/contract.ts';
import { newToken } from '../../../main/http/loopback-access.ts';
import {
  type Discovery,
  discoveryPath,
  removeDiscovery,
  writeDiscovery,
} from '../../../main/processes/discovery-file.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { ServerLab } from '../http/server-fixture.ts';

const folder = freshFolder();
let count = 0;
const fresh = () => join(folder, `${++count}.db`);

const told = (lab: Pick<ServerLab, 'token'> & { readonly port: number }): Discovery => ({
  pid: process.pid,
  port: lab.port,
  token: lab.token,
  started: 0,
  version: '0',
  protocol: PROTOCOL,
});

describe('findEngine', () => {
  it('finds the engine that the file names', async () => {
    await using lab = await ServerLab.open();
    const database = fresh();
    await writeDiscovery(database, told({ token: lab.token, port: lab.server.port }));
    expect(statSync(discoveryPath(database)).mode & 0o777).toBe(0o600);
    const running = await findEngine(database);
    expect(await running!.client.health({})).toMatchObject({ path: ':memory:' });
    await removeDiscovery(database, newToken());
    expect(await findEngine(database)).not.toBeNull();
    await removeDiscovery(database, lab.token);
    expect(await findEngine(database)).toBeNull();
  });

  it('finds none in an invalid file', async () => {
    const database = fresh();
    expect(await findEngine(database)).toBeNull();
    const wrong = JSON.stringify({ ...told({ port: 1, token: newToken() }), port: 70_000 });
    for (const text of ['', '{', '[]', '{"pid":1}', wrong]) {
      writeFileSync(discoveryPath(database), text, { mode: 0o600 });
      expect(await findEngine(database)).toBeNull();
    }
  });

  it.skipIf(process.platform === 'win32')('ignores a file that others could have written', async () => {
    await using lab = await ServerLab.open();
    const database = fresh();
    const path = discoveryPath(database);
    await writeDiscovery(database, told({ token: lab.token, port: lab.server.port }));
    for (const mode of [0o644, 0o660, 0o602]) {
      chmodSync(path, mode);
      expect(await findEngine(database)).toBeNull();
    }
    chmodSync(path, 0o600);
    expect(await findEngine(database)).not.toBeNull();
    renameSync(path, `${path}.moved`);
    symlinkSync(`${path}.moved`, path);
    expect(await findEngine(database)).toBeNull();
  });

  it.skipIf(process.getuid?.() !== 0)('ignores a file of another user (only root can make one)', async () => {
    await using lab = await ServerLab.open();
    const database = fresh();
    await writeDiscovery(database, told({ token: lab.token, port: lab.server.port }));
    chownSync(discoveryPath(database), 12_345, 12_345);
    expect(await findEngine(database)).toBeNull();
  });

  it('reveals neither the token nor anything else to another process on the port of a dead engine', async () => {
    let heard = '';
    const stranger = createServer((socket) => {
      socket.on('data', (chunk) => {
        heard += chunk;
        const reply = JSON.stringify({ result: { protocol: PROTOCOL, proof: '0'.repeat(64) } });
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`);
      });
    });
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    const [database, token] = [fresh(), newToken()];
    await writeDiscovery(database, told({ port, token }));
    expect(await findEngine(database)).toBeNull();
    expect(heard).toContain('nonce');
    expect(heard).not.toContain(token);
    stranger.close();
  });

  it('finds no engine of another memory on the port', async () => {
    await using lab = await ServerLab.open();
    const database = fresh();
    await writeDiscovery(database, told({ port: lab.server.port, token: newToken() }));
    expect(await findEngine(database)).toBeNull();
  });
});
