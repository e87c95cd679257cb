import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { AppLab } from '../test/e2e/app-lab.ts';
import { setup as buildApp } from '../test/e2e/built-app.ts';
import { chatExport, yearOfChats } from '../test/e2e/chat-export.ts';
import { ChatPage } from '../test/e2e/chat-page.ts';

/** `npm run screenshots`: pictures of every screen in docs/screenshots, taken of the real app. */
const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const MOST_BYTES = 220_000;

const ANSWER = `You have **three trips** with Nora on your mind, and the first one is close [1].

| Trip | When | Still to do |
| --- | --- | --- |
| Ghent | 4 May | find a hotel near the canal |
| Turin | June | ask Luca for the tram tickets |
| Brittany | August | rent the *little* boat |

For Ghent I would:

1. Book the 9:12 train, since you dislike early mornings [2].
2. Keep Sunday free for the owls at the sanctuary.
3. Bring the sketchbook that you lent her.

The whole tour is about $d = \\sqrt{214^2 + 96^2} \\approx 235$ km. A list to copy:

\`\`\`ts
const packing = ['sketchbook', 'ink', 'raincoat'];
console.log(packing.join(', ')); // for Friday
\`\`\``;

const TALKS: readonly (readonly [question: string, answer: string])[] = [
  ['Help me plan the trips with Nora this year', ANSWER],
  [
    'I started the cello in January, how often should I practise?',
    'Twenty minutes a day do more than two hours on Sunday. Begin with long notes.',
  ],
  [
    'Draft an e-mail to my landlord about the heating',
    'Dear Mr Besson, the heating in my flat has been out since Monday. Could you send somebody this week?',
  ],
  [
    'Explain personalised PageRank in two sentences',
    'It walks along the edges of a graph and now and then returns to where it began. What many such walks reach is near to the beginning.',
  ],
  [
    'What should I read after The Left Hand of Darkness?',
    'Try *The Dispossessed*. It asks similar questions, with more quarrels.',
  ],
  [
    'My sister Maya works at a bird sanctuary, gift ideas?',
    'A good headlamp with red light: it does not disturb the owls.',
  ],
  [
    'Lentil stew for six, what do I need?',
    '600 g of lentils, three carrots, two leeks, a spoon of cumin, and an hour.',
  ],
];

const SCREEN_SIZES = {
  wide: { width: 1280, height: 800 },
  narrow: { width: 390, height: 844 },
} as const;
type Width = keyof typeof SCREEN_SIZES;
type Shot = readonly [name: string, show: (chat: ChatPage, width: Width) => Promise<unknown>];

await buildApp();
await using lab = await AppLab.start({ model: { reply: () => ANSWER } });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor();
const main = await prepare(await ChatPage.open(lab));

const at =
  (hash: string, ready: (page: Page) => Promise<unknown>) =>
  async ({ page }: ChatPage) => {
    await lab.go(page, hash);
    await ready(page);
  };
const section = (name: string): Shot => [
  `settings-${name}`,
  at(`#/settings/${name}`, (page) => heading(page, 'Settings')),
];
const closePanel = async (chat: ChatPage) => {
  const close = chat.inspector.getByRole('button', { name: 'Close' });
  if (await close.isVisible()) await close.click();
};

