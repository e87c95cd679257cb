import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const dialogs = new WeakMap<Page, string[]>();

/** Notes each dialog that a script of the page opens. */
export function guard(page: Page): void {
  const opened: string[] = [];
  dialogs.set(page, opened);
  page.on('dialog', (dialog) => {
    opened.push(dialog.message());
    void dialog.dismiss();
  });
}

/** Payloads of the tests open a dialog or set `window.hacked`. */
export async function expectNothingRan(page: Page): Promise<void> {
  expect(dialogs.get(page)).toEqual([]);
  expect(await page.evaluate(() => (window as { hacked?: unknown }).hacked)).toBeUndefined();
  expect(await page.locator('[onerror], [onload], [onclick], iframe, object, embed').count()).toBe(0);
}
