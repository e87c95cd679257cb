import type { Locator, Page } from 'playwright-core';
import { expect, vi } from 'vitest';
import { ACTION_MILLISECONDS, type AppLab } from './app-lab.ts';

/** Longer than a reply takes beside a dozen other programs. */
const PATIENCE = { timeout: ACTION_MILLISECONDS, interval: 50 };

/** The chat of a window, by what a person sees of it. */
export class ChatPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** A window on a memory whose first steps are done. */
  static async open(lab: AppLab, options: Parameters<AppLab['open']>[1] = {}): Promise<ChatPage> {
    const page = await lab.open('', options);
    const start = page.getByRole('button', { name: 'Start chatting' });
    const field = page.getByRole('textbox', { name: 'Message', exact: true });
    await start.or(field).first().waitFor();
    if (await start.isVisible()) {
      await start.click();
      await field.waitFor();
    }
    return new ChatPage(page);
  }

  get field(): Locator {
    return this.page.getByRole('textbox', { name: 'Message', exact: true });
  }

  get questions(): Locator {
    return this.page.getByRole('article', { name: 'You', exact: true });
  }

  get answers(): Locator {
    return this.page.getByRole('article', { name: 'Answer', exact: true });
  }

  get side(): Locator {
    return this.page.getByRole('navigation', { name: 'Conversations' });
  }

  get inspector(): Locator {
    return this.page.getByRole('complementary');
  }

  /** Id of the conversation that is shown. */
  get conversation(): string {
    return /#\/c\/([\w-]+)/.exec(this.page.url())?.[1] ?? '';
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** A conversation in the list at the side. */
  listed(title: string): Locator {
    return this.side.getByRole('link', { name: title, exact: true });
  }

  async begin(): Promise<void> {
    await this.side.getByRole('link', { name: 'New chat' }).first().click();
    // The field of the conversation before is in the page until the new screen is drawn.
    await eventually(async () => {
      expect(this.conversation).toBe('');
      expect(await this.page.getByRole('article').count()).toBe(0);
    });
    await this.field.waitFor();
  }

  /** Sends a message without waiting for its answer. */
  async send(words: string): Promise<void> {
    await this.field.fill(words);
    await this.field.press('Enter');
    await this.questions.filter({ hasText: words }).last().waitFor();
  }

  /** Sends a message and waits until its answer is whole. */
  async ask(words: string): Promise<Locator> {
    await this.send(words);
    return this.answered();
  }

  /** The last answer, once it has ended. */
  async answered(): Promise<Locator> {
    await this.answers.last().getByLabel('Answer again').waitFor();
    await eventually(async () =>
      expect(await this.answers.last().getByRole('button', { name: 'Answer again' }).last().isEnabled()).toBe(
        true,
      ),
    );
    return this.answers.last();
  }

  /** Waits until something has a text. */
  async reads(element: Locator, words: string | RegExp): Promise<void> {
    await element.filter({ hasText: words }).first().waitFor();
  }

  /** Chooses an item of the menu that a button opens. */
  async choose(menu: Locator, item: string): Promise<void> {
    await menu.click();
    await this.page.getByRole('menuitem', { name: item }).click();
  }

  /** Chooses what can be done with a conversation of the list. */
  async act(title: string, item: string): Promise<void> {
    await this.listed(title).hover();
    await this.choose(this.side.getByRole('button', { name: `Actions for ${title}` }), item);
  }
}

/** Waits until a check holds. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, PATIENCE);

/** No request left the machine, and no page had an error that nobody caught. */
export function expectQuiet(lab: AppLab): void {
  expect(lab.strays).toEqual([]);
  expect(lab.pageErrors).toEqual([]);
}
