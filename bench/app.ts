import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { percentile } from '../eval/metrics/numbers.ts';
import { AppLab } from '../test/e2e/app-lab.ts';
import { setup as buildApp } from '../test/e2e/built-app.ts';
import { chatExport, yearOfChats } from '../test/e2e/chat-export.ts';
import { launchChromium } from '../test/e2e/chromium.ts';
import { calibrate } from './calibration.ts';
import { round } from './temporary-memory.ts';

interface AppBench {
  /** Of the conversation that is scrolled through. */
  readonly messages: number;
  /** Repetitions; medians are reported. */
  readonly runs: number;
  /** Typed for each figure of latency. */
  readonly keys: number;
}

const VIEWPORT = { width: 1280, height: 800 };
/** Pixels from one frame to the next: about two screens, as by a flick on a touchpad. */
const STEP = 1_500;
const GOOD_FRAME_MS = 20;
/** Shorter events are not told by the browser; they count as this. */
const SHORTEST_EVENT_MS = 16;
const PAUSE_BETWEEN_KEYS_MS = 30;

const REPLIES = [
  'Yes. The short way leads along the river, and takes twenty minutes.',
  '## Two ways\n\n| Way | Minutes |\n| --- | --- |\n| river | 20 |\n| hill | 35 |\n\nBoth end at the mill.',
  'Try this:\n\n```ts\nconst total = [3, 4, 5].reduce((sum, each) => sum + each, 0);\n```\n\nIt adds the numbers.',
  `A longer answer. ${'It has sentences of about this length, one after another, as answers do. '.repeat(9)}`,
  '- the first thing\n- the second **thing**\n- and a third one with a [link](https://example.org)',
];

/**
 * The page as a person meets it, in the real browser: how soon it can be used, how much it loads for that, whether an
 * import slows typing down, and how a long conversation scrolls. An empty page of the same browser is measured beside
 * it, since the frames of a busy machine are late on any page.
 */
export async function benchApp({ messages, runs, keys }: AppBench) {
  await buildApp();
  const calibration = await calibrate();
  await using lab = await AppLab.start({
    model: { reply: ({ number }) => REPLIES[number % REPLIES.length]! },
  });
  const engine = await lab.engine();
  await engine.saveSettings({ preferences: { isWelcomed: true } });
  const browser = await launchChromium();
  try {
    note('first content');
    const starts = await times(runs, () => firstContent(lab, browser));
    const empty = await times(runs, () => emptyPage(browser));
    note('typing');
    const page = await openAt(lab, browser, '/');
    const idle = await typing(page, keys);
    const during = await typingDuringImport(lab, page, keys);
    note(`a conversation of ${messages} messages`);
    const conversation = await longConversation(lab, messages);
    const opened = await times(runs, () => openConversation(lab, browser, conversation));
    await page.context().close();
    return {
      firstContent: {
        medianMs: median(starts.map(({ ms }) => ms)),
        allMs: starts.map(({ ms }) => ms),
        emptyPageMedianMs: median(empty.map(({ ms }) => ms)),
        loaded: starts[0]!.loaded,
      },
      typing: { idle, during },
      scrolling: {
        messages,
        openMedianMs: median(opened.map(({ ms }) => ms)),
        goodFrames: median(opened.map(({ goodFrames }) => goodFrames)),
        worstP95Ms: Math.max(...opened.map(({ p95Ms }) => p95Ms)),
        frames: opened.map(({ frames }) => frames),
        rowsInPage: Math.max(...opened.map(({ rows }) => rows)),
        emptyPageGoodFrames: median(empty.map(({ goodFrames }) => goodFrames)),
      },
      calibration,
    };
  } finally {
    await browser.close();
  }
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 0; run < count; run++) results.push(await work());
  return results;
}

/** The page's policy forbids what Playwright's own waiting for a condition needs. */
async function until<T>(look: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < 3_000; tries++) {
    const found = await look();
    if (found !== null) return found;
    await wait(10);
  }
  throw new TypeError('The page did not show in 30 seconds what is measured');
}

const median = (values: readonly number[]): number => percentile([...values], 50)!;
const note = (line: string) => process.stderr.write(`${line} …\n`);

/** A page with an empty cache. */
async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  // esbuild, by which this file runs, names functions with a helper that the page does not have.
  await context.addInitScript({ content: 'globalThis.__name ??= (value) => value;' });
  return context.newPage();
}

async function openAt(lab: AppLab, browser: Browser, place: string): Promise<Page> {
  const page = await newPage(browser);
  const { link } = await lab.link();
  await page.goto(`${link}&to=${encodeURIComponent(place)}`);
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  return page;
}

/** From the start of the navigation to the frame that shows the field for messages, and what was loaded until then. */
async function firstContent(lab: AppLab, browser: Browser) {
  const page = await newPage(browser);
  const bodies: Promise<{ type: string; bytes: Buffer }>[] = [];
  page.on('response', (response) => {
    if (response.request().method() !== 'GET') return;
    const type = response.request().resourceType();
    bodies.push(response.body().then((bytes) => ({ type, bytes })));
  });
  await page.addInitScript(() => {
    const target = window as unknown as { composerAt?: number };
    const look = () => {
      if (document.querySelector('textarea') === null) requestAnimationFrame(look);
      // The frame with it has been drawn when the next task begins.
      else requestAnimationFrame(() => setTimeout(() => (target.composerAt = performance.now())));
    };
    requestAnimationFrame(look);
  });
  const { link } = await lab.link();
  await page.goto(link);
  const at = await until(() =>
    page.evaluate(() => (window as unknown as { composerAt?: number }).composerAt ?? null),
  );
  const ms = Math.round(at);
  const loaded: Record<string, number> = { code: 0, fonts: 0, other: 0 };
  for (const { type, bytes } of await Promise.all(bodies.splice(0))) {
    const kind = ['document', 'script', 'stylesheet'].includes(type)
      ? 'code'
      : type === 'font'
        ? 'fonts'
        : 'other';
    // Fonts are compressed already.
    loaded[kind]! += kind === 'fonts' ? bytes.length : gzipSync(bytes).length;
  }
  await page.context().close();
  return {
    ms,
    loaded: Object.fromEntries(
      Object.entries(loaded).map(([kind, bytes]) => [`${kind}Kilobytes`, round(bytes / 1_000)]),
    ),
  };
}

