import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ScriptedOpenAiServer } from '../fakes/openai-server/scripted-openai-server.ts';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { looked } from './looks.ts';

const KEY = 'sk-of-the-spec-4821';
let lab: AppLab;
let chat: ChatPage;
let server: ScriptedOpenAiServer;

beforeAll(async () => {
  server = await ScriptedOpenAiServer.start({
    apiKey: KEY,
    models: ['small-model'],
    reply: ({ schema }) => (schema === null ? 'A model wrote this.' : { city: 'Oslo' }),
  });
  lab = await AppLab.start();
  chat = await ChatPage.open(lab);
  await lab.go(chat.page, '#/settings/model');
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(() => expectQuiet(lab));

const keysFile = () => join(lab.folder, 'mnemis', 'model-keys.json');
const field = (label: string) => chat.page.getByLabel(label, { exact: true });

test('services fill in their address, and ask for a key only where they need one', async () => {
  const { page } = chat;
  for (const [name, address, needsKey] of [
    ['Anthropic', 'https://api.anthropic.com/v1', true],
    ['OpenRouter', 'https://openrouter.ai/api/v1', true],
    ['LM Studio', 'http://localhost:1234/v1', false],
    ['llama.cpp', 'http://localhost:8080/v1', false],
  ] as const) {
    await page.getByRole('radio', { name: new RegExp(`^${name}`) }).click();
    await eventually(async () => expect(await field('Address').inputValue()).toBe(address));
    expect(await page.getByPlaceholder('Paste the key').count()).toBe(needsKey ? 1 : 0);
  }
});

test('where nothing answers, one sentence says it, with what can be done', async () => {
  const { page } = chat;
  await page.getByRole('radio', { name: /^Compatible server/ }).click();
  await field('Address').fill('http://127.0.0.1:9/v1');
  await field('Address').press('Enter');
  const alert = page.getByRole('alert').filter({ hasText: 'Nothing answers at http://127.0.0.1:9/v1.' });
  await alert.getByRole('button', { name: 'Try again' }).waitFor();
  await alert.getByText('Details').click();
  await alert.getByText(/cannot be reached/).waitFor();
  await looked(page, 'model-unreachable');
  await alert.getByRole('button', { name: 'Choose another' }).click();
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('radio');
});

test('a key is asked for, refused, changed, kept for this user alone, and never shown again', async () => {
  const { page } = chat;
  const address = `${server.url}/v1`;
  await field('Address').fill(address);
  await field('Address').press('Enter');
  const name = `The server at ${address}`;
  await page
    .getByRole('alert')
    .filter({ hasText: `${name} needs a key.` })
    .waitFor();
  await page.getByRole('button', { name: 'Enter the key' }).click();
  await page.keyboard.type('sk-wrong-key-9999');
  await page.keyboard.press('Enter');
  const refused = page
    .getByRole('alert')
    .filter({ hasText: `The key was refused by the server at ${address}.` });
  await refused.waitFor();
  await page.getByText('Set, ends in 9999').waitFor();
  await page.getByText(`Kept unencrypted in ${keysFile()}`, { exact: false }).waitFor();
  await looked(page, 'model-key-refused');
  await refused.getByRole('button', { name: 'Change key' }).click();
  await page.keyboard.type(KEY);
  await page.getByRole('button', { name: 'Save the key' }).click();
  await page.getByText('Set, ends in 4821').waitFor();
  await page.getByText('The server offers 1 model.', { exact: false }).waitFor();
  expect(statSync(keysFile()).mode & 0o777).toBe(0o600);
  expect(readFileSync(keysFile(), 'utf8')).toContain(KEY);
  expect(await page.getByPlaceholder('Paste another key').inputValue()).toBe('');
  expect(await page.content()).not.toContain(KEY);
  expect(JSON.stringify(await (await lab.engine()).settings({}))).not.toContain(KEY);
});

test('the model is tested, used, and answers; without its key the chat says so', async () => {
  const { page } = chat;
  // The only model of the server is filled in.
  const model = page.getByRole('combobox', { name: 'Model', exact: true });
  await eventually(async () => expect(await model.inputValue()).toBe('small-model'));
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/^small-model answered correctly/).waitFor();
  const { pid } = await lab.engine();
  await page.getByRole('button', { name: 'Use this model' }).click();
  await page.getByText('In use', { exact: true }).waitFor();
  await eventually(async () => expect((await lab.engine()).pid).not.toBe(pid));
  await page.getByText('The engine restarts with it.', { exact: false }).waitFor({ state: 'detached' });
  expect(await page.getByText('The memory engine was started again.', { exact: false }).count()).toBe(0);
  await chat.begin();
  await chat.reads(await chat.ask('Who writes this?'), 'A model wrote this.');

  await lab.go(page, '#/settings/model');
  const { pid: before } = await lab.engine();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await eventually(async () => expect((await lab.engine()).pid).not.toBe(before));
  await chat.begin();
  await chat.send('And now?');
  const failed = chat.answers.last();
  await failed.getByText(`The server at ${server.url}/v1 needs a key.`).waitFor();
  await failed.getByRole('button', { name: 'Enter the key' }).click();
  await page.waitForURL(/#\/settings\/model$/);
});
