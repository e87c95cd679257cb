import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

let lab: AppLab;
let chat: ChatPage;
let model: ScriptedOpenAiServer;

beforeAll(async () => {
  model = await ScriptedOpenAiServer.start({
    models: ['small-model', 'other-model'],
    reply: ({ strategy }) =>
      strategy === 'plain' ? 'An answer by the model of the settings.' : { city: 'Oslo' },
  });
  lab = await AppLab.start({ settings: { MNEMIS_RECIPE: 'similarity' } });
  chat = await ChatPage.open(lab);
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
afterEach(() => expectQuiet(lab));

async function openSection(name: string, page = chat.page): Promise<void> {
  await lab.go(page, `#/settings/${name}`);
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
}

test('preferences and settings survive a reload and a restart of the app', async () => {
  const { page } = chat;
  await openSection('general');
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Your name').press('Enter');
  await page.getByRole('radio', { name: 'Dark' }).click();
  await page.getByRole('switch', { name: 'New chats begin in private mode' }).click();
  await eventually(async () =>
    expect((await (await lab.engine()).settings({})).preferences).toMatchObject({
      name: 'Ada',
      theme: 'dark',
      isPrivate: true,
    }),
  );
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');

  const { pid } = await lab.engine();
  await openSection('memory');
  await page.getByRole('textbox', { name: 'Word or phrase' }).fill('salary');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('button', { name: 'Remove salary' }).waitFor();
  // The engine takes the setting by starting again.
  await eventually(async () => {
    const engine = await lab.engine();
    expect(engine.pid).not.toBe(pid);
    expect((await engine.settings({})).settings.neverRemember).toMatchObject({
      value: ['salary'],
      source: 'file',
    });
  });

  await page.reload();
  await page.getByRole('button', { name: 'Remove salary' }).waitFor();
  await lab.restart();
  const later = await lab.open('#/settings/memory');
  await later.getByRole('button', { name: 'Remove salary' }).waitFor();
  await openSection('general', later);
  await eventually(async () => expect(await later.getByLabel('Your name').inputValue()).toBe('Ada'));
  expect(await later.getByRole('switch', { name: 'New chats begin in private mode' }).isChecked()).toBe(true);
  expect(await later.evaluate(() => document.documentElement.dataset.theme)).toBe('dark');
  await later.getByRole('switch', { name: 'New chats begin in private mode' }).click();
  chat = new ChatPage(later);
});

test('a setting of the environment is shown and cannot be changed', async () => {
  await openSection('memory');
  const recipe = chat.page.getByRole('combobox', { name: 'Recipe' });
  await chat.page.getByText('Set by the environment variable MNEMIS_RECIPE', { exact: false }).waitFor();
  expect(await recipe.isDisabled()).toBe(true);
  expect(await recipe.inputValue()).toBe('similarity');
});

test('a model is chosen, tested, saved, and answers', async () => {
  const { page } = chat;
  await openSection('model');
  await page.getByRole('radio', { name: /^Compatible server/ }).click();
  await page.getByLabel('Address').fill('http://127.0.0.1:9/v1');
  await page.getByLabel('Address').press('Enter');
  await page.getByRole('alert').filter({ hasText: 'Nothing answers at http://127.0.0.1:9/v1.' }).waitFor();
  await page.getByLabel('Address').fill(`${model.url}/v1`);
  await page.getByLabel('Address').press('Enter');
  await page.getByText('The server offers 2 models.', { exact: false }).waitFor();
  await page.getByRole('combobox', { name: 'Model', exact: true }).fill('small-model');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/^small-model answered correctly/).waitFor();
  const { pid } = await lab.engine();
  await page.getByRole('button', { name: 'Use this model' }).click();
  await page.getByText('In use', { exact: true }).waitFor();
  await eventually(async () => expect((await lab.engine()).pid).not.toBe(pid));

  await chat.begin();
  await page.getByRole('button', { name: 'Answered by: small-model' }).waitFor();
  const answer = await chat.ask('Who answers me?');
  await chat.reads(answer, 'An answer by the model of the settings.');
  await chat.reads(answer, 'small-model');
  await openSection('data');
  await page.getByText(`Text goes to ${new URL(model.url).host}, on this machine`).waitFor();
});

test('a shortcut that was changed works, and the earlier keys do not', async () => {
  const { page } = chat;
  await openSection('shortcuts');
  await page.getByRole('button', { name: /^Record keys for What memory knows/ }).click();
  await page.keyboard.press('Alt+Shift+P');
  await page.getByRole('button', { name: 'Default keys for What memory knows' }).waitFor();
  // The row shows a change before it is saved.
  await eventually(async () =>
    expect(Object.keys((await (await lab.engine()).settings({})).preferences.shortcuts)).toHaveLength(1),
  );
  await page.keyboard.press('Control+Shift+M');
  await page.keyboard.press('Alt+Shift+P');
  await page.waitForURL(/#\/memory/);
  await openSection('shortcuts');
  await page.keyboard.press('Control+Shift+M');
  expect(page.url()).toContain('#/settings/shortcuts');
});
