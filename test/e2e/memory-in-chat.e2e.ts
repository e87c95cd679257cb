import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../main/contract.ts';
import { AppLab } from './app-lab.ts';
import { CHAT_MODEL, SAY } from './chat-model.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { looked } from './looks.ts';

const SISTER = 'My sister Eva lives in Porto.';
const FACT = "Ada's sister Eva lives in Porto";
/** An answer of the model is no thing that was learned. */
const CHIP = /^Remembered \d+ things?$/;
const scope = 'default';

let lab: AppLab;
let engine: MemoryClient;
let chat: ChatPage;
/** Where the sister is told of. */
let told: string;
beforeAll(async () => {
  lab = await AppLab.start({ model: CHAT_MODEL, settings: { MNEMIS_RECIPE: 'mnemis-local' } });
  chat = await ChatPage.open(lab);
  engine = await lab.engine();
  await engine.saveSettings({ preferences: { name: 'Ada' } });
  await chat.ask(SISTER);
  told = chat.conversation;
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const turnsIn = async () => (await engine.stats({ scope })).episode;
const messages = async () => (await engine.conversation({ conversation: chat.conversation })).messages;
const lastAsked = () => JSON.stringify(lab.model!.requests.at(-1)!.body);
const open = (conversation: string) => lab.go(chat.page, `#/c/${conversation}`);
/** Turns that the exchanges of the shown conversation became, as memory has them. */
async function remembered() {
  const episodes = (await messages()).flatMap((message) => message.remembered?.turns ?? []);
  return (await engine.learned({ scope, episodes })).turns.map(({ text }) => text);
}

describe('what was remembered', () => {
  it('is counted while memory reads it', async () => {
    const chip = chat.answers.getByRole('button', { name: CHIP });
    await chip.waitFor();
    const episodes = (await messages()).flatMap((message) => message.remembered?.turns ?? []);
    expect(episodes).toHaveLength(2);
    await eventually(async () => {
      const { facts, pending } = await engine.learned({ scope, episodes });
      expect(pending).toBe(0);
      expect(facts.length).toBeGreaterThan(0);
      const words = facts.length === 1 ? 'Remembered 1 thing' : `Remembered ${facts.length} things`;
      expect(await chip.textContent()).toBe(words);
    });
  });

  it('opens beside the chat, where a fact is edited, rejected, and both are undone', async () => {
    await chat.answers.getByRole('button', { name: CHIP }).click();
    const panel = chat.page.getByRole('complementary', { name: 'Remembered' });
    const facts = panel.getByRole('region', { name: 'Facts that it learned' });
    await facts.getByText(FACT).waitFor();
    await panel.getByRole('region', { name: 'What was said' }).getByText(SISTER).first().waitFor();

    const takeBack = () =>
      chat.choose(facts.getByRole('button', { name: `Actions for “${FACT}”` }), 'Correct or take back…');
    const dialog = chat.page.getByRole('dialog', { name: 'Take back this sentence' });
    await takeBack();
    await looked(chat.page, 'take-back');
    const field = dialog.getByRole('textbox', { name: 'The fact, as it should be' });
    await field.fill("Ada's sister Eva lives in Braga");
    await field.press('Enter');
    await facts.getByRole('button', { name: `Actions for “Ada's sister Eva lives in Braga”` }).waitFor();
    await facts.getByText(FACT).waitFor({ state: 'detached' });
    await facts.getByText('Edited').waitFor();
    expect((await engine.corrections({ scope }))[0]).toMatchObject({ kind: 'edit-fact', undoneAt: null });
    await facts.getByRole('button', { name: 'Undo' }).click();
    await facts.getByText(FACT).waitFor();
    await facts.getByText('Braga').waitFor({ state: 'detached' });

    await takeBack();
    await dialog.getByRole('radio', { name: /^Forget it/ }).click();
    await dialog.getByText('This goes, for good:').waitFor();
    await dialog.getByText(SISTER).first().waitFor();
    await dialog.getByRole('radio', { name: /^It is wrong/ }).click();
    await dialog.getByRole('button', { name: 'Hide it' }).click();
    await facts.getByText('Memory no longer believes it.').waitFor();
    await facts.getByRole('button', { name: 'Undo' }).click();
    await facts.getByRole('button', { name: `Actions for “${FACT}”` }).waitFor();
    const made = (await engine.corrections({ scope })).filter(({ kind }) => kind !== 'undo');
    expect(made.map(({ kind, undoneAt }) => [kind, undoneAt !== null])).toEqual([
      ['reject-fact', true],
      ['edit-fact', true],
    ]);
    await panel.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
  });

  it('is forgotten as a whole, and the app keeps no word of it', async () => {
    const before = await turnsIn();
    await chat.begin();
    const answer = await chat.ask('The turquoise heron guards the cellar.');
    const turns = (await messages()).flatMap((message) => message.remembered?.turns ?? []);
    expect(turns).toHaveLength(2);
    await answer.getByRole('button', { name: CHIP }).click();
    await chat.button('Forget all of this').click();
    const dialog = chat.page.getByRole('dialog');
    await dialog.getByText('This goes, for good:').waitFor();
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
    await dialog.getByText(/^Proof: .* none is left\.$/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await chat.reads(chat.questions.last(), 'This was forgotten.');
    await chat.reads(chat.answers.last(), 'This was forgotten.');
    expect((await engine.learned({ scope, episodes: turns })).turns).toEqual([]);
    expect(await turnsIn()).toBe(before);
    expect((await messages()).map(({ state, text }) => [state, text])).toEqual([
      ['forgotten', ''],
      ['forgotten', ''],
    ]);
    await eventually(async () => expect(await chat.side.textContent()).not.toContain('heron'));
    const entries = await readdir(lab.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name.includes('.app.sqlite'));
    expect(files.length).toBeGreaterThan(0);
    for (const { parentPath, name } of files)
      expect((await readFile(join(parentPath, name))).includes('turquoise heron'), name).toBe(false);
  });
});

describe('a citation', () => {
  it('opens the turn, and from there its conversation', async () => {
    await chat.begin();
    const answer = await chat.ask(`Where does Eva live? Answer ${SAY.withSource}.`);
    expect(lastAsked()).toContain('Porto');
    await answer.getByRole('button', { name: 'Source 1', exact: true }).click();
    const panel = chat.page.getByRole('complementary', { name: 'Source' });
    await panel.locator('[aria-current]').filter({ hasText: SISTER }).waitFor();
    await panel.getByText('My sister Eva lives in Porto', { exact: true }).waitFor(); // the conversation
    await panel.getByText(FACT).waitFor();
    await panel.getByRole('button', { name: 'Open in its conversation' }).click();
    await eventually(() => expect(chat.conversation).toBe(told));
    await chat.page.locator('article[data-marked]').filter({ hasText: SISTER }).waitFor();
  });
});

describe('“Why this?”', () => {
  it('shows where memory looked, the scores, and the way through the categories', async () => {
    const { scope: sample } = await engine.sample({});
    const conversation = crypto.randomUUID();
    await engine.saveConversation({ conversation, scope: sample });
    await open(conversation);
    await chat.field.waitFor();
    const answer = await chat.ask(`Is Nora still a vegetarian? Answer ${SAY.withSource}.`);
    await answer.hover();
    await answer.getByRole('button', { name: 'Why this?' }).click();
    const panel = chat.page.getByRole('complementary', { name: 'Why this answer' });
    await panel.getByText(/^Found by .*: \d+ pieces of evidence, 1 cited, in /).waitFor();
    const routes = panel.getByRole('region', { name: 'Where it looked' });
    expect(await routes.getByRole('button').allTextContents()).toEqual(['Similarity', 'Categories']);
    const way = panel.getByRole('region', { name: 'The way through the categories' });
    await way.getByText('People and things', { exact: true }).waitFor();
    await way
      .getByText(/^\d+ offered, \d+ picked$/)
      .first()
      .waitFor();
    await way.getByText(/^Reached /).waitFor();
    const evidence = panel.getByRole('region', { name: 'The evidence' });
    await evidence.getByText('Cited as 1').first().waitFor();
    const vote = evidence.getByRole('button', { name: /^\w[\w ]* #\d+$/ }).first();
    await vote.scrollIntoViewIfNeeded();
    await vote.hover();
    await chat.page
      .getByRole('tooltip')
      .filter({ hasText: /Score there: -?\d/ })
      .waitFor();
    // A piece of the evidence opens as a source.
    await chat.page.keyboard.press('Escape');
    await evidence.getByRole('listitem').first().getByRole('button').first().click();
    await chat.page.getByRole('complementary', { name: 'Source' }).waitFor();
    await chat.page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  });
});

describe('private mode', () => {
  it('neither recalls nor remembers', async () => {
    await chat.begin();
    // A chat that begins privately is kept nowhere: conversations.e2e.ts.
    await chat.reads(await chat.ask('My kite has a long tail.'), /Remembered \d+ thing/);
    await chat.button('Private mode').click();
    await chat.page.getByText('Private: this message is answered without memory').waitFor();
    const before = await turnsIn();
    const answer = await chat.ask('Where does my sister Eva live? My code is 7351.');
    expect(lastAsked()).toContain('7351');
    expect(lastAsked()).not.toContain('Porto');
    await answer.getByText('Private', { exact: true }).waitFor();
    expect(await turnsIn()).toBe(before);
    await chat.page.reload();
    await chat.answered();
    await chat.page.getByText('Private: this message is answered without memory').waitFor();
    // A later message of the chat that is not private shows the model nothing of it.
    await chat.button('Turn off').click();
    await chat.ask('And where does Eva live?');
    expect(lastAsked()).toContain('Porto');
    expect(lastAsked()).not.toContain('7351');
    expect((await remembered()).join()).not.toContain('7351');
    expect(await turnsIn()).toBe(before + 2);
  });
});

describe('asked before it remembers', () => {
  beforeAll(async () => {
    await engine.saveSettings({ preferences: { confirm: true } });
  });
  afterAll(async () => {
    await engine.saveSettings({ preferences: { confirm: false } });
  });
  const card = () => chat.page.getByRole('region', { name: 'Remember this exchange?' });

  it('remembers nothing of what is declined', async () => {
    await chat.begin();
    const before = await turnsIn();
    await chat.ask('I own a red kite.');
    await card().waitFor();
    expect(await turnsIn()).toBe(before);
    await card().getByRole('button', { name: 'Don’t remember' }).click();
    await chat.answers.getByText('Not remembered').waitFor();
    await card().waitFor({ state: 'detached' });
    expect(await turnsIn()).toBe(before);
  });

  it('remembers what is approved, also after the page was loaded again', async () => {
    await chat.begin();
    await chat.ask('I own a green kite.');
    await card().waitFor();
    await chat.page.reload();
    await card().getByRole('button', { name: 'Remember', exact: true }).click();
    await chat.answers.getByRole('button', { name: /^Remembered/ }).waitFor();
    expect((await remembered())[0]).toBe('I own a green kite.');
  });

  it('remembers it in other words', async () => {
    await chat.begin();
    await chat.ask('I own a blue kite.');
    await card().getByRole('button', { name: 'Edit first' }).click();
    await card()
      .getByRole('textbox', { name: 'Your message, as memory takes it' })
      .fill('I own a violet kite.');
    await card().getByRole('button', { name: 'Remember this' }).click();
    await chat.answers.getByRole('button', { name: /^Remembered/ }).waitFor();
    expect((await remembered())[0]).toBe('I own a violet kite.');
    await chat.reads(chat.questions.last(), 'I own a blue kite.');
  });
});

describe('“What do you know about me?”', () => {
  it('is a page of what was told, and of who told it', async () => {
    await lab.go(chat.page, '#/memory');
    await chat.page.getByRole('heading', { name: 'Ada', exact: true }).waitFor();
    await chat.page.getByText('What do you know about me?').first().waitFor();
    const main = chat.page.getByRole('main');
    const said = FACT.replace("Ada's", 'Your');
    await main.getByRole('button', { name: `Actions for “${said}”` }).waitFor();
    await main
      .getByText(/violet kite/)
      .first()
      .waitFor();
    expect(await main.textContent()).not.toContain('7351');
    await main.getByRole('searchbox', { name: 'Search in this page' }).fill('Porto');
    await main.getByText(said).first().waitFor();
    await main.getByRole('button', { name: 'Source', exact: true }).first().click();
    await chat.page.getByRole('complementary', { name: 'Source' }).getByText(SISTER).first().waitFor();
  });
});
