import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { chatExport, yearOfChats } from './chat-export.ts';
import { ChatPage, expectQuiet } from './chat-page.ts';
import { LOOKS, take, VIEWPORTS, violations } from './looks.ts';
import { REVIEWED } from './reviewed-turns.ts';

const MARKDOWN = `## Weekend in Porto

You said that you like **rowing** [1]. A plan, with [a link](https://example.org):

| Day | Where | Why |
| --- | ----- | --- |
| Saturday | Ribeira | *calm* water |

1. Take the early train
2. - [x] boat

> The river is low in autumn.

\`\`\`ts
const boats = ['single', 'double']; // two
\`\`\`

It takes $t = s / v$.`;

let lab: AppLab;
let chat: ChatPage;
let place: string;

beforeAll(async () => {
  lab = await AppLab.start({ model: { reply: () => MARKDOWN } });
  chat = await ChatPage.open(lab);
  const engine = await lab.engine();
  await engine.saveSettings({ preferences: { name: 'Ada' } });
  await engine.add({ scope: 'default', turns: [...REVIEWED] });
  await chat.ask('I love rowing. Plan a weekend in Porto for me.');
  await chat.begin();
  await chat.ask('Where do I go rowing?');
  place = `#/c/${chat.conversation}`;
});
afterAll(async () => {
  expectQuiet(lab);
  await lab[Symbol.asyncDispose]();
});

type Visit = readonly [name: string, visit: (chat: ChatPage) => Promise<unknown>];

const goTo = (hash: string, ready: (page: Page) => Promise<unknown>) => async (chat: ChatPage) => {
  await lab.go(chat.page, hash);
  await ready(chat.page);
};
const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { name }).first().waitFor();

