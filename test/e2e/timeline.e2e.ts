import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { looked } from './looks.ts';
import { rememberMove } from './moving.ts';

const scope = 'default';
const QUESTION = 'Where does Ana live?';

let lab: AppLab;
let page: Page;
beforeAll(async () => {
  lab = await AppLab.start();
  ({ page } = await ChatPage.open(lab));
  await rememberMove(await lab.engine(), scope);
  await lab.go(page, '#/timeline');
  await page.getByRole('heading', { name: 'Timeline', exact: true }).waitFor();
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const slider = () => page.getByRole('slider', { name: 'As of' });
const answer = (name: string | RegExp): Locator => page.getByRole('region', { name });
const button = (name: string) => page.getByRole('button', { name, exact: true });
/** Moves the slider to the place that a day belongs to. */
async function moveTo(day: string, span: 'told' | 'all' = 'told'): Promise<void> {
  const { buckets } = await (await lab.engine()).timeline({ scope, span, most: 160, gaps: 'folded' });
  const place = buckets.findIndex(({ end }) => Date.parse(day) < end);
  await eventually(async () => expect(await slider().getAttribute('max')).toBe(String(buckets.length)));
  await slider().fill(String(place));
}

describe('the timeline', () => {
  it('answers the question as of now', async () => {
    await page.getByRole('textbox', { name: 'Your question' }).fill(QUESTION);
    await answer('The answer now').getByText('Lisbon').first().waitFor();
    expect(await slider().getAttribute('aria-valuetext')).toBe('now');
  });

  it('answers it again as of the time of the slider, and marks what changed', async () => {
    await moveTo('2023-06-07');
    const then = answer(/^The answer as of/);
    await then.getByText('Ana lives in Porto').first().waitFor();
    await then.getByText('Different now').waitFor();
    await answer('The answer now').getByText('Lisbon').first().waitFor();

    await moveTo('2023-10-04');
    await then.getByText('Lisbon').first().waitFor();
    await then.getByText('Same as now').waitFor();
    await answer('The answer now').waitFor({ state: 'detached' });
  });

  it('opens the source of an answer', async () => {
    await moveTo('2023-06-07');
    await answer(/^The answer as of/)
      .getByText('Ana lives in Porto')
      .first()
      .waitFor();
    await answer(/^The answer as of/)
      .getByRole('button', { name: 'Source 1', exact: true })
      .first()
      .click();
    const panel = page.getByRole('complementary', { name: 'Source' });
    await panel.getByText('I live in Porto.').first().waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
  });

  it('lists the pair of facts, and leads to the time of the change', async () => {
    const pairs = page.getByRole('region', { name: 'What superseded what' });
    await pairs.getByText('Ana lives in Porto').waitFor();
    await pairs.getByText('Ana moved to Lisbon').waitFor();
    await pairs.getByRole('button', { name: 'Show this time' }).click();
    const then = page.getByRole('region', { name: /^What happened/ });
    await then.getByRole('heading', { name: 'Replaced' }).waitFor();
    await then.getByText('Ana moved to Lisbon').waitFor();
    await then.getByText('I moved to Lisbon.', { exact: true }).waitFor();
    await then.getByText('Ana lives in Porto').waitFor();
  });

  it('steps from change to change, and back to now', async () => {
    await button('Back to now').click();
    expect(await button('Later change').isDisabled()).toBe(true);
    await button('Earlier change').click();
    expect(await slider().getAttribute('aria-valuetext')).toMatch(/Nov.*2023/);
    await button('Later change').click();
    expect(await slider().getAttribute('aria-valuetext')).toBe('now');
  });

  it('has a slider that keys move', async () => {
    await slider().focus();
    await page.keyboard.press('Home');
    expect(await slider().getAttribute('aria-valuetext')).toMatch(/^the end of the week of .*Feb.*2023/);
    await page.keyboard.press('ArrowRight');
    expect(await slider().getAttribute('aria-valuetext')).toMatch(/Mar.*2023/);
    await page.keyboard.press('End');
    expect(await slider().getAttribute('aria-valuetext')).toBe('now');
  });

  it('has the same numbers as a table', async () => {
    await page.getByText(/^As a table/).click();
    const rows = page.getByRole('table').getByRole('row');
    await eventually(async () => expect(await rows.count()).toBeGreaterThan(4));
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      ...['Time', 'Turns said', 'Facts that began', 'Facts that ended'],
    ]);
    await page.getByText(/^As a table/).click();
  });

  it('narrows to one person', async () => {
    await button('About: Everybody').click();
    await page.getByRole('menuitem', { name: 'Ben' }).click();
    await page.getByText('No fact has taken the place of another.').waitFor();
    await button('About: Ben').click();
    await page.getByRole('menuitem', { name: 'Everybody' }).click();
    await page
      .getByRole('region', { name: 'What superseded what' })
      .getByText('Ana moved to Lisbon')
      .waitFor();
  });

  it('shows times before the first turn', async () => {
    await button('Show all times').click();
    await moveTo('1990-06-01', 'all');
    await button('Show the time of the turns').waitFor();
    await answer(/^The answer as of/)
      .getByText('not enough in memory')
      .waitFor();
    await answer(/^The answer as of/)
      .getByText('Not known then')
      .waitFor();
    await button('Show the time of the turns').click();
  });

  it('asks as memory knew it, and lists what it learned', async () => {
    await page.getByRole('radio', { name: 'As memory knew it' }).click();
    await page
      .getByRole('region', { name: /^What memory learned/ })
      .getByText('Ana moved to Lisbon')
      .waitFor();
    await slider().press('Home');
    await answer(/^The answer as of/)
      .getByText('Lisbon')
      .first()
      .waitFor();
    await page.getByRole('radio', { name: 'As it was' }).click();
  });

  it('shows a correction of a fact at once', async () => {
    await moveTo('2023-03-05');
    const happened = page.getByRole('region', { name: /^What happened/ });
    const fact = happened.getByText(/^Ana works as a baker/);
    await fact.waitFor();
    await happened.getByRole('button', { name: /^Actions for “Ana works as a baker/ }).click();
    await page.getByRole('menuitem', { name: 'Correct or take back…' }).click();
    await page.getByRole('radio', { name: /^It is wrong/ }).click();
    await page.getByRole('button', { name: 'Hide it' }).click();
    await fact.waitFor({ state: 'detached' });
    await happened.getByText('Ana lives in Porto').waitFor();
  });

  it('folds years without a word, so that the rest stays in view', async () => {
    const engine = await lab.engine();
    const at = '2026-10-05T10:00:00Z';
    await engine.add({ scope, turns: [{ at, speaker: 'Ana', session: 's9', content: 'I adopted a dog.' }] });
    await engine.flush({ scope }); // another program's turns are shown without a reload
    await moveTo('2025-06-01');
    expect(await slider().getAttribute('aria-valuetext')).toMatch(/the gap from .*2023.* to .*2026/);
    const { unit, buckets } = await engine.timeline({ scope, most: 160, gaps: 'folded' });
    expect(unit).toBe('week');
    expect(buckets.filter(({ isGap }) => isGap)).toHaveLength(1);
    await looked(page, 'timeline-gap');
  });

  it('says that there is no time yet in an empty memory', async () => {
    await lab.go(page, '#/timeline/nothing-here');
    await page.getByRole('heading', { name: 'No time yet' }).waitFor();
    await lab.go(page, '#/timeline');
  });
});
