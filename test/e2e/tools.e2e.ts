import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ToolCalls } from '../fakes/openai-server/script.ts';
import { program } from '../fixtures/mcp/programs.ts';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { LOOKS, take, violations } from './looks.ts';

let lab: AppLab;
let chat: ChatPage;

beforeAll(async () => {
  lab = await AppLab.start({
    settings: { MNEMIS_RECIPE: 'similarity' },
    model: {
      reply: ({ messages, offered }) => {
        // The message itself: memory shows what was asked before.
        const asks = messages[1]!.content.split('<message').at(-1)!.includes('look it up');
        const isAnswered = messages.some(({ role }) => role === 'tool');
        if (!asks || isAnswered || !offered.includes('web_search'))
          return isAnswered ? 'The tram runs every 7 minutes.' : 'Hello.';
        return new ToolCalls([{ name: 'web_search', arguments: { query: 'tram times' } }]);
      },
    },
  });
  chat = await ChatPage.open(lab);
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const permission = () => chat.page.getByRole('region', { name: 'Run web_search of Web?' });
const called = () => chat.page.getByRole('region', { name: 'Tools that were called' });

/** Free of what keeps people out, in light and dark, wide and narrow. */
async function expectFit(): Promise<void> {
  for (const look of LOOKS) {
    await take(chat.page, look);
    expect(await violations(chat.page, look), `${look.theme} ${look.width}`).toEqual([]);
  }
  await take(chat.page, LOOKS[0]!);
}

test('a server is added by its form, and shows its tools', async () => {
  const { page } = chat;
  await lab.go(page, '#/settings/tools');
  await page.getByText('No server yet.').waitFor();
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a server' });
  const { command, args } = program();
  await dialog.getByLabel('Name', { exact: true }).fill('Web');
  await dialog.getByLabel('Command').fill(command);
  await dialog.getByLabel('Arguments, one a line').fill(args.join('\n'));
  await dialog.getByLabel('Environment, one NAME=value a line').fill('API_KEY=key-7713');
  await dialog.getByRole('button', { name: 'Save and test' }).click();
  await dialog.waitFor({ state: 'detached' });
  const server = page.getByRole('region', { name: 'Web', exact: true });
  await server.getByText('Running').waitFor();
  await server.getByText('Searches the web.').waitFor();
  await expectFit();
  const choice = server.getByRole('radiogroup', { name: 'Web search' });
  expect(await choice.getByRole('radio', { name: 'Ask first' }).isChecked()).toBe(true);
  await server.getByRole('radiogroup', { name: 'huge' }).getByRole('radio', { name: 'Never' }).click();
  await eventually(async () => {
    const { servers } = await (await lab.engine()).toolServers({});
    expect(servers[0]!.tools!.find(({ name }) => name === 'huge')).toMatchObject({ permission: 'never' });
  });

  // The key was entered and is not in the page again.
  await page.reload();
  await server.getByRole('button', { name: 'Edit: Web' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit Web' });
  expect(await edit.getByLabel('Environment, one NAME=value a line').inputValue()).toBe('API_KEY=•••');
  expect(await page.content()).not.toContain('key-7713');
  await edit.getByRole('button', { name: 'Cancel' }).click();
});

test('a call waits for permission over a reload, and stays with the answer', async () => {
  const { page } = chat;
  await lab.go(page, '#/');
  await chat.send('When does the tram run? Please look it up.');
  await permission().getByText('tram times').waitFor();
  await page.reload();
  await permission().getByText('tram times').waitFor();
  await expectFit();
  await permission().getByRole('button', { name: 'Allow once' }).click();
  const answer = await chat.answered();
  await chat.reads(answer, 'The tram runs every 7 minutes.');
  await page.reload();
  await called().getByText('Web · web_search').click();
  await called().getByText('Results for tram times: the tram runs every 7 minutes.').waitFor();
  await expectFit();
});

test('a call is denied, and allowed for a chat', async () => {
  await chat.begin();
  await chat.send('Please look it up.');
  await permission().getByRole('button', { name: 'Don’t allow' }).click();
  await chat.answered();
  await called().getByText('not allowed').waitFor();
  await chat.send('Please look it up again.');
  await permission().getByRole('button', { name: 'Allow in this chat' }).click();
  await chat.answered();
  await chat.ask('And do look it up once more.');
  expect(await permission().count()).toBe(0);
});

test('a server that fails is a sentence in the chat, which goes on without it', async () => {
  const { page } = chat;
  await lab.go(page, '#/settings/tools');
  await page.getByRole('button', { name: 'Paste JSON' }).click();
  const dialog = page.getByRole('dialog', { name: 'Paste the JSON of servers' });
  const { command, args } = program('ends');
  await dialog.getByLabel('JSON', { exact: true }).fill('{"mcpServers": ');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.getByText('The text is no JSON; nothing was added').waitFor();
  const json = JSON.stringify({ mcpServers: { Broken: { command, args } } });
  await dialog.getByLabel('JSON', { exact: true }).fill(json);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  const server = page.getByRole('region', { name: 'Broken', exact: true });
  await server.getByText('Failed').waitFor();

  await lab.go(page, '#/');
  await chat.ask('Good morning!');
  const trouble = page.getByRole('region', { name: 'Tools that do not work' });
  await trouble.getByText('Broken ended before it answered.').waitFor();
  await trouble.getByRole('button', { name: 'Try again' }).click();
  await trouble.getByRole('button', { name: 'Turn off' }).click();
  await trouble.waitFor({ state: 'detached' });
  await chat.ask('Good evening!');
  expect(await trouble.count()).toBe(0);
});
