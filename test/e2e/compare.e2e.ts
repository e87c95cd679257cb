import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppLab } from './app-lab.ts';
import { ChatPage, expectQuiet } from './chat-page.ts';
import { rememberMove } from './moving.ts';

const scope = 'default';

let lab: AppLab;
let page: Page;
beforeAll(async () => {
  lab = await AppLab.start();
  ({ page } = await ChatPage.open(lab));
  await rememberMove(await lab.engine(), scope);
  await lab.go(page, '#/compare');
  await page.getByRole('heading', { name: 'Ask and compare' }).waitFor();
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const side = (recipe: string) => page.getByRole('region', { name: `Recipe ${recipe}`, exact: true });
const summary = () => page.getByRole('status', { name: 'The difference' });
const compare = () => page.getByRole('button', { name: 'Compare', exact: true });

describe('asking with two recipes', () => {
  it('shows both answers, with routes, the walk, the evidence, the context and the cost', async () => {
    await page.getByRole('textbox', { name: 'Question' }).fill('Where does Ana live?');
    await compare().click();
    for (const recipe of ['auto', 'mnemis-local']) {
      await side(recipe).getByText('Lisbon').first().waitFor();
      await side(recipe).getByRole('region', { name: 'Where it looked' }).getByText('Similarity').waitFor();
      await side(recipe).getByText('Model calls').waitFor();
      expect(await side(recipe).getByRole('definition').allTextContents()).toEqual([
        expect.stringMatching(/ (?:ms|s)$/),
        expect.stringMatching(/ (?:ms|s)$/),
        ...['none', '0', '$0'],
      ]);
      const context = side(recipe).getByText(/^Context: \d+ sources?, \d+ tokens$/);
      await context.click();
      await side(recipe).getByText('Ana: I moved to Lisbon.').waitFor();
    }
    await side('mnemis-local').getByRole('region', { name: 'The way through the categories' }).waitFor();
    await summary()
      .getByText(/sources? in common, \d+ only left, \d+ only right\.$/)
      .waitFor();
    await summary().getByText('Both answers cite the same source first.').waitFor();
  });

  it('marks what one side alone found', async () => {
    await page.getByLabel('Left recipe').selectOption('system1-rag');
    await compare().click();
    await side('system1-rag').getByText('Model calls').waitFor();
    await side('mnemis-local').getByText('Only here').first().waitFor();
    await summary()
      .getByText(/ 0 only left, [1-9]\d* only right/)
      .waitFor();
  });

  it('asks as of a day', async () => {
    await page.getByLabel('Left recipe').selectOption('auto');
    await page.getByLabel('As of (optional)').fill('2023-06-01');
    await page.getByRole('radio', { name: 'As it was' }).waitFor();
    await compare().click();
    await side('auto').getByText('Ana lives in Porto').first().waitFor();
    await side('mnemis-local').getByText('Ana lives in Porto').first().waitFor();
    await page.getByLabel('As of (optional)').fill('');
  });

  it('lists the recipes with a sentence each', async () => {
    const right = page.getByLabel('Right recipe');
    const groups = await right
      .locator('optgroup')
      .evaluateAll((all) => all.map((each) => each.getAttribute('label')));
    expect(groups).toEqual(['For everyday use', 'As in the papers', 'Variants that the papers compare']);
    await right.selectOption('memorai');
    await page.getByText('PageRank over what is around the question').waitFor();
    await right.selectOption('mnemis-local');
  });

  it('leaves one side alone if the other fails', async () => {
    const error = { code: 'model-unavailable', message: 'The model of this recipe did not answer.' };
    const failing = async (route: Route) =>
      route.request().postData()?.includes('"recipe":"gam"')
        ? route.fulfill({ status: 503, contentType: 'application/json', body: JSON.stringify({ error }) })
        : route.fallback();
    await page.route('**/*', failing);
    await page.getByLabel('Left recipe').selectOption('gam');
    await compare().click();
    await side('gam').getByText('This side failed.').waitFor();
    await side('gam').getByText('The model of this recipe did not answer.').waitFor();
    await side('mnemis-local').getByText('Lisbon').first().waitFor();
    await side('mnemis-local').getByText('Model calls').waitFor();
    expect(await summary().count()).toBe(0);
    await page.unroute('**/*', failing);
  });

  it('is cancelled', async () => {
    let isHeld = true;
    const holding = async (route: Route) => {
      if (isHeld && route.request().postData()?.includes('"recipe":"memorai"')) return;
      await route.fallback();
    };
    await page.route('**/*', holding);
    await page.getByLabel('Left recipe').selectOption('memorai');
    await compare().click();
    await side('memorai').getByText('Searching…').waitFor();
    await side('mnemis-local').getByText('Waits for the other side').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await side('memorai').getByText('Cancelled.').waitFor();
    await side('mnemis-local').getByText('Cancelled.').waitFor();
    isHeld = false;
    await page.unroute('**/*', holding);
    await compare().click();
    await side('memorai').getByText('Model calls').waitFor();
  });
});
