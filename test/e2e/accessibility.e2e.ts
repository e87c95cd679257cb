import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppLab } from './app-lab.ts';
import { chatExport, yearOfChats } from './chat-export.ts';
import { ChatPage, expectQuiet } from './chat-page.ts';
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

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

let axe: string;
let lab: AppLab;
let chat: ChatPage;
let place: string;

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
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

interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: 'wide' | 'narrow';
}

const VIEWPORTS = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;
/** Of a page that stays, from one to the next. */
const LOOKS: readonly Look[] = [
  { theme: 'light', width: 'wide' },
  { theme: 'dark', width: 'wide' },
  { theme: 'dark', width: 'narrow' },
  { theme: 'light', width: 'narrow' },
];
/** Rules about colours: all that the dark theme can break. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Changes the look in place, as the system's theme and a window's size do. */
async function take(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.setViewportSize(VIEWPORTS[width]);
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
  await page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/** Violations that keep people out, in words. The source is evaluated: the page's policy allows no script element. */
async function violations(page: Page, { theme }: Look): Promise<string[]> {
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await page.evaluate(async () => {
    // Colours in transition are neither the first nor the last.
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => undefined)));
  });
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const found = await page.evaluate(
    async (rules) => {
      const { axe } = window as unknown as {
        axe: { run(options: object): Promise<{ violations: Violation[] }> };
      };
      const { violations } = await axe.run({
        resultTypes: ['violations'],
        ...(rules !== null && { runOnly: rules }),
      });
      return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes }));
    },
    theme === 'dark' ? COLOUR_RULES : null,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) =>
          `${id}: ${html.slice(0, 160)} ${failureSummary?.replace(/\s+/g, ' ').slice(0, 220)}`,
      ),
    );
}

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
  ...(['general', 'model', 'search', 'memory', 'shortcuts', 'usage', 'backup', 'data', 'about'] as const).map(
    (section): Visit => [
      `settings: ${section}`,
      goTo(`#/settings/${section}`, async (page) => {
        await heading('Settings')(page);
        await page.waitForFunction(() => document.querySelectorAll('main section, main dl').length > 0);
      }),
    ],
  ),
];

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
