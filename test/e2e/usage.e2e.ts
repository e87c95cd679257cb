import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';

let lab: AppLab;
let chat: ChatPage;

beforeAll(async () => {
  lab = await AppLab.start({
    model: { guessesTokens: true, reply: ({ stream }) => (stream ? 'A boat [1].' : {}) },
  });
  chat = await ChatPage.open(lab);
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const openUsage = async () => {
  await lab.go(chat.page, '#/settings/usage');
  await chat.page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
};
const group = (name: string) => chat.page.getByRole('region', { name, exact: true });

test('what nothing used yet says so', async () => {
  await openUsage();
  await group('By import').getByText('No import in this period.').waitFor();
  await group('By question').getByText('No question in this period.').waitFor();
});

test('each question is listed with its tokens, time and cost, and leads to its answer', async () => {
  const engine = await lab.engine();
  await engine.saveSettings({
    preferences: { prices: { 'test-model': { prompt: 1_000, completion: 1_000 } } },
  });
  await chat.begin();
  await chat.ask('I bought a boat.');
  const first = chat.conversation;
  await chat.begin();
  const answer = await chat.ask('What did I buy, and what would you name it?');
  await answer.getByRole('button', { name: 'Why this?' }).click();
  await chat.inspector.getByText(/^This answer: test-model, 1 call, .* tokens, .*, \$/).waitFor();

  await chat.begin();
  await chat.ask('Hm?');

  await openUsage();
  const rows = group('By question').getByRole('row');
  await rows.nth(3).waitFor();
  expect(await rows.nth(1).innerText()).toMatch(/Hm/);
  await group('By question').getByRole('button', { name: 'Tokens' }).click();
  const sorted = group('By question').getByRole('columnheader', { name: 'Tokens' });
  await chat.page.waitForFunction(
    (cell) => cell?.getAttribute('aria-sort') === 'descending',
    await sorted.elementHandle(),
  );
  await eventually(async () => expect(await rows.nth(1).innerText()).toMatch(/What did I buy/));
  const { items } = await engine.usageItems({ kind: 'question', sort: 'cost' });
  expect(items.map(({ cost, milliseconds }) => cost! > 0 && milliseconds! > 0)).toEqual([true, true, true]);
  await group('By question').getByRole('link', { name: 'I bought a boat' }).click();
  await chat.page.waitForURL(new RegExp(`#/c/${first}/`));
});

test('an import stands beside what its preview expected', async () => {
  const engine = await lab.engine();
  const text = JSON.stringify({ content: 'I live in Ghent.', session: 'old', at: '2024-01-01' });
  await engine.beginUpload({ upload: 'u', name: 'old.jsonl', bytes: text.length });
  await engine.uploadPart({ upload: 'u', offset: 0, data: Buffer.from(text).toString('base64') });
  const { cost } = await engine.previewUpload({ upload: 'u', scope: 'default' });
  await engine.startImport({ job: 'j', upload: 'u', scope: 'default' });
  for await (const _ of engine.followJob({ job: 'j' }));
  await openUsage();
  const row = group('By import').getByRole('row').filter({ hasText: 'old.jsonl' });
  await row.waitFor();
  expect(cost.llm).not.toBeNull();
  expect(await row.innerText()).toMatch(/expected/);
});
