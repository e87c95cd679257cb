import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDiscovery } from '../../../main/processes/discovery-file.ts';
import { linkToFront } from '../../../main/processes/run-front.ts';
import { ConnectionState } from '../../../renderer/client/connection-status.ts';
import { fetchClient } from '../../../renderer/client/fetch-client.ts';
import { CommandLab } from '../cli/fake-terminal.ts';
import { FrontLab } from './front-lab.ts';

async function endEngine(lab: CommandLab): Promise<void> {
  const discovery = await readDiscovery(lab.env.MNEMIS_PATH!);
  if (discovery !== null)
    try {
      process.kill(discovery.pid, 'SIGKILL');
    } catch {
      // it has ended
    }
  lab[Symbol.dispose]();
}

describe('runFront', () => {
  it('outlives its engine: the next request and the page’s events have another one', async () => {
    const lab = new CommandLab();
    try {
      await using front = await FrontLab.open(lab);
      const token = await front.token();
      const seen: string[] = [];
      const status = new ConnectionState();
      status.subscribe((now) => seen.push(now));
      const client = fetchClient({
        origin: front.origin,
        token: () => token,
        status,
      });
      const events = client.appEvents({});
      const first = (await events.next()).value;
      const { pid } = await client.health({});
      expect(first).toMatchObject({ type: 'engine', pid });
      expect(pid).not.toBe(process.pid);
      await client.add({ scope: 'ana', turns: [{ content: 'I moved to Lisbon.', at: '2024-03-05' }] });
      process.kill(pid, 'SIGKILL');
      const next = (await events.next()).value;
      const after = await client.health({});
      expect(after.pid).not.toBe(pid);
      expect(next).toMatchObject({ type: 'engine', pid: after.pid });
      expect((await client.stats({ scope: 'ana' })).episode).toBe(1);
      await events.return();

      // Another window, and a second `mnemis app`.
      const link = await linkToFront(lab.env.MNEMIS_PATH!);
      expect(link).toMatchObject({
        pid: process.pid,
        link: expect.stringContaining(`${front.origin}/#launch=`),
      });
      const code = link!.link.split('#launch=')[1];
      expect((await front.post('launch', { code })).reply).toEqual({ result: { token } });

      const second = await lab.run('app', '--browser', '--no-open', '--json');
      expect(second.json()).toMatchObject({ kind: 'browser', pid: process.pid, isNew: false, isOpen: false });
      const given = second.json<{ link: string }>().link.split('#launch=')[1];
      expect((await front.post('launch', { code: given })).reply).toEqual({ result: { token } });
      expect(seen).toEqual([]); // the front waited for the next engine; the page was never cut off

      // Broken settings are reported by each request; the front stays and recovers.
      await client.shutdown({});
      writeFileSync(join(lab.folder, 'mnemis.config.json'), '{"k": 0}');
      await expect(client.health({})).rejects.toMatchObject({ code: 'invalid-setting' });
      writeFileSync(join(lab.folder, 'mnemis.config.json'), '{"k": 7}');
      const { settings } = await client.settings({});
      expect(settings.k).toMatchObject({ value: 7, source: 'file' });
    } finally {
      await endEngine(lab);
    }
  });

  it('leaves no file behind, takes the port that was asked for, and says when it is taken', async () => {
    const lab = new CommandLab();
    lab.env.MNEMIS_PATH = join(lab.folder, 'other.db');
    const front = await FrontLab.open(lab);
    expect(existsSync(`${lab.env.MNEMIS_PATH}.app.server.json`)).toBe(true);
    using second = new CommandLab();
    await expect(FrontLab.open(second, { port: front.port })).rejects.toMatchObject({ code: 'port-taken' });
    await front[Symbol.asyncDispose]();
    expect(existsSync(`${lab.env.MNEMIS_PATH}.app.server.json`)).toBe(false);
    expect(await linkToFront(lab.env.MNEMIS_PATH)).toBeNull();
    await endEngine(lab);
  });
});
