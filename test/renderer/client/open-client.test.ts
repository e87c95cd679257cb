import { afterAll, beforeAll, expect, it } from 'vitest';
import { localClient } from '../../../main/client/local-client.ts';
import { LoopbackServer } from '../../../main/http/loopback.ts';
import { newToken } from '../../../main/http/loopback-access.ts';
import { PageHost } from '../../../main/http/page/page-routes.ts';
import { RemotePage } from '../../../main/http/page/remote-page.ts';
import { fetchClient } from '../../../renderer/client/fetch-client.ts';
import { type Host, openClient } from '../../../renderer/client/open-client.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { CommandLab } from '../../main/cli/fake-terminal.ts';
import { ServeLab } from '../../main/http/network/serve-lab.ts';
import { openEngine } from '../../main/http/server-fixture.ts';
import { pageFolder } from '../../main/processes/front-lab.ts';

const lab = new CommandLab();
const token = newToken();
let [engine, server, page] = [
  null as unknown as Mnemis,
  null as unknown as LoopbackServer,
  null as unknown as PageHost,
];
const origin = () => `http://127.0.0.1:${server.port}`;

beforeAll(async () => {
  engine = await openEngine();
  page = await PageHost.open(pageFolder(lab));
  server = await LoopbackServer.listen({ client: localClient(engine), token, page });
});
afterAll(async () => {
  await server.close();
  await engine.close();
  lab[Symbol.dispose]();
});

/** A window as far as the client needs it. */
function windowAt(hash: string, stored = new Map<string, string>()) {
  const [addresses, opened]: [string[], string[]] = [[], []];
  const host: Host = {
    location: { origin: origin(), pathname: '/', hash },
    history: { replaceState: (_data, _unused, url) => void addresses.push(url) },
    sessionStorage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    open: (url) => void opened.push(url),
  };
  return { host, addresses, opened, stored };
}

it('exchanges a link’s code, hides it, and survives a reload', async () => {
  const first = windowAt(`#launch=${page.codes.issue()}&to=%2Fc%2F1`);
  const { client, status, problem } = await openClient(first.host);
  expect([status.get(), problem, first.addresses]).toEqual(['connected', null, ['/#/c/1']]);
  expect(await client.health({})).toMatchObject({ path: ':memory:' });
  const again = windowAt('#/c/1', first.stored);
  expect((await openClient(again.host)).status.get()).toBe('connected');
  expect(again.addresses).toEqual([]);
});

it('keeps the token of the installed app until it is refused', async () => {
  const kept = new Map<string, string>();
  const state = { isInstalled: false, changed: () => {} };
  const windowOf = (hash: string) => {
    const opened = windowAt(hash);
    const host: Host = {
      ...opened.host,
      localStorage: windowAt('', kept).host.sessionStorage,
      matchMedia: () => ({
        get matches() {
          return state.isInstalled;
        },
        addEventListener: (_type, listener) => {
          state.changed = listener;
        },
      }),
    };
    return host;
  };
  await openClient(windowOf(`#launch=${page.codes.issue()}`));
  expect(kept.size).toBe(0); // a tab keeps it for itself
  state.isInstalled = true;
  state.changed();
  expect([...kept.values()]).toEqual([token]);
  const later = await openClient(windowOf(''));
  expect(later.status.get()).toBe('connected');
  expect(await later.client.health({})).toMatchObject({ path: ':memory:' });
  kept.set([...kept.keys()][0]!, newToken());
  const refused = await openClient(windowOf(''));
  await expect(refused.client.health({})).rejects.toMatchObject({ code: 'unauthorized' });
  expect([refused.status.get(), kept.size]).toEqual(['signed-out', 0]);
  state.isInstalled = false;
  expect((await openClient(windowOf(''))).status.get()).toBe('signed-out');
});

