import { setTimeout as wait } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { percentile } from '../eval/metrics/numbers.ts';
import type { Scope } from '../src/model/ids.ts';
import { KuzuStore } from '../src/store/kuzu/kuzu-store.ts';
import { AppLab } from '../test/e2e/app-lab.ts';
import { setup as buildApp } from '../test/e2e/built-app.ts';
import { launchChromium } from '../test/e2e/chromium.ts';
import { type BrowseMemory, writeBrowseMemory } from './browse-memory.ts';
import { calibrate } from './calibration.ts';
import { round } from './temporary-memory.ts';

interface BrowseBench extends BrowseMemory {
  /** Nodes of the graph that is panned: one of the sizes that the screen offers. */
  readonly nodes: number;
  readonly seconds: number;
  /** Repetitions of each time. */
  readonly runs: number;
}

const SCOPE = 'bench';
const VIEWPORT = { width: 1280, height: 800 };
const GOOD_FRAME_MS = 33.4;

/**
 * The browse screens as a person meets them, in the real browser over a memory in a file: how soon tree and graph, and
 * an entity's facts, are there, and how a large graph moves. An empty page of the same browser is panned beside it,
 * since the frames of a busy machine are late on any page. Chromium draws WebGL by its software renderer here.
 */
export async function benchBrowse({ nodes, seconds, runs, ...memory }: BrowseBench) {
  await buildApp();
  const calibration = await calibrate();
  note('writing the memory');
  const started = performance.now();
  await using lab = await AppLab.start({
    prepare: async (path) => {
      const store = await KuzuStore.open({ path });
      try {
        await writeBrowseMemory(store, SCOPE as Scope, memory);
      } finally {
        await store.close();
      }
    },
  });
  const writtenSeconds = Math.round((performance.now() - started) / 1000);
  const engine = await lab.engine();
  await engine.saveSettings({ preferences: { isWelcomed: true } });
  const browser = await launchChromium();
  try {
    note('the first opening, which builds the index');
    const firstMs = await openBrowse(lab, browser);
    await engine.flush({ scope: SCOPE });
    note('warm openings');
    const warm = await times(runs, () => openBrowse(lab, browser));
    note(`tree and graph after ${firstMs} ms at first, then ${warm.join(', ')} ms`);
    const entities = (await engine.entities({ scope: SCOPE, limit: runs })).items;
    const pages: number[] = [];
    for (const { id } of entities) pages.push(await openEntity(lab, browser, id));
    note(`the facts of an entity after ${pages.join(', ')} ms`);
    note(`panning about ${nodes} nodes`);
    const panned = await panGraph(lab, browser, { nodes, seconds });
    note(JSON.stringify(panned));
    const empty = await panEmpty(browser, seconds);
    note('cold openings');
    const cold = await times(Math.min(3, runs), async () => {
      await lab.restart();
      return openBrowse(lab, browser);
    });
    return {
      memory: { ...memory, store: 'a Kùzu file', writtenSeconds },
      open: { firstMs, warm: summary(warm), cold: summary(cold) },
      entityPage: { ...summary(pages), mostFacts: entities[0]!.facts },
      graph: { ...panned, emptyPage: empty, webgl: await rendererOf(browser) },
      calibration,
    };
  } finally {
    await browser.close();
  }
}

function summary(ms: readonly number[]) {
  return { medianMs: percentile([...ms], 50)!, p95Ms: percentile([...ms], 95)!, allMs: ms };
}

async function times(count: number, work: () => Promise<number>): Promise<number[]> {
  const results: number[] = [];
  for (let run = 0; run < count; run++) results.push(await work());
  return results;
}

const note = (line: string) => process.stderr.write(`${line} …\n`);

/** A window at the start of the app, on a page that is loaded. */
async function appPage(lab: AppLab, browser: Browser): Promise<Page> {
  const page = await newPage(browser);
  const { link } = await lab.link();
  await page.goto(link);
  await page.getByRole('navigation').or(page.getByRole('main')).first().waitFor();
  return page;
}

async function newPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  // esbuild, by which this file runs, names functions with a helper that the page does not have.
  await context.addInitScript({ content: 'globalThis.__name ??= (value) => value;' });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  return page;
}