const SHOTS: readonly Shot[] = [
  ['welcome', at('#/welcome', (page) => heading(page, 'A chat that remembers'))],
  [
    'new-chat',
    at('#/', (page) =>
      page.getByRole('region', { name: 'Ways to begin' }).getByRole('button').first().waitFor(),
    ),
  ],
  [
    'chat',
    async (chat) => {
      await lab.go(chat.page, main.talk);
      await chat.answers.last().locator('pre').waitFor();
      await chat.answers.last().locator('.katex').first().waitFor();
    },
  ],
  [
    'why',
    async (chat) => {
      await lab.go(chat.page, main.quoted);
      await chat.answers.last().getByRole('button', { name: 'Why this?' }).click();
      await chat.inspector.getByText('Where it looked').waitFor();
    },
  ],
  [
    'source',
    async (chat) => {
      await closePanel(chat);
      await chat.answers.last().getByRole('button', { name: 'Source 1', exact: true }).first().click();
      await chat.inspector.getByText('The source', { exact: true }).waitFor();
    },
  ],
  [
    'remembered',
    async (chat) => {
      await closePanel(chat);
      await lab.go(chat.page, main.told);
      await chat.answers
        .last()
        .getByRole('button', { name: /^Remembered/ })
        .click();
      await chat.inspector.getByRole('heading', { name: 'What was said' }).waitFor();
    },
  ],
  [
    'review',
    async (chat) => {
      await closePanel(chat);
      await lab.go(chat.page, '#/review/sample');
      await heading(chat.page, 'Review');
      const listed = chat.page.getByRole('main').getByRole('listitem');
      await listed
        .or(chat.page.getByRole('heading', { name: 'Nothing to decide' }))
        .first()
        .waitFor();
    },
  ],
  [
    'forget',
    async (chat) => {
      await lab.go(chat.page, '#/forget/sample');
      await chat.page.getByRole('textbox', { name: 'Words that the turns say' }).fill('cello');
      await chat.page.getByRole('button', { name: 'Show what would go' }).click();
      await chat.page.getByRole('region', { name: 'What would go' }).getByRole('checkbox').first().waitFor();
    },
  ],
  [
    'memory',
    async (chat) => {
      await closePanel(chat);
      await lab.go(chat.page, '#/memory/sample');
      await chat.page
        .getByRole('searchbox')
        .or(chat.page.getByPlaceholder('Search in this page'))
        .first()
        .waitFor();
    },
  ],
  [
    'timeline',
    async ({ page }) => {
      await lab.go(page, '#/timeline/sample');
      const question = page.getByRole('textbox', { name: 'Your question' });
      await question.fill('Where does Nora live?');
      await page.getByRole('region', { name: 'The answer now' }).waitFor();
      await page.getByRole('button', { name: 'Earlier change' }).click();
      await page.getByRole('region', { name: /^The answer as of/ }).waitFor();
    },
  ],
  [
    'compare',
    async ({ page }) => {
      await lab.go(page, '#/compare/sample');
      await page.getByRole('textbox', { name: 'Question' }).fill('What do Wout and Nora like?');
      await page.getByRole('radio', { name: 'Quoted from memory' }).click();
      await page.getByRole('button', { name: 'Compare', exact: true }).click();
      await page.getByRole('status', { name: 'The difference' }).waitFor();
    },
  ],
  [
    'browse',
    async ({ page }, width) => {
      await lab.go(page, '#/browse/sample');
      // In a narrow window the tree is shown first.
      await page
        .locator(width === 'wide' ? 'section[data-state=still]' : '[role=treeitem]')
        .first()
        .waitFor();
    },
  ],
  [
    'entity',
    async ({ page }) => {
      const [nora] = await (await lab.engine()).names({ scope: 'sample', typed: 'Nora', kinds: ['entity'] });
      await lab.go(page, `#/entity/sample/${nora!.id}`);
      await page
        .getByRole('button', { name: /^Actions for “/ })
        .first()
        .waitFor();
    },
  ],
  [
    'import',
    async ({ page }) => {
      await lab.go(page, '#/import');
      await heading(page, 'Import');
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles(chatExport('chatgpt-export.json', yearOfChats(48), 'shown'));
      await page.getByText('Who speaks').first().waitFor();
    },
  ],
  [
    'import-jobs',
    async ({ page }) => {
      await page.getByRole('button', { name: 'Remove chatgpt-export.json' }).click();
      await page.getByRole('heading', { name: 'Jobs' }).scrollIntoViewIfNeeded();
      await page.getByRole('progressbar').first().waitFor();
    },
  ],
  ['note', at('#/note', (page) => heading(page, 'Note'))],
  ...['general', 'model', 'tools', 'search', 'memory', 'shortcuts', 'usage', 'backup', 'data', 'about'].map(
    section,
  ),
  [
    'palette',
    async (chat) => {
      await lab.go(chat.page, main.talk);
      await chat.answers.last().locator('pre').waitFor();
      await chat.page.keyboard.press('Control+K');
      await chat.page.getByRole('combobox').fill('trip');
      await chat.page.getByRole('option', { name: /trips/ }).first().waitFor();
    },
  ],
];

