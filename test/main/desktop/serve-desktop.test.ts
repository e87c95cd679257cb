import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { serveDesktop } from '../../../main/desktop/serve-desktop.ts';
import { portClient } from '../../../renderer/client/port-client.ts';
import { CommandLab } from '../cli/fake-terminal.ts';

function wireOf(port: MessagePort) {
  return {
    post: (message: unknown) => port.postMessage(message),
    subscribe: (listener: (message: unknown) => void) => {
      port.on('message', listener);
      return () => void port.off('message', listener);
    },
  };
}

const logger = { warn: () => undefined };

describe('serveDesktop', () => {
  it('serves the memory to the app and to commands until it is told to stop', async () => {
    using lab = new CommandLab();
    const { port1, port2 } = new MessageChannel();
    const notices: unknown[] = [];
    port2.on('message', (message) => notices.push(message));
    const run = serveDesktop({ environment: lab.env, folder: lab.folder, wire: wireOf(port1), logger });
    const client = portClient({ wire: wireOf(port2) });
    await expect.poll(() => notices).toContainEqual({ type: 'ready' });
    const events = client.appEvents({});
    expect((await events.next()).value).toMatchObject({ type: 'engine', pid: process.pid });
    await client.add({ scope: 'default', turns: [{ content: 'I moved to Lisbon.', at: '2024-03-05' }] });
    const stats = await lab.run('stats', '--json');
    expect(stats.json()).toMatchObject({ episodes: 1 });
    await events.return();
    port2.postMessage({ type: 'stop' });
    await run;
    port2.close();
  });

  it('reports why the memory cannot be opened', async () => {
    using lab = new CommandLab();
    lab.env.MNEMIS_K = '0';
    const posted: unknown[] = [];
    const wire = { post: (message: unknown) => void posted.push(message), subscribe: () => () => undefined };
    await serveDesktop({ environment: lab.env, folder: lab.folder, wire, logger });
    expect(posted).toMatchObject([{ type: 'failed', error: { code: 'invalid-setting' } }]);
  });
});
