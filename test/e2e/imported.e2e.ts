import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { looked } from './looks.ts';

let lab: AppLab;
let page: Page;
const scope = 'default';
const MINUTE = 60_000;
const BEGIN = Date.UTC(2024, 2, 4, 18);

/** Turns of a chat between two people, the longest of the memory. */
const LONG = 3_000;

beforeAll(async () => {
  lab = await AppLab.start();
  page = await lab.open();
  const engine = await lab.engine();
  await engine.saveSettings({ preferences: { isWelcomed: true } });
  const chat = Array.from({ length: LONG }, (_, number) => ({
    source: 'whatsapp',
    session: 'whatsapp/Nadia Fell',
    sourceId: `w${number}`,
    speaker: number % 2 === 0 ? 'Nadia Fell' : 'Omar',
    role: number % 2 === 0 ? ('other' as const) : ('user' as const),
    at: new Date(BEGIN + number * 30 * MINUTE).toISOString(),
    content:
      number === 1_200
        ? 'The blue canoe lies behind the boathouse.'
        : `Message ${number} about the boathouse.`,
    attachments: number === 2_998 ? [{ kind: 'image', description: 'boathouse-at-dusk.jpg' }] : [],
  }));
  const models = Array.from({ length: 240 }, (_, number) => ({
    source: 'chatgpt',
    session: `chatgpt/0000-${String(number).padStart(12, '0')}`,
    sourceId: `g${number}`,
    at: new Date(BEGIN + number * 1_440 * MINUTE).toISOString(),
    content: `How do I oil a door of kind ${number}?`,
    metadata: { conversationTitle: `Door ${number}` },
  }));
  const events = engine.import({ scope, turns: [...chat, ...models], enrich: false });
  for await (const _ of events);
});

afterAll(async () => {
  expect(lab.pageErrors).toEqual([]);
  expect(lab.strays).toEqual([]);
  await lab[Symbol.asyncDispose]();
});

const side = () => page.getByRole('navigation', { name: 'Conversations' });
const thread = () => page.getByRole('feed', { name: 'Messages' });

test('imported chats stand in the side bar by source, folded, and are listed as one scrolls', async () => {
  await page.reload();
  const chatgpt = side().getByRole('button', { name: /ChatGPT/ });
  await chatgpt.waitFor();
  expect(await chatgpt.getAttribute('aria-expanded')).toBe('false');
  await chatgpt.click();
  await side().getByRole('link', { name: 'Door 239', exact: true }).waitFor();
  await looked(page, 'imported-side');
  const list = side().locator('ul').first();
  await expect.poll(() => list.getByRole('link').count()).toBeLessThan(60);
  await expect
    .poll(
      async () => {
        await side()
          .locator('ul')
          .first()
          .locator('..')
          .evaluate((view) => view.scrollTo(0, view.scrollHeight));
        return side().getByRole('link', { name: 'Door 0', exact: true }).count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  await page.reload();
  await side()
    .getByRole('button', { name: /ChatGPT/, expanded: true })
    .click();
  await side().getByRole('link', { name: 'Door 239', exact: true }).waitFor({ state: 'detached' });
});

test('one is read as it was, with speakers, days and attachments, and only what is in view is in the page', async () => {
  await page.reload();
  await side()
    .getByRole('button', { name: /WhatsApp/ })
    .click();
  await side().getByRole('link', { name: 'Nadia Fell', exact: true }).click();
  await thread().getByText('Message 2999 about the boathouse.').waitFor();
  await thread().getByText('image: boathouse-at-dusk.jpg').waitFor();
  expect(await thread().getByRole('article').count()).toBeLessThan(40);
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Nadia Fell');
  await looked(page, 'imported-thread');
  await thread().evaluate((view) => view.scrollTo(0, 0));
  await thread().getByText('Message 0 about the boathouse.').waitFor();
});

test('a source opens it at the turn, and a turn shows what memory made of it', async () => {
  const engine = await lab.engine();
  const { turns } = await engine.session({ scope, session: 'whatsapp/Nadia Fell', from: 1_200, after: 0 });
  await lab.go(page, `#/s/default/${encodeURIComponent('whatsapp/Nadia Fell')}/${turns[0]!.id}`);
  await thread().getByText('The blue canoe lies behind the boathouse.').waitFor();
  const row = thread().getByRole('article').filter({ hasText: 'The blue canoe' });
  await row.hover();
  await row.getByRole('button', { name: 'What memory made of it' }).click();
  const panel = page.getByRole('complementary');
  await panel.getByText('Turn 1201 of 3000').waitFor();
  await lab.go(page, '#/settings');
  await panel.getByRole('button', { name: 'Open in its conversation' }).click();
  await thread().getByText('The blue canoe lies behind the boathouse.').waitFor();
});

test('it is renamed and pinned, goes on as a chat, and is found among the chats then', async () => {
  await lab.go(page, `#/s/default/${encodeURIComponent('whatsapp/Nadia Fell')}`);
  await thread().getByText('Message 2999 about the boathouse.').waitFor();
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  await page.getByRole('menuitem', { name: 'Pin' }).click();
  await side().getByRole('heading', { name: 'Pinned' }).waitFor();
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill('Where does the blue canoe lie?');
  await field.press('Enter');
  await thread()
    .getByText(/behind the boathouse/)
    .last()
    .waitFor();
  await thread().getByText('Message 2999 about the boathouse.').waitFor();
  await looked(page, 'imported-continued');
  const { items } = await (await lab.engine()).conversations({});
  expect(items).toMatchObject([{ title: 'Nadia Fell', session: 'whatsapp/Nadia Fell', messages: 2 }]);
});

test('it is forgotten from its menu', async () => {
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  await page.getByRole('menuitem', { name: 'Forget it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Forget it' }).click();
  await side()
    .getByRole('button', { name: /WhatsApp/ })
    .waitFor({ state: 'detached', timeout: 120_000 });
  await expect
    .poll(async () => (await (await lab.engine()).imported({ scope })).sources)
    .toEqual([{ source: 'chatgpt', sessions: 240 }]);
});
