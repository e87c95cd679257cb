import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

export interface Look {
  readonly theme: 'light' | 'dark';
  readonly width: 'wide' | 'narrow';
}

export const VIEWPORTS = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const;
/** Of a page that stays, from one to the next. */
export const LOOKS: readonly Look[] = [
  { theme: 'light', width: 'wide' },
  { theme: 'dark', width: 'wide' },
  { theme: 'dark', width: 'narrow' },
  { theme: 'light', width: 'narrow' },
];
/** Rules about colours: all that the dark theme can break. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Changes the look in place, as the system's theme and a window's size do. */
export async function take(page: Page, { theme, width }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await page.setViewportSize(VIEWPORTS[width]);
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
  await page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}

/** Violations that keep people out, in words. The source is evaluated: the page's policy allows no script element. */
export async function violations(page: Page, { theme }: Look): Promise<string[]> {
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null);
  await page.evaluate(async () => {
    // Colours in transition are neither the first nor the last.
    await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => undefined)));
  });
  if (!(await page.evaluate(() => 'axe' in window)))
    await page.evaluate(
      await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
    );
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

/** A folder for pictures of the screens that `looked` sees; by default it keeps none. */
const folder = process.env.E2E_LOOKS;

/** Expects a screen to keep nobody out in any look, and leaves the page as it was. */
export async function looked(page: Page, name: string, looks = LOOKS): Promise<void> {
  const before = page.viewportSize() ?? VIEWPORTS.wide;
  for (const look of looks) {
    await take(page, look);
    expect(await violations(page, look), `${name}, ${look.theme}, ${look.width}`).toEqual([]);
    if (folder === undefined) continue;
    await mkdir(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}-${look.width}-${look.theme}.png`) });
  }
  await page.setViewportSize(before);
}
