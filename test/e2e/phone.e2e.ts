import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findEngine } from '../../main/client/find-engine.ts';
import type { MemoryClient } from '../../main/contract.ts';
import { ACTION_MILLISECONDS } from './app-lab.ts';
import { PROGRAM } from './built-app.ts';
import { ChatPage, eventually } from './chat-page.ts';
import { launchChromium } from './chromium.ts';
import { LOOKS, looked } from './looks.ts';
import { rememberMove } from './moving.ts';

const SECRET = 'Quintilla keeps her xylophone in Reykjavik.';
const PHONE = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };

let [folder, origin, token, reading] = ['', '', '', ''];
let server: ChildProcess;
let browser: Browser;
let context: BrowserContext;
let chat: ChatPage;
let page: Page;
let said = '';
let proxy: Server;
const logged: string[] = [];
const environment = () => ({ ...process.env, XDG_DATA_HOME: folder, HOME: folder });
const memory = () => join(folder, 'memory.db');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mnemis-phone-'));
  const port = await freePort();
  await startProxy(port);
  origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  token = (await issue('--access', 'write', '--link', origin)).token;
  reading = (await issue('--access', 'read')).token;
  server = spawn(
    process.execPath,
    [PROGRAM, 'serve', '--path', memory(), '--app', origin, '--port', String(port)],
    { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  server.stdout!.on('data', (piece) => {
    said += String(piece);
  });
  server.stderr!.on('data', (piece) => {
    said += String(piece);
  });
  await eventually(() => expect(said).toContain('Serving on'));
  const engine = await served();
  await rememberMove(engine, 'default');
  await engine.add({ scope: 'quintilla', turns: [{ content: SECRET, speaker: 'Quintilla', session: 's1' }] });
  await engine.saveConversation({ conversation: 'theirs', title: 'Xylophone', scope: 'quintilla' });
  browser = await launchChromium();
  await open();
});
afterAll(async () => {
  await browser?.close();
  if (server.exitCode === null) {
    const ended = once(server, 'exit');
    server.kill('SIGTERM');
    await ended;
  }
  proxy.closeAllConnections();
  proxy.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** In the place of the one with TLS. Notes what such a one could log. */
async function startProxy(port: number): Promise<void> {
  proxy = createHttpServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    logged.push(`${path} ${headers.referer ?? ''}`);
    const onward = request({ host: '127.0.0.1', port, method, path, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
}

/** As a phone that was never here. */
async function open(hash = ''): Promise<void> {
  await context?.close();
  context = await browser.newContext(PHONE);
  page = await context.newPage();
  page.setDefaultTimeout(ACTION_MILLISECONDS);
  chat = new ChatPage(page);
  await page.goto(`${origin}/${hash}`);
}

async function issue(...flags: readonly string[]): Promise<{ token: string; link?: string }> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      PROGRAM,
      'token',
      'issue',
      '--path',
      memory(),
      '--name',
      'phone',
      '--scope',
      'default',
      '--json',
      ...flags,
    ],
    { env: environment() },
  );
  return JSON.parse(stdout);
}

async function served(): Promise<MemoryClient> {
  const running = await findEngine(memory());
  if (running === null) throw new TypeError('No engine runs');
  return running.client;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const field = () => page.getByLabel('Token', { exact: true });

async function signIn(given: string): Promise<void> {
  await field().fill(given);
  await page.getByRole('button', { name: 'Sign in' }).tap();
}

const kept = () =>
  page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));

/** What a finger is meant to hit, and is lower than 44 pixels. */
const small = () =>
  page.evaluate(() =>
    [...document.querySelectorAll('main button, main input:not([type=checkbox]), main textarea, nav a')]
      .filter((each) => !each.matches('[role=switch], .within-text, [hidden]'))
      .filter((each) => {
        const { width, height } = each.getBoundingClientRect();
        return width > 1 && height > 1 && height < 43.5;
      })
      .map((each) => `${each.tagName} ${each.getAttribute('aria-label') ?? each.textContent}`),
  );

const pictured = (name: string) =>
  looked(
    page,
    name,
    LOOKS.filter(({ width }) => width === 'narrow'),
  );

async function fits(): Promise<void> {
  expect(await small()).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
}

it('asks for a token, and refuses a wrong one', async () => {
  await field().waitFor();
  await fits();
  await pictured('phone-sign-in');
  await signIn('not-a-token');
  await page.getByText('The token is missing, wrong, expired or revoked').waitFor();
  expect(await kept()).not.toContain('not-a-token');
});

