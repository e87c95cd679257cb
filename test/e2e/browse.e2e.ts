import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../main/contract.ts';
import { AppLab } from './app-lab.ts';
import { ChatPage, eventually, expectQuiet } from './chat-page.ts';
import { looked } from './looks.ts';

let lab: AppLab;
let chat: ChatPage;
let page: Page;
let engine: MemoryClient;
let scope: string;
beforeAll(async () => {
  lab = await AppLab.start({});
  chat = await ChatPage.open(lab, { reducedMotion: 'reduce' });
  page = chat.page;
  engine = await lab.engine();
  ({ scope } = await engine.sample({}));
});
afterAll(() => lab[Symbol.asyncDispose]());
afterEach(() => expectQuiet(lab));

const tree = () => page.getByRole('tree', { name: 'Categories, people and things' });
const graph = () => page.getByRole('region', { name: 'Graph of memory' });
const card = (name: string) => page.getByRole('region', { name: `Selected: ${name}` });
const active = () => page.evaluate(() => document.activeElement?.getAttribute('aria-activedescendant') ?? '');
const activeItem = async () => page.locator(`[id="${await active()}"]`);
const main = () => page.getByRole('main');

async function open(place: string): Promise<void> {
  await lab.go(page, place);
}

const idOf = async (name: string) =>
  (await engine.names({ scope, typed: name, kinds: ['entity'] })).find((each) => each.name === name)!.id;

/** Opens the page of an entity by its name. */
async function openEntity(name: string): Promise<string> {
  const id = await idOf(name);
  await open(`#/entity/${scope}/${id}`);
  await page.getByRole('heading', { name, level: 1 }).waitFor();
  return id;
}

const nodes = async () => Number(await graph().getAttribute('data-nodes'));

/** The graph once it is arranged. */
async function drawn(): Promise<Locator> {
  await eventually(async () => {
    expect(await graph().getAttribute('data-state')).toBe('still');
    expect(await nodes()).toBeGreaterThan(0);
  });
  return graph();
}

/** Bytes of a picture of the canvas: one with nothing on it takes few. */
const pictureSize = async () => (await page.getByTestId('graph').screenshot()).length;

const undo = () => page.getByRole('button', { name: 'Undo', exact: true }).last().click();
const openCorrections = async () =>
  (await engine.corrections({ scope })).filter(({ kind, undoneAt }) => kind !== 'undo' && undoneAt === null);

describe('the tree', () => {
  beforeAll(() => open(`#/browse/${scope}`));

  it('is walked by keyboard, level by level', async () => {
    await tree().getByRole('treeitem').first().waitFor();
    await tree().focus();
    await page.keyboard.press('Home');
    const first = await activeItem();
    expect(await first.getAttribute('aria-expanded')).toBe('false');
    await page.keyboard.press('ArrowRight');
    await eventually(async () => expect(await first.getAttribute('aria-expanded')).toBe('true'));
    await tree().locator('[aria-level="2"]').first().waitFor();
    await page.keyboard.press('ArrowRight');
    await eventually(async () => expect(await (await activeItem()).getAttribute('aria-level')).toBe('2'));
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => expect(await (await activeItem()).getAttribute('aria-level')).toBe('1'));
    await page.keyboard.press('ArrowLeft');
    await eventually(async () => expect(await first.getAttribute('aria-expanded')).toBe('false'));
  });

  it('shows a node in the graph, and opens its page', async () => {
    const top = (await engine.tree({ scope, depth: 0 })).nodes[0]!;
    await tree().focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await card(top.name).waitFor();
    expect(await (await activeItem()).getAttribute('aria-selected')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: top.name, level: 1 }).waitFor();
    expect(page.url()).toContain(`#/category/${scope}/`);
  });
});