/** Screens, each from the one before it. */
const SCREENS: readonly Visit[] = [
  ['the first steps', goTo('#/welcome', heading('A chat that remembers'))],
  ['the second step', ({ page }) => skip(page, 'Something to remember')],
  ['the third step', ({ page }) => skip(page, 'Who writes the answers')],
  ['a new chat', goTo('#/', (page) => page.getByRole('textbox', { name: 'Message' }).waitFor())],
  [
    'a chat',
    async (chat) => {
      await lab.go(chat.page, place);
      await chat.answers.last().getByRole('button', { name: 'Why this?' }).waitFor();
      await chat.page.locator('pre').first().waitFor();
    },
  ],
  [
    'why an answer',
    async (chat) => {
      await chat.answers.last().getByRole('button', { name: 'Why this?' }).click();
      await chat.inspector.getByText('Where it looked').waitFor();
    },
  ],
  [
    'what was remembered',
    async (chat) => {
      await closePanel(chat);
      await chat.answers
        .last()
        .getByRole('button', { name: /^Remembered/ })
        .click();
      await chat.inspector.getByRole('heading', { name: 'What was said' }).waitFor();
    },
  ],
  [
    'a source',
    async (chat) => {
      await closePanel(chat);
      await chat.answers.last().getByRole('button', { name: 'Source 1', exact: true }).first().click();
      await chat.inspector.getByText('The source', { exact: true }).waitFor();
    },
  ],
  [
    'the question before forgetting',
    async (chat) => {
      await chat.inspector.getByRole('button', { name: 'Forget this turn' }).click();
      await chat.page.getByRole('dialog').getByText('This goes, for good:').waitFor();
    },
  ],
  [
    'the palette',
    async (chat) => {
      await chat.page.keyboard.press('Escape');
      await closePanel(chat);
      await chat.page.keyboard.press('Control+K');
      await chat.page.getByRole('combobox').fill('rowing');
      await chat.page
        .getByRole('option', { name: /rowing/ })
        .first()
        .waitFor();
    },
  ],
  [
    'what memory knows',
    async (chat) => {
      await chat.page.keyboard.press('Escape');
      await lab.go(chat.page, '#/memory');
      await chat.page.getByRole('heading', { name: 'Recent changes' }).waitFor();
    },
  ],
  [
    'the timeline',
    async ({ page }) => {
      await lab.go(page, '#/timeline');
      await page.getByRole('textbox', { name: 'Your question' }).fill('Where do I go rowing?');
      await page.getByRole('region', { name: 'The answer now' }).waitFor();
      await page.getByText(/^As a table/).click();
      await page.getByRole('region', { name: /^What happened/ }).waitFor();
    },
  ],
  [
    'two recipes side by side',
    async ({ page }) => {
      await lab.go(page, '#/compare');
      await page.getByRole('textbox', { name: 'Question' }).fill('Where do I go rowing?');
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await page.getByRole('status', { name: 'The difference' }).waitFor();
      await page
        .getByText(/^Context: /)
        .first()
        .click();
    },
  ],
  [
    'the review',
    async (chat) => {
      await lab.go(chat.page, '#/review');
      await chat.page.getByRole('main').locator('li > [aria-expanded]').first().click();
      await chat.page.getByRole('article').waitFor();
    },
  ],
  [
    'what would be forgotten',
    async (chat) => {
      await lab.go(chat.page, '#/forget');
      await chat.page.getByRole('textbox', { name: 'Words that the turns say' }).fill('rowing');
      await chat.page.getByRole('button', { name: 'Show what would go' }).click();
      await chat.page.getByRole('region', { name: 'What would go' }).getByRole('checkbox').first().waitFor();
    },
  ],
  [
    'the tree and the graph of memory',
    goTo('#/browse', async (page) => {
      await page.getByRole('tree').getByRole('treeitem').first().waitFor();
    }),
  ],
  [
    'the page of a person',
    async (chat) => {
      const [ada] = await (await lab.engine()).names({ scope: 'default', typed: 'Ada' });
      await lab.go(chat.page, `#/entity/default/${ada!.id}`);
      await chat.page.getByRole('tab', { name: 'History' }).waitFor();
      await chat.page
        .getByRole('button', { name: /^Actions for “/ })
        .first()
        .waitFor();
    },
  ],
  [
    'an import with its preview',
    async (chat) => {
      await lab.go(chat.page, '#/import');
      await heading('Import')(chat.page);
      await chat.page
        .locator('input[type=file]')
        .first()
        .setInputFiles(chatExport('chats.json', yearOfChats(3)));
      await chat.page.getByText('Who speaks').first().waitFor();
    },
  ],
  ...(
    [
      'general',
      'model',
      'tools',
      'search',
      'memory',
      'shortcuts',
      'usage',
      'backup',
      'data',
      'about',
    ] as const
  ).map(
    (section): Visit => [
      `settings: ${section}`,
      goTo(`#/settings/${section}`, async (page) => {
        await heading('Settings')(page);
        await page.waitForFunction(() => document.querySelectorAll('main section, main dl').length > 0);
      }),
    ],
  ),
];

async function skip(page: Page, next: string): Promise<void> {
  await page.getByRole('button', { name: /^(?:Skip this step|Next)$/ }).click();
  await heading(next)(page);
}

async function closePanel(chat: ChatPage): Promise<void> {
  const close = chat.inspector.getByRole('button', { name: 'Close' });
  if (await close.isVisible()) await close.click();
}

test('every screen is free of serious violations, and fits, in light and dark, wide and narrow', async () => {
  const page = await lab.open(place, { viewport: VIEWPORTS.wide });
  const visited = new ChatPage(page);
  const found: string[] = [];
  for (const [name, visit] of SCREENS) {
    await take(page, LOOKS[0]!);
    try {
      await visit(visited);
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`);
    }
    for (const look of LOOKS) {
      await take(page, look);
      const where = `${name}, ${look.theme} and ${look.width}`;
      found.push(...(await violations(page, look)).map((each) => `${where}: ${each}`));
      const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
      if (isTooWide) found.push(`${where}: the page is wider than the window`);
    }
  }
  expect([...new Set(found)]).toEqual([]);
}, 900_000);