it('opens a second window by a code of its own', async () => {
  const first = windowAt(`#launch=${page.codes.issue()}`);
  await (await openClient(first.host)).openWindow('/c/2');
  const second = windowAt(first.opened[0]!.slice(1));
  expect((await openClient(second.host)).status.get()).toBe('connected');
  expect([second.addresses, first.opened[0]]).toEqual([['/#/c/2'], expect.not.stringContaining(token)]);
});

it('is signed out without a token, with a used code, and with a token of the past', async () => {
  const none = await openClient(windowAt('').host);
  expect([none.status.get(), none.problem]).toEqual(['signed-out', null]);
  await expect(none.client.health({})).rejects.toMatchObject({ code: 'unauthorized' });
  const used = await openClient(windowAt('#launch=used&to=javascript:alert(1)').host);
  expect([used.status.get(), used.problem?.code]).toEqual(['signed-out', 'launch-code']);
  const past = windowAt('', new Map([['mnemis.token', newToken()]]));
  const { client, status } = await openClient(past.host);
  const seen: string[] = [];
  status.subscribe((now) => seen.push(now));
  await expect(client.health({})).rejects.toMatchObject({ code: 'unauthorized' });
  expect([seen, past.stored.size]).toEqual([['signed-out'], 0]);
});

it('asks for a token on another device, keeps it as its user wants, and forgets it', async () => {
  await using served = await ServeLab.open({
    page: await RemotePage.open(pageFolder(lab), 'http://localhost'),
  });
  const right = await served.token({ scopes: ['a'] });
  const [kept, reloads]: [Map<string, string>, number[]] = [new Map(), []];
  const windowOf = (hash: string) => {
    const opened = windowAt(hash);
    const location = {
      origin: served.url,
      host: 'localhost',
      pathname: '/',
      hash,
      reload: () => reloads.push(1),
    };
    return {
      ...opened,
      host: { ...opened.host, location, localStorage: windowAt('', kept).host.sessionStorage },
    };
  };
  const first = windowOf(`#token=${right}`);
  const { remote, status, client } = await openClient(first.host, true);
  // A stranger's link signs nobody in: notes would go to the stranger.
  expect([status.get(), remote!.offered, first.addresses]).toEqual(['signed-out', right, ['/#/']]);
  await expect(remote!.signIn('wrong', true)).rejects.toMatchObject({ code: 'unauthorized' });
  expect([first.stored.size, kept.size]).toEqual([0, 0]);
  await remote!.signIn(right, false);
  expect([status.get(), [...first.stored.values()], kept.size]).toEqual(['connected', [right], 0]);
  expect(await client.scopes({})).toEqual([]);
  expect((await openClient(windowOf('').host, true)).status.get()).toBe('signed-out');
  await remote!.signIn(right, true);
  const other = await openClient(windowOf(`#token=${newToken()}`).host, true);
  expect(other.status.get()).toBe('connected');
  expect(await other.client.scopes({})).toEqual([]);
  remote!.signOut();
  expect([first.stored.size, kept.size, reloads]).toEqual([0, 0, [1]]);
  await expect(client.scopes({})).rejects.toMatchObject({ code: 'unauthorized' });
});

it('tries reads again while the app is gone, and never writes', async () => {
  const gone = await LoopbackServer.listen({ client: localClient(engine), token });
  const { port } = gone;
  await gone.close();
  const patience = { pauses: [20], longest: 10_000 };
  const client = fetchClient({ origin: `http://127.0.0.1:${port}`, token: () => token, patience });
  const turns = [{ content: 'Said once.', at: '2024-01-01' }];
  await expect(client.add({ scope: 'ana', turns })).rejects.toMatchObject({ code: 'app-unreachable' });
  const read = client.scopes({});
  await new Promise((resolve) => setTimeout(resolve, 60));
  const back = await LoopbackServer.listen({ client: localClient(engine), token, port });
  expect(await read).toEqual([]);
  await back.close();
  const impatient = fetchClient({
    ...{ origin: `http://127.0.0.1:${port}`, token: () => token },
    patience: { pauses: [5], longest: 20 },
  });
  await expect(impatient.scopes({})).rejects.toMatchObject({ code: 'app-unreachable' });
});