describe('the graph', () => {
  const bar = () => page.getByRole('navigation', { name: 'Memory', exact: true });
  beforeAll(async () => {
    await open(`#/category/${scope}/${(await engine.tree({ scope, depth: 0 })).nodes[0]!.id}`);
    await bar().getByRole('link', { name: 'Browse' }).click();
  });

  it('draws memory on WebGL, and says how much of it', async () => {
    await drawn();
    // It is around the category whose page was open before.
    await page.getByRole('button', { name: 'All of memory' }).click();
    await drawn();
    const { nodes: all } = await engine.graph({ scope });
    await eventually(async () => expect(await nodes()).toBe(all.length));
    const whole = await pictureSize();
    await page.getByRole('button', { name: 'Filters' }).click();
    const filters = page.getByRole('form', { name: 'Filters' });
    await filters.getByLabel('To', { exact: true }).fill('1990-01-01');
    await page.getByText('Nothing fits these filters').waitFor();
    // Compared without the form, which takes more bytes than a small graph.
    await filters.getByRole('button', { name: 'Close' }).click();
    await eventually(async () => expect(await pictureSize()).toBeLessThan(whole / 2));
    await page.getByRole('button', { name: 'Filters' }).click();
    await filters.getByRole('button', { name: 'Reset' }).click();
    await eventually(async () => expect(await nodes()).toBe(all.length));
  });

  it('shows the kinds that are chosen, and adds the neighbours of a name', async () => {
    const filters = page.getByRole('form', { name: 'Filters' });
    await filters.getByRole('checkbox', { name: 'People and things' }).uncheck();
    const { nodes: categories } = await engine.graph({ scope, kinds: ['category'] });
    await eventually(async () => expect(await nodes()).toBe(categories.length));
    await filters.getByRole('button', { name: 'Close' }).click();
    await drawn();

    const field = page.getByRole('combobox', { name: 'Find a person, thing or category' });
    await field.fill('nor');
    const option = page.getByRole('option', { name: /^Nora/ });
    await option.waitFor();
    await eventually(async () => expect(await active()).toBe(await option.getAttribute('id')));
    await field.press('Enter');
    await card('Nora').waitFor();
    await eventually(async () => expect(await nodes()).toBeGreaterThan(categories.length));
  });

  it('selects by a click, and expands', async () => {
    await page.getByRole('button', { name: 'Filters' }).click();
    await page
      .getByRole('form', { name: 'Filters' })
      .getByRole('checkbox', { name: 'People and things' })
      .check();
    await page.getByRole('form', { name: 'Filters' }).getByRole('button', { name: 'Close' }).click();
    await drawn();
    const field = page.getByRole('combobox', { name: 'Find a person, thing or category' });
    await field.fill('Ilan');
    await field.press('Enter');
    await card('Ilan').waitFor();
    await drawn();
    await card('Ilan').getByRole('button', { name: 'Close the card' }).click();
    await card('Ilan').waitFor({ state: 'detached' });
    // The camera has put it into the middle.
    const box = (await page.getByTestId('graph').boundingBox())!;
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await card('Ilan').waitFor();
    await card('Ilan').getByRole('button', { name: 'Show neighbours' }).click();
    await page
      .getByText(/^\d+ neighbours shown/)
      .first()
      .waitFor();
    await card('Ilan').getByRole('link', { name: 'Open page' }).click();
    await page.getByRole('heading', { name: 'Ilan', level: 1 }).waitFor();
  });

  it('begins around what is in view, with what is within two steps', async () => {
    const ilan = await idOf('Ilan');
    const centred = async (id: string, name: string | RegExp) => {
      await bar().getByRole('link', { name: 'Browse' }).click();
      await drawn();
      const { nodes: near, total } = await engine.graph({ scope, around: id, steps: 2, limit: 60 });
      await eventually(async () => expect(await nodes()).toBe(near.length));
      await page.getByText(`${near.length} ${near.length < total + 1 ? `of ${total} ` : ''}shown`).waitFor();
      await page.getByRole('region', { name }).waitFor();
      expect(page.url()).toContain(`#/browse/${scope}/${id}`);
    };
    await centred(ilan, 'Selected: Ilan');
    expect(await nodes()).toBeLessThan((await engine.graph({ scope })).nodes.length);
    await looked(page, 'graph-around');
    // A turn beside the screen.
    await openEntity('Nora');
    await main().getByRole('button', { name: 'Source', exact: true }).first().click();
    await chat.inspector.getByText('The source', { exact: true }).waitFor();
    const said = await chat.inspector.locator('[aria-current] p').last().textContent();
    const { items } = await engine.turns({ scope, limit: 100 });
    await centred(items.find(({ content }) => content === said)!.id, /^Selected: /);
    await chat.inspector.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'All of memory' }).click();
    await eventually(async () => expect(await nodes()).toBe((await engine.graph({ scope })).nodes.length));
  });

  it('has a bar above it that stands still from screen to screen', async () => {
    const places = ['People', 'Browse', 'Timeline', 'Review', 'Forget'];
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      if (width === 390) await page.getByRole('button', { name: 'Show the sidebar' }).waitFor();
      // Where each begins in the row, which scrolls only to bring the chosen one into view.
      const where = async () => {
        const scrolled = await bar().evaluate((element) => element.scrollLeft);
        const boxes = places.map((name) => bar().getByRole('link', { name }).boundingBox());
        return (await Promise.all(boxes)).map((box) => box!.x + scrolled);
      };
      await bar().getByRole('link', { name: 'People' }).click();
      const before = await where();
      for (const name of places) {
        const link = bar().getByRole('link', { name });
        await link.click();
        await bar().locator('[aria-current]').filter({ hasText: name }).waitFor();
        expect(await where()).toEqual(before);
        const [row, box] = [(await bar().boundingBox())!, (await link.boundingBox())!];
        expect(box.x).toBeGreaterThanOrEqual(row.x - 1);
        expect(box.x + box.width).toBeLessThanOrEqual(row.x + row.width + 1);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    // Compare is for developers.
    expect(await bar().getByRole('link').allTextContents()).toEqual(places);
    await engine.saveSettings({ preferences: { developer: true } });
    await page.reload();
    await bar().getByRole('link', { name: 'Compare' }).waitFor();
    await engine.saveSettings({ preferences: { developer: false } });
    await page.setViewportSize({ width: 1280, height: 800 });
  });
});

