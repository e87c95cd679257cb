import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { chatModelNamed } from '../../src/inference/llama/chat-models.ts';
import { HubServer } from '../fakes/hub-server.ts';
import { AppLab } from './app-lab.ts';
import { SCRIPTED_RUNTIME } from './built-app.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

const MODEL = chatModelNamed('gemma-3-1b-it')!;
const WEIGHTS = Buffer.alloc(3_000_000, 7);

let hub: HubServer;
let lab: AppLab;
let chat: ChatPage;

beforeAll(async () => {
  hub = await HubServer.start();
  hub.repository = MODEL.repository;
  hub.put(MODEL.file, WEIGHTS, { large: true });
  lab = await AppLab.start({
    settings: { MNEMIS_LLAMA_RUNTIME: SCRIPTED_RUNTIME, MNEMIS_MODELS_MIRROR: hub.url },
  });
  chat = new ChatPage(await lab.open());
});
afterAll(async () => {
  await lab[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
});
afterEach(() => expectQuiet(lab));

const row = (name: string) => chat.page.getByRole('listitem').filter({ hasText: name });

test('the first run offers models with what they need; a download is paused, goes on and is checked', async () => {
  const { page } = chat;
  hub.fail(MODEL.file, { kind: 'hang', after: 1_000_000 });
  await page.getByRole('button', { name: 'Skip this step' }).click();
  await page.getByRole('button', { name: 'Skip this step' }).click();
  await page.getByRole('button', { name: 'Run a model on this computer' }).click();
  const dialog = page.getByRole('dialog', { name: 'Run a model on this computer' });
  await dialog.getByText(/This computer has .* of memory/).waitFor();
  const first = dialog.getByRole('listitem').filter({ hasText: MODEL.name });
  for (const words of ['806 MB on disk, about 1.2 GB in memory', 'Gemma terms', 'Not tried here'])
    await first.getByText(words).waitFor();
  await first.getByRole('button', { name: /Download gemma-3-1b-it/ }).click();
  await eventually(async () => expect((await jobs())[0]?.counts.bytes).toBeGreaterThan(500_000));
  await first.getByRole('button', { name: `Pause: ${MODEL.name}` }).click();
  await first.getByText('Paused').waitFor();
  expect((await jobs())[0]?.share).toBeGreaterThan(0.1);
  await first.getByRole('button', { name: `Continue: ${MODEL.name}` }).click();
  await first.getByRole('button', { name: `Use ${MODEL.name}` }).waitFor();
  // It went on where it had stopped.
  expect(hub.requestsFor(MODEL.file).at(-1)?.headers.range).toMatch(/^bytes=[1-9]/);
  await page.keyboard.press('Escape');
  await chat.button('Start chatting').click();
});

test('the menu of a chat lists the model, and it answers there beside quotations', async () => {
  await chat.ask('My boat is called Heron.');
  await chat.choose(chat.page.getByRole('button', { name: /^Answered by/ }), MODEL.name);
  const answer = await chat.ask('Who writes this?');
  await chat.reads(answer, 'A model of this computer writes this');
  await chat.choose(chat.page.getByRole('button', { name: /^Answered by/ }), 'Quote memory');
  await chat.reads(await chat.ask('What is my boat called?'), 'Heron');
});

test('it is set as the model, tested, shown with memory and speed, and kept while it is in use', async () => {
  const { page } = chat;
  await lab.go(page, '#/settings/model');
  await page.getByRole('radio', { name: /This computer/ }).click();
  await row(MODEL.name).getByText('In memory', { exact: true }).waitFor();
  await row(MODEL.name)
    .getByText(/Last: .* in memory, reads \d+ tokens a second/)
    .waitFor();
  await row(MODEL.name)
    .getByRole('button', { name: `Use ${MODEL.name}` })
    .click();
  await eventually(async () =>
    expect((await (await lab.engine()).settings({})).settings).toMatchObject({
      llmProvider: { value: 'local' },
      llmModel: { value: MODEL.name },
    }),
  );
  await row(MODEL.name).getByText('In use').waitFor();
  await chat.button('Test').click();
  await page.getByText(/answered correctly in/).waitFor();
  await chat.choose(
    row(MODEL.name).getByRole('button', { name: `More for ${MODEL.name}` }),
    'Check the files',
  );
  await page.getByText(`Every file of ${MODEL.name} is as it was published.`).waitFor();
  await lab.go(page, '#/');
  await chat.reads(await chat.ask('Who writes this?'), 'A model of this computer writes this');
});

test('a model that is not in use is removed from the disk', async () => {
  const { page } = chat;
  await lab.go(page, '#/settings/model');
  await page.getByRole('radio', { name: /No model/ }).click();
  await chat.button('Use no model').click();
  await eventually(async () =>
    expect((await (await lab.engine()).settings({})).settings.llmProvider?.value).toBe('none'),
  );
  await page.getByRole('radio', { name: /This computer/ }).click();
  await row(MODEL.name)
    .getByRole('button', { name: `Use ${MODEL.name}` })
    .waitFor();
  await chat.choose(
    row(MODEL.name).getByRole('button', { name: `More for ${MODEL.name}` }),
    'Remove from this machine',
  );
  await row(MODEL.name)
    .getByRole('button', { name: /Download gemma/ })
    .waitFor();
  expect((await (await lab.engine()).localModels({})).items[0]?.isInstalled).toBe(false);
});

const jobs = async () => (await (await lab.engine()).jobs({})).items;
