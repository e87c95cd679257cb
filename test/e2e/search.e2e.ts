import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { looked } from './looks.ts';

let lab: AppLab;
let page: Page;
const scope = 'default';

beforeAll(async () => {
  lab = await AppLab.start();
  page = await lab.open();
  const engine = await lab.engine();
  await engine.saveSettings({ preferences: { isWelcomed: true, name: 'Omar' } });
  const at = '2024-03-04T18:00:00Z';
  const whatsapp = { source: 'whatsapp', session: 'whatsapp/Nadia Fell', role: 'other' as const, at };
  await engine.add({
    scope,
    turns: [
      {
        ...whatsapp,
        speaker: 'Nadia Fell',
        sourceId: '1',
        content: 'A lorry ran a red light near the old mill.',
      },
      { ...whatsapp, speaker: 'Nadia Fell', sourceId: '2', content: 'My sister Hedwig works at the mill.' },
      { ...whatsapp, speaker: 'Omar', role: 'user', sourceId: '3', content: 'I tried taekwondo in Tartu.' },
      { source: 'markdown', session: 'markdown/punts.md', content: 'A punt has a flat bottom.', at },
    ],
  });
  for await (const _ of engine.resume({ scope }));
  for await (const _ of engine.chat({ conversation: 'own', message: 'm1', text: 'Tell me a long story.' }));
  await page.reload();
});

afterAll(async () => {
  expect(lab.pageErrors).toEqual([]);
  expect(lab.strays).toEqual([]);
  await lab[Symbol.asyncDispose]();
});

const palette = () => page.getByRole('dialog', { name: 'Search and commands' });
const options = () => palette().getByRole('option');

/** Searches until the first of what is found has the text. */
async function search(words: string, first: string): Promise<void> {
  if (!(await palette().isVisible())) await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').fill(words);
  await palette()
    .getByText(/^\d+ found$/)
    .waitFor();
  await options().first().filter({ hasText: first }).waitFor();
}

test('words that stand in a row are found as such, and small words alone find nothing', async () => {
  await search('ran a red light', 'lorry');
  const first = options().first();
  expect(await first.locator('mark').allInnerTexts()).toEqual(['ran', 'red', 'light']);
  expect(await first.innerText()).toContain('Nadia Fell');
  expect(await palette().getByText('long story').count()).toBe(0);
  await looked(page, 'search');
  await page.keyboard.press('Enter');
  await page.getByRole('feed', { name: 'Messages' }).getByText('A lorry ran a red light').waitFor();
});

test('a person, a document, a command and an own message are found by keyboard, and open where they belong', async () => {
  await search('hedwig', 'Person');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Hedwig', level: 1 }).waitFor();
  await search('punts', 'punts.md');
  await page.keyboard.press('Enter');
  await page.getByRole('feed', { name: 'Messages' }).getByText('A punt has a flat bottom.').waitFor();
  await search('long sto', 'long story');
  await options().filter({ hasText: 'long story' }).first().click();
  await page.getByRole('article', { name: 'You' }).getByText('Tell me a long story.').waitFor();
  await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').fill('dark th');
  await options().filter({ hasText: 'Dark theme' }).waitFor();
  await page.keyboard.press('Escape');
});

test('keys that are faster than the reply choose what they would choose after it', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const holding = async (route: Route) => {
    await released;
    await route.fallback();
  };
  await page.route('**/v1/find', holding);
  await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').fill('Does Hedwig import flour?');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'You' }).getByText('Does Hedwig import flour?').waitFor();
  await page.keyboard.press('Control+k');
  await palette().getByRole('combobox').fill('flat bottom');
  await page.keyboard.press('Enter');
  await palette().getByText('Searching…').waitFor();
  release();
  await page.getByRole('heading', { name: 'flat bottom', level: 1 }).waitFor();
  await page.unroute('**/v1/find', holding);
});

test('Tab filters by kind', async () => {
  await search('mill', 'mill');
  await options().filter({ hasText: 'sister' }).first().waitFor();
  for (const _ of ['chats', 'messages', 'facts']) await page.keyboard.press('Tab');
  await palette().getByRole('button', { name: 'Facts', pressed: true }).waitFor();
  await expect
    .poll(() => options().allInnerTexts())
    .toSatisfy(
      (texts: readonly string[]) => texts.length > 0 && texts.every((each) => each.includes('Fact')),
    );
  await looked(page, 'search-facts');
  await page.keyboard.press('Shift+Tab');
  await palette().getByRole('button', { name: 'Messages', pressed: true }).waitFor();
});