describe('the page of an entity', () => {
  it('says what it is, with facts, turns, connections and a timeline', async () => {
    const id = await openEntity('Nora');
    const { facts, turns, neighbours } = await engine.entityPage({ scope, entity: id });
    await main()
      .getByText(new RegExp(`^${facts.holds} facts · .*${turns} turns`))
      .waitFor();
    const [fact] = (await engine.facts({ scope, entity: id, state: 'holds', limit: 1 })).items;
    await main().getByText(fact!.statement, { exact: true }).waitFor();
    await main().getByRole('button', { name: 'Source', exact: true }).first().click();
    await chat.inspector.getByText('The source', { exact: true }).waitFor();
    await chat.inspector.getByRole('button', { name: 'Close' }).click();

    await main().getByRole('tab', { name: 'Timeline' }).click();
    await main().getByRole('heading', { level: 3 }).first().waitFor();
    await main().getByRole('tab', { name: 'Turns' }).click();
    const [turn] = (await engine.turns({ scope, entity: id, limit: 1 })).items;
    await main().getByText(turn!.content, { exact: true }).waitFor();
    await main().getByRole('tab', { name: 'Connections' }).click();
    await main().getByRole('link', { name: neighbours[0]!.name }).first().click();
    await page.getByRole('heading', { name: neighbours[0]!.name, level: 1 }).waitFor();
  });

  it('is renamed, and the undo of its history gives the name back', async () => {
    await openEntity('Maya');
    await main().getByRole('button', { name: 'Edit', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Maya Cohen');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Maya Cohen', level: 1 }).waitFor();
    await main().getByText('Also called: Maya').waitFor();
    await main().getByRole('tab', { name: 'History' }).click();
    await main()
      .getByRole('region', { name: 'Corrections', exact: true })
      .getByRole('button', { name: 'Undo' })
      .click();
    await page.getByRole('heading', { name: 'Maya', level: 1, exact: true }).waitFor();
    expect(await openCorrections()).toEqual([]);
  });

  it('is merged with another, and the undo of the notice parts them again', async () => {
    const [maya, wout] = [await openEntity('Maya'), await idOf('Wout')];
    await chat.choose(main().getByRole('button', { name: 'More actions' }), 'Merge with…');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'The other one' }).fill('Wout');
    await dialog.getByRole('option', { name: /^Wout/ }).click();
    await dialog.getByRole('radio', { name: /^Keep Wout/ }).click();
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByRole('heading', { name: 'Wout', level: 1 }).waitFor();
    expect(await engine.entityPage({ scope, entity: maya })).toMatchObject({
      id: wout,
      merged: [{ id: maya }],
    });
    await undo();
    await eventually(async () => expect(await openCorrections()).toEqual([]));
    expect((await engine.entityPage({ scope, entity: maya })).id).toBe(maya);
  });

  it('is split by facts, and the undo makes it whole again', async () => {
    const nora = await openEntity('Nora');
    const before = (await engine.entityPage({ scope, entity: nora })).facts;
    await chat.choose(main().getByRole('button', { name: 'More actions' }), 'Split…');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name of the new one').fill('Nora the Second');
    await dialog.getByRole('group', { name: 'Its facts' }).getByRole('checkbox').first().check();
    await dialog.getByText('1 fact and 0 turns chosen').waitFor();
    await dialog.getByRole('button', { name: 'Split', exact: true }).click();
    await page.getByRole('heading', { name: 'Nora the Second', level: 1 }).waitFor();
    expect((await engine.entityPage({ scope, entity: nora })).facts.holds).toBe(before.holds - 1);
    await undo();
    await page.getByText('Memory does not know this any more').waitFor();
    expect((await engine.entityPage({ scope, entity: nora })).facts).toEqual(before);
  });
});

describe('the page of a category', () => {
  it('has its members and facts, and leads down to an entity and up again', async () => {
    const id = await openEntity('Nora');
    const [path] = (await engine.entityPage({ scope, entity: id })).categories;
    await main()
      .getByRole('navigation', { name: `Way to the top: ${path![0]!.name}` })
      .getByRole('link', { name: path![0]!.name })
      .click();
    await page.getByRole('heading', { name: path![0]!.name, level: 1 }).waitFor();
    await main().getByRole('region', { name: 'Latest facts' }).getByRole('listitem').first().waitFor();
    await main().getByRole('region', { name: 'Members' }).getByRole('link', { name: /^Nora/ }).click();
    await page.getByRole('heading', { name: 'Nora', level: 1 }).waitFor();
  });
});

describe('in a narrow window', () => {
  it('shows the tree or the graph', async () => {
    const narrow = await lab.open('', { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' });
    await lab.go(narrow, `#/browse/${scope}`);
    await narrow.getByRole('tree').getByRole('treeitem').first().waitFor();
    expect(await narrow.getByTestId('graph').count()).toBe(0);
    await narrow.getByRole('radio', { name: 'Graph' }).click();
    await narrow.getByTestId('graph').waitFor();
    expect(await narrow.getByRole('tree').count()).toBe(0);
    await narrow.context().close();
  });
});
