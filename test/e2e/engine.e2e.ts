import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually } from './chat-page.ts';

const LONG = Array.from({ length: 4_000 }, (_, at) => `word-${at}`).join(' ');

let lab: AppLab;
let chat: ChatPage;

beforeAll(async () => {
  lab = await AppLab.start({ model: { reply: () => 'Noted, the lighthouse.' } });
  chat = await ChatPage.open(lab);
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => {
  expect(lab.strays).toEqual([]);
  expect(lab.pageErrors).toEqual([]);
});

/** Ends the engine as the system does where memory is short. */
async function killEngine(): Promise<number> {
  const { pid } = await lab.engine();
  process.kill(pid, 'SIGKILL');
  return pid;
}

test('an engine that dies while nothing runs is replaced, and the window says so', async () => {
  await chat.ask('I live in a lighthouse near Bergen.');
  const killed = await killEngine();
  await chat.page.getByText('The memory engine was started again.', { exact: false }).waitFor();
  await chat.page.getByRole('status').filter({ hasText: 'Starting it again' }).waitFor({ state: 'detached' });
  const engine = await lab.engine();
  expect(engine.pid).not.toBe(killed);
  // What was acknowledged is there, in the chat and in memory.
  await chat.page.reload();
  await chat.reads(chat.answers.last(), 'Noted, the lighthouse.');
  expect((await engine.stats({ scope: 'default' })).episode).toBe(2);
  await chat.reads(await chat.ask('Where do I live?'), 'Noted');
});

test('an engine that dies in an answer leaves it marked, and it can be answered again', async () => {
  await chat.begin();
  lab.model!.enqueue({ says: LONG, fault: { kind: 'drip', bytes: 300, everyMs: 20 } });
  await chat.send('Tell me at length about the harbour.');
  await chat.reads(chat.answers.last(), 'word-9');
  await killEngine();
  await chat.reads(chat.answers.last(), /The memory engine stopped during this answer/);
  await chat.page.getByRole('status').filter({ hasText: 'Starting it again' }).waitFor({ state: 'detached' });
  const engine = await lab.engine();
  const { messages } = await eventually(() => engine.conversation({ conversation: chat.conversation }));
  expect(messages.map(({ role, state }) => [role, state])).toEqual([
    ['user', 'complete'],
    ['assistant', 'stopped'],
  ]);
  // A window that is loaded now shows the same; nothing of the broken exchange is in memory.
  const turns = (await engine.stats({ scope: 'default' })).episode;
  await chat.page.reload();
  await chat.answers.last().getByText('Stopped').waitFor();
  const again = chat.answers.last().getByRole('button', { name: 'Answer again' }).first();
  await again.click();
  await chat.reads(await chat.answered(), 'Noted, the lighthouse.');
  expect((await engine.stats({ scope: 'default' })).episode).toBe(turns + 2);
});

test('a page whose app has ended says how to get a new link, which works', async () => {
  await lab.killFront();
  await chat.page.getByRole('status').filter({ hasText: 'Starting it again' }).waitFor();
  // Another app may have taken the port: then the page has no access there, and says the same.
  await chat.page.getByText(/open the link that it prints|Open it with the link that/).waitFor();
  await lab.launch();
  const later = await ChatPage.open(lab);
  await later.side.getByRole('link', { name: /lighthouse/ }).click();
  await later.reads(later.answers.first(), 'Noted, the lighthouse.');
});
