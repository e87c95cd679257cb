import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../main/contract.ts';
import { AppLab } from './app-lab.ts';
import { CHAT_MODEL, SAY } from './chat-model.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

describe('two windows', () => {
  let lab: AppLab;
  let engine: MemoryClient;
  let here: ChatPage;
  let there: ChatPage;
  beforeAll(async () => {
    lab = await AppLab.start({ model: CHAT_MODEL });
    here = await ChatPage.open(lab);
    there = await ChatPage.open(lab);
    engine = await lab.engine();
  });
  afterAll(() => lab[Symbol.asyncDispose]());
  afterEach(() => expectQuiet(lab));

  it('show a message that is sent in one of them, and its answer', async () => {
    await here.ask('Which tide is it?');
    await there.listed('Which tide is it?').click();
    await there.reads(there.answers.last(), 'to “Which tide is it?”');
    await here.ask('And tomorrow?');
    await there.reads(there.questions.last(), 'And tomorrow?');
    await there.reads(await there.answered(), 'to “And tomorrow?”');
    await there.ask('And the day after?');
    await here.reads(here.questions.last(), 'And the day after?');
    await here.reads(await here.answered(), 'to “And the day after?”');
  });

  it('say that an answer is being written in the other one', async () => {
    await here.send(`Tell me ${SAY.atLength}.`);
    await here.reads(here.answers.last(), 'word-5');
    await there.answers.last().getByText('It is being written…').waitFor();
    await here.button('Stop the answer').click();
    await there.answers.last().getByText('Stopped').waitFor();
  });

  it('show a new name, a pin and a deletion', async () => {
    await here.act('Which tide is it?', 'Rename');
    const field = here.side.getByRole('textbox', { name: 'Rename' });
    await field.fill('Tides');
    await field.press('Enter');
    await there.listed('Tides').waitFor();
    await there.page.getByRole('heading', { name: 'Tides' }).waitFor();
    await there.act('Tides', 'Pin');
    await here.side.getByRole('heading', { name: 'Pinned' }).waitFor();
    await here.act('Tides', 'Delete');
    await here.button('Delete, keep the memory').click();
    await there.listed('Tides').waitFor({ state: 'detached' });
    await there.page.getByRole('heading', { name: 'This conversation is not here' }).waitFor();
  });

  it('share a project and what is forgotten', async () => {
    await here.button('New project').click();
    await here.page.getByRole('textbox', { name: 'Name' }).fill('Garden');
    await here.button('Create project').click();
    await there.side.getByRole('link', { name: 'Garden', exact: true }).waitFor();
    await here.ask('The hedge is two metres high.');
    await there.listed('The hedge is two metres high').click();
    await there.answers.getByRole('button', { name: /^Remembered/ }).waitFor();
    const [folder] = (await engine.folders({})).items;
    await here.answers.getByRole('button', { name: /^Remembered \d+ things?$/ }).click();
    await here.button('Forget all of this').click();
    await here.page.getByRole('dialog').getByRole('button', { name: 'Forget', exact: true }).click();
    await here.page
      .getByRole('dialog')
      .getByText(/^Proof/)
      .waitFor();
    await there.reads(there.questions.last(), 'This was forgotten.');
    expect((await engine.stats({ scope: folder!.scope })).episode).toBe(0);
  });

  it('follow the settings of each other', async () => {
    const theme = (page: ChatPage) => page.page.evaluate(() => document.documentElement.dataset.theme);
    await there.page.keyboard.press('Control+k');
    await there.page.getByRole('combobox').fill('dark theme');
    await there.page.getByRole('option', { name: 'Dark theme', exact: true }).click();
    await eventually(async () => expect(await theme(there)).toBe('dark'));
    await eventually(async () => expect(await theme(here)).toBe('dark'));
    await engine.saveSettings({ preferences: { send: 'modifier' } });
    await there.begin();
    await eventually(async () =>
      expect(await there.button('Send').getAttribute('aria-keyshortcuts')).toBe('Control+Enter'),
    );
    await there.field.fill('Not with Enter alone');
    await there.field.press('End');
    await there.field.press('Enter');
    expect(await there.field.inputValue()).toBe('Not with Enter alone\n');
    await there.field.press('Control+Enter');
    await there.reads(there.questions.last(), 'Not with Enter alone');
    await there.answered();
  });
});
