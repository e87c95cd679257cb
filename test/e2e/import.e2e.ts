import { Buffer } from 'node:buffer';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ACTION_MILLISECONDS, AppLab } from './app-lab.ts';
import { type ChosenFile, chatExport, yearOfChats } from './chat-export.ts';
import { expectNothingRan, guard } from './payloads.ts';

let lab: AppLab;
let page: Page;

beforeAll(async () => {
  lab = await AppLab.start();
  page = await lab.open('#/import');
  await (await lab.engine()).saveSettings({ preferences: { isWelcomed: true } });
  guard(page);
});

afterAll(async () => {
  expect(lab.pageErrors).toEqual([]);
  expect(lab.strays).toEqual([]);
  await lab[Symbol.asyncDispose]();
});

/** Enough that a person, or a spec, can pause an import before it is done. */
const CHATS = 80;

const file = (name: string) => page.getByRole('region', { name: 'Files' }).getByRole('article', { name });
const job = (name: string) => page.getByRole('region', { name: 'Jobs' }).getByRole('article', { name });
const choose = (...files: ChosenFile[]) => page.locator('input[type=file]').first().setInputFiles(files);

async function openImport(): Promise<void> {
  await lab.go(page, '#/import');
  await page.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
}

test('a file is looked at, imported, paused, left, continued and done', async () => {
  await choose(chatExport('conversations.json', yearOfChats(CHATS)));
  const chosen = file('conversations.json');
  await chosen.getByText('80', { exact: true }).waitFor();
  await chosen.getByText('1,600', { exact: true }).waitFor();
  await chosen.getByText(/Jan 6, 2025 – Dec \d+, 2025/).waitFor();
  await chosen.getByRole('button', { name: 'Import 1,600 turns' }).click();

  const running = job('conversations.json');
  const progress = running.getByRole('progressbar');
  await progress.waitFor();
  await running.getByText(/Storing turns|Reading for facts/).waitFor();
  await running.getByRole('button', { name: 'Pause: conversations.json' }).click();
  await running.getByText('Paused', { exact: true }).waitFor();
  const share = await progress.getAttribute('aria-valuenow');
  expect(Number(share)).toBeLessThan(100);

  // It is there after leaving the screen, and after loading the page again.
  await page.getByRole('link', { name: 'Memory' }).click();
  await page.getByRole('heading', { name: 'Recent changes' }).waitFor();
  await openImport();
  await running.getByText('Paused', { exact: true }).waitFor();
  await page.reload();
  await running.getByText('Paused', { exact: true }).waitFor();
  expect(await progress.getAttribute('aria-valuenow')).toBe(share);

  await running.getByRole('button', { name: 'Continue: conversations.json' }).click();
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await openImport();
  await running.getByText('Done', { exact: true }).waitFor({ timeout: 240_000 });
  await running.getByText(/1,600 turns stored/).waitFor();
  const stats = await (await lab.engine()).stats({ scope: 'default' });
  expect(stats.episode).toBe(1_600);
  expect(stats.fact).toBeGreaterThan(100);
});

test('the same file again stores nothing twice', async () => {
  await openImport();
  await choose(chatExport('again.json', yearOfChats(CHATS)));
  const chosen = file('again.json');
  await chosen.getByText('Memory has every turn of this file already.', { exact: false }).waitFor();
  await chosen.getByRole('button', { name: 'Remove again.json' }).click();
  await chosen.waitFor({ state: 'detached' });
});

