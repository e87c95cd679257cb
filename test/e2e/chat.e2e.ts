import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../main/contract.ts';
import { AppLab } from './app-lab.ts';
import { CHAT_MODEL, SAY } from './chat-model.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

let lab: AppLab;
let engine: MemoryClient;
let chat: ChatPage;
beforeAll(async () => {
  lab = await AppLab.start({ model: CHAT_MODEL });
  chat = await ChatPage.open(lab, { permissions: ['clipboard-read', 'clipboard-write'] });
  engine = await lab.engine();
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const turnsIn = async (scope = 'default') => (await engine.stats({ scope })).episode;
const stored = async () => (await engine.conversation({ conversation: chat.conversation })).messages;

describe('an answer', () => {
  it('is shown while it is written, and whole in the end', async () => {
    await chat.begin();
    await chat.send(`Tell me ${SAY.slowly}.`);
    await chat.reads(chat.answers.last(), 'step-3');
    expect(await chat.button('Stop the answer').isVisible()).toBe(true);
    expect(await chat.answers.last().textContent()).not.toContain('step-39');
    const answer = await chat.answered();
    await chat.reads(answer, /step-39$|step-39\D/);
    expect(await chat.button('Send').or(chat.button('Stop the answer')).count()).toBe(1);
    await chat.reads(answer, 'test-model');
  });

  it('keeps its beginning when it is stopped, and nothing of it is remembered', async () => {
    await chat.begin();
    const before = await turnsIn();
    await chat.send(`Tell me ${SAY.atLength}.`);
    await chat.reads(chat.answers.last(), 'word-5');
    await chat.button('Stop the answer').click();
    const answer = chat.answers.last();
    await answer.getByText('Stopped').waitFor();
    await eventually(async () => expect((await stored()).at(-1)).toMatchObject({ state: 'stopped' }));
    const last = (await stored()).at(-1)!;
    expect(last.text).toMatch(/^word-0 word-1 /);
    expect(last.text).not.toContain('word-5999');
    expect(last.remembered).toEqual({ decision: 'none', turns: [] });
    expect(await turnsIn()).toBe(before);
    expect(await chat.page.getByText(/Remembered/).count()).toBe(0);
    await eventually(() => expect(lab.model!.underWay).toBe(0));
    // The chat goes on.
    await chat.reads(await chat.ask('And now?'), 'to “And now?”');
  });

  it('is stopped by Escape', async () => {
    await chat.send(`Once more ${SAY.atLength}.`);
    await chat.reads(chat.answers.last(), 'word-5');
    await chat.page.keyboard.press('Escape');
    await chat.answers.last().getByText('Stopped').waitFor();
  });

  it('is left by scrolling up, and a button leads back to its end, where there is none', async () => {
    const toEnd = chat.button('Scroll to the end');
    await lab.go(chat.page, `#/c/${chat.conversation}`);
    await chat.answers.last().getByText('Stopped').waitFor();
    await eventually(async () => expect(await toEnd.count()).toBe(0));
    await chat.page.getByRole('feed').press('Home');
    await toEnd.click();
    await eventually(async () => expect(await toEnd.count()).toBe(0));
    expect(await chat.answers.last().getByText('Stopped').isVisible()).toBe(true);
  });

  it.each([
    ['the server fails', SAY.fail, / reports a failure of its own\.$/],
    ['the connection ends', SAY.cut, / stopped answering\.$|^Nothing answers at /],
  ])('says what is wrong when %s, and is tried again', async (_what, words, sentence) => {
    await chat.begin();
    await chat.send(`Please ${words}`);
    const answer = chat.answers.last();
    await answer.getByRole('alert').getByText(sentence).waitFor();
    const { problem } = (await stored()).at(-1)!;
    expect(problem).toMatch(/\w+/);
    expect(problem).not.toContain(words);
    await chat.reads(answer, problem!);
    expect(await answer.getByRole('button', { name: 'Choose another' }).count()).toBe(1);
    // The model works again.
    lab.model!.enqueue({ says: 'Here it is.' });
    await answer.getByRole('button', { name: 'Try again' }).click();
    await chat.reads(chat.answers.last(), 'Here it is.');
    await chat.answered();
  });
});

describe('branches', () => {
  it('are made by another answer, and by an edit, and can be switched', async () => {
    await chat.begin();
    const first = await (await chat.ask('Which colour?')).textContent();
    await chat.answers.last().getByRole('button', { name: 'Answer again' }).click();
    await chat.answers.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
    await chat.answered();
    const reply = (words: string | null) => /Reply \d+/.exec(words ?? '')?.[0];
    const second = await chat.answers.last().textContent();
    expect(reply(second)).not.toBe(reply(first));
    await chat.button('Earlier version').click();
    await chat.answers.getByRole('group', { name: 'Version 1 of 2' }).waitFor();
    await chat.reads(chat.answers.last(), reply(first)!);

    await chat.ask('And which shape?');
    await chat.questions.first().hover();
    await chat.questions.first().getByRole('button', { name: 'Edit' }).click();
    await chat.page.getByRole('textbox', { name: 'Edit the message' }).fill('Which sound?');
    await chat.button('Save and send').click();
    await chat.questions.getByRole('group', { name: 'Version 2 of 2' }).waitFor();
    await chat.reads(await chat.answered(), 'to “Which sound?”');
    expect(await chat.questions.count()).toBe(1);
    await chat.questions.getByRole('button', { name: 'Earlier version' }).click();
    await chat.reads(chat.questions.first(), 'Which colour?');
    await chat.reads(chat.questions.last(), 'And which shape?');
    // What is shown is what is shown again, and memory has the newest of each.
    await eventually(async () => {
      const { conversation, messages } = await engine.conversation({ conversation: chat.conversation });
      expect(messages.find(({ id }) => id === conversation.leaf)?.text).toContain('And which shape?');
    });
    await chat.page.reload();
    await chat.reads(chat.questions.last(), 'And which shape?');
    expect(await stored()).toHaveLength(7);
  });
});

describe('Markdown', () => {
  it('is drawn with tables, formulas and code that can be copied, and runs nothing', async () => {
    await chat.begin();
    const answer = await chat.ask(`The plan ${SAY.markdown}`);
    await answer.getByRole('heading', { name: 'Plan' }).waitFor();
    await answer.getByRole('cell', { name: 'Porto' }).waitFor();
    await answer.locator('.katex').first().waitFor();
    await answer.getByRole('button', { name: 'Copy the code' }).click();
    expect(await chat.page.evaluate(() => navigator.clipboard.readText())).toBe('const answer = 42;');
    await answer.getByText('const answer = 42;').waitFor();
    expect(await answer.locator('img').count()).toBe(0);
    await answer.getByText('a far picture').waitFor();
    await answer.hover();
    await answer.getByRole('button', { name: 'Copy', exact: true }).last().click();
    expect(await chat.page.evaluate(() => navigator.clipboard.readText())).toContain('| Monday | Porto |');
  });
});

describe('the field', () => {
  it('sends with Enter, breaks the line with Shift and Enter, and keeps a draft', async () => {
    await chat.begin();
    await chat.field.pressSequentially('First line');
    await chat.field.press('Shift+Enter');
    await chat.field.pressSequentially('second line');
    expect(await chat.field.inputValue()).toBe('First line\nsecond line');
    await chat.page.reload();
    await eventually(async () => expect(await chat.field.inputValue()).toBe('First line\nsecond line'));
    await chat.field.press('Enter');
    await chat.answered();
    expect(await chat.field.inputValue()).toBe('');
    await chat.field.fill('Not sent yet');
    await chat.begin();
    await eventually(async () => expect(await chat.field.inputValue()).toBe(''));
    await chat.page.goBack();
    await eventually(async () => expect(await chat.field.inputValue()).toBe('Not sent yet'));
    await chat.page.reload();
    await eventually(async () => expect(await chat.field.inputValue()).toBe('Not sent yet'));
  });
});

describe('the keyboard alone', () => {
  it('reaches everything, opens the palette and asks from it', async () => {
    const { page } = chat;
    await chat.begin();
    await chat.ask('What can the keys do?');
    await page.keyboard.press('Shift+Escape');
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement as HTMLElement | null;
        return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
      });
    await eventually(async () => expect(await focused()).toBe('Message'));
    const reached = new Set<string>();
    // Around the whole page once.
    for (let step = 0; step < 120; step += 1) {
      await page.keyboard.press('Tab');
      const name = await focused();
      if (name === 'Message' && reached.size > 5) break;
      reached.add(name);
    }
    for (const name of [
      'Private mode',
      'New project',
      'Hide the sidebar',
      'Messages',
      'Answer again',
      'Why this?',
    ])
      expect([...reached]).toContain(name);
    expect([...reached].some((name) => name.startsWith('Actions for '))).toBe(true);
    for (const name of ['New chat', 'Memory', 'Import', 'Settings'])
      expect([...reached].some((each) => each.startsWith(name))).toBe(true);

    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Search and commands' });
    await palette.getByRole('combobox').waitFor();
    await page.keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await palette.getByRole('combobox').pressSequentially('Zanzibar and beyond');
    await palette.getByRole('option', { name: /^Ask: Zanzibar and beyond/ }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await chat.reads(chat.answers.last(), 'to “Zanzibar and beyond”');
    await chat.answered();
    await page.keyboard.press('Control+Shift+KeyO');
    await eventually(() => expect(chat.conversation).toBe(''));
  });
});

describe('conversations', () => {
  it('are found by the words of a message, and open at it', async () => {
    await chat.begin();
    await chat.ask('The heron stands in the reeds.');
    for (const about of ['one', 'two', 'three', 'four', 'five', 'six'])
      await chat.ask(`Then number ${about}.`);
    await chat.begin();
    await chat.page.keyboard.press('Control+k');
    await chat.page.getByRole('combobox').fill('heron reeds');
    await chat.page.getByRole('option', { name: /You · The heron stands/ }).click();
    await chat.questions.filter({ hasText: 'The heron stands in the reeds.' }).waitFor();
    const marked = chat.page.locator('article[data-marked]');
    expect(await marked.textContent()).toContain('heron');
    expect(await marked.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
  });

  it('are renamed and pinned', async () => {
    await chat.act('The heron stands in the reeds', 'Rename');
    const field = chat.side.getByRole('textbox', { name: 'Rename' });
    await field.fill('Birds');
    await field.press('Enter');
    await chat.listed('Birds').waitFor();
    await chat.page.getByRole('heading', { name: 'Birds' }).waitFor();
    await chat.act('Birds', 'Pin');
    await chat.side.getByRole('heading', { name: 'Pinned' }).waitFor();
    await chat.page.reload();
    await chat.side.getByRole('heading', { name: 'Pinned' }).waitFor();
    await chat.listed('Birds').waitFor();
  });

  it('are deleted, and memory keeps what it learned or forgets it', async () => {
    const isKnown = async (words: string) => {
      const { episodes } = await engine.search({ scope: 'default', query: words });
      return episodes.some(({ content }) => content === words);
    };
    for (const [words, choice, known] of [
      ['The kestrel hovers', 'Delete, keep the memory', true],
      ['The osprey dives', 'Delete and forget', false],
    ] as const) {
      await chat.begin();
      await chat.ask(words);
      expect(await isKnown(words)).toBe(true);
      await chat.act(words, 'Delete');
      await chat.page.getByRole('dialog').getByText(words).waitFor();
      await chat.button(choice).click();
      await chat.page.getByRole('dialog').waitFor({ state: 'detached' });
      await chat.listed(words).waitFor({ state: 'detached' });
      await eventually(() => expect(chat.conversation).toBe(''));
      expect(await isKnown(words)).toBe(known);
    }
  });
});

describe('projects', () => {
  it('have a memory of their own', async () => {
    const project = async (name: string) => {
      await chat.button('New project').click();
      await chat.page.getByRole('textbox', { name: 'Name' }).fill(name);
      await chat.button('Create project').click();
      await chat.page.getByText(`A new chat in ${name}`).waitFor();
    };
    await project('Boat');
    await chat.ask('The mast is of spruce');
    await chat.side.getByRole('link', { name: 'Boat', exact: true }).waitFor();
    await project('House');
    lab.model!.clear();
    await chat.ask('What is the mast of?');
    expect(JSON.stringify(lab.model!.requests.at(-1)!.body)).not.toContain('spruce');
    const { items } = await engine.folders({});
    expect(items.map(({ name, conversations }) => [name, conversations])).toEqual([
      ['Boat', 1],
      ['House', 1],
    ]);
    expect(new Set(items.map(({ scope }) => scope)).size).toBe(2);
    // Within the project it is found.
    await chat.listed('The mast is of spruce').click();
    await chat.ask('What is the mast of?');
    expect(JSON.stringify(lab.model!.requests.at(-1)!.body)).toContain('spruce');
    // A chat outside sees neither.
    await chat.page.getByRole('link', { name: 'New chat' }).first().click();
    const leave = chat.page.getByRole('main').getByRole('button', { name: 'No project' });
    if (await leave.isVisible()) await leave.click();
    await chat.ask('Of what is the mast?');
    expect(JSON.stringify(lab.model!.requests.at(-1)!.body)).not.toContain('spruce');
  });
});

describe('a link that brings a text', () => {
  const follow = (words: string) =>
    chat.page.evaluate(
      (hash) => {
        location.hash = hash;
      },
      `#/?ask=${encodeURIComponent(words)}`,
    );

  it('has it in the field of a new chat, after what is there, and sends nothing', async () => {
    await chat.begin();
    await chat.field.fill('');
    const before = await turnsIn();
    await follow('Is 1 + 1 = 2? & 100%');
    await eventually(async () => expect(await chat.field.inputValue()).toBe('Is 1 + 1 = 2? & 100%'));
    expect(new URL(chat.page.url()).hash).toBe('#/');
    await follow('Is 1 + 1 = 2? & 100%');
    await follow('And then?');
    const both = 'Is 1 + 1 = 2? & 100%\n\nAnd then?';
    await eventually(async () => expect(await chat.field.inputValue()).toBe(both));
    expect(await chat.page.getByRole('article').count()).toBe(0);
    expect([await turnsIn(), chat.conversation]).toEqual([before, '']);
    await chat.field.fill('');
  });

  it('does so from another screen', async () => {
    await chat.page.evaluate(() => {
      location.hash = '#/settings';
    });
    await chat.page.getByRole('heading', { name: 'Settings' }).first().waitFor();
    await follow('From afar');
    await eventually(async () => expect(await chat.field.inputValue()).toBe('From afar'));
    expect(await chat.field.evaluate((field) => field === document.activeElement)).toBe(true);
    await chat.field.fill('');
  });
});