await mkdir(FOLDER, { recursive: true });
const only = process.argv.slice(2);
for (const width of Object.keys(SCREEN_SIZES) as Width[])
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await lab.open('', { colorScheme, viewport: SCREEN_SIZES[width], reducedMotion: 'reduce' });
    const chat = new ChatPage(page);
    for (const [name, show] of SHOTS) {
      await show(chat, width);
      await settled(page);
      if (only.length === 0 || only.includes(name)) await keep(page, `${name}-${colorScheme}-${width}.png`);
    }
    await page.context().close();
  }

/** Conversations, a sample memory, and an import that is paused half way. */
async function prepare(chat: ChatPage) {
  const engine = await lab.engine();
  await engine.saveSettings({ preferences: { name: 'Ilan', isWelcomed: true } });
  await engine.sample({});
  const chats: string[] = [];
  const say = async (scope: string, text: string, tier?: 'local') => {
    const conversation = crypto.randomUUID();
    await engine.saveConversation({ conversation, scope });
    for await (const event of engine.chat({
      conversation,
      message: crypto.randomUUID(),
      text,
      ...(tier && { tier }),
    }))
      if (event.type === 'done' && event.answer.state !== 'complete')
        throw new TypeError(event.answer.problem ?? 'No answer');
    chats.push(conversation);
    return `#/c/${conversation}`;
  };
  const folder = crypto.randomUUID();
  await engine.saveFolder({ folder, name: 'Book launch' });
  let talk = '';
  for (const [question, answer] of [...TALKS].reverse()) {
    lab.model!.enqueue({ says: answer });
    talk = await say(question.includes('trips') ? 'sample' : 'default', question);
  }
  await engine.saveConversation({ conversation: chats[2]!, isPinned: true });
  const quoted = await say('sample', 'Which trips has Ilan been on?', 'local');
  const told = await say(
    'sample',
    'I moved to Marseille in 2019 and my cat is called Pixel. My cello teacher is Agnes.',
    'local',
  );
  await engine.flush({ scope: 'sample' });
  await engine.flush({ scope: 'default' });
  // An import that is paused half way, so that every picture shows the same.
  await lab.go(chat.page, '#/import');
  await heading(chat.page, 'Import');
  await chat.page
    .locator('input[type=file]')
    .first()
    .setInputFiles(chatExport('whatsapp-and-notes.json', yearOfChats(120), 'running'));
  await chat.page.getByRole('button', { name: /^Import [\d,]+ turns/ }).click();
  const pause = chat.page.getByRole('button', { name: /^Pause/ });
  await chat.page
    .getByText(/Reading for facts/)
    .first()
    .waitFor({ timeout: 60_000 });
  await pause.click();
  await chat.page.getByText('Paused', { exact: true }).waitFor();
  return { talk, quoted, told };
}

/** Everything is loaded, fonts are there, transitions are over, and nothing blinks. */
async function settled(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await page.evaluate(async () => {
    (document.activeElement as HTMLElement | null)?.blur();
    await document.fonts.ready;
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => undefined)));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

async function keep(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, name);
  await writeFile(path, await page.screenshot({ animations: 'disabled', caret: 'hide' }));
  const { size } = await stat(path);
  process.stdout.write(`${name} ${Math.round(size / 1_000)} kB\n`);
  if (size <= MOST_BYTES) return;
  await rm(path);
  throw new TypeError(`${name} has ${size} bytes, more than ${MOST_BYTES}`);
}