test('a running import is cancelled after a question, and keeps what it stored', async () => {
  await openImport();
  await choose(chatExport('second.json', yearOfChats(CHATS, Date.UTC(2023, 5, 1)), 'second'));
  await file('second.json')
    .getByRole('button', { name: /^Import [\d,]+ turns/ })
    .click();
  const running = job('second.json');
  await running.getByRole('button', { name: 'Cancel: second.json' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel “second.json”?' });
  await dialog.getByRole('button', { name: 'Keep running' }).click();
  await dialog.waitFor({ state: 'detached' });
  await running.getByRole('button', { name: 'Cancel: second.json' }).click();
  await dialog.getByRole('button', { name: 'Cancel the job' }).click();
  await running.getByText('Cancelled', { exact: true }).waitFor();
  await running.getByRole('button', { name: 'Remove from the list: second.json' }).click();
  await running.waitFor({ state: 'detached' });
});

test('a broken file says why, and can be read as another format', async () => {
  await openImport();
  await choose({
    name: 'broken.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('PK\u0003\u0004 no zip'),
  });
  const broken = file('broken.zip');
  await broken.getByRole('alert').filter({ hasText: 'This file cannot be imported' }).waitFor();
  await broken
    .getByRole('combobox', { name: 'Read it as' })
    .getByRole('option', { name: /^whatsapp/ })
    .waitFor({ state: 'attached' });
  await broken.getByRole('button', { name: 'Remove broken.zip' }).click();

  await choose({
    name: 'cut.json',
    mimeType: 'application/json',
    buffer: Buffer.from('[{"mapping": {"a": '),
  });
  const cut = file('cut.json');
  await cut.getByText('1 item that cannot be read').waitFor();
  expect(await cut.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
  await cut.getByRole('button', { name: 'Remove cut.json' }).click();
});

test('hostile names and contents are only text', async () => {
  const before = await filesBelow(lab.folder);
  const beside = await readdir(dirname(lab.folder));
  const payload = '<img src=x onerror="window.hacked=1;alert(1)"><script>window.hacked=2</script>';
  const chats = [
    { title: payload, at: Date.UTC(2024, 1, 2), turns: [payload, `[x](javascript:alert(1)) ${payload}`] },
  ];
  const names = [
    '../../x.json',
    '..\\..\\y.json',
    '<img src=x onerror=alert(1)>.json',
    'cod\u202egpj.json',
    `${'long-'.repeat(40)}name.json`,
  ];
  await openImport();
  for (const name of names) {
    await choose(chatExport(name, chats));
    const shown = page.getByRole('region', { name: 'Files' }).getByRole('article').first();
    await shown.getByText('Period').waitFor();
    await shown.getByRole('button', { name: /^Import/ }).click();
    await shown.waitFor({ state: 'detached' });
  }
  const done = page.getByRole('region', { name: 'Jobs' }).getByRole('article');
  await expect
    .poll(() => done.filter({ hasText: 'Done' }).count(), { timeout: ACTION_MILLISECONDS })
    .toBe(names.length + 1);
  const shown = await page.getByRole('region', { name: 'Jobs' }).innerText();
  expect(shown).toContain('<img src=x onerror=alert(1)>.json');
  expect(shown).not.toContain('\u202e');
  expect(shown).not.toContain('..');

  // Only files whose names are ids came, and they went with their jobs.
  const after = await filesBelow(lab.folder);
  const own = new Set(before);
  for (const path of after.filter((each) => !own.has(each))) expect(basename(path)).toMatch(/^[\w.-]+$/);
  expect(after.filter((path) => /x\.json|y\.json|img|gpj|long-/.test(path))).toEqual([]);
  expect((await readdir(dirname(lab.folder))).filter((name) => !beside.includes(name))).toEqual([]);
  await expectNothingRan(page);
});

test('an attachment with script is only text', async () => {
  await lab.go(page, '#/');
  const payload =
    '# Note\n\n<script>window.hacked=1</script><svg onload="window.hacked=2"> The launch code is heliotrope.';
  const name = '<svg onload=alert(1)>.md';
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name, mimeType: 'text/markdown', buffer: Buffer.from(payload) });
  await page.getByRole('list', { name: 'Attachments' }).getByText(name).waitFor();
  await page.getByRole('textbox', { name: 'Message' }).fill('What is the launch code in the note?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const answer = page.getByRole('article', { name: 'Answer' });
  await answer.getByText('heliotrope').first().waitFor();
  await answer
    .getByRole('button', { name: /^Source \d/ })
    .first()
    .click();
  await page.getByRole('complementary', { name: 'Source' }).getByText('heliotrope').first().waitFor();
  await expectNothingRan(page);
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => relative(folder, join(entry.parentPath ?? entry.path, entry.name)));
}
