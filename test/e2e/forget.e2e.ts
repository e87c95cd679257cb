import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../main/contract.ts';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

const scope = 'default';
const WORD = 'Zanzibarleaf';
const said = (content: string, at: string, more: object = {}) => ({
  ...{ content, at, speaker: 'Ada', role: 'user' as const, session: `talk of ${at.slice(0, 10)}` },
  ...more,
});
const TURNS = [
  said(`My cat is called ${WORD}.`, '2024-01-01T10:00:00Z'),
  said('I live in Oslo.', '2024-01-02T10:00:00Z'),
  said(`The vet saw ${WORD} on Monday.`, '2024-01-03T10:00:00Z'),
  said('I love rowing.', '2024-01-04T10:00:00Z', { source: 'whatsapp' }),
  said('I bought an oar.', '2024-01-05T10:00:00Z', { speaker: 'Ben', source: 'whatsapp' }),
];

let lab: AppLab;
let engine: MemoryClient;
let chat: ChatPage;
beforeAll(async () => {
  lab = await AppLab.start();
  chat = await ChatPage.open(lab);
  engine = await lab.engine();
  await engine.add({ scope, turns: TURNS });
  await engine.flush({ scope });
  await lab.go(chat.page, '#/forget');
  await chat.page.getByRole('heading', { name: 'Forget', exact: true }).waitFor();
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const preview = () => chat.page.getByRole('region', { name: 'What would go' });
const way = (name: string) => chat.page.getByRole('radio', { name: new RegExp(`^${name}`) });
const show = () => chat.button('Show what would go').click();
const turns = async () => (await engine.turns({ scope })).items.map(({ content }) => content);
const memoryFiles = async () => {
  const names = (await readdir(lab.folder)).filter((name) => name.startsWith('memory.db'));
  const texts = await Promise.all(
    names.map((name) => readFile(join(lab.folder, name), 'latin1').catch(() => '')),
  );
  return texts.join('\n');
};

describe('forgetting by words', () => {
  it('shows the turns with the words marked, and lets some be kept', async () => {
    await chat.page.getByRole('textbox', { name: 'Words that the turns say' }).fill(WORD);
    await show();
    const listed = preview().getByRole('checkbox');
    await eventually(async () => expect(await listed.count()).toBe(2));
    expect(await preview().locator('li mark').allTextContents()).toEqual(
      expect.arrayContaining([WORD, WORD]),
    );
    await preview().getByRole('button', { name: 'Forget 2 turns' }).waitFor();
    await preview()
      .getByRole('checkbox', { name: /The vet saw/ })
      .uncheck();
    await preview().getByRole('button', { name: 'Forget 1 turn' }).waitFor();
    await preview()
      .getByRole('checkbox', { name: /The vet saw/ })
      .check();
    await preview().getByRole('button', { name: 'Forget 2 turns' }).waitFor();
  });

  it('forgets them, and proves it', async () => {
    await preview().getByRole('button', { name: 'Forget 2 turns' }).click();
    const done = chat.page.getByRole('region', { name: 'Removed from memory' });
    await done.getByText(/^Proof: memory was searched for \d+ texts/).waitFor();
    await done.getByText(/^2 turns and \d+ facts? are gone/).waitFor();
    expect((await turns()).join()).not.toContain(WORD);
    const found = await engine.search({ scope, query: WORD });
    expect(JSON.stringify(found.episodes)).not.toContain(WORD);
    expect(await memoryFiles()).toContain(WORD);
  });

  it('erases them from the disk', async () => {
    const disk = chat.page.getByRole('region', { name: 'Erased from disk' });
    await disk.getByRole('button', { name: 'Erase from disk' }).click();
    await disk.getByText(/^Erased\. The file had /).waitFor();
    expect(await memoryFiles()).not.toContain(WORD);
    await chat.button('Forget something else').click();
    const history = chat.page.getByRole('region', { name: 'Forgotten so far' });
    await history.getByText('2 turns and what rested on them').waitFor();
  });
});

describe('forgetting by other things', () => {
  it('offers the sources and speakers that memory has', async () => {
    await way('A source').click();
    await chat.page.getByLabel('Source', { exact: true }).selectOption('whatsapp');
    await show();
    await preview().getByRole('button', { name: 'Forget 2 turns' }).waitFor();
    await way('A speaker').click();
    await preview().waitFor({ state: 'detached' });
    await chat.page.getByLabel('Speaker', { exact: true }).selectOption('Ben');
    await show();
    await preview().getByRole('button', { name: 'Forget 1 turn' }).click();
    await chat.page.getByRole('region', { name: 'Removed from memory' }).waitFor();
    expect(await turns()).not.toContain('I bought an oar.');
    await chat.button('Forget something else').click();
  });

  it('takes both days of a period', async () => {
    await way('A period').click();
    await chat.page.getByLabel('Said from').fill('2024-01-02');
    await chat.page.getByLabel('to', { exact: true }).fill('2024-01-04');
    await show();
    await preview()
      .getByRole('checkbox', { name: /I love rowing/ })
      .waitFor();
    await preview()
      .getByRole('checkbox', { name: /I live in Oslo/ })
      .waitFor();
    expect(await preview().getByRole('checkbox').count()).toBe(2);
  });

  it('says so where nothing fits', async () => {
    await way('A person or thing').click();
    await chat.page.getByRole('combobox', { name: 'Name of the person or thing' }).fill('Nobody Atall');
    await show();
    await chat.page.getByRole('alert').getByText('No entity of this scope has that id or name').waitFor();
  });

  it('asks for a word before everything goes', async () => {
    await way('Everything').click();
    await show();
    const all = preview().getByRole('button', { name: 'Forget everything' });
    await all.waitFor();
    expect(await all.isDisabled()).toBe(true);
    await preview().getByRole('textbox', { name: 'Type “forget” to confirm' }).fill('forget');
    await all.click();
    await chat.page.getByRole('region', { name: 'Removed from memory' }).waitFor();
    expect(await turns()).toEqual([]);
  });
});