/** What the same browser needs for a page of one field, and its frames while a plain list is scrolled. */
async function emptyPage(browser: Browser) {
  const page = await newPage(browser);
  const started = performance.now();
  await page.goto('data:text/html,<textarea></textarea>');
  await page.locator('textarea').waitFor();
  const ms = Math.round(performance.now() - started);
  await page.setContent(
    `<div id="view" style="height:700px;overflow:auto"><div style="height:300000px">text</div></div>`,
  );
  const { goodFrames } = framesOf(await scroll(page, '#view'));
  await page.context().close();
  return { ms, goodFrames };
}

/** Keys of the field for messages: from the key to the next frame. */
async function typing(page: Page, keys: number) {
  const field = page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill('');
  await page.evaluate((shortest) => {
    const target = window as unknown as { latencies: number[]; observer?: PerformanceObserver };
    target.latencies = [];
    target.observer?.disconnect();
    target.observer = new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries())
        if (name === 'keydown') target.latencies.push(duration);
    });
    target.observer.observe({ type: 'event', durationThreshold: shortest } as PerformanceObserverInit);
  }, SHORTEST_EVENT_MS);
  const words = 'the quick brown fox jumps over the lazy dog '.repeat(Math.ceil(keys / 44)).slice(0, keys);
  await field.pressSequentially(words, { delay: PAUSE_BETWEEN_KEYS_MS });
  const told = await page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        setTimeout(() => resolve((window as unknown as { latencies: number[] }).latencies), 200);
      }),
  );
  const all = [...told, ...Array<number>(Math.max(0, keys - told.length)).fill(SHORTEST_EVENT_MS)];
  return { keys, p50Ms: percentile(all, 50)!, p95Ms: percentile(all, 95)!, worstMs: Math.max(...all) };
}

async function typingDuringImport(lab: AppLab, page: Page, keys: number) {
  await lab.go(page, '#/import');
  await page.getByRole('heading', { name: 'Import', level: 1 }).waitFor();
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(chatExport('chats.json', yearOfChats(250)));
  await page.getByRole('button', { name: /^Import [\d,]+ turns/ }).click({ timeout: 60_000 });
  await page.getByRole('progressbar').waitFor();
  await lab.go(page, '#/');
  await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
  const result = await typing(page, keys);
  const engine = await lab.engine();
  const [job] = (await engine.jobs({})).items;
  const importAtTheEnd = `${job!.state}, ${Math.round(job!.share * 100)} %`;
  if (job!.state === 'running') await engine.controlJob({ job: job!.id, action: 'cancel' });
  return { ...result, importAtTheEnd };
}

/** Private messages: they cost no reading, and look like any others. */
async function longConversation(lab: AppLab, messages: number): Promise<string> {
  const engine = await lab.engine();
  const conversation = crypto.randomUUID();
  for (let sent = 0; sent < messages / 2; sent++) {
    const message = {
      conversation,
      message: crypto.randomUUID(),
      text: `Question ${sent}: which way is shorter?`,
    };
    for await (const event of engine.chat({ ...message, isPrivate: true }))
      if (event.type === 'done' && event.answer.state !== 'complete')
        throw new TypeError(`The conversation could not be filled: ${event.answer.problem}`);
    if (sent % 250 === 249) note(`${(sent + 1) * 2} messages`);
  }
  return conversation;
}

async function openConversation(lab: AppLab, browser: Browser, conversation: string) {
  const page = await openAt(lab, browser, '/');
  const started = await page.evaluate((hash) => {
    window.location.hash = hash;
    return performance.now();
  }, `#/c/${conversation}`);
  const shown = await until(() =>
    page.evaluate(() => (document.querySelectorAll('article').length > 1 ? performance.now() : null)),
  );
  const ms = Math.round(shown - started);
  const deltas = await scroll(page, '[role=feed]');
  const rows = await page.getByRole('article').count();
  await page.context().close();
  return { ms, rows, ...framesOf(deltas) };
}

/** Scrolls a view from its end to its beginning, and gives the time of each frame. */
function scroll(page: Page, selector: string): Promise<number[]> {
  return page.evaluate(
    ({ selector: wanted, step }) =>
      new Promise<number[]>((resolve) => {
        const view = document.querySelector(wanted)!;
        view.scrollTop = view.scrollHeight;
        const deltas: number[] = [];
        let last = 0;
        const next = (now: number) => {
          if (last !== 0) deltas.push(now - last);
          last = now;
          if (view.scrollTop <= 0) return resolve(deltas);
          view.scrollTop -= step;
          requestAnimationFrame(next);
        };
        requestAnimationFrame(() => requestAnimationFrame(next));
      }),
    { selector, step: STEP },
  );
}

function framesOf(deltas: readonly number[]) {
  const good = deltas.filter((each) => each <= GOOD_FRAME_MS).length;
  return {
    frames: deltas.length,
    goodFrames: round(good / deltas.length),
    p95Ms: round(percentile([...deltas], 95)!),
  };
}