it('signs in with the token, and chats in its scope', async () => {
  await signIn(token);
  await chat.field.waitFor();
  await fits();
  await chat.field.fill('Where does Ana live?');
  await page.getByRole('button', { name: 'Send' }).tap();
  const answer = await chat.answered();
  await chat.reads(answer, 'Lisbon');
  await pictured('phone-chat');
  expect(await page.getByRole('button', { name: 'Attach' }).count()).toBe(0);
  const { conversation } = await (await served()).conversation({ conversation: chat.conversation });
  expect(conversation.scope).toBe('default');
});

it('searches by its button, within its scope', async () => {
  await page.getByRole('button', { name: 'Show the sidebar' }).first().tap();
  await chat.side.getByRole('button', { name: 'Search' }).waitFor();
  for (const name of ['New project', 'Import', 'Settings'])
    expect(await chat.side.getByText(name, { exact: true }).count()).toBe(0);
  expect(await chat.side.getByText('Xylophone').count()).toBe(0);
  await pictured('phone-side');
  await chat.side.getByRole('button', { name: 'Search' }).tap();
  const search = page.getByRole('combobox');
  await search.fill('kiln');
  await page.getByRole('option', { name: /My kiln arrived/ }).waitFor();
  await pictured('phone-search');
  await search.fill('xylophone Reykjavik');
  await eventually(async () => expect(await page.getByText('Searching').count()).toBe(0));
  expect(await page.getByText('Quintilla').count()).toBe(0);
  await page.keyboard.press('Escape');
});

it('keeps a note', async () => {
  await page.getByRole('button', { name: 'Show the sidebar' }).first().tap();
  await chat.side.getByRole('link', { name: 'Note' }).tap();
  await page.getByRole('textbox', { name: 'Note' }).fill('Oat milk on Friday.');
  await page.getByRole('button', { name: 'Keep' }).tap();
  await page.getByRole('list', { name: 'Kept' }).getByText('Oat milk on Friday.').waitFor();
  await fits();
  await pictured('phone-note');
  const { items } = await (await served()).turns({ scope: 'default', limit: 100 });
  expect(items.find(({ content }) => content === 'Oat milk on Friday.')).toMatchObject({ source: 'note' });
});

it('has what another app shared as a note, and sends no word of it before', async () => {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
  await eventually(async () =>
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true),
  );
  await page.goto(`${origin}/?text=Buy%20a%20zither.`);
  const note = page.getByRole('textbox', { name: 'Note' });
  await note.waitFor();
  expect(await note.inputValue()).toBe('Buy a zither.');
  expect(logged.join('\n')).not.toContain('zither');
});

it('stays signed in over a reload, and signs out without a trace', async () => {
  await page.reload();
  await page.getByRole('textbox', { name: 'Note' }).waitFor();
  await page.evaluate(() => {
    window.location.hash = '#/settings';
  });
  await page.getByText('to the memory “default”').waitFor();
  await fits();
  await pictured('phone-device');
  expect(await kept()).toContain(token);
  await page.getByRole('button', { name: 'Sign out' }).tap();
  await field().waitFor();
  expect(await kept()).not.toContain(token);
  await page.reload();
  await field().waitFor();
});

it('is kept after the tab only where its user wants that', async () => {
  await page.getByRole('switch', { name: 'Stay signed in on this device' }).tap();
  await signIn(token);
  await page.getByRole('heading', { name: 'This device' }).waitFor();
  const other = await context.newPage();
  await other.goto(origin);
  await other.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  await other.close();
});

it('takes the token of a link out of the address, and waits for its user', async () => {
  const { link } = await issue('--access', 'write', '--link', origin);
  await open(new URL(link!).hash);
  await field().waitFor();
  expect(page.url()).toBe(`${origin}/#/`);
  expect(await field().inputValue()).toBe(new URLSearchParams(new URL(link!).hash.slice(1)).get('token'));
  await page.getByRole('button', { name: 'Sign in' }).tap();
  await chat.field.waitFor();
});

it('only reads with a token that only reads', async () => {
  await open();
  await signIn(reading);
  await page.getByText('It may read, and keep nothing.').first().waitFor();
  expect(await chat.field.count()).toBe(0);
});

it('leaves no token and no words in the log', () => {
  expect(said).toContain('"method":"chat"');
  expect(logged).toContain('/v1/chat ');
  for (const each of [token, reading, 'Lisbon', 'Oat milk', 'kiln'])
    expect(`${said} ${logged.join('\n')}`).not.toContain(each);
});
