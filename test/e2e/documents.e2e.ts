import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite, serveSite } from '../docs/built-site.ts';
import { launchChromium } from './chromium.ts';

const folder = mkdtempSync(join(tmpdir(), 'mnemis-site-'));
let site: Awaited<ReturnType<typeof serveSite>>;
let browser: Browser;
const asked = new Set<string>();
const errors: string[] = [];
beforeAll(async () => {
  await buildSite(folder);
  [site, browser] = await Promise.all([serveSite(folder), launchChromium()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function open(path: string, width = 1280): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${site.url}${path}`, { waitUntil: 'networkidle' });
  return page;
}

describe('the site of the documents', () => {
  it('is found by its search', async () => {
    const page = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('tombstone');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(({ pathname }) => pathname !== '/');
    const found = page
      .getByRole('main')
      .getByText(/tombstone/i)
      .first();
    await found.waitFor();
    expect(await found.innerText()).toMatch(/tombstone/i);
  });

  it('is read dark and narrow, with pictures in the colours of the theme', async () => {
    const page = await open('/concepts', 390);
    const paper = async () => {
      // A picture is an image of its own: what it shows is in its pixels.
      const picture = page.getByRole('img').first();
      await picture.scrollIntoViewIfNeeded();
      return picture.evaluate((image: HTMLImageElement) => {
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext('2d')!;
        context.drawImage(image, 0, 0, image.width, image.height);
        return context.getImageData(8, 8, 1, 1).data[0]!;
      });
    };
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(await paper()).toBeGreaterThan(200);
    await page.evaluate(() => document.documentElement.classList.add('dark'));
    expect(await paper()).toBeLessThan(60);
  });

  it('asks no other host for anything', async () => {
    for (const path of ['/', '/tutorial', '/papers', '/contributing', '/architecture']) await open(path);
    expect([...asked]).toEqual([site.url]);
    expect(errors).toEqual([]);
  });
});
