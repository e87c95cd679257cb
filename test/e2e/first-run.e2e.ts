import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

describe('the first run', () => {
  let lab: AppLab;
  let chat: ChatPage;
  beforeAll(async () => {
    lab = await AppLab.start();
    chat = new ChatPage(await lab.open());
  });
  afterAll(() => lab[Symbol.asyncDispose]());
  afterEach(() => expectQuiet(lab));

  it('shows the first steps, and answers from a sample memory with a citation', async () => {
    const { page } = chat;
    await page.getByRole('heading', { name: 'A chat that remembers' }).waitFor();
    await page.getByLabel('What shall memory call you?').fill('Ada');
    await page.getByLabel('What shall memory call you?').press('Enter');
    await page.getByRole('heading', { name: 'Something to remember' }).waitFor();
    await page.getByRole('button', { name: 'Try it with a sample memory' }).click();
    await page.getByText(/The sample has \d+ turns/).waitFor();
    await chat.button('Is Nora still a vegetarian?').click();
    const answer = await chat.answered();
    expect(await answer.getByRole('button', { name: 'Source 1', exact: true }).count()).toBe(1);
    await chat.listed('Is Nora still a vegetarian?').waitFor();
    await answer.getByRole('button', { name: 'Source 1', exact: true }).click();
    await page
      .getByRole('complementary', { name: 'Source' })
      .getByText('The source', { exact: true })
      .waitFor();
    // The sample is a memory of its own.
    const engine = await lab.engine();
    expect((await engine.stats({ scope: 'default' })).episode).toBe(0);
    expect((await engine.stats({ scope: 'sample' })).episode).toBeGreaterThan(10);
  });

  it('keeps the name, and is not shown again', async () => {
    const { page } = chat;
    const engine = await lab.engine();
    expect((await engine.settings({})).preferences).toMatchObject({ name: 'Ada', isWelcomed: true });
    await lab.go(page, '#/');
    await page.reload();
    await page.getByRole('heading', { name: 'Good to see you, Ada.' }).waitFor();
    expect(await page.getByRole('heading', { name: 'A chat that remembers' }).count()).toBe(0);
  });

  it('is passed over by who just wants to chat, in a new window too', async () => {
    const engine = await lab.engine();
    await engine.saveSettings({ preferences: { isWelcomed: false } });
    for (const { id } of (await engine.conversations({})).items)
      for await (const _ of engine.deleteConversation({ conversation: id, memory: 'keep' }));
    const fresh = new ChatPage(await lab.open());
    await fresh.button('Start chatting').click();
    await fresh.page.getByRole('heading', { name: 'Good to see you, Ada.' }).waitFor();
    await eventually(async () => expect((await engine.settings({})).preferences.isWelcomed).toBe(true));
    const answer = await fresh.ask('My bicycle is yellow.');
    await fresh.reads(answer, /Remembered \d+ thing/);
    await eventually(async () => expect((await engine.stats({ scope: 'default' })).episode).toBe(1));
    const turns = (await engine.learned({ scope: 'default', episodes: await remembered(engine, fresh) }))
      .turns;
    expect(turns).toMatchObject([{ speaker: 'Ada', text: 'My bicycle is yellow.' }]);
  });

  it('says what it is, and offers a model where only a model could answer', async () => {
    const engine = await lab.engine();
    const before = await engine.stats({ scope: 'default' });
    const fresh = new ChatPage(await lab.open());
    const first = await fresh.ask('Hi, what can you do?');
    await first.getByText('Every answer shows its sources').waitFor();
    expect(await first.getByRole('button', { name: 'Choose a model' }).count()).toBe(0);
    const order = await fresh.ask('Write a haiku about rain');
    await order.getByRole('button', { name: 'Choose a model' }).waitFor();
    expect((await engine.stats({ scope: 'default' })).episode).toBe(before.episode);
    const asked = await fresh.ask('What is the capital of France?');
    await asked.getByText('No language model is set').waitFor();
    await asked.getByRole('button', { name: 'Choose a model' }).click();
    await fresh.page.waitForURL(/#\/settings\/model$/);
  });

  it('reminds of what is ahead, with its source, until that is turned off', async () => {
    const engine = await lab.engine();
    const turn = {
      content: 'My dentist appointment is tomorrow at 9.',
      speaker: 'Ada',
      role: 'user' as const,
    };
    await engine.add({ scope: 'default', turns: [{ ...turn, session: 'told' }] });
    await engine.flush({ scope: 'default' });
    const { page } = new ChatPage(await lab.open());
    const reminders = page.getByRole('region', { name: 'Coming up' });
    await reminders.getByText('Tomorrow', { exact: true }).click();
    await page.getByRole('complementary', { name: 'Source' }).getByText(turn.content).first().waitFor();
    await reminders.getByRole('button', { name: 'Turn reminders off' }).click();
    await reminders.waitFor({ state: 'detached' });
    expect((await engine.settings({})).preferences.reminds).toBe(false);
  });
});

async function remembered(engine: Awaited<ReturnType<AppLab['engine']>>, { conversation }: ChatPage) {
  const { messages } = await engine.conversation({ conversation });
  return messages.flatMap((message) => message.remembered?.turns ?? []);
}