/** Milliseconds from the click on a place until an element is in the page. */
async function timeTo(page: Page, place: string, selectors: readonly string[]): Promise<number> {
  const began = await page.evaluate((hash) => {
    window.location.hash = hash;
    return performance.now();
  }, place);
  for (let tries = 0; tries < 12_000; tries++) {
    const shown = await page.evaluate(
      (wanted) => (wanted.every((each) => document.querySelector(each) !== null) ? performance.now() : null),
      selectors,
    );
    if (shown !== null) return Math.round(shown - began);
    await wait(10);
  }
  throw new TypeError('The page did not show in two minutes what is measured');
}

/** Until rows of the tree and nodes of the graph are there; the graph goes on arranging itself. */
async function openBrowse(lab: AppLab, browser: Browser): Promise<number> {
  const page = await appPage(lab, browser);
  const ms = await timeTo(page, `#/browse/${SCOPE}`, [
    '[role=treeitem]',
    'section[data-nodes]:not([data-nodes="0"])',
  ]);
  await page.context().close();
  return ms;
}

async function openEntity(lab: AppLab, browser: Browser, id: string): Promise<number> {
  const page = await appPage(lab, browser);
  // The code of the screens is loaded; the entity is not.
  await timeTo(page, `#/browse/${SCOPE}`, ['[role=treeitem]']);
  await wait(1_000);
  const ms = await timeTo(page, `#/entity/${SCOPE}/${id}`, ['h1', '[role=tabpanel] li']);
  await page.context().close();
  return ms;
}

interface Panning {
  readonly nodes: number;
  readonly seconds: number;
}

async function panGraph(lab: AppLab, browser: Browser, { nodes, seconds }: Panning) {
  const page = await appPage(lab, browser);
  await timeTo(page, `#/browse/${SCOPE}`, ['section[data-nodes]:not([data-nodes="0"])']);
  await page.getByRole('button', { name: 'Filters' }).click();
  const filters = page.getByRole('form', { name: 'Filters' });
  await filters.getByLabel('At most').selectOption(String(nodes));
  await filters.getByRole('button', { name: 'Close' }).click();
  const began = performance.now();
  const panel = page.locator('section[data-state]');
  const countOf = async (what: string) => Number(await panel.getAttribute(`data-${what}`));
  // Categories that hold no shown entity are left out, so that there may be fewer nodes than asked for.
  // The state is looked at twice a second: between the new nodes and their arranging it is still the one before.
  for (let still = 0; still < 4; ) {
    await wait(500);
    const isStill =
      (await panel.getAttribute('data-state')) === 'still' && (await countOf('nodes')) >= 0.8 * nodes;
    still = isStill ? still + 1 : 0;
    if (performance.now() - began > 240_000)
      throw new TypeError('The graph was not arranged in four minutes');
  }
  const arrangedSeconds = Math.round((performance.now() - began) / 1000);
  const frames = await pan(page, seconds);
  const counts = { nodes: await countOf('nodes'), links: await countOf('links') };
  await page.context().close();
  return { ...counts, arrangedSeconds, ...frames };
}

async function panEmpty(browser: Browser, seconds: number) {
  const page = await newPage(browser);
  await page.goto('about:blank');
  const frames = await pan(page, seconds);
  await page.context().close();
  return frames;
}

/** Drags the middle of the graph to and fro, and gives the times of the frames. */
async function pan(page: Page, seconds: number) {
  await page.evaluate(() => {
    const target = window as unknown as { frames: number[] };
    target.frames = [];
    let last = 0;
    const next = (now: number) => {
      if (last !== 0) target.frames.push(now - last);
      last = now;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
  const [x, y] = [950, 400];
  const end = performance.now() + seconds * 1_000;
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 0; performance.now() < end; step++) {
    await page.mouse.move(x + 150 * Math.sin(step / 20), y + 100 * Math.cos(step / 27));
    await wait(8);
  }
  await page.mouse.up();
  const deltas = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
  // The browser's times have a tenth of a millisecond: their difference can be 33.400000000000006.
  const good = deltas.filter((each) => Math.round(each * 10) / 10 <= GOOD_FRAME_MS).length;
  return {
    frames: deltas.length,
    goodFrames: round(good / deltas.length),
    medianMs: round(percentile([...deltas], 50)!),
    p95Ms: round(percentile([...deltas], 95)!),
  };
}

/** What draws WebGL, in the browser's words. */
async function rendererOf(browser: Browser): Promise<string> {
  const page = await newPage(browser);
  const name = await page.evaluate(() => {
    const gl = document.createElement('canvas').getContext('webgl2');
    const info = gl?.getExtension('WEBGL_debug_renderer_info');
    return gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : 'unknown';
  });
  await page.context().close();
  return name;
}
