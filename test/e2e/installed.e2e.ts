import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { looked } from './looks.ts';
import { rememberMove } from './moving.ts';
import { REVIEWED } from './reviewed-turns.ts';

let lab: AppLab;
let page: Page;
beforeAll(async () => {
  lab = await AppLab.start();
  const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };
  ({ page } = await ChatPage.open(lab, phone));
  const engine = await lab.engine();
  await rememberMove(engine, 'default');
  await engine.add({ scope: 'default', turns: [...REVIEWED] });
  await engine.flush({ scope: 'default' });
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

/** A registration cannot be handed out of the page. */
const ready = () => page.evaluate(() => navigator.serviceWorker.ready.then(() => true));

const cached = () =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return { names, paths: requests.flat().map(({ url }) => new URL(url).pathname) };
  });

it('has what a browser asks of an app that it installs', async () => {
  const manifest = await page.evaluate(async () => {
    const address = document.querySelector<HTMLLinkElement>('link[rel=manifest]')!.href;
    const found = await (await fetch(address)).json();
    const icons = await Promise.all(
      found.icons.map(async ({ src }: { src: string }) => (await fetch(new URL(src, address))).ok),
    );
    return { found, icons };
  });
  expect(manifest.found).toMatchObject({ name: 'Mnemis', display: 'standalone', start_url: './' });
  expect(manifest.found.share_target.params).toEqual({ title: 'title', text: 'text', url: 'url' });
  expect(manifest.icons).toEqual([true, true]);
});

it('keeps the code of one version, and nothing that the memory says', async () => {
  await ready();
  await lab.go(page, '#/review');
  await page.getByRole('heading', { name: 'Review' }).waitFor();
  await eventually(async () => expect((await cached()).paths.length).toBeGreaterThan(5));
  const { names, paths } = await cached();
  expect(names).toHaveLength(1);
  expect(paths.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
  // What an earlier version left goes.
  await page.evaluate(async () => {
    await caches.open('mnemis-earlier');
    await (await navigator.serviceWorker.ready).unregister();
  });
  await page.reload();
  await eventually(async () => expect((await cached()).names).toEqual(names));
});

it('opens without its server, and says so', async () => {
  await ready();
  await eventually(async () =>
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true),
  );
  await page.reload();
  await page.getByRole('main').waitFor();
  await page.context().setOffline(true);
  await page.reload();
  await page.getByRole('main').waitFor();
  await page
    .getByText(/memory engine stopped|cannot be reached|not reached|Starting it again/)
    .first()
    .waitFor();
  await page.context().setOffline(false);
  await page.reload();
  await page.getByRole('main').waitFor();
});

it('keeps a note at once, also one that another app shared, and forgets it', async () => {
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/?title=Oat%20milk&text=Buy%20oat%20milk%20on%20Friday.`);
  const field = page.getByRole('textbox', { name: 'Note' });
  await field.waitFor();
  expect(await field.inputValue()).toBe('Oat milk\nBuy oat milk on Friday.');
  expect(page.url()).toBe(`${origin}/#/note`);
  await looked(page, 'note');
  await field.fill('Buy oat milk on Friday.');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('list', { name: 'Kept' }).getByText('Buy oat milk on Friday.').waitFor();
  expect(await field.inputValue()).toBe('');
  const engine = await lab.engine();
  const turns = async () => (await engine.turns({ scope: 'default', limit: 100 })).items;
  const note = (await turns()).find(({ content }) => content === 'Buy oat milk on Friday.');
  expect(note).toMatchObject({ source: 'note' });
  await page.getByRole('button', { name: 'Forget “Buy oat milk on Friday.”' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
  await dialog.getByText(/^Proof: /).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Buy oat milk on Friday.').first().waitFor({ state: 'detached' });
  expect((await turns()).map(({ content }) => content)).not.toContain('Buy oat milk on Friday.');
});

/** What a finger is meant to hit, and is lower than 44 pixels. Links within a text keep their line. */
const small = () =>
  page.evaluate(() => {
    const targets = 'button, input, select, textarea, summary, [role=treeitem], nav a';
    const within =
      '.within-text, .text-link, .underlined, [role=switch], [type=checkbox], [type=range], [hidden]';
    return [...document.querySelectorAll(targets)]
      .filter((each) => !each.matches(within) && getComputedStyle(each).display !== 'inline')
      .filter((each) => {
        const { width, height } = each.getBoundingClientRect();
        return width > 1 && height > 1 && height < 43.5;
      })
      .map((each) => `${each.tagName} ${each.getAttribute('aria-label') ?? each.textContent?.slice(0, 30)}`);
  });

it.each(['/', ...['/memory', '/browse', '/timeline', '/review', '/forget', '/note', '/import', '/settings']])(
  'fits a phone at %s',
  async (place) => {
    await lab.go(page, `#${place}`);
    await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
    await page.getByRole('button', { name: 'Show the sidebar' }).first().waitFor();
    await page.waitForTimeout(800);
    expect(await small()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  },
);
