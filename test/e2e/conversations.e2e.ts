import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, expectQuiet } from './chat-page.ts';
import { looked } from './looks.ts';

const WORDS = Array.from({ length: 300 }, (_, number) => `word${number}`).join(' ');

let lab: AppLab;
let chat: ChatPage;

beforeAll(async () => {
  lab = await AppLab.start({ model: { reply: () => 'Noted.' } });
  chat = await ChatPage.open(lab);
});
afterAll(async () => {
  expectQuiet(lab);
  await lab[Symbol.asyncDispose]();
});

const side = () => chat.page.getByRole('navigation', { name: 'Conversations' });

test('an answer goes on while its page is loaded again', async () => {
  lab.model!.enqueue({ says: WORDS, fault: { kind: 'drip', bytes: 160, everyMs: 60 } });
  await chat.field.fill('Count for me.');
  await chat.field.press('Enter');
  await chat.page.getByText(/word3\b/).waitFor();
  await chat.page.reload();
  await chat.page.getByText('It is being written…').waitFor();
  await chat.page.getByText(/word299/).waitFor();
  await chat.page.getByText('It is being written…').waitFor({ state: 'detached' });
  expect(await chat.page.getByText('Stopped', { exact: true }).count()).toBe(0);
});

test('a project does not stick to new chats, and a chat moves into it', async () => {
  const { page } = chat;
  await side().getByRole('button', { name: 'New project' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Boat');
  await page.getByRole('dialog').getByRole('button', { name: 'Create project' }).click();
  await page.getByText('A new chat in Boat').waitFor();
  await side().getByRole('link', { name: 'New chat' }).first().click();
  await page.getByText('A new chat in Boat').waitFor({ state: 'detached' });
  await chat.ask('The hull is of larch.');
  const { scope } = (await (await lab.engine()).folders({})).items[0]!;
  await side().getByRole('button', { name: 'Actions for The hull is of larch' }).click();
  await page
    .getByRole('menuitemcheckbox', { name: 'Boat' })
    .or(page.getByRole('menuitem', { name: 'Boat' }))
    .first()
    .click();
  await expect
    .poll(async () => (await (await lab.engine()).stats({ scope })).episode, { timeout: 20_000 })
    .toBeGreaterThan(0);
});

test('a chat is saved as Markdown', async () => {
  const { page } = chat;
  await page.getByRole('button', { name: 'Conversation actions' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save as Markdown' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('The-hull-is-of-larch.md');
  expect(await readFile(await download.path(), 'utf8')).toMatch(/^# The hull is of larch\n\n\*\*You\*\*/);
});

test('a private chat leaves nothing', async () => {
  const { page } = chat;
  await side().getByRole('link', { name: 'New chat' }).first().click();
  await page.getByRole('button', { name: 'Private mode' }).click();
  await page.getByText(/nothing of it is kept/).waitFor();
  await looked(page, 'private');
  await chat.field.fill('My secret is jazz.');
  await chat.field.press('Enter');
  await page.getByRole('article', { name: 'Answer' }).getByText('Noted.').waitFor();
  const engine = await lab.engine();
  expect((await engine.conversations({})).items.map(({ title }) => title).join()).not.toContain('jazz');
  expect((await engine.find({ query: 'jazz' })).hits).toEqual([]);
  expect(await side().getByText('jazz').count()).toBe(0);
  // It is there until the app ends, also after the page was loaded again.
  await page.reload();
  await page.getByRole('article', { name: 'You' }).getByText('My secret is jazz.').waitFor();
  // What is typed and not sent is not saved: an engine that has just started would keep it in a file.
  const saved: string[] = [];
  page.on('request', (request) => void saved.push(request.postData() ?? ''));
  await chat.field.fill('And I hum.');
  await side().getByRole('link', { name: 'New chat' }).first().click();
  await page.waitForTimeout(800);
  expect(saved.filter((body) => body.includes('I hum'))).toEqual([]);
});
