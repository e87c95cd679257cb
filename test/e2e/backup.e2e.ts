import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

let lab: AppLab;
let chat: ChatPage;

beforeAll(async () => {
  lab = await AppLab.start();
  chat = await ChatPage.open(lab);
  await chat.ask('I moved to Lisbon in May.');
  await chat.ask('My code word is heliotrope.');
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const openBackups = async () => {
  await lab.go(chat.page, '#/settings/backup');
  await chat.page.getByRole('heading', { name: 'Backups', exact: true }).first().waitFor();
};
const backups = () => chat.page.getByRole('article', { name: /^Backups: backup of/ });
const held = async (): Promise<string> => {
  const engine = await lab.engine();
  let text = '';
  for await (const event of engine.export({ scope: 'default' }))
    if (event.type === 'text') text += event.text;
  return text;
};

/** Forgets the turns with a word, and expects the proof to find none of it. */
async function forget(word: string): Promise<void> {
  const engine = await lab.engine();
  const { episodes } = await engine.search({ scope: 'default', query: word, k: 10 });
  const ids = episodes.filter(({ content }) => content.includes(word)).map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(0);
  for await (const event of engine.forget({ scope: 'default', target: { episodes: ids } }))
    if (event.type === 'done') expect(event.proof.clean).toBe(true);
  expect(await held()).not.toContain(word);
}

/** Restores the only backup, and waits until the job has ended in the next engine. */
async function restore({ again }: { readonly again: boolean }): Promise<void> {
  const { page } = chat;
  const { pid } = await lab.engine();
  await backups()
    .getByRole('button', { name: /^Restore/ })
    .click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/turns? of the backup (was|were) forgotten since/).waitFor();
  expect(await dialog.getByText('another memory').count()).toBe(0);
  const confirm = dialog.getByRole('button', { name: 'Restore', exact: true });
  expect(await confirm.isDisabled()).toBe(true);
  if (!again) await dialog.getByRole('switch', { name: 'Forget again what was forgotten since' }).click();
  await dialog.getByLabel('Type “restore” to confirm').fill('restore');
  await confirm.click();
  await dialog.waitFor({ state: 'hidden' });
  await eventually(async () => {
    const engine = await lab.engine();
    expect(engine.pid).not.toBe(pid);
    const [job] = (await engine.jobs({})).items.filter(({ kind }) => kind === 'restore');
    expect(job).toMatchObject({ state: 'done', problem: null });
  });
  await page
    .getByRole('article')
    .filter({ hasText: 'Restore of a backup' })
    .first()
    .getByText('Done', { exact: true })
    .waitFor();
}

test('a backup is made, listed and verified, and the memory is sound', async () => {
  const { page } = chat;
  await openBackups();
  await page.getByText('There is no backup yet.').waitFor();
  await page.getByRole('button', { name: 'Back up now' }).click();
  await backups().waitFor();
  await backups()
    .getByRole('button', { name: /^Verify/ })
    .click();
  await backups()
    .getByText(/^Whole: \d+ files as written/)
    .waitFor();
  await page.getByRole('button', { name: 'Check the memory' }).click();
  await page.getByText(/^Sound: \d+ rows in 1 scope/).waitFor();
});

test('a restore says what it brings back, brings it back, or forgets it again', async () => {
  await forget('heliotrope');
  await openBackups();
  await restore({ again: false });
  expect(await held()).toContain('heliotrope');
  await forget('heliotrope');
  await openBackups();
  await restore({ again: true });
  await chat.page.getByText(/turns? forgotten again/).waitFor();
  expect(await held()).not.toContain('heliotrope');
  expect(await held()).toContain('Lisbon');
});

test('an export is saved, and read into another scope as a copy', async () => {
  const { page } = chat;
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toMatch(/^mnemis-default-\d{4}-\d\d-\d\d\.jsonl$/);
  const path = await saved.path();
  expect(await readFile(path, 'utf8')).toContain('I moved to Lisbon in May.');
  await page.getByText(/^Exported /).waitFor();
  await page
    .getByRole('textbox', { name: 'Scope to read it into' })
    .or(page.getByRole('combobox', { name: 'Scope to read it into' }))
    .fill('copy');
  await page.getByRole('switch', { name: 'As a copy' }).click();
  await page.getByLabel('Choose a file', { exact: true }).setInputFiles({
    name: 'memory.jsonl',
    mimeType: 'application/jsonl',
    buffer: await readFile(path),
  });
  const job = page.getByRole('article', { name: 'memory.jsonl' });
  await job.getByText(/rows stored/).waitFor();
  const engine = await lab.engine();
  expect((await engine.stats({ scope: 'copy' })).episode).toBe(
    (await engine.stats({ scope: 'default' })).episode,
  );
});

test('automatic backups are set, and a folder that is none is refused', async () => {
  const { page } = chat;
  await page.getByRole('combobox', { name: 'How often' }).selectOption('daily');
  await page.getByRole('combobox', { name: 'How many to keep' }).selectOption('10');
  await eventually(async () =>
    expect((await (await lab.engine()).settings({})).preferences.backups).toEqual({
      ...{ folder: '', every: 'daily', keep: 10 },
    }),
  );
  await page.getByLabel('Folder of the backups').fill('not absolute');
  await page.getByLabel('Folder of the backups').press('Enter');
  await page.getByRole('alert').filter({ hasText: 'needs an absolute path' }).waitFor();
  await page.getByRole('combobox', { name: 'How often' }).selectOption('off');
  await eventually(async () =>
    expect((await (await lab.engine()).settings({})).preferences.backups.every).toBe('off'),
  );
});

test('a backup is deleted', async () => {
  await backups()
    .getByRole('button', { name: /^Delete/ })
    .click();
  await chat.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await chat.page.getByText('There is no backup yet.').waitFor();
});
