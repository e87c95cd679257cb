import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { expectNothingRan, guard } from './payloads.ts';

const KEY = 'sk-recognisable-0f9e8d7c6b5a4321';
const AWAY = 'https://stray.example';
/** Ways to run a script or to reach another host from text. */
const PAYLOADS = [
  '<script>window.hacked="script"</script>',
  '<img src=x onerror="window.hacked=1;alert(1)">',
  `<img src="${AWAY}/a.png"> ![pixel](${AWAY}/b.png) ![data](data:text/html,<script>alert(1)</script>)`,
  `<iframe src="${AWAY}/frame" srcdoc="<script>parent.hacked=2</script>"></iframe>`,
  '<svg onload="window.hacked=3"><animate onbegin="window.hacked=4"/><script>alert(2)</script></svg>',
  '[click me](javascript:window.hacked=5) [data](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==) [vb](vbscript:x)',
  `<div style="background:url(${AWAY}/css)">styled</div><style>body{background:url(${AWAY}/style)}</style>`,
  `<link rel=stylesheet href="${AWAY}/sheet.css"><meta http-equiv=refresh content="0;url=${AWAY}/meta"><base href="${AWAY}">`,
  `$$\\href{javascript:window.hacked=6}{x} \\includegraphics{${AWAY}/tex.png} \\htmlStyle{background:url(${AWAY}/tex)}{y}$$`,
  '```html\n<script>window.hacked=7</script>\n```',
  `[ref]: ${AWAY}/ref "x"\n\n![ref] <${AWAY}/auto> <a href="javascript:alert(3)" onclick="window.hacked=8">a</a>`,
].join('\n\n');

let lab: AppLab;
let chat: ChatPage;
let origin: string;
const replies: string[] = [];

/** Keeps what the page receives, headers too. */
function listen(page: Page): void {
  page.on('response', (response) => {
    replies.push(JSON.stringify(response.headers()));
    void response.text().then(
      (text) => replies.push(text),
      () => undefined,
    );
  });
}

beforeAll(async () => {
  lab = await AppLab.start({
    settings: { MNEMIS_LLM_API_KEY: KEY },
    model: { apiKey: KEY, models: ['test-model'], reply: () => PAYLOADS },
  });
  chat = await ChatPage.open(lab);
  guard(chat.page);
  listen(chat.page);
  ({ origin } = new URL(chat.page.url()));
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

test('script in an answer, a title and a memory is only text', async () => {
  const { page } = chat;
  const answer = await chat.ask(`My code word is heliotrope. ${PAYLOADS.slice(0, 120)}`);
  await chat.reads(answer, 'click me');
  expect(
    await answer
      .locator('a[href^="javascript:"], a[href^="data:"], a[href^="vbscript:"], img, style, link, meta, base')
      .count(),
  ).toBe(0);
  await expectNothingRan(page);

  const title = '<img src=x onerror="window.hacked=9"><b>bold</b>';
  await (await lab.engine()).saveConversation({ conversation: chat.conversation, title });
  await chat.listed(title).waitFor();
  await page.reload();
  await chat.listed(title).waitFor();
  await expectNothingRan(page);

  // The same words as a source, in the reasons, and in what was remembered.
  await chat.begin();
  await page.getByRole('button', { name: /^Answered by/ }).click();
  await page
    .getByRole('menuitemradio', { name: /Quote memory/ })
    .or(page.getByRole('menuitem', { name: /Quote memory/ }))
    .first()
    .click();
  const quoted = await chat.ask('What is my code word?');
  await quoted.getByRole('button', { name: 'Source 1', exact: true }).first().click();
  await chat.inspector.getByText('heliotrope').first().waitFor();
  await expectNothingRan(page);
  await quoted.getByRole('button', { name: 'Why this?' }).click();
  await chat.inspector.getByText('heliotrope').first().waitFor();
  await quoted.getByRole('button', { name: /^Remembered/ }).click();
  await chat.inspector.getByRole('heading', { name: 'What was said' }).waitFor();
  await expectNothingRan(page);
  await page.keyboard.press('Control+K');
  await page.getByRole('combobox').fill('heliotrope');
  await page
    .getByRole('option', { name: /heliotrope/ })
    .first()
    .waitFor();
  await expectNothingRan(page);
  await page.keyboard.press('Escape');
  await lab.go(page, '#/memory');
  await page.getByRole('heading', { name: 'Recent changes' }).waitFor();
  await expectNothingRan(page);
});

test('the content policy is sent, and works', async () => {
  const { page } = chat;
  const response = await page.request.get(`${origin}/`);
  const policy = response.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  expect(response.headers()).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  });
  const { server, address, asked } = await foreignServer();
  const blocked = await page.evaluate(async (away) => {
    const seen: string[] = [];
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
    const script = document.createElement('script');
    script.textContent = 'window.hacked = "inline"';
    document.body.append(script);
    const button = document.createElement('button');
    button.setAttribute('onclick', 'window.hacked = "handler"');
    button.click();
    // Later, since what the test itself evaluates may evaluate text.
    await new Promise<void>((resolve) => {
      setTimeout(() => {
        try {
          new Function('window.hacked = "eval"')();
        } catch {
          seen.push('eval');
        }
        resolve();
      });
    });
    await fetch(away).catch(() => seen.push('fetch'));
    const frame = document.createElement('iframe');
    frame.src = away;
    document.body.append(frame);
    const image = new Image();
    image.src = away;
    await new Promise((resolve) => {
      image.onerror = resolve;
    });
    for (const late = Date.now() + 5_000; Date.now() < late && !seen.includes('frame-src'); )
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const element of [script, frame]) element.remove();
    return { seen, hacked: (window as { hacked?: unknown }).hacked };
  }, address);
  server.close();
  expect(blocked.hacked).toBeUndefined();
  expect(blocked.seen).toEqual(
    expect.arrayContaining([
      'script-src-elem',
      'script-src-attr',
      'eval',
      'connect-src',
      'fetch',
      'frame-src',
      'img-src',
    ]),
  );
  // What the policy stopped never left the browser.
  expect(asked).toEqual([]);
});

