import { Buffer } from 'node:buffer';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { looked } from './looks.ts';

let lab: AppLab;
let chat: ChatPage;

beforeAll(async () => {
  lab = await AppLab.start();
  chat = await ChatPage.open(lab);
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const exported = (name: string, lines: readonly (readonly [speaker: string, words: string])[]) => ({
  name: `WhatsApp Chat with ${name}.txt`,
  mimeType: 'text/plain',
  buffer: Buffer.from(lines.map(([who, words], at) => `25/03/2024, 10:1${at} - ${who}: ${words}`).join('\n')),
});
const file = (name: string) =>
  chat.page
    .getByRole('region', { name: 'Files' })
    .getByRole('article', { name: `WhatsApp Chat with ${name}` });
const who = (name: string) => file(name).getByRole('radiogroup', { name: 'Which of them are you?' });

test('an import waits until it knows which speaker the person is, and one click says it', async () => {
  const { page } = chat;
  await lab.go(page, '#/import');
  await page.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
  const first = exported('Maria', [
    ['Maria Lopez', 'I moved to Ghent last week.'],
    ['Johnny', 'Nice! I live in Oslo.'],
  ]);
  await page.locator('input[type=file]').first().setInputFiles([first]);
  const begin = file('Maria').getByRole('button', { name: 'Import 2 turns' });
  await begin.waitFor();
  expect(await begin.isDisabled()).toBe(true);
  await file('Maria').getByText('Choose one first', { exact: false }).waitFor();

  await looked(page, 'import-which-speaker');
  // Who speaks in both files is likely the person.
  const second = exported('Ana', [
    ['Ana', 'I like fencing.'],
    ['Johnny', 'I learn the cello.'],
  ]);
  await page.locator('input[type=file]').first().setInputFiles([second]);
  for (const name of ['Maria', 'Ana'])
    await eventually(async () =>
      expect(
        await who(name)
          .getByRole('radio', { name: /^Johnny/ })
          .isChecked(),
      ).toBe(true),
    );
  await file('Ana').getByText('This is a guess.', { exact: false }).waitFor();
  await who('Ana').getByRole('radio', { name: 'Johnny' }).click();
  await page.getByRole('button', { name: 'Import all 2 files' }).click();
  await file('Maria').waitFor({ state: 'detached' });
  await eventually(async () => expect((await engine()).fact).toBeGreaterThan(2));
  expect((await (await lab.engine()).settings({})).preferences.name).toBe('Johnny');
});

test('“I” is the person then, and the others are not', async () => {
  await chat.begin();
  await chat.page.getByRole('heading', { name: 'Good to see you, Johnny.' }).waitFor();
  const answer = await chat.ask('Where do I live?');
  await chat.reads(answer, /Oslo/);
  expect(await answer.getByText(/Ghent/).count()).toBe(0);
});

test('a log that knows roles only is said by the person, and stands in the side bar at once', async () => {
  const { page } = chat;
  await lab.go(page, '#/import');
  const lines = [
    { role: 'user', content: 'I studied geology.', timestamp: '2024-05-02T10:00:00Z', conversation_id: 'a' },
    { role: 'assistant', content: 'Nice.', timestamp: '2024-05-02T10:01:00Z', conversation_id: 'a' },
  ];
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles([
      {
        name: 'log.jsonl',
        mimeType: 'application/jsonl',
        buffer: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')),
      },
    ]);
  const log = page.getByRole('region', { name: 'Files' }).getByRole('article', { name: 'log.jsonl' });
  await log.getByText('JSON lines').waitFor();
  await eventually(async () => expect(await log.getByLabel('Your name').inputValue()).toBe('Johnny'));
  await log.getByRole('list').getByText('Johnny').waitFor();
  const begin = log.getByRole('button', { name: 'Import 2 turns' });
  await eventually(async () => expect(await begin.isEnabled()).toBe(true));
  await begin.click();
  await log.waitFor({ state: 'detached' });
  await chat.side.getByRole('button', { name: /Logs and programs/ }).waitFor();
  await chat.begin();
  await chat.reads(await chat.ask('What did I study?'), /geology/);
  await lab.go(page, '#/memory');
  await page.getByRole('heading', { name: 'Johnny' }).waitFor();
  expect(await page.getByRole('main').getByText('You', { exact: true }).count()).toBe(0);
});

async function engine() {
  return (await lab.engine()).stats({ scope: 'default' });
}