test('a foreign page gets nothing from the server', async () => {
  const { server, address } = await foreignServer();
  const context = chat.page.context();
  const page = await context.browser()!.newPage();
  try {
    await page.goto(address);
    const before = (await (await lab.engine()).stats({ scope: 'default' })).episode;
    const results = await page.evaluate(async (target) => {
      const attempt = async (work: () => Promise<unknown>) => {
        try {
          return await work();
        } catch {
          return 'refused';
        }
      };
      const post = (init: RequestInit) =>
        fetch(`${target}/v1/settings`, { method: 'POST', body: '{}', ...init });
      const shown = (tag: 'img' | 'iframe' | 'script', path: string) =>
        new Promise((resolve) => {
          const element = document.createElement(tag);
          element.onload = () =>
            resolve(tag === 'iframe' ? attemptFrame(element as HTMLIFrameElement) : 'loaded');
          element.onerror = () => resolve('refused');
          element.src = `${target}${path}`;
          document.body.append(element);
        });
      const attemptFrame = (frame: HTMLIFrameElement) => {
        try {
          return frame.contentDocument === null ? 'refused' : 'loaded';
        } catch {
          return 'refused';
        }
      };
      return {
        json: await attempt(
          async () => (await post({ headers: { 'content-type': 'application/json' } })).status,
        ),
        plain: await attempt(async () => (await post({ headers: { 'content-type': 'text/plain' } })).status),
        page: await attempt(async () => (await fetch(`${target}/`)).status),
        opaque: await attempt(async () => (await post({ mode: 'no-cors' })).status),
        socket: await attempt(
          () =>
            new Promise((resolve) => {
              const socket = new WebSocket(target.replace('http', 'ws'));
              socket.onopen = () => resolve('open');
              socket.onerror = () => resolve('refused');
            }),
        ),
        image: await shown('img', '/icon.svg'),
        script: await shown('script', '/v1/health'),
        frame: await shown('iframe', '/'),
        form: await attempt(
          () =>
            new Promise((resolve) => {
              const frame = document.createElement('iframe');
              frame.name = 'target';
              document.body.append(frame);
              const form = document.createElement('form');
              Object.assign(form, {
                method: 'post',
                action: `${target}/v1/shutdown`,
                target: 'target',
                enctype: 'text/plain',
              });
              document.body.append(form);
              frame.onload = () => resolve(attemptFrame(frame));
              form.submit();
            }),
        ),
      };
    }, origin);
    expect(results).toEqual({
      json: 'refused',
      plain: 'refused',
      page: 'refused',
      opaque: 0, // sent, refused by the server, and not readable
      socket: 'refused',
      image: 'refused',
      script: 'refused',
      frame: 'refused',
      form: 'refused',
    });
    expect((await (await lab.engine()).stats({ scope: 'default' })).episode).toBe(before);
  } finally {
    await page.close();
    server.close();
    server.closeAllConnections();
  }
});

test('the key of the model is nowhere but in the requests to its server', async () => {
  const { page } = chat;
  // A server that repeats the key in its error, and in that of the request without tools.
  for (let request = 0; request < 2; request += 1)
    lab.model!.enqueue({ fault: { kind: 'refuse', status: 400, error: { message: `Bad key ${KEY}` } } });
  await chat.begin();
  await page.getByRole('button', { name: /^Answered by/ }).click();
  await page
    .getByRole('menuitemradio', { name: /test-model/ })
    .or(page.getByRole('menuitem', { name: /test-model/ }))
    .first()
    .click();
  await chat.send('Answer with an error.');
  await chat.answers
    .last()
    .getByText(/refused the request\.$/)
    .waitFor();
  for (const section of ['model', 'usage', 'data', 'about']) {
    await lab.go(page, `#/settings/${section}`);
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  }
  await page.reload();
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  expect(lab.model!.requests.some(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);

  const state = await page.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
    ]),
  );
  expect(state).not.toContain(KEY);
  await eventually(() => expect(replies.length).toBeGreaterThan(20));
  expect(replies.filter((reply) => reply.includes(KEY))).toEqual([]);
  const engine = await lab.engine();
  let exported = '';
  for await (const event of engine.export({ scope: 'default' })) exported += JSON.stringify(event);
  expect(exported).toContain('heliotrope');
  expect(exported).not.toContain(KEY);
  expect(lab.printed + lab.notes).not.toContain(KEY);
  expect(await filesWith(lab.folder, KEY)).toEqual([]);
  // The search finds what is there.
  expect((await filesWith(lab.folder, 'heliotrope')).length).toBeGreaterThan(0);
});

/** A server of somebody else on this machine, which notes what it is asked. */
async function foreignServer(): Promise<{ server: Server; address: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    response.setHeader('content-type', 'text/html').end('<!doctype html><body>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

async function filesWith(folder: string, words: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
  const found = await Promise.all(
    files.map(async (file) => (await readFile(file).catch(() => Buffer.alloc(0))).includes(words)),
  );
  return files.filter((_, at) => found[at]);
}
